//! Blocks that are not in use, kept for the next time.

use bevy_utils::synccell::SyncCell;
use object_pools::{Lifecycle, LocalPool};

use super::block::Block;
use crate::Payload;

/// Slots of the smallest class of blocks.
const SMALLEST: usize = 128;
/// Classes from one size to its double: a block is at most a quarter larger than what it is for.
const STEPS: usize = 4;

/// Idle blocks by size, in a pool for each size class, as a large block left by a burst is for the next burst and not for
/// the next tick.
pub(crate) struct Spares<P: Payload> {
    /// By class; made when first asked for. A pool for one owner is not `Sync`; it is only used by whoever has all of this.
    pools: Vec<SyncCell<LocalPool<Block<P>, OfClass>>>,
    /// Slots and bytes of the idle blocks.
    slots: usize,
    bytes: usize,
}

/// Builds empty blocks with the room of a class.
struct OfClass(usize);

impl<P: Payload> Lifecycle<Block<P>> for OfClass {
    fn build(&self) -> Block<P> {
        let mut block = Block::default();
        block.reserve(size_of_class(self.0));
        block
    }

    fn reset(&self, block: &mut Block<P>) {
        block.clear();
    }
}

/// Slots of a block of a class: 128, 160, 192, 224, 256, 320 and so on.
fn size_of_class(class: usize) -> usize {
    (SMALLEST / STEPS * (STEPS + class % STEPS)) << (class / STEPS)
}

/// The smallest class whose blocks have room for so many.
fn class_for(room: usize) -> usize {
    let octave = (room.div_ceil(SMALLEST)).next_power_of_two().trailing_zeros() as usize;
    let first = octave.saturating_sub(1) * STEPS;
    (first..).find(|&class| size_of_class(class) >= room).unwrap_or(first)
}

/// The largest class whose blocks have no more room than this; `None` if there is none.
fn class_of(room: usize) -> Option<usize> {
    let class = class_for(room);
    if size_of_class(class) == room { Some(class) } else { class.checked_sub(1) }
}

impl<P: Payload> Default for Spares<P> {
    fn default() -> Self {
        Self { pools: Vec::new(), slots: 0, bytes: 0 }
    }
}

impl<P: Payload> Spares<P> {
    fn pool(&mut self, class: usize) -> &mut LocalPool<Block<P>, OfClass> {
        while self.pools.len() <= class {
            let new = OfClass(self.pools.len());
            self.pools.push(SyncCell::new(LocalPool::new(new)));
        }
        self.pools[class].get()
    }

    /// An empty block with room for so many: an idle one, or a new one.
    pub fn rent(&mut self, room: usize) -> Block<P> {
        let pool = self.pool(class_for(room));
        let was_idle = pool.idle() > 0;
        let block = pool.rent();
        // It belongs to the arrays now, and may come back cut down, as one of another class.
        pool.write_off(1);
        if was_idle {
            self.forget(&block);
        }
        block
    }

    /// Keeps a block for later. One that was cut down below the smallest class is dropped.
    pub fn give_back(&mut self, block: Block<P>) {
        if let Some(class) = class_of(block.columns.capacity()) {
            self.slots += block.columns.capacity();
            self.bytes += block.bytes();
            self.pool(class).adopt(block);
        }
    }

    /// Makes room for so many ready, in blocks of the given room.
    pub fn prefill(&mut self, room: usize, of_each: usize) {
        for ready in (0..room).step_by(of_each) {
            self.give_back(OfClass(class_for(of_each.min(room - ready))).build());
        }
    }

    /// Drops idle blocks, small ones first, until about `excess` slots are gone; the last one is cut down to a class that
    /// leaves no fewer than should stay.
    pub fn drop_slots(&mut self, excess: usize) {
        let stay = self.slots.saturating_sub(excess);
        for class in 0..self.pools.len() {
            while self.slots > stay
                && let Some(mut block) = self.pools[class].get().try_rent()
            {
                self.pools[class].get().write_off(1);
                self.forget(&block);
                if self.slots < stay {
                    let room = size_of_class(class_for(stay - self.slots));
                    if room < size_of_class(class) {
                        block.shrink_to(room);
                    }
                    self.give_back(block);
                    return;
                }
            }
        }
    }

    fn forget(&mut self, block: &Block<P>) {
        self.slots -= block.columns.capacity();
        self.bytes -= block.bytes();
    }

    /// Slots of idle blocks.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Bytes of idle blocks.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_has_room_for_what_it_is_for_and_little_more() {
        let sizes: Vec<usize> = (0..9).map(size_of_class).collect();
        assert_eq!(sizes, [128, 160, 192, 224, 256, 320, 384, 448, 512]);
        for room in (1..100_000).step_by(7) {
            let size = size_of_class(class_for(room));
            assert!(size >= room && (size <= SMALLEST || size * 4 <= room * 5 + 4 * 32), "{size} for {room}");
        }
        for class in 0..60 {
            let size = size_of_class(class);
            assert_eq!((class_for(size), class_of(size), class_of(size + 1)), (class, Some(class), Some(class)));
        }
        assert_eq!(class_of(127), None);
    }

    #[test]
    fn what_is_given_back_is_rented_again_and_counted() {
        let mut spares = Spares::<u32>::default();
        let block = spares.rent(1000);
        assert_eq!((spares.slots(), spares.bytes()), (0, 0));
        let (room, bytes) = (block.columns.capacity(), block.bytes());
        assert!(room >= 1024);
        spares.give_back(block);
        assert_eq!((spares.slots(), spares.bytes()), (room, bytes));
        assert!(spares.rent(3000).columns.capacity() >= 3000, "not the idle one, which is too small");
        assert_eq!(spares.slots(), room);
        assert_eq!(spares.rent(900).columns.capacity(), room);
        assert_eq!((spares.slots(), spares.bytes()), (0, 0));
    }

    #[test]
    fn slots_are_dropped_until_what_should_stay_is_left() {
        let mut spares = Spares::<u32>::default();
        spares.prefill(10_240, 1024);
        assert_eq!(spares.slots(), 10_240);
        spares.drop_slots(100);
        assert_eq!(spares.slots(), 10_240, "924 of the last one should stay, and only its class has as many");
        spares.drop_slots(3000);
        assert_eq!(spares.slots(), 7 * 1024 + 128, "72 should stay of the third one");
        spares.drop_slots(usize::MAX);
        assert_eq!((spares.slots(), spares.bytes()), (0, 0));
    }
}
