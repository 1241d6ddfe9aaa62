//! A panic in the user's code (the factory, the reset hook, the disposer, an item's end, the work of a scope) reaches the
//! caller, and costs at most the item at hand, which is dropped and counted: nothing is lost, poisoned or leaked.
#![cfg(not(loom))]

#[macro_use]
mod common;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
    },
};

use common::*;
use object_pools::{Cleared, Lifecycle, PoolSettings, SharedPool, TrimPolicy};

/// A lifecycle whose hooks panic when they are told to.
#[derive(Clone, Default)]
struct Fragile {
    lives: Lives,
    build: Arc<AtomicBool>,
    reset: Arc<AtomicBool>,
    dispose: Arc<AtomicBool>,
    disposed: Arc<AtomicU64>,
}

impl Lifecycle<Item> for Fragile {
    fn build(&self) -> Item {
        panic_if(&self.build);
        self.lives.begin()
    }

    fn reset(&self, item: &mut Item) {
        let _ = item.serial;
        panic_if(&self.reset);
    }

    fn dispose(&self, item: Item) {
        self.disposed.fetch_add(1, SeqCst);
        panic_if(&self.dispose);
        drop(item);
    }
}

/// Panics once for each time that it is switched on.
fn panic_if(switch: &AtomicBool) {
    if switch.swap(false, SeqCst) {
        panic_on_purpose();
    }
}

fn on(switch: &AtomicBool) {
    switch.store(true, SeqCst);
}

both_pools! {
    type Fragiles = Pool<Item, Fragile>;

    fn fragile(capacity: usize) -> (Fragiles, Fragile) {
        let hooks = Fragile::default();
        // Nothing is due for a trim until it is said that some time went by.
        let trim = TrimPolicy { maximum: 2, ..TrimPolicy::NEVER };
        let settings = PoolSettings { magazine: 1, trim, ..keeping(capacity) };
        (Pool::with_settings(hooks.clone(), settings).unwrap(), hooks)
    }

    /// After whatever happened, the pool works as a new one: it holds, returns and reuses items.
    fn works(pool: &Fragiles, hooks: &Fragile) {
        assert_adds_up(&pool.stats(START), &hooks.lives, 0);
        for _ in 0..3 {
            let leases: Vec<_> = (0..3).map(|_| pool.lease()).collect();
            leases.iter().for_each(|lease| lease.pick_up());
            assert_adds_up(&pool.stats(START), &hooks.lives, 3);
            leases.iter().for_each(|lease| lease.put_down());
        }
        assert_adds_up(&pool.stats(START), &hooks.lives, 0);
        assert!(pool.try_lease().is_some() || pool.capacity() == 0);
    }

    fn returned(pool: &Fragiles, count: usize) {
        let leases: Vec<_> = (0..count).map(|_| pool.lease()).collect();
        drop(leases);
        settle(pool);
    }

    #[test]
    fn a_factory_that_panics_leaves_the_pool_as_it_was() {
        let (pool, hooks) = fragile(8);
        for attempt in 0..3 {
            let before = pool.stats(START);
            for rent in [
                &|| pool.give_back(pool.rent()),
                &|| drop(pool.lease()),
                &|| pool.scope(|_| panic!("there is no item")),
                &|| pool.prefill(1),
            ] as [&dyn Fn(); 4]
            {
                on(&hooks.build);
                must_panic(rent);
                assert_eq!(pool.stats(START), before, "attempt {attempt}");
            }
        }
        works(&pool, &hooks);
    }

    #[test]
    fn a_factory_that_panics_while_the_pool_is_filled_loses_nothing() {
        let hooks = Fragile::default();
        let settings = PoolSettings { prefill: 5, ..keeping(8) };
        on(&hooks.build);
        must_panic(|| Pool::with_settings(hooks.clone(), settings.clone()));
        let pool: Fragiles = Pool::with_settings(hooks.clone(), settings).unwrap();
        assert_eq!(pool.idle(), 5);
        drop(pool);
        assert_eq!((hooks.lives.begun(), hooks.lives.alive()), (5, 0));
    }

    #[test]
    fn a_reset_hook_that_panics_costs_its_item() {
        let (pool, hooks) = fragile(8);
        let mut lost = 0;
        for again in [
            &|| pool.give_back(pool.rent()),
            &|| drop(pool.lease()),
            &|| pool.scope(|_| ()),
            &|| pool.scope_with(1, |_, state| *state += 1, |_, state| assert_eq!(state, 2)),
            &|| pool.adopt(hooks.lives.begin()),
            &|| assert!(pool.try_give_back(pool.rent()).is_err()),
        ] as [&dyn Fn(); 6]
        {
            returned(&pool, 2);
            on(&hooks.reset);
            must_panic(again);
            lost += 1;
            assert_eq!(pool.stats(START).purges.panic, lost);
            assert_eq!(hooks.lives.ended(), lost, "the item is dropped");
            works(&pool, &hooks);
        }
        assert_eq!(hooks.disposed.load(SeqCst), 0, "dropped, not disposed of: it is half reset");
    }

    #[test]
    fn work_that_panics_in_a_scope_costs_its_item() {
        let (pool, hooks) = fragile(8);
        returned(&pool, 3);
        must_panic(|| pool.scope(|_| panic_on_purpose()));
        must_panic(|| pool.scope_with((), |_, ()| panic_on_purpose(), |_, ()| panic!("not reached")));
        must_panic(|| pool.scope_with((), |_, ()| (), |_, ()| panic_on_purpose()));
        let stats = pool.stats(START);
        assert_eq!((stats.purges.panic, stats.misses), (3, 3));
        assert_eq!(hooks.lives.ended(), 3);
        works(&pool, &hooks);
    }

    #[test]
    fn a_panic_in_a_scope_within_a_scope_costs_both_items() {
        let (pool, hooks) = fragile(8);
        must_panic(|| {
            pool.scope(|outer| {
                pool.scope(|inner| {
                    assert_ne!(outer.serial, inner.serial);
                    panic_on_purpose()
                })
            })
        });
        assert_eq!(pool.stats(START).purges.panic, 2);
        works(&pool, &hooks);
    }

    /// A panic that a lease, or an item without one, sees from outside: the lease's goes back, the other is the holder's.
    #[test]
    fn a_lease_goes_back_during_a_panic() {
        let (pool, hooks) = fragile(8);
        must_panic(|| {
            let _leases = [pool.lease(), pool.lease()];
            panic_on_purpose();
        });
        assert_eq!((pool.idle(), pool.stats(START).purges.panic), (2, 0));
        works(&pool, &hooks);
        must_panic(|| {
            let _item = pool.rent();
            panic_on_purpose();
        });
        assert_eq!(pool.stats(START).live, 1);
        pool.write_off(1);
        works(&pool, &hooks);
    }

    #[test]
    fn a_disposer_that_panics_on_overflow_loses_nothing() {
        for capacity in [0, 1, 3] {
            let (pool, hooks) = fragile(capacity);
            for _ in 0..3 {
                let items: Vec<_> = (0..20).map(|_| pool.rent()).collect();
                let mut panics = 0;
                for item in items {
                    on(&hooks.dispose);
                    let disposed = hooks.disposed.load(SeqCst);
                    let done = catch_unwind(AssertUnwindSafe(|| pool.give_back(item)));
                    let disposes = hooks.disposed.load(SeqCst) > disposed;
                    assert_eq!(done.is_err(), disposes, "the disposer's panic reaches the caller");
                    panics += usize::from(disposes);
                }
                assert!(panics >= 20 - capacity - 3);
                hooks.dispose.store(false, SeqCst);
                assert_adds_up(&pool.stats(START), &hooks.lives, 0);
            }
            assert_eq!(pool.stats(START).purges.overflow, hooks.disposed.load(SeqCst));
            works(&pool, &hooks);
        }
    }

    #[test]
    fn a_disposer_that_panics_while_the_pool_shrinks_loses_nothing() {
        let (pool, hooks) = fragile(8);
        returned(&pool, 6);
        on(&hooks.dispose);
        must_panic(|| pool.shrink_to(4));
        assert_eq!((pool.idle(), pool.stats(START).purges.shrink), (4, 2));
        works(&pool, &hooks);
        assert_eq!(pool.shrink_to(0) + hooks.lives.alive(), 4);
        works(&pool, &hooks);
    }

    #[test]
    fn a_disposer_that_panics_during_a_trim_loses_nothing() {
        let (pool, hooks) = fragile(8);
        returned(&pool, 6);
        on(&hooks.dispose);
        must_panic(|| pool.trim(START));
        assert_eq!((pool.idle(), pool.stats(START).purges.maximum), (2, 4));
        works(&pool, &hooks);
    }

    #[test]
    fn a_disposer_that_panics_at_the_end_of_the_pool_leaves_no_item() {
        let (pool, hooks) = fragile(8);
        drop((0..3).map(|_| pool.lease()).collect::<Vec<_>>());
        settle(&pool);
        drop((0..6).map(|_| pool.lease()).collect::<Vec<_>>());
        assert_eq!(pool.idle(), 6);
        on(&hooks.dispose);
        must_panic(|| drop(pool));
        assert_eq!(hooks.lives.alive(), 0);
        assert_eq!(hooks.lives.begun(), hooks.lives.ended());
    }

    /// The item's own end panics, wherever items end.
    #[test]
    fn an_item_whose_end_panics_takes_no_other_with_it() {
        let (pool, hooks) = fragile(4);
        let loud = |pool: &Fragiles| {
            let mut item = pool.rent();
            item.loud = true;
            item
        };
        // In a full pool.
        let mut items: Vec<_> = (0..20).map(|_| pool.rent()).collect();
        items.iter_mut().for_each(|item| item.loud = true);
        let mut panics = 0;
        for item in items {
            let done = catch_unwind(AssertUnwindSafe(|| pool.give_back(item)));
            panics += usize::from(done.is_err());
        }
        assert_eq!(panics as u64, pool.stats(START).purges.overflow);
        assert_eq!(panics, 20 - pool.idle());
        assert_adds_up(&pool.stats(START), &hooks.lives, 0);
        let mut kept: Vec<_> = (0..pool.idle()).map(|_| pool.rent()).collect();
        kept.iter_mut().for_each(|item| item.loud = false);
        kept.into_iter().for_each(|item| pool.give_back(item));
        // While the pool shrinks.
        settle(&pool);
        pool.shrink_to(0);
        pool.give_back(loud(&pool));
        settle(&pool);
        must_panic(|| pool.shrink_to(0));
        works(&pool, &hooks);
        // At the end of the pool, with others before and after it.
        let others = [pool.rent(), pool.rent()];
        let [one, two] = others;
        pool.give_back(one);
        pool.give_back(loud(&pool));
        pool.give_back(two);
        must_panic(|| drop(pool));
        assert_eq!(hooks.lives.alive(), 0);
        assert_eq!(hooks.lives.begun(), hooks.lives.ended());
    }

    /// Clearing a collection runs its elements' ends.
    #[test]
    fn an_element_whose_end_panics_costs_its_collection() {
        let lives = Lives::default();
        let pool = Pool::<Vec<Item>, _>::new(Cleared::keeping(100));
        let mut items = pool.lease();
        items.extend((0..3).map(|_| lives.begin()));
        items[1].loud = true;
        must_panic(|| drop(items));
        assert_eq!(lives.alive(), 0, "the other elements end all the same");
        let stats = pool.stats(START);
        assert_eq!((stats.purges.panic, stats.idle, stats.live), (1, 0, 0));
        assert!(pool.lease().is_empty());
    }
}

/// The result of work that may panic.
fn unharmed<R>(work: impl FnOnce() -> R) -> Option<R> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// Threads that see another's panic go on, and so does the one that panicked.
#[test]
fn a_panic_on_one_thread_poisons_nothing_for_the_others() {
    let hooks = Fragile::default();
    let settings = PoolSettings { magazine: 1, ..keeping(4) };
    let pool = Arc::new(SharedPool::with_settings(hooks.clone(), settings).unwrap());
    let threads: Vec<_> = (0..4)
        .map(|number| {
            let (pool, hooks) = (pool.clone(), hooks.clone());
            std::thread::spawn(move || {
                for round in 0..500 {
                    if number == 0 {
                        on([&hooks.build, &hooks.reset, &hooks.dispose][round % 3]);
                    }
                    // Whoever meets the switch panics. One by one: a second panic while the first unwinds would end the
                    // process.
                    let leases: Vec<_> = (0..4).filter_map(|_| unharmed(|| pool.lease())).collect();
                    leases.iter().for_each(|lease| lease.pick_up());
                    leases.iter().for_each(|lease| lease.put_down());
                    leases.into_iter().for_each(|lease| _ = unharmed(|| drop(lease)));
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    [&hooks.build, &hooks.reset, &hooks.dispose].into_iter().for_each(|switch| switch.store(false, SeqCst));
    let stats = pool.stats(START);
    assert!(stats.purges.panic > 0);
    assert_adds_up(&stats, &hooks.lives, 0);
}

/// A thread that hands its magazines over to a full depot, whose disposer panics at the first of them.
#[test]
fn a_disposer_that_panics_while_a_thread_releases_its_items_loses_nothing() {
    let hooks = Fragile::default();
    let settings = PoolSettings { magazine: 1, ..keeping(1) };
    let pool = SharedPool::with_settings(hooks.clone(), settings).unwrap();
    // One at hand, one in each magazine, one in the depot.
    let leases: Vec<_> = (0..4).map(|_| pool.lease()).collect();
    drop(leases);
    assert_eq!(pool.idle(), 4);
    on(&hooks.dispose);
    must_panic(|| pool.release_thread());
    assert_adds_up(&pool.stats(START), &hooks.lives, 0);
}
