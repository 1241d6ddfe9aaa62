//! Ready-made pools of collections: empty when rented, and no larger than allowed when idle.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    hash::BuildHasher,
};

use crate::{Lifecycle, LocalPool, SharedPool};

/// The lifecycle of a pooled collection: it begins empty, is cleared when it comes back, and its memory is cut down to room
/// for some number of elements, so that one huge buffer among small ones does not stay for ever.
///
/// ```
/// use object_pools::{Cleared, LocalVecPool};
///
/// let pool = LocalVecPool::<u8>::new(Cleared::keeping(1024));
/// let mut buffer = pool.lease();
/// buffer.resize(1_000_000, 7);
/// drop(buffer);
/// let buffer = pool.lease();
/// assert!(buffer.is_empty() && buffer.capacity() < 2 * 1024);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cleared {
    most: usize,
}

impl Cleared {
    /// Idle collections keep room for at most so many elements (a hash table for as many as its next size takes, up to
    /// twice as many). With 0 they keep no memory.
    #[must_use]
    pub const fn keeping(most: usize) -> Self {
        Self { most }
    }

    /// Idle collections keep all the room they grew to.
    #[must_use]
    pub const fn keeping_all() -> Self {
        Self::keeping(usize::MAX)
    }
}

/// A collection that can be cleared and can give memory back.
macro_rules! cleared {
    ($collection:ty, [$($generic:tt)*]) => {
        impl<$($generic)*> Lifecycle<$collection> for Cleared {
            #[inline]
            fn build(&self) -> $collection {
                Default::default()
            }

            #[inline]
            fn reset(&self, item: &mut $collection) {
                item.clear();
                if item.capacity() > self.most {
                    item.shrink_to(self.most);
                }
            }
        }
    };
}

cleared!(Vec<T>, [T]);
cleared!(VecDeque<T>, [T]);
cleared!(String, []);
cleared!(HashMap<K, V, S>, [K: Eq + std::hash::Hash, V, S: BuildHasher + Default]);
cleared!(HashSet<T, S>, [T: Eq + std::hash::Hash, S: BuildHasher + Default]);

/// A [`LocalPool`] of vectors.
pub type LocalVecPool<T> = LocalPool<Vec<T>, Cleared>;
/// A [`LocalPool`] of hash maps.
pub type LocalHashMapPool<K, V> = LocalPool<HashMap<K, V>, Cleared>;
/// A [`LocalPool`] of hash sets.
pub type LocalHashSetPool<T> = LocalPool<HashSet<T>, Cleared>;
/// A [`SharedPool`] of vectors.
pub type SharedVecPool<T> = SharedPool<Vec<T>, Cleared>;
/// A [`SharedPool`] of hash maps.
pub type SharedHashMapPool<K, V> = SharedPool<HashMap<K, V>, Cleared>;
/// A [`SharedPool`] of hash sets.
pub type SharedHashSetPool<T> = SharedPool<HashSet<T>, Cleared>;
