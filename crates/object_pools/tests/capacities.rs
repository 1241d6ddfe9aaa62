//! The bounds that the pools' documentation names hold exactly, for capacities around those of a magazine.
#![cfg(not(loom))]

#[macro_use]
mod common;

use std::{
    sync::{Arc, Barrier},
    thread,
};

use common::*;
use object_pools::{Overflow, PoolSettings, SharedPool};

const CAPACITIES: [usize; 7] = [0, 1, 63, 64, 65, 128, usize::MAX];
const MAGAZINE: usize = 64;
/// More than any bound but that of no bound.
const MANY: usize = 600;

/// The idle items of a shared pool that one thread used, and still may: the depot's, and the thread's one and two
/// magazines, which are no larger than the capacity.
fn bound(capacity: usize) -> usize {
    let magazine = MAGAZINE.min(capacity);
    if capacity == 0 { 0 } else { capacity.saturating_add(1 + 2 * magazine) }
}

/// How many of them are reached by one thread that only gives back: the depot gets whole magazines.
fn reached(capacity: usize) -> usize {
    let magazine = MAGAZINE.min(capacity).max(1);
    (bound(capacity).saturating_sub(capacity) + capacity / magazine * magazine).min(MANY)
}

both_pools! {
    /// Holds so many at once, and returns them.
    fn hold<F: Fn() -> Item + 'static>(pool: &Pool<Item, F>, count: usize) {
        let leases: Vec<_> = (0..count).map(|_| pool.lease()).collect();
        drop(leases);
    }

    #[test]
    fn at_most_as_many_are_idle_as_the_bound_says() {
        for capacity in CAPACITIES {
            let lives = Lives::default();
            let pool = Pool::with_settings(lives.factory(), keeping(capacity)).unwrap();
            assert_eq!(pool.capacity(), capacity);
            let items: Vec<_> = (0..MANY).map(|_| pool.rent()).collect();
            let (bound, expected) = match IS_LOCAL {
                true => (capacity, capacity.min(MANY)),
                false => (bound(capacity), reached(capacity)),
            };
            let mut most = 0;
            for item in items {
                pool.give_back(item);
                assert!(pool.idle() <= bound, "{} are idle with a capacity of {capacity}", pool.idle());
                most = most.max(pool.idle());
            }
            assert_eq!(most, expected, "with a capacity of {capacity}");
            assert_adds_up(&pool.stats(START), &lives, 0);
            // Again, with what is there.
            hold(&pool, MANY);
            assert!(pool.idle() <= bound);
            assert_adds_up(&pool.stats(START), &lives, 0);
        }
    }

    /// In a pool that grows, the capacity bounds nothing.
    #[test]
    fn a_growing_pool_keeps_everything() {
        for capacity in CAPACITIES {
            let lives = Lives::default();
            let settings = PoolSettings { overflow: Overflow::Grow, ..keeping(capacity) };
            let pool = Pool::with_settings(lives.factory(), settings).unwrap();
            assert_eq!(pool.capacity(), capacity);
            hold(&pool, MANY);
            assert_eq!(pool.idle(), MANY);
            hold(&pool, MANY);
            assert_eq!(pool.stats(START).dropped, 0);
            let item = pool.rent();
            assert!(pool.try_give_back(item).is_ok());
            assert_adds_up(&pool.stats(START), &lives, 0);
        }
    }

    /// Items that are built ahead fill the pool to its capacity exactly; one more is disposed of.
    #[test]
    fn a_pool_is_filled_to_its_capacity_exactly() {
        for capacity in [0, 1, 63, 64, 65, 128] {
            let lives = Lives::default();
            let settings = PoolSettings { prefill: capacity, ..keeping(capacity) };
            let pool = Pool::with_settings(lives.factory(), settings).unwrap();
            assert_eq!((pool.idle(), pool.stats(START).dropped), (capacity, 0));
            pool.prefill(1);
            assert_eq!((pool.idle(), pool.stats(START).purges.overflow), (capacity, 1));
            assert_adds_up(&pool.stats(START), &lives, 0);
        }
    }

    /// `try_give_back` accepts exactly as many as find room, and disposes of none.
    #[test]
    fn what_has_no_room_comes_back() {
        for capacity in [0, 1, 2, 63, 64, 65, 128] {
            let lives = Lives::default();
            let pool = Pool::with_settings(lives.factory(), keeping(capacity)).unwrap();
            let mut kept = 0;
            let mut items: Vec<_> = (0..MANY).map(|_| pool.rent()).collect();
            while let Some(item) = items.pop() {
                let serial = item.serial;
                if let Err(item) = pool.try_give_back(item) {
                    assert_eq!(item.serial, serial, "the item itself comes back");
                    items.push(item);
                    break;
                }
                kept += 1;
            }
            let expected = if IS_LOCAL { capacity } else { reached(capacity) };
            assert_eq!((kept, pool.idle()), (expected, expected), "with a capacity of {capacity}");
            assert_eq!(pool.stats(START).dropped, 0, "none was disposed of");
            assert_adds_up(&pool.stats(START), &lives, MANY - kept);
            // After a rent there is room for one again.
            if capacity > 0 {
                let item = pool.rent();
                assert!(pool.try_give_back(item).is_ok());
            }
            items.into_iter().for_each(|item| pool.give_back(item));
            assert_adds_up(&pool.stats(START), &lives, 0);
        }
    }

    /// The ready-made capacities.
    #[test]
    fn the_default_capacities() {
        let expected = match IS_LOCAL {
            true => usize::MAX,
            false => 2 * thread::available_parallelism().unwrap().get(),
        };
        assert_eq!(Pool::new(|| 0).capacity(), expected);
        assert_eq!(Pool::<u8>::default().capacity(), expected);
        assert_eq!(Pool::with_settings(|| 0, PoolSettings::default()).unwrap().capacity(), expected);
    }
}

/// Two threads that return at the same time find the same bound: the depot's capacity, and what is each thread's own.
#[test]
fn a_capacity_that_two_threads_reach_at_once_holds() {
    for capacity in CAPACITIES {
        let lives = Lives::default();
        let pool = Arc::new(SharedPool::with_settings(lives.factory(), keeping(capacity)).unwrap());
        let (step, own) = (Arc::new(Barrier::new(3)), bound(capacity).saturating_sub(capacity));
        let threads = [0, 1].map(|_| {
            let (pool, step) = (pool.clone(), step.clone());
            thread::spawn(move || {
                for _ in 0..20 {
                    let items: Vec<_> = (0..MANY).map(|_| pool.rent()).collect();
                    step.wait();
                    items.into_iter().for_each(|item| pool.give_back(item));
                    step.wait();
                    // The test looks.
                    step.wait();
                }
            })
        });
        for _ in 0..20 {
            step.wait();
            step.wait();
            let idle = pool.idle();
            assert!(idle <= capacity.saturating_add(2 * own), "{idle} are idle with a capacity of {capacity}");
            assert_adds_up(&pool.stats(START), &lives, 0);
            step.wait();
        }
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert!(pool.idle() <= capacity, "what ended threads kept is in the depot");
        assert_adds_up(&pool.stats(START), &lives, 0);
    }
}

/// A thread never keeps more than its one item and two magazines, whatever the size of these.
#[test]
fn a_thread_keeps_two_magazines_and_one_item() {
    for magazine in [1, 2, 5, 64, PoolSettings::MOST_MAGAZINE] {
        let settings = PoolSettings { magazine, ..keeping(100_000) };
        let pool = SharedPool::with_settings(|| 0u8, settings).unwrap();
        let own = 2 * magazine + 1;
        let items: Vec<_> = (0..own + 3 * magazine).map(|_| pool.rent()).collect();
        items.into_iter().for_each(|item| pool.give_back(item));
        assert_eq!(pool.shrink_to(0), 3 * magazine, "in the depot");
        assert_eq!(pool.idle(), own, "with the thread");
    }
}
