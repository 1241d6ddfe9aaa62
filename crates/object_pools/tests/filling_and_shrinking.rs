//! Items that get into a pool, out of it, and from one thread to another, by other ways than a rent and a return.
#![cfg(not(loom))]

#[macro_use]
mod common;

use std::{collections::BTreeSet, sync::Arc, thread};

use common::*;
use object_pools::{Hooks, PoolSettings, SharedPool};

both_pools! {
    fn pool(capacity: usize) -> (Pool<Item, impl Fn() -> Item + use<>>, Lives) {
        let lives = Lives::default();
        let settings = PoolSettings { magazine: 1, ..keeping(capacity) };
        (Pool::with_settings(lives.factory(), settings).unwrap(), lives)
    }

    fn serials<'a>(items: impl IntoIterator<Item = &'a Item>) -> BTreeSet<u64> {
        items.into_iter().map(|item| item.serial).collect()
    }

    #[test]
    fn items_built_ahead_serve_rents() {
        let lives = Lives::default();
        let settings = PoolSettings { prefill: 5, ..keeping(10) };
        let pool = Pool::with_settings(lives.factory(), settings).unwrap();
        pool.prefill(2);
        let stats = pool.stats(START);
        assert_eq!((stats.built, stats.idle, stats.misses), (7, 7, 0));
        let leases: Vec<_> = (0..7).map(|_| pool.lease()).collect();
        assert_eq!(serials(leases.iter().map(|lease| &**lease)), (0..7).collect());
        assert_eq!(pool.stats(START).misses, 0);
        drop(pool.lease());
        assert_eq!(pool.stats(START).misses, 1);
        drop(leases);
        pool.prefill(0);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// An adopted item is reset, kept, counted as built, and lent like all others.
    #[test]
    fn adopted_items_belong_to_the_pool() {
        let lives = Lives::default();
        let hooks = Hooks::new(lives.factory()).reset(|item: &mut Item| item.loud = false);
        let pool = Pool::with_settings(hooks, PoolSettings { magazine: 1, ..keeping(2) }).unwrap();
        let mut item = lives.begin();
        item.loud = true;
        let serial = item.serial;
        pool.adopt(item);
        let stats = pool.stats(START);
        assert_eq!((stats.built, stats.idle, stats.live, stats.misses), (1, 1, 0, 0));
        let lease = pool.lease();
        assert_eq!((lease.serial, lease.loud), (serial, false));
        drop(lease);
        // Into a full pool.
        (0..20).for_each(|_| pool.adopt(lives.begin()));
        let stats = pool.stats(START);
        assert_eq!((stats.built, stats.purges.overflow), (21, 21 - stats.idle as u64));
        assert_adds_up(&stats, &lives, 0);
    }

    #[test]
    fn an_empty_pool_lends_nothing_of_its_own_accord() {
        let (pool, lives) = pool(4);
        assert!(pool.try_rent().is_none());
        assert!(pool.try_lease().is_none());
        let stats = pool.stats(START);
        assert_eq!((stats.built, stats.misses), (0, 0), "nothing is built, nor missed");
        let held = pool.rent();
        assert!(pool.try_rent().is_none());
        pool.give_back(held);
        let lease = pool.try_lease().unwrap();
        assert_eq!(lease.serial, 0);
        assert!(pool.try_lease().is_none());
        drop(lease);
        let item = pool.try_rent().unwrap();
        assert!(pool.try_give_back(item).is_ok());
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// A returned item that is not accepted is not reset either.
    #[test]
    fn an_item_that_finds_no_room_comes_back_as_it_was() {
        let pool = Pool::with_settings(Hooks::new(String::new).reset(String::clear), keeping(0)).unwrap();
        let mut name = pool.rent();
        name.push_str("kept");
        assert_eq!(pool.try_give_back(name), Err("kept".to_owned()));
        pool.write_off(1);
    }

    #[test]
    fn a_shrink_lets_the_oldest_go_and_says_how_many() {
        let (pool, lives) = pool(100);
        let items: Vec<_> = (0..10).map(|_| pool.rent()).collect();
        for item in items {
            pool.give_back(item);
            settle(&pool);
        }
        assert_eq!(pool.shrink_to(10), 0);
        assert_eq!(pool.shrink_to(usize::MAX), 0);
        assert_eq!(pool.shrink_to(6), 4);
        assert_eq!(lives.serials(), (4..10).collect());
        assert_eq!(pool.shrink_to(1), 5);
        assert_eq!(lives.serials(), BTreeSet::from([9]));
        assert_eq!((pool.shrink_to(0), pool.shrink_to(0)), (1, 0));
        assert_eq!(pool.stats(START).purges.shrink, 10);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    #[test]
    fn held_items_do_not_shrink() {
        let (pool, lives) = pool(100);
        let held: Vec<_> = (0..10).map(|_| pool.lease()).collect();
        assert_eq!(pool.shrink_to(0), 0);
        drop(held);
        settle(&pool);
        assert_eq!(pool.shrink_to(0), 10);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// All that a pool does not keep goes to the disposer, and nothing else does.
    #[test]
    fn the_disposer_gets_what_is_not_kept() {
        let lives = Lives::default();
        let disposed = Arc::new(std::sync::Mutex::new(BTreeSet::new()));
        let to = disposed.clone();
        let hooks =
            Hooks::new(lives.factory()).dispose(move |item: Item| assert!(to.lock().unwrap().insert(item.serial)));
        let pool = Pool::with_settings(hooks, PoolSettings { magazine: 1, ..keeping(3) }).unwrap();
        drop((0..20).map(|_| pool.lease()).collect::<Vec<_>>());
        let kept = pool.idle();
        assert_eq!(disposed.lock().unwrap().len(), 20 - kept);
        settle(&pool);
        pool.shrink_to(1);
        assert_eq!(disposed.lock().unwrap().len(), 19);
        must_panic(|| pool.scope(|_| panic_on_purpose()));
        assert_eq!(disposed.lock().unwrap().len(), 19, "a panic's item is dropped");
        drop(pool.lease());
        drop(pool);
        assert_eq!(disposed.lock().unwrap().len(), 20, "the pool's end disposes of the rest");
        assert_eq!((lives.begun(), lives.ended()), (21, 21));
    }
}

/// The last that came back is the first to be lent, in a local pool.
#[test]
fn a_local_pool_lends_the_last_first() {
    let lives = Lives::default();
    let pool = object_pools::LocalPool::new(lives.factory());
    let items: Vec<_> = (0..100).map(|_| pool.rent()).collect();
    items.into_iter().for_each(|item| pool.give_back(item));
    let items: Vec<_> = (0..100).map(|_| pool.rent()).collect();
    assert!(items.iter().map(|item| item.serial).eq((0..100).rev()));
    items.into_iter().for_each(|item| pool.give_back(item));
    assert_adds_up(&pool.stats(START), &lives, 0);
}

/// A thread that goes on with other work leaves its items to others; until then they are its own.
#[test]
fn a_released_threads_items_are_found_by_others() {
    for count in [1, 2, 3, 10, 64, 65, 129, 200] {
        let lives = Lives::default();
        let pool = Arc::new(SharedPool::with_settings(lives.factory(), keeping(1000)).unwrap());
        drop((0..count).map(|_| pool.lease()).collect::<Vec<_>>());
        let found = |pool: &Arc<SharedPool<_, _>>| {
            let pool = pool.clone();
            let find = move || {
                let found: Vec<_> = std::iter::from_fn(|| pool.try_lease()).collect();
                found.len()
            };
            thread::spawn(find).join().unwrap()
        };
        // Those beyond this thread's own are in the depot.
        let before = found(&pool);
        assert!(count - before <= 129 && (count <= 129) == (before == 0), "{before} of {count}");
        pool.release_thread();
        assert_eq!(found(&pool), count);
        pool.release_thread();
        assert_eq!(pool.idle(), count);
        // And by this one again.
        let all: BTreeSet<_> = (0..count).map(|_| pool.try_rent().unwrap().serial).collect();
        assert_eq!(all.len(), count);
        pool.write_off(count);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }
}

/// A thread that never used the pool has nothing to release.
#[test]
fn a_thread_without_items_releases_none() {
    let pool = SharedPool::with_settings(|| 7, keeping(0)).unwrap();
    pool.release_thread();
    let pool = SharedPool::new(|| 7);
    pool.release_thread();
    pool.release_thread();
    assert_eq!(pool.idle(), 0);
    drop(pool.lease());
    assert_eq!(pool.idle(), 1);
}

/// What is released to a full depot is disposed of.
#[test]
fn a_release_to_a_full_depot_keeps_to_its_capacity() {
    let lives = Lives::default();
    let settings = PoolSettings { magazine: 4, ..keeping(6) };
    let pool = SharedPool::with_settings(lives.factory(), settings).unwrap();
    for _ in 0..5 {
        drop((0..30).map(|_| pool.lease()).collect::<Vec<_>>());
        pool.release_thread();
        assert!((4..=6).contains(&pool.idle()), "{}", pool.idle());
        assert_adds_up(&pool.stats(START), &lives, 0);
    }
}

/// Where room is found by `try_give_back`, nothing is disposed of: also after threads left the depot magazines that hold
/// one item each.
#[test]
fn nothing_is_disposed_of_where_room_was_found() {
    let lives = Lives::default();
    let settings = PoolSettings { magazine: 2, ..keeping(4) };
    let pool = Arc::new(SharedPool::with_settings(lives.factory(), settings).unwrap());
    // A thread that ends with one item at hand and two full magazines.
    let other = pool.clone();
    thread::spawn(move || drop((0..5).map(|_| other.lease()).collect::<Vec<_>>())).join().unwrap();
    let held: Vec<_> = (0..20).map(|_| pool.rent()).collect();
    // The depot is full again.
    let mut held = held.into_iter();
    let (other, four) = (pool.clone(), held.by_ref().take(4).collect::<Vec<_>>());
    thread::spawn(move || four.into_iter().for_each(|item| other.give_back(item))).join().unwrap();
    assert_eq!(pool.idle(), 4);
    let before = pool.stats(START).dropped;
    let mut kept = 4;
    for item in held {
        match pool.try_give_back(item) {
            Ok(()) => kept += 1,
            Err(item) => {
                drop(item);
                pool.write_off(1);
            }
        }
        let stats = pool.stats(START);
        assert_eq!((stats.idle, stats.dropped - stats.purges.written_off), (kept, before));
    }
    assert_adds_up(&pool.stats(START), &lives, 0);
}

/// Holds four items of each of many pools, and later one of each, in turn; `then` is told of each pool's four.
fn use_many_pools_in_turn(capacity: usize, lives: &Lives, mut then: impl FnMut(usize, BTreeSet<u64>)) {
    // Three with the thread, if the magazines are of one.
    let settings = PoolSettings { magazine: 1, ..keeping(capacity) };
    let pools: Vec<_> =
        (0..300).map(|_| SharedPool::with_settings(lives.factory(), settings.clone()).unwrap()).collect();
    for _ in 0..10 {
        for (number, pool) in pools.iter().enumerate() {
            let items: Vec<_> = (0..4).map(|_| pool.rent()).collect();
            then(number, items.iter().map(|item| item.serial).collect());
            items.into_iter().for_each(|item| pool.give_back(item));
        }
        // In another order, with one of each held: its place in the table is taken by the next.
        let held: Vec<_> = pools.iter().rev().map(|pool| pool.rent()).collect();
        for (pool, item) in pools.iter().rev().zip(held) {
            pool.give_back(item);
        }
    }
    for pool in &pools {
        let stats = pool.stats(START);
        assert_eq!(stats.built, stats.idle as u64 + stats.dropped);
    }
    drop(pools);
    assert_eq!(lives.alive(), 0);
}

/// Pools that share a place in a thread's table of pools keep their items apart, and lose none.
#[test]
fn a_thread_uses_hundreds_of_pools_in_turn() {
    let lives = Lives::default();
    let mut first = Vec::new();
    use_many_pools_in_turn(4, &lives, |number, serials| {
        assert_eq!(serials.len(), 4);
        match first.get(number) {
            None => first.push(serials),
            Some(first) => assert_eq!(serials, *first, "each has its own"),
        }
    });
    assert_eq!(lives.begun(), 300 * 4);
}

/// Nor if each has just enough room.
#[test]
fn a_thread_uses_hundreds_of_full_pools_in_turn() {
    let lives = Lives::default();
    use_many_pools_in_turn(1, &lives, |_, _| ());
    assert_eq!(lives.begun(), 300 * 4, "there was room for all");
}
