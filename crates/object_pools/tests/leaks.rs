//! In debug builds a pool tells where items were rented that were not back when it was dropped. In release builds it says
//! and knows nothing.
#![cfg(not(loom))]

#[macro_use]
mod common;

use std::{cell::RefCell, mem};

use common::*;
use object_pools::{HeldAt, LeakReport, Lease, PoolSettings};

/// Whether leaks are tracked.
const TRACKED: bool = cfg!(debug_assertions);

thread_local! {
    /// What pools that were dropped on this thread reported.
    static REPORTS: RefCell<Vec<LeakReport>> = const { RefCell::new(Vec::new()) };
}

fn note(report: &LeakReport) {
    REPORTS.with_borrow_mut(|reports| reports.push(report.clone()));
}

/// What was reported since the last call.
fn reported() -> Vec<LeakReport> {
    REPORTS.take()
}

/// Lines, leases and rents, of places in this file, in the order of lines.
fn places(held: &[HeldAt]) -> Vec<(u32, usize, u64)> {
    assert!(held.iter().all(|held| held.place.file().ends_with("leaks.rs") && held.place.column() > 1), "{held:?}");
    let mut places: Vec<_> = held.iter().map(|held| (held.place.line(), held.leases, held.rents)).collect();
    places.sort_unstable();
    places
}

both_pools! {
    type Strings = Pool<String>;

    fn pool() -> Strings {
        let settings = PoolSettings { on_leak: Some(note), ..keeping(16) };
        Pool::with_settings(String::new as fn() -> String, settings).unwrap()
    }

    /// Drops the pool, and says what it reported: items held, and their places. In release builds: nothing.
    #[track_caller]
    fn report(pool: Strings) -> Option<(usize, Vec<(u32, usize, u64)>)> {
        assert!(reported().is_empty(), "there is one report, at the end");
        let live = pool.stats(START).live;
        drop(pool);
        let mut reports = reported();
        assert_eq!(reports.len(), usize::from(TRACKED && live > 0));
        let report = reports.pop()?;
        assert_eq!(report.item, "alloc::string::String");
        Some((report.held, places(&report.places)))
    }

    /// What is expected in debug builds.
    fn tracked(held: usize, places: &[(u32, usize, u64)]) -> Option<(usize, Vec<(u32, usize, u64)>)> {
        TRACKED.then(|| (held, places.to_vec()))
    }

    #[test]
    fn what_came_back_is_not_reported() {
        let pool = pool();
        pool.give_back(pool.rent());
        drop(pool.lease());
        pool.scope(|name| name.push('x'));
        pool.scope_with((), |_, ()| (), |_, ()| ());
        pool.give_back(Lease::detach(pool.lease()));
        pool.adopt(String::new());
        pool.prefill(2);
        must_panic(|| pool.scope(|_| panic_on_purpose()));
        assert!(pool.held_at().is_empty());
        assert_eq!(report(pool), None);
    }

    #[test]
    fn rents_are_reported_with_their_places() {
        let pool = pool();
        let (here, first) = (line!(), pool.rent());
        let (there, second) = (line!(), pool.rent());
        assert_eq!(places(&pool.held_at()), if TRACKED { vec![(here, 0, 1), (there, 0, 1)] } else { vec![] });
        drop((first, second));
        assert_eq!(report(pool), tracked(2, &[(here, 0, 1), (there, 0, 1)]));
    }

    #[test]
    fn rents_of_idle_items_are_reported_too() {
        let pool = pool();
        pool.prefill(2);
        let (here, item) = (line!(), pool.try_rent());
        drop(item);
        assert_eq!(report(pool), tracked(1, &[(here, 0, 1)]));
    }

    #[test]
    fn leases_are_reported_exactly() {
        let pool = pool();
        let (here, forgotten) = (line!(), (0..5).map(|_| pool.lease()).collect::<Vec<_>>());
        // Places of leases that ended, and of items that must be back: if all that are held have leases.
        drop(pool.lease());
        pool.give_back(pool.rent());
        let mut forgotten = forgotten.into_iter();
        drop(forgotten.next());
        drop(forgotten.next());
        forgotten.for_each(mem::forget);
        assert_eq!(places(&pool.held_at()), if TRACKED { vec![(here, 3, 0)] } else { vec![] });
        let (there, lease) = (line!(), pool.try_lease().unwrap());
        mem::forget(lease);
        assert_eq!(report(pool), tracked(4, &[(here, 3, 0), (there, 1, 0)]));
    }

    #[test]
    fn a_lease_that_is_held_is_shown_while_it_is() {
        let pool = pool();
        let (here, lease) = (line!(), pool.lease());
        assert_eq!(places(&pool.held_at()), if TRACKED { vec![(here, 1, 0)] } else { vec![] });
        drop(lease);
        assert_eq!(places(&pool.held_at()), []);
        assert_eq!(report(pool), None);
    }

    /// Where the lease was made, as an item without one.
    #[test]
    fn a_detached_item_is_reported_where_it_was_leased() {
        let pool = pool();
        let (here, lease) = (line!(), pool.lease());
        drop(Lease::detach(lease));
        assert_eq!(report(pool), tracked(1, &[(here, 0, 1)]));
    }

    /// A place says how often items were rented there, however many of them are back.
    #[test]
    fn a_place_counts_its_rents() {
        let pool = pool();
        let (here, rent) = (line!(), || pool.rent());
        (0..4).for_each(|_| pool.give_back(rent()));
        drop(rent());
        assert_eq!(report(pool), tracked(1, &[(here, 0, 5)]));
    }

    #[test]
    fn what_is_written_off_is_not_reported() {
        let pool = pool();
        drop([pool.rent(), pool.rent()]);
        mem::forget(pool.lease());
        pool.write_off(3);
        assert!(pool.held_at().is_empty());
        assert_eq!(report(pool), None);
    }

    #[test]
    fn what_is_not_written_off_is() {
        let pool = pool();
        let (here, items) = (line!(), [(); 3].map(|()| pool.rent()));
        drop(items);
        pool.write_off(2);
        assert_eq!(report(pool), tracked(1, &[(here, 0, 3)]));
    }

    /// More than is held cannot be written off in advance.
    #[test]
    fn a_write_off_is_of_what_is_held() {
        let pool = pool();
        pool.write_off(100);
        assert_eq!(pool.stats(START).purges.written_off, 0);
        let (here, item) = (line!(), pool.rent());
        pool.give_back(item);
        pool.write_off(100);
        let (there, item) = (line!(), pool.rent());
        drop(item);
        pool.write_off(0);
        assert_eq!(report(pool), tracked(1, &[(here, 0, 1), (there, 0, 1)]));
    }

    /// A pool that is dropped by a panic has no say: its items may be held by what the panic drops later.
    #[test]
    fn a_panic_is_not_followed_by_a_report() {
        must_panic(|| {
            let pool = pool();
            drop(pool.rent());
            panic_on_purpose();
        });
        assert_eq!(reported(), []);
    }

    /// Without a function of its own, a pool prints; with one, that is called once. Neither takes the items along.
    #[test]
    fn idle_items_end_whether_or_not_there_is_a_report() {
        for on_leak in [None, Some(note as fn(&LeakReport))] {
            let lives = Lives::default();
            let pool = Pool::with_settings(lives.factory(), PoolSettings { on_leak, ..keeping(16) }).unwrap();
            let items: Vec<_> = (0..5).map(|_| pool.rent()).collect();
            let mut items = items.into_iter();
            let held = items.next();
            items.for_each(|item| pool.give_back(item));
            drop(pool);
            assert_eq!(reported().len(), usize::from(TRACKED && on_leak.is_some()));
            assert_eq!(lives.alive(), 1);
            drop(held);
            assert_eq!(lives.alive(), 0);
        }
    }

    /// A report that panics, as one does in a test that is to fail on leaks, does not keep the idle items alive.
    #[test]
    fn idle_items_end_even_if_the_report_panics() {
        let lives = Lives::default();
        let settings = PoolSettings { on_leak: Some(|_| panic_on_purpose()), ..keeping(16) };
        let pool = Pool::with_settings(lives.factory(), settings).unwrap();
        let items: Vec<_> = (0..5).map(|_| pool.rent()).collect();
        let mut items = items.into_iter();
        let held = items.next();
        items.for_each(|item| pool.give_back(item));
        let dropped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(pool)));
        assert_eq!(dropped.is_err(), TRACKED);
        assert_eq!(lives.alive(), 1);
        drop(held);
    }

    /// Places where nothing can be held are not among the suspects.
    #[test]
    fn a_place_whose_leases_ended_is_no_suspect() {
        let pool = pool();
        drop(pool.lease());
        let (here, item) = (line!(), pool.rent());
        drop(item);
        assert_eq!(report(pool), tracked(1, &[(here, 0, 1)]));
    }

    /// Nor is one where the factory panicked.
    #[test]
    fn a_rent_that_failed_leaves_no_trace() {
        let fails_once = std::sync::atomic::AtomicBool::new(true);
        let factory = move || {
            if fails_once.swap(false, std::sync::atomic::Ordering::SeqCst) { panic_on_purpose() } else { String::new() }
        };
        let pool = Pool::with_settings(factory, PoolSettings { on_leak: Some(note), ..keeping(16) }).unwrap();
        must_panic(|| pool.rent());
        let (here, item) = (line!(), pool.rent());
        assert_eq!(places(&pool.held_at()), if TRACKED { vec![(here, 0, 1)] } else { vec![] });
        pool.give_back(item);
    }
}

/// Items that other threads hold are seen where the pool ends.
#[test]
fn items_of_other_threads_are_reported() {
    let settings = PoolSettings { on_leak: Some(note), ..keeping(16) };
    let pool = object_pools::SharedPool::with_settings(String::new as fn() -> String, settings).unwrap();
    let mut here = 0;
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let (line, items) = (line!(), [(); 2].map(|()| pool.rent()));
            drop(pool.lease());
            drop(items);
            line
        });
        here = thread.join().unwrap();
    });
    drop(pool);
    let reports = reported();
    if TRACKED {
        assert_eq!(reports.len(), 1);
        assert_eq!(reports[0].held, 2);
        assert!(places(&reports[0].places).contains(&(here, 0, 2)));
    } else {
        assert_eq!(reports, []);
    }
}

/// A lease is no larger in a release build than its item and a reference.
#[test]
fn leases_are_small() {
    type Lease = object_pools::LocalLease<'static, u64>;
    let place = if TRACKED { mem::size_of::<usize>() } else { 0 };
    assert_eq!(mem::size_of::<Lease>(), mem::size_of::<u64>() + mem::size_of::<usize>() + place);
}
