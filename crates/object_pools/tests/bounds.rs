//! Pools do not grow without bound: as many items are built as were held at once, and what each thread may keep besides:
//! one item and two magazines.
#![cfg(not(loom))]

#[macro_use]
mod common;

use std::{
    sync::{Arc, mpsc},
    thread,
};

use common::*;
use object_pools::{PoolSettings, SharedPool};

/// What a thread may keep.
const fn of_a_thread(magazine: usize) -> usize {
    2 * magazine + 1
}

both_pools! {
    /// One thread builds as many as it holds at once, however often.
    #[test]
    fn a_thread_builds_no_more_than_it_holds_at_once() {
        let lives = Lives::default();
        let pool = Pool::with_settings(lives.factory(), keeping(1000)).unwrap();
        for held in [1, 300, 7, 300, 64, 65, 129, 130, 299, 300] {
            let items: Vec<_> = (0..held).map(|_| pool.rent()).collect();
            items.into_iter().for_each(|item| pool.give_back(item));
        }
        assert_eq!(lives.begun(), 300);
        assert_eq!(pool.idle(), 300);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// A pool that may keep little keeps little, whatever is held.
    #[test]
    fn a_small_pool_stays_small() {
        let lives = Lives::default();
        let pool = Pool::with_settings(lives.factory(), keeping(4)).unwrap();
        let room = if IS_LOCAL { 4 } else { 4 + of_a_thread(4) };
        for held in [1, 100, 3, 500, 20] {
            let items: Vec<_> = (0..held).map(|_| pool.rent()).collect();
            assert!(lives.alive() <= held + room, "{} exist while {held} are held", lives.alive());
            items.into_iter().for_each(|item| pool.give_back(item));
            assert!(pool.idle() <= room, "{} are idle", pool.idle());
            assert_eq!(lives.alive(), pool.idle());
        }
        assert_adds_up(&pool.stats(START), &lives, 0);
    }
}

/// Rented on one thread and returned on another: what comes back is found by the one that rents.
#[test]
fn items_that_are_returned_elsewhere_are_rented_again() {
    const HELD: usize = 300;
    for magazine in [1, 16, 64] {
        let lives = Lives::default();
        let settings = PoolSettings { magazine, ..keeping(2 * HELD) };
        let pool = Arc::new(SharedPool::with_settings(lives.factory(), settings).unwrap());
        let (send, receive) = mpsc::channel::<Vec<Item>>();
        let (done, wait) = mpsc::channel();
        let other = pool.clone();
        let returns = thread::spawn(move || {
            for items in receive {
                items.into_iter().for_each(|item| other.give_back(item));
                done.send(()).unwrap();
            }
        });
        for _ in 0..200 {
            send.send((0..HELD).map(|_| pool.rent()).collect()).unwrap();
            wait.recv().unwrap();
        }
        drop(send);
        returns.join().unwrap();
        let most = HELD + 2 * of_a_thread(magazine);
        assert!(lives.begun() as usize <= most, "{} were built, not {most}", lives.begun());
        assert_adds_up(&pool.stats(START), &lives, 0);
    }
}

/// The same with no time in between: the one rents while the other returns. At no time do more exist than are held and may
/// be kept.
#[test]
fn a_stream_of_items_between_two_threads_stays_small() {
    const UNDER_WAY: usize = 32;
    let lives = Lives::default();
    let settings = PoolSettings { magazine: 8, ..keeping(64) };
    let pool = Arc::new(SharedPool::with_settings(lives.factory(), settings).unwrap());
    let (send, receive) = mpsc::sync_channel::<Item>(UNDER_WAY);
    let other = pool.clone();
    let returns = thread::spawn(move || receive.into_iter().for_each(|item| other.give_back(item)));
    for _ in 0..50_000 {
        send.send(pool.rent()).unwrap();
    }
    drop(send);
    returns.join().unwrap();
    // In the channel, and one in each thread's hand.
    let most = UNDER_WAY + 2 + 2 * of_a_thread(8);
    assert!(lives.begun() as usize <= most, "{} were built, not {most}", lives.begun());
    assert_adds_up(&pool.stats(START), &lives, 0);
}

/// Threads that come and go take nothing with them.
#[test]
fn a_thousand_short_threads_use_the_same_items() {
    for held in [1, 10, 130, 200] {
        let lives = Lives::default();
        let pool = Arc::new(SharedPool::with_settings(lives.factory(), keeping(500)).unwrap());
        for _ in 0..1000 {
            let pool = pool.clone();
            let thread = thread::spawn(move || {
                let leases: Vec<_> = (0..held).map(|_| pool.lease()).collect();
                drop(leases);
            });
            thread.join().unwrap();
        }
        assert_eq!(lives.begun(), held, "each found what the one before left");
        let stats = pool.stats(START);
        assert_eq!(stats.idle as u64, held);
        #[cfg(feature = "stats")]
        assert_eq!((stats.rents, stats.returns), (1000 * held, 1000 * held), "ended threads' rents count");
        assert_adds_up(&stats, &lives, 0);
    }
}

/// Threads that end with more than the depot keeps leave no more than that.
#[test]
fn what_ended_threads_leave_is_bounded() {
    let lives = Lives::default();
    let pool = Arc::new(SharedPool::with_settings(lives.factory(), keeping(100)).unwrap());
    for _ in 0..50 {
        let pool = pool.clone();
        let thread = thread::spawn(move || {
            let leases: Vec<_> = (0..300).map(|_| pool.lease()).collect();
            drop(leases);
        });
        thread.join().unwrap();
        assert!(lives.alive() <= 100, "{} exist", lives.alive());
    }
    let stats = pool.stats(START);
    assert!(stats.purges.overflow > 0);
    assert_adds_up(&stats, &lives, 0);
}
