//! Threads and pools that are gone leave no memory in use. Alone in its file, as it looks at the memory of the process.
#![cfg(not(loom))]

#[macro_use]
mod common;

use std::{sync::Arc, thread};

use common::{
    counting::{Counting, bytes},
    *,
};
use object_pools::{LocalPool, PoolSettings, SharedPool};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes by which the memory in use grew, once warm.
fn growth(mut work: impl FnMut()) -> isize {
    (0..10).for_each(|_| work());
    let before = bytes();
    (0..1000).for_each(|_| work());
    bytes() - before
}

#[test]
fn nothing_is_left() {
    let settings = || PoolSettings { magazine: 8, ..keeping(64) };
    let use_pool = |pool: &SharedPool<Box<u64>>| {
        let leases: Vec<_> = (0..30).map(|_| pool.lease()).collect();
        drop(leases);
    };
    let new = || SharedPool::with_settings((|| Box::new(7)) as fn() -> Box<u64>, settings()).unwrap();
    // What tells a leak from noise: less than a byte for each thread or pool.
    let noise = 1000;

    let kept: Box<dyn Fn()> = Box::new(|| std::mem::forget(Box::new(7u64)));
    assert!(growth(kept) >= 8000, "a leak would be seen");

    let pool = Arc::new(new());
    let threads = growth(|| {
        let pool = pool.clone();
        thread::spawn(move || use_pool(&pool)).join().unwrap();
    });
    assert!(threads < noise, "{threads} bytes of threads that ended");

    let pools = growth(|| use_pool(&new()));
    assert!(pools < noise, "{pools} bytes of pools that ended");

    let pools_of_others = growth(|| {
        let pool = Arc::new(new());
        let other = pool.clone();
        thread::spawn(move || use_pool(&other)).join().unwrap();
    });
    assert!(pools_of_others < noise, "{pools_of_others} bytes of pools that other threads used");

    // A thread that lives on, and uses many pools that end elsewhere.
    let (send, receive) = std::sync::mpsc::sync_channel::<Arc<SharedPool<Box<u64>>>>(0);
    let (done, wait) = std::sync::mpsc::sync_channel(0);
    let user = thread::spawn(move || {
        for pool in receive {
            use_pool(&pool);
            drop(pool);
            done.send(()).unwrap();
        }
    });
    let ended_elsewhere = growth(|| {
        let pool = Arc::new(new());
        send.send(pool.clone()).unwrap();
        wait.recv().unwrap();
        drop(pool);
    });
    assert!(ended_elsewhere < noise, "{ended_elsewhere} bytes of pools that a living thread used");
    drop(send);
    user.join().unwrap();

    let local = growth(|| {
        let pool = LocalPool::with_settings(|| Box::new(7u64), settings()).unwrap();
        let leases: Vec<_> = (0..100).map(|_| pool.lease()).collect();
        drop(leases);
        pool.shrink_to(3);
    });
    assert!(local < noise, "{local} bytes of local pools");

    // A pool that was large and was shrunk is small.
    let pool = LocalPool::new(|| 7u64);
    let before = bytes();
    drop((0..100_000).map(|_| pool.lease()).collect::<Vec<_>>());
    assert!(bytes() - before > 8 * 100_000);
    pool.shrink_to(10);
    assert!(bytes() - before < noise);
    let pool = SharedPool::with_settings(|| 7u64, keeping(100_000)).unwrap();
    drop(pool.lease());
    let before = bytes();
    drop((0..100_000).map(|_| pool.lease()).collect::<Vec<_>>());
    assert!(bytes() - before > 8 * 99_000);
    pool.shrink_to(0);
    let left = bytes() - before;
    // The list of the depot's magazines keeps its size: some bytes for each magazine that was there.
    assert!(left < 80_000, "{left} bytes are left");
}
