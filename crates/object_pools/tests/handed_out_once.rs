//! No item is handed out twice, as pools do whose free lists confuse an item that left and came back with one that never
//! left (the ABA problem).
#![cfg(not(loom))]

#[macro_use]
mod common;

use std::sync::{Arc, Barrier};

use common::*;
use object_pools::{PoolSettings, SharedPool};

both_pools! {
    /// Two are held; the one that was rented first is returned first; and again.
    #[test]
    fn returning_the_first_first_duplicates_nothing() {
        let lives = Lives::default();
        let pool = Pool::new(lives.factory());
        let mut first = pool.rent();
        first.pick_up();
        for _ in 0..10_000 {
            let second = pool.rent();
            second.pick_up();
            assert_ne!(first.serial, second.serial);
            first.put_down();
            pool.give_back(first);
            first = second;
        }
        first.put_down();
        pool.give_back(first);
        assert_eq!(lives.begun(), 2, "two were held at once");
        assert_adds_up(&pool.stats(START), &lives, 0);
    }
}

/// The same on two threads, with magazines of several sizes: 1 makes them visit the depot all the time.
#[test]
fn two_threads_that_return_the_first_first_never_hold_the_same_item() {
    for (magazine, rounds) in [(1, 100_000), (2, 50_000), (64, 50_000)] {
        let lives = Lives::default();
        let settings = PoolSettings { magazine, capacity: Some(128), ..PoolSettings::default() };
        let pool = Arc::new(SharedPool::with_settings(lives.factory(), settings).unwrap());
        let start = Arc::new(Barrier::new(2));
        let threads = [0, 1].map(|_| {
            let (pool, start) = (pool.clone(), start.clone());
            std::thread::spawn(move || {
                start.wait();
                for _ in 0..rounds {
                    let (first, second) = (pool.rent(), pool.rent());
                    first.pick_up();
                    second.pick_up();
                    first.put_down();
                    pool.give_back(first);
                    let third = pool.lease();
                    third.pick_up();
                    second.put_down();
                    pool.give_back(second);
                    third.put_down();
                }
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert!(lives.begun() <= 4 + 2 * (2 * magazine as u64 + 1), "{} were built", lives.begun());
        assert_adds_up(&pool.stats(START), &lives, 0);
    }
}
