//! What all pools of this suite hold, and who builds it.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// An item: a pointer to `WORDS` times 8 bytes, built once. Its first word counts the touches.
pub type Item<const WORDS: usize> = Box<[u64; WORDS]>;

/// Items of more words than this are allocated zeroed, so that they are not written on the stack first.
const LARGE: usize = 64;

/// A new item, all zeroes.
#[inline]
#[must_use]
pub fn allocate<const WORDS: usize>() -> Item<WORDS> {
    if WORDS > LARGE {
        let zeroed: Result<Item<WORDS>, _> = vec![0; WORDS].into_boxed_slice().try_into();
        if let Ok(item) = zeroed {
            return item;
        }
    }
    Box::new([0; WORDS])
}

/// Builds the items of a pool and counts them. It costs nothing as long as the pool has idle items.
#[derive(Clone, Debug, Default)]
pub struct Factory<const WORDS: usize> {
    built: Arc<AtomicU64>,
}

impl<const WORDS: usize> Factory<WORDS> {
    /// A new item.
    #[cold]
    #[inline(never)]
    #[must_use]
    pub fn build(&self) -> Item<WORDS> {
        self.count(1);
        allocate()
    }

    /// Counts items that were built elsewhere.
    pub fn count(&self, items: u64) {
        self.built.fetch_add(items, Ordering::Relaxed);
    }

    /// How many were built, by this and all its clones.
    #[must_use]
    pub fn built(&self) -> u64 {
        self.built.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_zeroes_and_counted() {
        let factory = Factory::<512>::default();
        assert_eq!(*factory.clone().build(), [0; 512]);
        assert_eq!(*Factory::<1>::default().build(), [0]);
        assert_eq!(factory.built(), 1);
    }
}
