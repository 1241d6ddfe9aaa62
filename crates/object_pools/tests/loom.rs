//! The orders of events of two threads at a shared pool, with up to four preemptions, tried by Loom:
//! `RUSTFLAGS="--cfg loom" cargo test -p object_pools --release --test loom`.
#![cfg(loom)]

use std::{
    sync::{
        Arc as StdArc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use loom::{cell::UnsafeCell, model::Builder, sync::Arc, thread};
use object_pools::{PoolSettings, SharedPool};

/// An item that Loom watches: two holders at once are found.
struct Item {
    content: UnsafeCell<u32>,
    ended: StdArc<AtomicUsize>,
}

impl Item {
    fn touch(&self) {
        // SAFETY: as the test claims, this is the item's one holder; Loom panics if it is not.
        #[allow(unsafe_code)]
        self.content.with_mut(|content| unsafe { *content += 1 });
    }
}

impl Drop for Item {
    fn drop(&mut self) {
        self.touch();
        self.ended.fetch_add(1, SeqCst);
    }
}

/// How many items began and ended.
#[derive(Clone, Default)]
struct Lives {
    begun: StdArc<AtomicUsize>,
    ended: StdArc<AtomicUsize>,
}

type Factory = Box<dyn Fn() -> Item + Send + Sync>;

fn pool(lives: &Lives, magazine: usize, capacity: usize) -> SharedPool<Item, Factory> {
    let lives = lives.clone();
    let factory: Factory = Box::new(move || {
        lives.begun.fetch_add(1, SeqCst);
        Item { content: UnsafeCell::new(0), ended: lives.ended.clone() }
    });
    let settings = PoolSettings { magazine, capacity: Some(capacity), ..PoolSettings::default() };
    SharedPool::with_settings(factory, settings).expect("settings that make sense")
}

/// Drops a pool that no thread uses any more: it ends all its items at once.
fn all_end(shared: Arc<SharedPool<Item, Factory>>, lives: &Lives) {
    drop(shared);
    assert_eq!(lives.begun.load(SeqCst), lives.ended.load(SeqCst), "a pool that is gone holds nothing");
}

/// Tries all orders with at most this many preemptions.
fn explore(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}

#[test]
fn two_threads_rent_and_return() {
    explore(4, || {
        let lives = Lives::default();
        let shared = Arc::new(pool(&lives, 1, 2));
        let other = shared.clone();
        let thread = thread::spawn(move || {
            for _ in 0..2 {
                let item = other.rent();
                item.touch();
                other.give_back(item);
            }
        });
        let lease = shared.lease();
        lease.touch();
        drop(lease);
        thread.join().unwrap();
        // The other thread's items may be on their way to the depot: Loom's join, unlike that of threads, does not wait.
        let stats = shared.stats(Duration::ZERO);
        assert_eq!(stats.built, (stats.idle + stats.live) as u64 + stats.dropped, "{stats:?}");
        assert_eq!(stats.built, lives.begun.load(SeqCst) as u64);
        all_end(shared, &lives);
    });
}

#[test]
fn one_thread_returns_what_the_other_steals() {
    explore(4, || {
        let lives = Lives::default();
        let shared = Arc::new(pool(&lives, 1, 4));
        let other = shared.clone();
        let thread = thread::spawn(move || {
            // Four at once: one at hand, one in each magazine of this thread, and one for the depot.
            let items = [other.rent(), other.rent(), other.rent(), other.rent()];
            for item in items {
                item.touch();
                other.give_back(item);
            }
        });
        for _ in 0..2 {
            let item = shared.rent();
            item.touch();
            shared.give_back(item);
        }
        thread.join().unwrap();
        assert!(lives.begun.load(SeqCst) <= 5, "no more than were held at once");
        all_end(shared, &lives);
    });
}

#[test]
fn an_item_goes_from_thread_to_thread() {
    explore(4, || {
        let lives = Lives::default();
        let shared = Arc::new(pool(&lives, 1, 4));
        let item = shared.rent();
        item.touch();
        let other = shared.clone();
        let thread = thread::spawn(move || {
            item.touch();
            other.give_back(item);
            let again = other.rent();
            again.touch();
            again
        });
        let mine = shared.rent();
        mine.touch();
        shared.give_back(mine);
        let item = thread.join().unwrap();
        item.touch();
        shared.give_back(item);
        all_end(shared, &lives);
    });
}

#[test]
fn a_thread_ends_while_another_rents() {
    explore(4, || {
        let lives = Lives::default();
        let shared = Arc::new(pool(&lives, 1, 2));
        let other = shared.clone();
        let thread = thread::spawn(move || {
            let items = [other.rent(), other.rent()];
            for item in items {
                other.give_back(item);
            }
        });
        let item = shared.rent();
        item.touch();
        shared.give_back(item);
        thread.join().unwrap();
        all_end(shared, &lives);
    });
}

#[test]
fn a_pool_is_dropped_while_a_thread_ends() {
    explore(4, || {
        let lives = Lives::default();
        let shared = Arc::new(pool(&lives, 1, 2));
        let other = shared.clone();
        let thread = thread::spawn(move || {
            drop(other.lease());
            // The pool may end here, or in the other thread while this one's magazines go back.
        });
        drop(shared.lease());
        drop(shared);
        thread.join().unwrap();
        let (begun, ended) = (lives.begun.load(SeqCst), lives.ended.load(SeqCst));
        assert_eq!(begun, ended, "a pool that is gone holds nothing");
    });
}

#[test]
fn the_depot_is_trimmed_while_a_thread_uses_it() {
    explore(3, || {
        let lives = Lives::default();
        let shared = Arc::new(pool(&lives, 1, 4));
        shared.prefill(2);
        let other = shared.clone();
        let thread = thread::spawn(move || {
            let items = [other.rent(), other.rent()];
            for item in items {
                item.touch();
                other.give_back(item);
            }
        });
        shared.shrink_to(0);
        thread.join().unwrap();
        all_end(shared, &lives);
    });
}
