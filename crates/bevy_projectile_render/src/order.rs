//! The order in which discs are painted: by layer, then by age, oldest first.

/// What one disc is sorted by, and where it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Key {
    /// Ids grow in the order of spawning.
    id: u64,
    /// Index of the disc in the order of collection.
    index: u32,
    layer: u8,
}

/// Sorts discs into the order of painting and keeps its buffers for the next frame.
///
/// A least-significant-digit radix sort that skips every digit in which all keys agree: the ids of a frame lie close
/// together, so two or three passes do. What is in order already (parallel arrays with one layer) is only looked at.
#[derive(Debug, Default)]
pub(crate) struct PaintOrder {
    keys: Vec<Key>,
    spare: Vec<Key>,
}

const DIGIT_BITS: u32 = 11;
const DIGIT_VALUES: usize = 1 << DIGIT_BITS;

impl PaintOrder {
    /// Forgets all keys, keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.keys.clear();
    }

    /// Adds the key of the next disc, in the order of collection.
    #[inline]
    pub(crate) fn push(&mut self, layer: u8, id: u64) {
        self.keys.push(Key { id, index: self.keys.len() as u32, layer });
    }

    /// Puts `discs`, collected in the order of the pushed keys, into the order of painting. `spare` is memory to work
    /// in; afterwards it holds nothing of use.
    pub(crate) fn sort<T: Copy>(&mut self, discs: &mut Vec<T>, spare: &mut Vec<T>) {
        debug_assert_eq!(discs.len(), self.keys.len());
        if self.keys.is_sorted_by_key(|key| (key.layer, key.id)) {
            return;
        }
        let first = self.keys[0];
        let (differing_ids, differing_layers) = self
            .keys
            .iter()
            .fold((0, 0), |(ids, layers), key| (ids | (key.id ^ first.id), layers | (key.layer ^ first.layer)));
        self.spare.resize(self.keys.len(), Key::default());
        for shift in (0..u64::BITS).step_by(DIGIT_BITS as usize) {
            if differing_ids >> shift & (DIGIT_VALUES as u64 - 1) != 0 {
                self.pass(|key| (key.id >> shift) as usize & (DIGIT_VALUES - 1));
            }
        }
        if differing_layers != 0 {
            self.pass(|key| usize::from(key.layer));
        }
        spare.clear();
        spare.extend(self.keys.iter().map(|key| discs[key.index as usize]));
        std::mem::swap(discs, spare);
    }

    /// One stable counting sort by `digit`, from `keys` by way of `spare`.
    fn pass(&mut self, digit: impl Fn(&Key) -> usize) {
        let mut next = [0_u32; DIGIT_VALUES];
        for key in &self.keys {
            next[digit(key)] += 1;
        }
        let mut before = 0;
        for slot in &mut next {
            before += std::mem::replace(slot, before);
        }
        for key in &self.keys {
            let slot = &mut next[digit(key)];
            self.spare[*slot as usize] = *key;
            *slot += 1;
        }
        std::mem::swap(&mut self.keys, &mut self.spare);
    }

    /// Bytes held.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.keys.capacity() + self.spare.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(keys: &[(u8, u64)]) -> Vec<(u8, u64)> {
        let (mut order, mut discs, mut spare) = (PaintOrder::default(), keys.to_vec(), Vec::new());
        for &(layer, id) in keys {
            order.push(layer, id);
        }
        order.sort(&mut discs, &mut spare);
        discs
    }

    fn expected(keys: &[(u8, u64)]) -> Vec<(u8, u64)> {
        let mut keys = keys.to_vec();
        keys.sort_unstable();
        keys
    }

    /// A small generator, so that the test needs no dependency.
    fn scramble(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *state ^ (*state >> 29)
    }

    #[test]
    fn nothing_one_and_two() {
        assert_eq!(sorted(&[]), []);
        assert_eq!(sorted(&[(3, 9)]), [(3, 9)]);
        assert_eq!(sorted(&[(0, 2), (0, 1)]), [(0, 1), (0, 2)]);
        assert_eq!(sorted(&[(1, 1), (0, 2)]), [(0, 2), (1, 1)]);
    }

    #[test]
    fn agrees_with_the_standard_sort() {
        let mut state = 7;
        for round in 0..200 {
            let len = (scramble(&mut state) % 300) as usize;
            let id_mask = u64::MAX >> (round % 64);
            let layer_mask = [0, 1, 0xff][round % 3];
            let keys: Vec<_> =
                (0..len).map(|_| (scramble(&mut state) as u8 & layer_mask, scramble(&mut state) & id_mask)).collect();
            assert_eq!(sorted(&keys), expected(&keys), "round {round}");
        }
    }

    #[test]
    fn ids_that_differ_in_one_digit_only() {
        for shift in [0, 10, 11, 21, 22, 32, 33, 43, 44, 54, 55, 60] {
            let base = 0x0123_4567_89ab_cdef & !(7 << shift);
            let keys: Vec<_> = [5_u64, 2, 7, 0].iter().map(|digit| (0, base | digit << shift)).collect();
            assert_eq!(sorted(&keys), expected(&keys), "shift {shift}");
        }
    }

    #[test]
    fn memory_is_kept_and_does_not_grow() {
        let (mut order, mut discs, mut spare) = (PaintOrder::default(), Vec::new(), Vec::new());
        let mut held = 0;
        for round in 0..10_u64 {
            order.clear();
            discs.clear();
            for id in (0..1000).rev() {
                order.push(0, id);
                discs.push(id);
            }
            order.sort(&mut discs, &mut spare);
            assert!(discs.is_sorted());
            let now = order.capacity() + discs.capacity() + spare.capacity();
            if round == 1 {
                held = now;
            } else if round > 1 {
                assert_eq!(now, held);
            }
        }
    }
}
