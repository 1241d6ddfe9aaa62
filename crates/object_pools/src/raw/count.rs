//! How many items are in a stack, and how many were taken out, in one word.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// The number of items, and the number of rents: the number of items that were taken out.
///
/// Both lie in one word, so that counting rents costs nothing: taking an item out adds one rent and subtracts one item by
/// one addition. (Two counts cost a rent and a return some 15 % more in a loop of both; a processor waits for each word
/// that it has just written.) Without the feature `stats` there are no rents.
///
/// One thread at a time may change it; any may read it.
#[derive(Debug, Default)]
pub(crate) struct Count {
    /// Items in the lower half, rents in the upper.
    word: AtomicU64,
    /// How often the upper half came round.
    rounds: AtomicU32,
}

/// A rent in the word.
const RENT: u64 = if cfg!(feature = "stats") { 1 << 32 } else { 0 };

/// A count as it was at one moment.
#[derive(Clone, Copy)]
pub(crate) struct Now(u64);

impl Now {
    /// Items.
    #[inline(always)]
    pub fn items(self) -> usize {
        self.0 as u32 as usize
    }
}

impl Count {
    /// The most items that can be counted.
    pub const MOST: usize = u32::MAX as usize - 1;

    /// Items.
    #[inline(always)]
    pub fn items(&self) -> usize {
        self.get().items()
    }

    /// The count as it is.
    #[inline(always)]
    pub fn get(&self) -> Now {
        Now(self.word.load(Relaxed))
    }

    /// Counts an item that is taken out, where `now` is the count before, and not of 0 items.
    #[inline(always)]
    pub fn take_one(&self, now: Now) {
        let (word, wrapped) = now.0.overflowing_add(RENT.wrapping_sub(1));
        self.word.store(word, Relaxed);
        if RENT > 0 && wrapped {
            self.next_round();
        }
    }

    #[cold]
    fn next_round(&self) {
        self.rounds.store(self.rounds.load(Relaxed).wrapping_add(1), Relaxed);
    }

    /// Counts an item that is put in, where `now` is the count before, and of fewer than [`MOST`](Self::MOST).
    #[inline(always)]
    pub fn put_one(&self, now: Now) {
        self.word.store(now.0 + 1, Relaxed);
    }

    /// Sets the number of items, at most [`MOST`](Self::MOST); rents stay.
    pub fn set_items(&self, items: usize) {
        let rents = self.word.load(Relaxed) >> 32 << 32;
        self.word.store(rents | items as u64, Relaxed);
    }

    /// Items that were taken out, ever.
    pub fn rents(&self) -> u64 {
        let rounds = self.rounds.load(Relaxed);
        (u64::from(rounds) << 32) + (self.word.load(Relaxed) >> 32)
    }
}

#[cfg(all(test, feature = "stats", not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn items_and_rents_do_not_disturb_each_other() {
        let count = Count::default();
        for _ in 0..3 {
            count.put_one(count.get());
        }
        count.take_one(count.get());
        assert_eq!((count.items(), count.rents()), (2, 1));
        count.set_items(Count::MOST);
        count.take_one(count.get());
        assert_eq!((count.items(), count.rents()), (Count::MOST - 1, 2));
        count.set_items(0);
        assert_eq!((count.items(), count.rents()), (0, 2));
    }

    #[test]
    fn rents_go_on_after_the_half_word_is_full() {
        let count = Count { word: AtomicU64::new((u64::from(u32::MAX) << 32) + 2), ..Count::default() };
        count.take_one(count.get());
        assert_eq!((count.items(), count.rents()), (1, 1 << 32));
        count.take_one(count.get());
        assert_eq!((count.items(), count.rents()), (0, (1 << 32) + 1));
    }
}
