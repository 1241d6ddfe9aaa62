//! Many threads at once, for a while, and threads that end while their pools do.
#![cfg(not(loom))]

#[macro_use]
mod common;

use std::{
    sync::{
        Arc, Barrier, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

use common::*;
use object_pools::{LeakReport, Lease, PoolSettings, SharedPool, TrimPolicy};

/// Numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
}

/// All operations on all threads for about a second: every holder is the only one of its item.
#[test]
fn no_item_has_two_holders() {
    for (magazine, capacity) in [(1, 3), (4, 32), (64, 256)] {
        let lives = Lives::default();
        let trim = TrimPolicy { maximum: capacity / 2, ..TrimPolicy::NEVER };
        let settings = PoolSettings { magazine, trim, ..keeping(capacity) };
        let pool = Arc::new(SharedPool::with_settings(lives.factory(), settings).unwrap());
        let passed_on = Arc::new(Mutex::new(Vec::new()));
        let end = Instant::now() + Duration::from_millis(400);
        let threads: Vec<_> = (1..=4)
            .map(|number| {
                let (pool, passed_on, lives) = (pool.clone(), passed_on.clone(), lives.clone());
                thread::spawn(move || {
                    let mut numbers = Numbers(number << 32 | 1);
                    let (mut held, mut leases) = (Vec::new(), Vec::new());
                    while Instant::now() < end {
                        for _ in 0..100 {
                            match numbers.below(100) {
                                0..25 => {
                                    let item = pool.rent();
                                    item.pick_up();
                                    held.push(item);
                                }
                                25..50 if !held.is_empty() => {
                                    let item: Item = held.swap_remove(numbers.below(held.len() as u64) as usize);
                                    item.put_down();
                                    pool.give_back(item);
                                }
                                50..65 => {
                                    let lease = pool.lease();
                                    lease.pick_up();
                                    leases.push(lease);
                                }
                                65..80 if !leases.is_empty() => {
                                    let lease = leases.swap_remove(numbers.below(leases.len() as u64) as usize);
                                    lease.put_down();
                                    if numbers.below(4) == 0 {
                                        pool.give_back(Lease::detach(lease))
                                    } else {
                                        drop(lease)
                                    }
                                }
                                80..84 => pool.scope(|item| {
                                    item.pick_up();
                                    item.put_down();
                                }),
                                84..88 => passed_on.lock().unwrap().extend(held.pop()),
                                88..92 => {
                                    let item = passed_on.lock().unwrap().pop();
                                    held.extend(item);
                                }
                                92 => pool.release_thread(),
                                93 => _ = pool.trim(START),
                                94 => _ = pool.shrink_to(capacity / 4),
                                95 => pool.prefill(2),
                                96 => pool.adopt(lives.begin()),
                                97 => {
                                    if let Some(item) = pool.try_rent() {
                                        item.pick_up();
                                        item.put_down();
                                        let _ = pool.try_give_back(item).map_err(|item| pool.give_back(item));
                                    }
                                }
                                _ => {
                                    let stats = pool.stats(START);
                                    assert_eq!(
                                        stats.built,
                                        stats.idle as u64 + stats.live as u64 + stats.dropped,
                                        "{stats:?}"
                                    );
                                }
                            }
                            while held.len() > 40 {
                                let item: Item = held.remove(0);
                                item.put_down();
                                pool.give_back(item);
                            }
                            if leases.len() > 40 {
                                leases.drain(..20).for_each(|lease| lease.put_down());
                            }
                        }
                    }
                    leases.drain(..).for_each(|lease| lease.put_down());
                    held.into_iter().for_each(|item| {
                        item.put_down();
                        pool.give_back(item);
                    });
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        for item in passed_on.lock().unwrap().drain(..) {
            item.put_down();
            pool.give_back(item);
        }
        assert_adds_up(&pool.stats(START), &lives, 0);
        assert!(pool.idle() <= capacity + 2 * magazine + 1);
        drop(pool);
        assert_eq!(lives.alive(), 0);
    }
}

static ALARMS: AtomicUsize = AtomicUsize::new(0);

fn alarm(_: &LeakReport) {
    ALARMS.fetch_add(1, SeqCst);
}

/// Thousands of pools are dropped while the threads that used them end: each item ends once.
#[test]
fn pools_that_end_while_their_threads_do_lose_nothing() {
    const POOLS: usize = 2000;
    let lives = Lives::default();
    let settings = PoolSettings { on_leak: Some(alarm), magazine: 4, ..keeping(4) };
    let pools: Arc<Vec<_>> = Arc::new(
        (0..POOLS).map(|_| Arc::new(SharedPool::with_settings(lives.factory(), settings.clone()).unwrap())).collect(),
    );
    let (start, held) = (Arc::new(Barrier::new(3)), Arc::new(AtomicBool::new(true)));
    let threads = [0, 1].map(|_| {
        let (pools, start, held) = (pools.clone(), start.clone(), held.clone());
        thread::spawn(move || {
            for pool in pools.iter() {
                let leases: Vec<_> = (0..12).map(|_| pool.lease()).collect();
                leases.iter().for_each(|lease| lease.pick_up());
                leases.iter().for_each(|lease| lease.put_down());
            }
            drop(pools);
            start.wait();
            while held.load(SeqCst) {
                std::hint::spin_loop();
            }
            // From here on the thread ends, with magazines of all pools.
        })
    });
    start.wait();
    let mut pools = Arc::into_inner(pools).expect("the threads gave theirs back");
    held.store(false, SeqCst);
    // The thread begins with the first that it used: from both ends.
    pools.reverse();
    drop(pools);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(lives.alive(), 0);
    assert_eq!(lives.begun(), lives.ended());
}

/// The same with one pool at a time, whose last reference is dropped by any of its threads.
#[test]
fn a_pool_that_is_dropped_by_its_last_thread_loses_nothing() {
    let lives = Lives::default();
    for _ in 0..300 {
        let settings = PoolSettings { on_leak: Some(alarm), magazine: 2, ..keeping(2) };
        let pool = Arc::new(SharedPool::with_settings(lives.factory(), settings).unwrap());
        let start = Arc::new(Barrier::new(3));
        let threads = [0, 1].map(|_| {
            let (pool, start) = (pool.clone(), start.clone());
            thread::spawn(move || {
                drop((0..6).map(|_| pool.lease()).collect::<Vec<_>>());
                start.wait();
                drop(pool);
            })
        });
        start.wait();
        drop(pool);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(lives.alive(), 0);
    }
    assert_eq!(lives.begun(), lives.ended());
}

/// A thread whose work is done, and which takes its items to the depot while the pool ends, holds none: no leak is reported
/// where there is none. `thread::scope` does not wait for that.
#[test]
fn what_is_on_its_way_to_the_depot_is_not_taken_for_held() {
    for capacity in [1, 64] {
        for round in 0..5000 {
            let settings = PoolSettings { on_leak: Some(alarm), magazine: 16.min(capacity), ..keeping(capacity) };
            let pool = SharedPool::with_settings(|| 7u64, settings).unwrap();
            thread::scope(|scope| {
                scope.spawn(|| drop((0..6).map(|_| pool.lease()).collect::<Vec<_>>()));
            });
            (0..round * 7919 % 400).for_each(|_| std::hint::spin_loop());
            drop(pool);
        }
    }
    assert_eq!(ALARMS.load(SeqCst), 0, "pools that took items for held");
}
