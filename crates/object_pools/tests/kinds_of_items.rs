//! Items whose type has no value to spare (boxes, references, numbers that are not zero) or no size come out as they went
//! in: no guard leaves a placeholder behind.
#![cfg(not(loom))]

#[macro_use]
mod common;

use std::{
    collections::HashSet,
    fmt::Debug,
    mem,
    num::NonZeroU64,
    ptr::NonNull,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
};

use common::*;
use object_pools::{Lease, LocalPool};

static WORDS: [&str; 3] = ["one", "two", "three"];

both_pools! {
    /// All the ways of an item out of the pool and back, with three items that differ.
    fn goes_round<T: Clone + PartialEq + Debug + Send + 'static>(values: [T; 3]) {
        let left = std::sync::Mutex::new(values.to_vec());
        let factory = move || left.lock().unwrap().pop().expect("three items are enough");
        let pool = Pool::with_settings(factory, keeping(16)).unwrap();
        let known = |item: &T| assert!(values.contains(item), "{item:?} is none of {values:?}");

        let (a, b, c) = (pool.rent(), pool.lease(), pool.rent());
        known(&a);
        known(&b);
        known(&c);
        pool.give_back(a);
        drop(b);
        pool.give_back(c);
        assert_eq!(pool.idle(), 3);
        for _ in 0..10 {
            let (first, second) = (pool.lease(), pool.lease());
            known(&first);
            known(&second);
            assert_ne!(*first, *second);
            let first = Lease::detach(first);
            known(&first);
            drop(second);
            pool.give_back(first);
            pool.scope(|item| known(item));
            pool.scope_with((), |item, ()| known(item), |item, ()| known(item));
            // Out and in by a panic that the lease sees.
            must_panic(|| {
                let lease = pool.lease();
                known(&lease);
                panic_on_purpose();
            });
            assert_eq!(pool.try_give_back(pool.try_rent().expect("an idle one")), Ok(()));
            known(&pool.try_lease().expect("an idle one"));
        }
        // Out for good, by a trim of the oldest, and by the end of the pool.
        settle(&pool);
        assert_eq!(pool.idle(), 3, "a panic that a lease sees costs no item");
        assert_eq!(pool.shrink_to(1), 2);
        known(&pool.lease());
    }

    #[test]
    fn boxes() {
        goes_round([1, 2, 3].map(Box::new));
    }

    #[test]
    fn boxes_of_closures_and_shared_ones() {
        goes_round([1, 2, 3].map(Arc::new));
        let pool = Pool::new(|| Box::new(|| 7) as Box<dyn Fn() -> i32 + Send>);
        assert_eq!((pool.lease())(), 7);
        assert_eq!((pool.lease())(), 7);
    }

    #[test]
    fn references() {
        goes_round([&WORDS[0], &WORDS[1], &WORDS[2]]);
    }

    #[test]
    fn numbers_that_are_not_zero() {
        goes_round([1, 2, u64::MAX].map(|number| NonZeroU64::new(number).unwrap()));
    }

    #[test]
    fn what_may_be_absent() {
        goes_round([None, Some(Box::new(1)), Some(Box::new(2))]);
    }

    #[test]
    fn large_arrays() {
        goes_round([[1u64; 100], [2; 100], [3; 100]]);
    }

    #[test]
    fn strings() {
        goes_round(WORDS.map(str::to_owned));
    }

    /// Items without size are counted as all others, and each ends once.
    #[test]
    fn items_without_size() {
        static BEGUN: AtomicUsize = AtomicUsize::new(0);
        static ENDED: AtomicUsize = AtomicUsize::new(0);
        struct Nothing;
        impl Drop for Nothing {
            fn drop(&mut self) {
                ENDED.fetch_add(1, SeqCst);
            }
        }
        assert_eq!(mem::size_of::<Nothing>(), 0);
        let factory = || {
            BEGUN.fetch_add(1, SeqCst);
            Nothing
        };
        let pool = Pool::with_settings(factory, keeping(16)).unwrap();
        for held in [1, 3, 1, 10, 2] {
            let leases: Vec<_> = (0..held).map(|_| pool.lease()).collect();
            let stats = pool.stats(START);
            assert_eq!(stats.live, held);
            drop(leases);
        }
        must_panic(|| pool.scope(|_| panic_on_purpose()));
        assert_eq!(pool.stats(START).purges.panic, 1);
        assert_eq!(ENDED.load(SeqCst) as u64, pool.stats(START).dropped);
        drop(pool);
        assert_eq!((BEGUN.load(SeqCst), ENDED.load(SeqCst)), (10, 10));
    }

    /// Items that must be aligned stay so.
    #[test]
    fn aligned_items() {
        #[repr(align(256))]
        struct Aligned(u8);
        let pool = Pool::new(|| Aligned(3));
        for _ in 0..3 {
            let leases: Vec<_> = (0..5).map(|_| pool.lease()).collect();
            for lease in leases {
                assert_eq!(&raw const *lease as usize % 256, 0);
                assert_eq!(lease.0, 3);
            }
        }
    }
}

/// Pointers that are never null, which only a local pool may hold.
#[test]
fn pointers_in_a_local_pool() {
    let left = std::cell::RefCell::new(WORDS.iter().map(NonNull::from).collect::<Vec<_>>());
    let all: HashSet<_> = left.borrow().iter().copied().collect();
    let pool = LocalPool::new(move || left.borrow_mut().pop().unwrap());
    for _ in 0..3 {
        let held: Vec<_> = (0..3).map(|_| pool.lease()).collect();
        assert_eq!(held.iter().map(|pointer| **pointer).collect::<HashSet<_>>(), all);
    }
    assert_eq!(mem::size_of::<Option<NonNull<u8>>>(), mem::size_of::<NonNull<u8>>());
}
