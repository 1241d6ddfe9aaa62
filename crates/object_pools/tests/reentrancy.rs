//! The factory, the reset hook, the disposer, an item's own end, a scope's work and the clock may use the pool that called
//! them: there is no lock that they wait for, and no borrow that they find.
#![cfg(not(loom))]

#[macro_use]
mod common;

use std::{
    cell::Cell,
    sync::atomic::{AtomicU64, Ordering::SeqCst},
    time::Duration,
};

use common::*;
use object_pools::{Lifecycle, PoolSettings, TrimPolicy};

/// Where a lifecycle uses its pool.
#[derive(Clone, Copy, Debug, PartialEq)]
enum In {
    Nothing,
    Build,
    Reset,
    Dispose,
    End,
}

thread_local! {
    static WHERE: Cell<In> = const { Cell::new(In::Nothing) };
    static TIMES: Cell<u32> = const { Cell::new(0) };
}

/// Whether the pool is to be used there now; not within such a use.
fn begin(place: In) -> bool {
    let now = WHERE.get() == place;
    if now {
        WHERE.set(In::Nothing);
        TIMES.set(TIMES.get() + 1);
    }
    now
}

both_pools! {
    type Pooled = Pool<Ender, Hooked>;

    /// A lifecycle that knows its pool.
    struct Hooked {
        pool: WeakRef<Pooled>,
        lives: Lives,
    }

    /// An item that knows its pool.
    struct Ender {
        item: Item,
        pool: WeakRef<Pooled>,
    }

    /// All that can be done with a pool.
    fn use_it(pool: &Pooled) {
        let first = pool.rent();
        first.item.pick_up();
        let leases: Vec<_> = (0..3).map(|_| pool.lease()).collect();
        leases.iter().for_each(|lease| lease.item.pick_up());
        pool.scope(|third| {
            third.item.pick_up();
            third.item.put_down();
        });
        leases.iter().for_each(|lease| lease.item.put_down());
        drop(leases);
        first.item.put_down();
        pool.give_back(first);
        if let Some(item) = pool.try_rent() {
            let _ = pool.try_give_back(item).map_err(|item| pool.give_back(item));
        }
        drop(pool.try_lease());
        pool.prefill(1);
        settle(pool);
        pool.shrink_to(2);
        pool.trim(START);
        pool.write_off(0);
        let _ = (pool.stats(START), pool.idle(), pool.capacity(), pool.held_at(), format!("{pool:?}"));
    }

    fn use_again(pool: &WeakRef<Pooled>, place: In) {
        if begin(place) {
            let pool = pool.upgrade().expect("a pool that is used is there");
            use_it(&pool);
            WHERE.set(place);
        }
    }

    impl Lifecycle<Ender> for Hooked {
        fn build(&self) -> Ender {
            use_again(&self.pool, In::Build);
            Ender { item: self.lives.begin(), pool: self.pool.clone() }
        }

        fn reset(&self, _: &mut Ender) {
            use_again(&self.pool, In::Reset);
        }

        fn dispose(&self, ender: Ender) {
            use_again(&self.pool, In::Dispose);
            drop(ender);
        }
    }

    impl Drop for Ender {
        fn drop(&mut self) {
            use_again(&self.pool, In::End);
        }
    }

    fn pool(capacity: usize) -> (Ref<Pooled>, Lives) {
        let lives = Lives::default();
        let pool = Ref::new_cyclic(|pool: &WeakRef<Pooled>| {
            let hooked = Hooked { pool: pool.clone(), lives: lives.clone() };
            let trim = TrimPolicy { maximum: 3, ..TrimPolicy::NEVER };
            let settings = PoolSettings { magazine: 2, trim, ..keeping(capacity) };
            Pool::with_settings(hooked, settings).unwrap()
        });
        (pool, lives)
    }

    fn from_within(place: In) {
        for capacity in [0, 1, 2, 4, 50] {
            let (pool, lives) = pool(capacity);
            TIMES.set(0);
            WHERE.set(place);
            use_it(&pool);
            // Each way in by itself, when the pool is full, and when it is empty.
            for _ in 0..2 {
                let items: Vec<_> = (0..capacity + 10).map(|_| pool.rent()).collect();
                items.into_iter().for_each(|item| pool.give_back(item));
                let lease = pool.lease();
                drop(pool.lease());
                drop(lease);
                pool.scope(|_| ());
                pool.scope_with(7, |_, state| *state += 1, |_, state| assert_eq!(state, 8));
                pool.prefill(3);
                pool.adopt(Ender { item: lives.begin(), pool: Ref::downgrade(&pool) });
                settle(&pool);
                pool.trim(START);
                pool.shrink_to(1);
                pool.shrink_to(0);
            }
            WHERE.set(In::Nothing);
            assert!(TIMES.get() > 5, "{place:?} was used {} times", TIMES.get());
            assert_adds_up(&pool.stats(START), &lives, 0);
            // The pool's own end: nothing can upgrade then.
            drop(pool);
            assert_eq!(lives.alive(), 0);
        }
    }

    #[test]
    fn from_within_the_factory() {
        from_within(In::Build);
    }

    #[test]
    fn from_within_the_reset_hook() {
        from_within(In::Reset);
    }

    #[test]
    fn from_within_the_disposer() {
        from_within(In::Dispose);
    }

    #[test]
    fn from_within_an_items_end() {
        from_within(In::End);
    }

    #[test]
    fn from_within_a_scope() {
        let (pool, lives) = pool(4);
        pool.scope_with((), |_, ()| use_it(&pool), |_, ()| use_it(&pool));
        pool.scope(|_| pool.scope(|_| use_it(&pool)));
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// A clock that uses the pool, as one does that takes its time stamps from pooled objects.
    #[test]
    fn a_clock_may_use_the_pool_that_asks_for_the_time() {
        let (pool, lives) = pool(4);
        let time = AtomicU64::new(0);
        let clock = || {
            use_it(&pool);
            let lease = pool.lease();
            lease.item.pick_up();
            lease.item.put_down();
            Duration::from_secs(time.fetch_add(1, SeqCst))
        };
        let mut last = pool.stats(clock());
        for _ in 0..100 {
            let stats = pool.stats(clock());
            assert!(stats.built >= last.built);
            assert_adds_up(&stats, &lives, 0);
            pool.trim(clock());
            last = stats;
        }
        assert_eq!(time.load(SeqCst), 201);
    }
}
