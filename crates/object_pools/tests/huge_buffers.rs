//! One huge collection among small ones does not keep its memory for ever.
#![cfg(not(loom))]

#[macro_use]
mod common;

use std::collections::{HashMap, HashSet, VecDeque};

use common::*;
use object_pools::Cleared;

/// Elements for which idle collections keep room.
const KEPT: usize = 100;
const HUGE: usize = 100_000;

both_pools! {
    /// Fills one huge collection, returns it among small ones, and looks at all.
    macro_rules! shrinks {
        ($name:ident, $collection:ty, $push:expr, $most:expr) => {
            #[test]
            fn $name() {
                let push: fn(&mut $collection, usize) = $push;
                let pool = Pool::<$collection, Cleared>::with_settings(Cleared::keeping(KEPT), keeping(16)).unwrap();
                for _ in 0..3 {
                    let mut all: Vec<_> = (0..8).map(|_| pool.lease()).collect();
                    for (number, collection) in all.iter_mut().enumerate() {
                        assert!(collection.is_empty());
                        assert!(collection.capacity() <= $most, "room for {} elements", collection.capacity());
                        let count = if number == 3 { HUGE } else { 10 };
                        (0..count).for_each(|element| push(collection, element));
                    }
                }
                assert_eq!(pool.idle(), 8);
                // What is not too large keeps its room.
                let rooms: Vec<_> = (0..8).map(|_| pool.lease()).map(|lease| lease.capacity()).collect();
                assert!(rooms.iter().all(|&room| room >= 10), "{rooms:?}");
            }
        };
    }

    shrinks!(vectors, Vec<u64>, |all, element| all.push(element as u64), KEPT);
    shrinks!(vectors_of_strings, Vec<String>, |all, element| all.push(element.to_string()), KEPT);
    shrinks!(strings, String, |all, _| all.push('x'), KEPT);
    shrinks!(queues, VecDeque<u64>, |all, element| all.push_back(element as u64), KEPT);
    shrinks!(maps, HashMap<u64, u64>, |all, element| _ = all.insert(element as u64, 1), 2 * KEPT);
    shrinks!(sets, HashSet<u64>, |all, element| _ = all.insert(element as u64), 2 * KEPT);

    /// With room for none, idle collections have no memory; with room for all, they keep what they have.
    #[test]
    fn none_and_all() {
        let none = Pool::<Vec<u8>, _>::new(Cleared::keeping(0));
        none.lease().push(1);
        assert_eq!(none.lease().capacity(), 0);
        let none = Pool::<HashMap<u8, u8>, _>::new(Cleared::keeping(0));
        none.lease().insert(1, 1);
        assert_eq!(none.lease().capacity(), 0);
        let all = Pool::<Vec<u8>, _>::new(Cleared::keeping_all());
        all.lease().resize(HUGE, 1);
        assert!(all.lease().capacity() >= HUGE);
    }

    /// One that is exactly as large as allowed is not touched, and one larger is cut.
    #[test]
    fn the_bound_itself() {
        let pool = Pool::<Vec<u8>, _>::new(Cleared::keeping(KEPT));
        *pool.lease() = Vec::with_capacity(KEPT);
        let lease = pool.lease();
        assert_eq!(lease.capacity(), KEPT);
        let place = lease.as_ptr();
        drop(lease);
        assert_eq!(pool.lease().as_ptr(), place, "not moved");
        *pool.lease() = Vec::with_capacity(KEPT + 1);
        assert_eq!(pool.lease().capacity(), KEPT);
    }
}

/// The names for such pools are those of the same things.
#[test]
fn the_ready_made_types() {
    use object_pools::{
        LocalHashMapPool, LocalHashSetPool, LocalVecPool, SharedHashMapPool, SharedHashSetPool, SharedVecPool,
    };
    let cleared = Cleared::keeping(KEPT);
    LocalVecPool::<u8>::new(cleared).lease().push(1);
    LocalHashMapPool::<u8, u8>::new(cleared).lease().insert(1, 1);
    LocalHashSetPool::<u8>::new(cleared).lease().insert(1);
    SharedVecPool::<u8>::new(cleared).lease().push(1);
    SharedHashMapPool::<u8, u8>::new(cleared).lease().insert(1, 1);
    SharedHashSetPool::<u8>::new(cleared).lease().insert(1);
}
