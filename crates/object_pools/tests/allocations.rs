//! A pool that is warm does not allocate.
#![cfg(not(loom))]

#[macro_use]
mod common;

use std::{
    sync::{Arc, Barrier, Mutex},
    thread,
};

use common::{
    counting::{Counting, allocations},
    *,
};
use object_pools::{Cleared, PoolSettings, SharedPool, TrimPolicy};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of this thread meanwhile.
fn allocations_of(work: impl FnOnce()) -> u64 {
    let before = allocations();
    work();
    allocations() - before
}

/// The counter counts: otherwise the other tests would show nothing.
#[test]
fn the_counter_rises() {
    assert_eq!(allocations_of(|| drop(std::hint::black_box(Box::new(7)))), 1);
    assert_eq!(allocations_of(|| drop(std::hint::black_box(vec![0u8; 100]))), 1);
    let grows = || {
        let mut grows = std::hint::black_box(Vec::with_capacity(1));
        (0..3).for_each(|item| grows.push(item));
        drop(std::hint::black_box(grows));
    };
    assert!(allocations_of(grows) >= 2);
    assert_eq!(allocations_of(|| ()), 0);
}

both_pools! {
    /// A pool counts its allocations when it is cold.
    #[test]
    fn a_cold_pool_allocates() {
        let pool = Pool::<Vec<u8>, _>::new(Cleared::keeping(100));
        let first = allocations_of(|| drop(pool.lease()));
        assert!(first > 0);
        assert!(allocations_of(|| pool.lease().push(1)) > 0, "the item's own memory");
    }

    /// All that one does with a pool, with so many items held at once.
    #[test]
    fn a_warm_pool_does_not_allocate() {
        for held in [1, 300] {
            let trim = TrimPolicy { maximum: 1000, ..TrimPolicy::after(seconds(10)) };
            let settings = PoolSettings { trim, ..keeping(1024) };
            let pool = Pool::<Vec<u8>, _>::with_settings(Cleared::keeping(100), settings).unwrap();
            let mut items = Vec::with_capacity(held);
            let mut leases = Vec::with_capacity(held);
            let mut time = 0;
            let mut frame = || {
                (0..held).for_each(|_| items.push(pool.rent()));
                items.iter_mut().for_each(|item| item.extend_from_slice(&[1, 2, 3]));
                items.drain(..).for_each(|item| pool.give_back(item));
                (0..held).for_each(|_| leases.push(pool.lease()));
                leases.iter_mut().for_each(|lease| lease.push(1));
                leases.clear();
                (0..held).for_each(|_| pool.scope(|item| item.push(1)));
                pool.scope_with(1, |item, state| item.push(*state), |item, _| item.clear());
                (0..held).for_each(|_| items.extend(pool.try_rent()));
                assert_eq!(items.len(), held);
                items.drain(..).for_each(|item| assert!(pool.try_give_back(item).is_ok()));
                (0..held).for_each(|_| leases.extend(pool.try_lease()));
                leases.drain(..).for_each(|lease| pool.give_back(object_pools::Lease::detach(lease)));
                time += 1;
                assert_eq!(pool.trim(seconds(time)), 0);
                let stats = pool.stats(seconds(time));
                assert_eq!((stats.built, stats.idle, stats.live), (held as u64, held, 0));
                assert_eq!((pool.idle(), pool.capacity()), (held, 1024));
            };
            (0..3).for_each(|_| frame());
            assert_eq!(allocations_of(|| (0..200).for_each(|_| frame())), 0, "with {held} held");
        }
    }
}

/// Two threads that exchange whole magazines all the time: one rents, the other gives back.
#[test]
fn an_exchange_of_magazines_does_not_allocate() {
    const HELD: usize = 200;
    let pool = Arc::new(SharedPool::with_settings(|| Box::new(7u64), keeping(1024)).unwrap());
    let hand_over = Arc::new(Mutex::new(Vec::with_capacity(HELD)));
    let step = Arc::new(Barrier::new(2));
    let sides = [true, false].map(|rents| {
        let (pool, hand_over, step) = (pool.clone(), hand_over.clone(), step.clone());
        thread::spawn(move || {
            let round = || {
                if rents {
                    (0..HELD).for_each(|_| hand_over.lock().unwrap().push(pool.rent()));
                }
                step.wait();
                if !rents {
                    hand_over.lock().unwrap().drain(..).for_each(|item| pool.give_back(item));
                }
                step.wait();
            };
            (0..20).for_each(|_| round());
            allocations_of(|| (0..500).for_each(|_| round()))
        })
    });
    assert_eq!(sides.map(|side| side.join().unwrap()), [0, 0]);
    let stats = pool.stats(START);
    assert!(stats.built <= HELD as u64 + 2 * 129, "{stats:?}");
    #[cfg(feature = "stats")]
    assert_eq!(stats.rents, 520 * HELD as u64);
}
