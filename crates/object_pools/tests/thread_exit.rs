//! Items that are held by thread-local values, whose destructors use the pool while the thread ends: before and after the
//! pool's own thread-local values are gone, or with none made until then.
#![cfg(not(loom))]

#[macro_use]
mod common;

use std::{
    cell::RefCell,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread,
};

use common::*;
use object_pools::{Hooks, Lifecycle, LocalLease, LocalPool, PoolSettings, SharedLease, SharedPool};

type Factory = Box<dyn Fn() -> Item + Send + Sync>;
type Pool = SharedPool<Item, Factory>;

fn pool(lives: &Lives, settings: PoolSettings) -> Arc<Pool> {
    Arc::new(SharedPool::with_settings(Box::new(lives.factory()) as Factory, settings).unwrap())
}

/// Runs something when it is dropped.
struct Guard(Option<Box<dyn FnOnce()>>);

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(work) = self.0.take() {
            work();
        }
    }
}

thread_local! {
    static GUARD: RefCell<Guard> = const { RefCell::new(Guard(None)) };
}

/// Which thread-local value the thread uses first. Destructors run in the opposite order.
#[derive(Clone, Copy, Debug, PartialEq)]
enum First {
    /// The guard: the pool's are gone when its destructor runs.
    Guard,
    /// The pool's: they are there when the guard's destructor runs.
    Pool,
    /// The guard, and the pool's not before the guard's destructor runs.
    OnlyGuard,
}

const ORDERS: [First; 3] = [First::Guard, First::Pool, First::OnlyGuard];

/// A thread that uses the pool as `first` says, and at its end, in a destructor, does `at_end` with an item that it held.
fn thread_that_ends(first: First, pool: &Arc<Pool>, at_end: impl FnOnce(&Pool, Item) + Send + 'static) {
    let item = pool.rent();
    let pool = pool.clone();
    let ended = Arc::new(AtomicUsize::new(0));
    let ends = ended.clone();
    let thread = thread::spawn(move || {
        if first != First::Pool {
            GUARD.with(|_| ());
        }
        if first != First::OnlyGuard {
            let leases = [pool.lease(), pool.lease(), pool.lease()];
            drop(leases);
        }
        let work = move || {
            // A panic here would end the process: the test is to fail instead.
            let done = catch_unwind(AssertUnwindSafe(|| at_end(&pool, item)));
            drop(pool);
            ends.store(if done.is_ok() { 1 } else { 2 }, SeqCst);
        };
        GUARD.with_borrow_mut(|guard| guard.0 = Some(Box::new(work)));
    });
    thread.join().unwrap();
    assert_eq!(ended.load(SeqCst), 1, "{first:?} first: the destructor ran to its end");
}

/// The orders are what they are meant to be: an item that is returned without the pool's thread-local values goes to the
/// depot, from where `shrink_to` takes it.
#[test]
fn the_orders_differ() {
    for (first, own_values_are_gone) in [(First::Guard, true), (First::Pool, false), (First::OnlyGuard, false)] {
        let lives = Lives::default();
        let pool = pool(&lives, keeping(8));
        let at_end = move |pool: &Pool, item: Item| {
            pool.shrink_to(0);
            pool.give_back(item);
            assert_eq!(pool.shrink_to(0) == 1, own_values_are_gone, "{first:?} first");
        };
        thread_that_ends(first, &pool, at_end);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }
}

/// Items come back to the pool.
#[test]
fn an_item_that_is_returned_at_the_end_of_its_thread_comes_back() {
    for first in ORDERS {
        let lives = Lives::default();
        let pool = pool(&lives, keeping(8));
        thread_that_ends(first, &pool, |pool, item| pool.give_back(item));
        assert_eq!(pool.idle(), lives.alive(), "{first:?} first");
        let serials: std::collections::BTreeSet<_> = (0..lives.alive()).map(|_| pool.rent().serial).collect();
        assert_eq!(serials.len() as u64, lives.begun());
        pool.write_off(serials.len());
        assert_adds_up(&pool.stats(START), &lives, 0);
    }
}

/// A destructor that rents anew gets items, and its rents and misses are counted.
#[test]
fn a_destructor_may_rent() {
    for first in ORDERS {
        let lives = Lives::default();
        let pool = pool(&lives, keeping(64));
        let at_end = |pool: &Pool, item: Item| {
            item.pick_up();
            let (lease, rented) = (pool.lease(), pool.rent());
            [&*lease, &rented].into_iter().for_each(Item::pick_up);
            let more: Vec<_> = (0..20).map(|_| pool.lease()).collect();
            more.iter().for_each(|lease| lease.pick_up());
            more.iter().for_each(|lease| lease.put_down());
            drop(more);
            for _ in 0..2 {
                pool.scope(|item| {
                    item.pick_up();
                    item.put_down();
                });
            }
            [&*lease, &rented, &item].into_iter().for_each(Item::put_down);
            drop(lease);
            pool.give_back(rented);
            assert!(pool.try_give_back(item).is_ok());
            assert_eq!(pool.try_rent().map(|item| pool.give_back(item)), Some(()));
            assert!(pool.try_lease().is_some());
            pool.adopt(pool.rent());
            pool.write_off(1);
            pool.release_thread();
            let _ = pool.stats(START);
            pool.trim(START);
        };
        // The adopted item is an old one here, so that one more is counted than began, and one is written off for it.
        thread_that_ends(first, &pool, at_end);
        let stats = pool.stats(START);
        assert_eq!(stats.built, lives.begun() + 1, "{first:?} first: {stats:?}");
        assert_eq!((stats.live, stats.idle), (0, lives.alive()), "{first:?} first: {stats:?}");
        assert_eq!(stats.purges.written_off, 1);
        #[cfg(feature = "stats")]
        {
            // The item that was held, the thread's three, and those of the destructor.
            let uses = if first == First::OnlyGuard { 0 } else { 3 };
            assert_eq!(stats.rents, 1 + uses + 2 + 20 + 2 + 3, "{first:?} first");
        }
    }
}

/// With the pool full, what comes back is disposed of and counted.
#[test]
fn a_full_pool_disposes_at_the_end_of_a_thread() {
    for first in ORDERS {
        for capacity in [0, 1, 2] {
            let lives = Lives::default();
            let pool = pool(&lives, keeping(capacity));
            let at_end = |pool: &Pool, item: Item| {
                let held: Vec<_> = (0..10).map(|_| pool.rent()).collect();
                pool.give_back(item);
                held.into_iter().for_each(|item| pool.give_back(item));
            };
            thread_that_ends(first, &pool, at_end);
            assert!(pool.idle() <= capacity, "{first:?} first: no thread is left that keeps any");
            assert_adds_up(&pool.stats(START), &lives, 0);
        }
    }
}

/// A lease that a thread-local value holds ends with it.
#[test]
fn a_lease_in_a_thread_local_value_ends_with_its_thread() {
    type Leased = SharedLease<'static, Item, Factory>;
    thread_local! {
        static LEASE: RefCell<Option<Leased>> = const { RefCell::new(None) };
    }
    for lease_first in [false, true] {
        let lives = Lives::default();
        let settings = keeping(8);
        let pool: &'static Pool =
            Box::leak(Box::new(SharedPool::with_settings(Box::new(lives.factory()) as Factory, settings).unwrap()));
        let thread = thread::spawn(move || {
            if lease_first {
                LEASE.with(|_| ());
            }
            let lease = pool.lease();
            drop(pool.lease());
            LEASE.set(Some(lease));
        });
        thread.join().unwrap();
        assert_eq!(pool.idle(), 2);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }
}

/// The last reference to a pool may be dropped by such a destructor.
#[test]
fn a_pool_may_end_in_the_destructor_of_a_thread_local_value() {
    for first in ORDERS {
        let lives = Lives::default();
        let pool = pool(&lives, keeping(8));
        let item = pool.rent();
        let thread = thread::spawn(move || {
            if first != First::Pool {
                GUARD.with(|_| ());
            }
            if first != First::OnlyGuard {
                drop([pool.lease(), pool.lease(), pool.lease()]);
            }
            let work = move || {
                pool.give_back(item);
                drop(pool);
            };
            GUARD.with_borrow_mut(|guard| guard.0 = Some(Box::new(work)));
        });
        thread.join().unwrap();
        assert_eq!(lives.alive(), 0, "{first:?} first");
        assert_eq!(lives.begun(), lives.ended());
    }
}

/// The magazines of an ending thread go to a full depot: their items are disposed of by a disposer that panics, or that
/// uses the pool. Nothing is lost, and the process goes on.
#[test]
fn a_disposer_may_panic_or_rent_at_the_end_of_a_thread() {
    for panics in [false, true] {
        let lives = Lives::default();
        let (disposed, panics) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(panics)));
        let pool = Arc::new_cyclic(|pool: &std::sync::Weak<SharedPool<Item, Disposes>>| {
            let (panics, disposed) = (panics.clone(), disposed.clone());
            let lifecycle = Disposes { lives: lives.clone(), pool: pool.clone(), panics, disposed };
            SharedPool::with_settings(lifecycle, PoolSettings { magazine: 2, ..keeping(2) }).unwrap()
        });
        for _ in 0..3 {
            let user = pool.clone();
            let thread = thread::spawn(move || {
                // One at hand, and two magazines of two.
                let leases: Vec<_> = (0..5).map(|_| user.lease()).collect();
                drop(leases);
                assert!(user.idle() >= 5);
            });
            thread.join().unwrap();
        }
        let stats = pool.stats(START);
        assert!(disposed.load(SeqCst) > 0);
        assert!(stats.purges.overflow > 0);
        assert!(stats.idle <= 2);
        assert_adds_up(&stats, &lives, 0);
        panics.store(false, SeqCst);
    }
}

struct Disposes {
    lives: Lives,
    pool: std::sync::Weak<SharedPool<Item, Disposes>>,
    panics: Arc<AtomicBool>,
    disposed: Arc<AtomicUsize>,
}

impl Lifecycle<Item> for Disposes {
    fn build(&self) -> Item {
        self.lives.begin()
    }

    fn dispose(&self, item: Item) {
        if self.disposed.fetch_add(1, SeqCst).is_multiple_of(2) {
            if let Some(pool) = self.pool.upgrade() {
                drop(pool.lease());
            }
            if self.panics.load(SeqCst) {
                panic_on_purpose();
            }
        }
        drop(item);
    }
}

/// An item whose own end panics is no worse.
#[test]
fn an_item_may_panic_at_the_end_of_a_thread() {
    let lives = Lives::default();
    let pool = pool(&lives, PoolSettings { magazine: 1, ..keeping(1) });
    pool.prefill(1);
    let user = pool.clone();
    let thread = thread::spawn(move || {
        let mut leases: Vec<_> = (0..4).map(|_| user.lease()).collect();
        leases.iter_mut().for_each(|lease| lease.loud = true);
        // The last finds no place in the magazines and is the one that the depot gets.
        drop(leases);
    });
    thread.join().unwrap();
    let stats = pool.stats(START);
    assert_eq!(stats.idle, 1);
    assert_adds_up(&stats, &lives, 0);
    let mut item = pool.rent();
    item.loud = false;
    pool.give_back(item);
}

/// A local pool may be a thread-local value itself: a destructor that runs before its own finds it, one that runs after it
/// does not, and all its items end.
#[test]
fn a_local_pool_in_a_thread_local_value_ends_with_its_thread() {
    thread_local! {
        static POOL: RefCell<Option<LocalPool<Item, Factory>>> = const { RefCell::new(None) };
    }
    for guard_first in [false, true] {
        let lives = Lives::default();
        let ended = Arc::new(AtomicUsize::new(0));
        let (factory, ends) = (Box::new(lives.factory()) as Factory, ended.clone());
        let thread = thread::spawn(move || {
            if guard_first {
                GUARD.with(|_| ());
            }
            let pool = LocalPool::new(factory);
            let held = pool.rent();
            drop(pool.lease());
            POOL.set(Some(pool));
            let work = move || {
                let mut held = Some(held);
                let there = POOL.try_with(|pool| {
                    let pool = pool.borrow();
                    let pool = pool.as_ref().expect("nobody takes it");
                    let lease = pool.lease();
                    pool.give_back(held.take().expect("once"));
                    drop(lease);
                    pool.idle()
                });
                let idle = if guard_first { None } else { Some(2) };
                ends.store(if there.ok() == idle { 1 } else { 2 }, SeqCst);
            };
            GUARD.with_borrow_mut(|guard| guard.0 = Some(Box::new(work)));
        });
        thread.join().unwrap();
        assert_eq!(ended.load(SeqCst), 1, "the guard's destructor ran, and found the pool or not as it should");
        assert_eq!((lives.begun(), lives.alive()), (2, 0));
    }
}

/// So may a lease of a local pool that lives for ever.
#[test]
fn a_lease_of_a_local_pool_may_end_with_its_thread() {
    type Leased = LocalLease<'static, Item, Factory>;
    thread_local! {
        static LEASE: RefCell<Option<Leased>> = const { RefCell::new(None) };
    }
    let lives = Lives::default();
    let factory = Box::new(lives.factory()) as Factory;
    let idle = Arc::new(AtomicUsize::new(0));
    let thread = thread::spawn({
        let idle = idle.clone();
        move || {
            let pool: &'static LocalPool<Item, Factory> = Box::leak(Box::new(LocalPool::new(factory)));
            GUARD.with(|_| ());
            LEASE.set(Some(pool.lease()));
            // The guard's destructor runs after the lease's.
            let work = move || idle.store(pool.idle(), SeqCst);
            GUARD.with_borrow_mut(|guard| guard.0 = Some(Box::new(work)));
        }
    });
    thread.join().unwrap();
    assert_eq!(idle.load(SeqCst), 1, "it went back");
    assert_eq!(lives.begun(), 1);
}

/// The reset hook runs then as at any time.
#[test]
fn the_reset_hook_runs_at_the_end_of_a_thread() {
    let resets = Arc::new(AtomicUsize::new(0));
    let counter = resets.clone();
    let count = move |_: &mut u32| _ = counter.fetch_add(1, SeqCst);
    let pool = Arc::new(SharedPool::with_settings(Hooks::new(|| 1u32).reset(count), keeping(4)).unwrap());
    let (user, item) = (pool.clone(), pool.rent());
    let thread = thread::spawn(move || {
        GUARD.with_borrow_mut(|guard| guard.0 = Some(Box::new(move || user.give_back(item))));
    });
    thread.join().unwrap();
    assert_eq!((resets.load(SeqCst), pool.idle()), (1, 1));
}
