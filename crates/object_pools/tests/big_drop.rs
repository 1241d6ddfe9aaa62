//! A pool of a million idle items ends, trims and shrinks on a small stack, at once, without recursion.
#![cfg(not(loom))]

#[macro_use]
mod common;

use std::thread;

use common::*;
use object_pools::{PoolSettings, TrimPolicy};

const MILLION: usize = 1_000_000;

fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    thread::Builder::new().stack_size(64 * 1024).spawn(work).unwrap().join().unwrap();
}

both_pools! {
    fn million(trim: TrimPolicy) -> Pool<Box<u64>> {
        let settings = PoolSettings { prefill: MILLION, trim, ..keeping(MILLION) };
        let pool = Pool::with_settings((|| Box::new(7)) as fn() -> Box<u64>, settings).unwrap();
        assert_eq!(pool.idle(), MILLION);
        pool
    }

    #[test]
    fn dropped() {
        on_a_small_stack(|| drop(million(TrimPolicy::NEVER)));
    }

    #[test]
    fn shrunk() {
        on_a_small_stack(|| {
            let pool = million(TrimPolicy::NEVER);
            assert_eq!(pool.shrink_to(10), MILLION - 10);
            let stats = pool.stats(START);
            assert_eq!((stats.idle, stats.purges.shrink), (10, (MILLION - 10) as u64));
        });
    }

    #[test]
    fn trimmed() {
        on_a_small_stack(|| {
            let pool = million(TrimPolicy { maximum: 10, ..TrimPolicy::NEVER });
            assert_eq!(pool.trim(START), MILLION - 10);
            let stats = pool.stats(START);
            assert_eq!((stats.idle, stats.purges.maximum), (10, (MILLION - 10) as u64));
        });
    }

    /// Rented one by one, and returned.
    #[test]
    fn held_at_once() {
        on_a_small_stack(|| {
            let pool = million(TrimPolicy::NEVER);
            let items: Vec<_> = (0..MILLION).map(|_| pool.rent()).collect();
            assert_eq!((pool.idle(), pool.stats(START).live), (0, MILLION));
            items.into_iter().for_each(|item| pool.give_back(item));
            assert_eq!(pool.idle(), MILLION);
            assert_eq!(pool.stats(START).built, MILLION as u64);
        });
    }
}
