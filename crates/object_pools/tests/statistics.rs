//! What a pool counts.
#![cfg(not(loom))]

#[macro_use]
mod common;

use common::*;
use object_pools::{PoolSettings, PoolStats};

both_pools! {
    fn pool(capacity: usize) -> (Pool<Item, impl Fn() -> Item + use<>>, Lives) {
        let lives = Lives::default();
        let settings = PoolSettings { magazine: 1, ..keeping(capacity) };
        (Pool::with_settings(lives.factory(), settings).unwrap(), lives)
    }

    #[test]
    fn a_new_pool_counted_nothing() {
        let (pool, lives) = pool(4);
        assert_eq!(pool.stats(START), PoolStats::default());
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// Every way of a rent and of a return, one by one.
    #[test]
    fn each_rent_and_each_return_counts_once() {
        let (pool, lives) = pool(100);
        let mut rents = 0;
        let mut counts = |returned: u64, what: &str| {
            rents += 1;
            let stats = pool.stats(START);
            #[cfg(feature = "stats")]
            assert_eq!((stats.rents, stats.returns), (rents, returned), "after {what}");
            let _ = (stats, returned, what);
        };
        let item = pool.rent();
        counts(0, "a rent");
        pool.give_back(item);
        let lease = pool.lease();
        counts(1, "a lease");
        drop(lease);
        pool.scope(|_| ());
        counts(3, "a scope");
        pool.scope_with((), |_, ()| (), |_, ()| ());
        counts(4, "a scope with a state");
        let item = pool.try_rent().unwrap();
        counts(4, "try_rent");
        assert!(pool.try_give_back(item).is_ok());
        let lease = pool.try_lease().unwrap();
        counts(5, "try_lease");
        drop(lease);
        let held = pool.rent();
        counts(6, "a rent");
        assert!(pool.try_rent().is_none() && pool.try_lease().is_none(), "no rents");
        let second = pool.rent();
        counts(6, "a rent that built");
        pool.give_back(second);
        pool.give_back(held);
        // Neither rents nor returns.
        pool.prefill(3);
        settle(&pool);
        pool.shrink_to(1);
        let lease = pool.lease();
        counts(8, "a lease");
        drop(lease);
        let stats = pool.stats(START);
        assert_eq!((stats.misses, stats.built), (2, 5));
        assert_adds_up(&stats, &lives, 0);
    }

    /// What was lost is not returned.
    #[test]
    fn what_is_lost_was_not_returned() {
        let (pool, lives) = pool(100);
        must_panic(|| pool.scope(|_| panic_on_purpose()));
        drop(pool.rent());
        pool.write_off(1);
        pool.give_back(pool.rent());
        let stats = pool.stats(START);
        #[cfg(feature = "stats")]
        assert_eq!((stats.rents, stats.returns), (3, 1));
        assert_eq!((stats.purges.panic, stats.purges.written_off, stats.misses), (1, 1, 3));
        assert_adds_up(&stats, &lives, 0);
    }

    /// An adopted item that is lost was never rented: it takes no return away.
    #[cfg(feature = "stats")]
    #[test]
    fn an_adopted_item_that_is_lost_was_never_rented() {
        let hooks = object_pools::Hooks::new(|| 0).reset(|item: &mut u32| {
            if *item == 7 {
                panic_on_purpose()
            }
        });
        let pool = Pool::new(hooks);
        (0..3).for_each(|_| drop(pool.lease()));
        must_panic(|| pool.adopt(7));
        let stats = pool.stats(START);
        assert_eq!((stats.rents, stats.returns, stats.purges.panic), (3, 3, 1));
    }

    #[test]
    fn misses_are_rents_that_found_nothing() {
        let (pool, lives) = pool(100);
        for round in 0..3 {
            let held: Vec<_> = (0..5).map(|_| pool.lease()).collect();
            assert_eq!(pool.stats(START).misses, 5, "round {round}");
            drop(held);
        }
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    #[cfg(feature = "stats")]
    #[test]
    fn rents_a_minute_are_those_of_the_last_minute() {
        let (pool, lives) = pool(100);
        let rent = |count: usize| (0..count).for_each(|_| drop(pool.lease()));
        rent(1000);
        assert_eq!(pool.stats(seconds(100)).rents_per_minute, 0.0, "no time was seen");
        rent(10);
        assert_eq!(pool.stats(seconds(110)).rents_per_minute, 60.0, "10 in 10 seconds");
        rent(50);
        assert_eq!(pool.stats(seconds(160)).rents_per_minute, 60.0, "60 in 60 seconds");
        assert_eq!(pool.stats(seconds(170)).rents_per_minute, 50.0, "those after second 110");
        assert_eq!(pool.stats(seconds(600)).rents_per_minute, 0.0);
        for second in 601..1000 {
            rent(2);
            let stats = pool.stats(seconds(second));
            assert!(second < 661 || stats.rents_per_minute == 120.0, "second {second}: {stats:?}");
        }
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// The peak is of items held at once, however many were built or rented.
    #[test]
    fn the_peak_is_of_items_held_at_once() {
        let (pool, lives) = pool(100);
        for held in [1, 5, 3, 9, 2] {
            let leases: Vec<_> = (0..held).map(|_| pool.lease()).collect();
            drop(leases);
            settle(&pool);
        }
        let stats = pool.stats(START);
        assert_eq!((stats.peak, stats.live), (9, 0));
        // A snapshot in between forgets nothing.
        let leases: Vec<_> = (0..8).map(|_| pool.lease()).collect();
        assert_eq!(pool.stats(START).peak, 9);
        drop(leases);
        pool.write_off(0);
        settle(&pool);
        assert_eq!(pool.stats(START).peak, 9);
        let leases: Vec<_> = (0..12).map(|_| pool.lease()).collect();
        assert_eq!(pool.stats(START).peak, 12);
        drop(leases);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// Items that are built ahead are not held, nor are adopted ones.
    #[test]
    fn items_that_nobody_rented_make_no_peak() {
        let (pool, lives) = pool(100);
        pool.prefill(10);
        assert_eq!((pool.stats(START).peak, pool.stats(START).rolling_peak), (0, 0));
        pool.adopt(lives.begin());
        settle(&pool);
        let held: Vec<_> = (0..3).map(|_| pool.lease()).collect();
        assert_eq!(pool.stats(START).peak, 3);
        drop(held);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// Items that a panic takes were held until then.
    #[test]
    fn items_that_were_lost_are_part_of_the_peak() {
        let (pool, lives) = pool(100);
        drop((0..3).map(|_| pool.lease()).collect::<Vec<_>>());
        settle(&pool);
        let before = pool.stats(seconds(1000));
        assert_eq!(before.peak, 3);
        let held: Vec<_> = (0..4).map(|_| pool.rent()).collect();
        must_panic(|| pool.scope(|_| panic_on_purpose()));
        // Five were held at once.
        assert_eq!(pool.stats(seconds(1000)).peak, 5);
        held.into_iter().for_each(|item| pool.give_back(item));
        settle(&pool);
        // Again, with items that are there.
        drop((0..7).map(|_| pool.lease()).collect::<Vec<_>>());
        settle(&pool);
        pool.prefill(20);
        let held: Vec<_> = (0..9).map(|_| pool.rent()).collect();
        must_panic(|| pool.scope(|_| panic_on_purpose()));
        held.into_iter().for_each(|item| pool.give_back(item));
        assert_eq!(pool.stats(seconds(1000)).peak, 10);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }
}
