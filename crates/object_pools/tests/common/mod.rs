//! What the tests share: items that are counted, the check of a pool's sums against them, and a macro for both pools.
#![allow(dead_code, unused_macros)]

pub mod counting;

use std::{
    collections::BTreeSet,
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
    },
    time::Duration,
};

use object_pools::{PoolSettings, PoolStats};

/// The same tests for both pools, in a module each. There, `Pool` is the pool's type, `Ref` and `WeakRef` count references
/// to it, and `settle` puts idle items where a trim and a shrink reach them.
macro_rules! both_pools {
    ($($item:item)*) => {
        #[allow(dead_code, unused_imports)]
        mod local {
            use std::rc::{Rc as Ref, Weak as WeakRef};

            use object_pools::LocalPool as Pool;

            use super::*;

            const IS_LOCAL: bool = true;

            fn settle<T, L: object_pools::Lifecycle<T>>(_: &Pool<T, L>) {}

            $($item)*
        }

        #[allow(dead_code, unused_imports)]
        mod shared {
            use std::sync::{Arc as Ref, Weak as WeakRef};

            use object_pools::SharedPool as Pool;

            use super::*;

            const IS_LOCAL: bool = false;

            fn settle<T: Send + 'static, L: object_pools::Lifecycle<T> + 'static>(pool: &Pool<T, L>) {
                pool.release_thread();
            }

            $($item)*
        }
    };
}

/// When nothing depends on the clock.
pub const START: Duration = Duration::ZERO;

pub const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Settings with this capacity.
pub fn keeping(capacity: usize) -> PoolSettings {
    PoolSettings { capacity: Some(capacity), ..PoolSettings::default() }
}

/// The items that began and ended, counted by themselves, whatever their pool says.
#[derive(Clone, Default)]
pub struct Lives(Arc<Counts>);

#[derive(Default)]
struct Counts {
    begun: AtomicU64,
    ended: AtomicU64,
    ended_twice: AtomicU64,
    escaped: AtomicU64,
    alive: Mutex<BTreeSet<u64>>,
}

impl Lives {
    /// A new item, with a serial number of its own.
    pub fn begin(&self) -> Item {
        let serial = self.0.begun.fetch_add(1, SeqCst);
        self.0.alive.lock().unwrap().insert(serial);
        Item { serial, loud: false, in_use: Arc::new(AtomicBool::new(false)), lives: self.clone() }
    }

    pub fn factory(&self) -> impl Fn() -> Item + Clone + Send + Sync + 'static + use<> {
        let lives = self.clone();
        move || lives.begin()
    }

    pub fn begun(&self) -> u64 {
        self.0.begun.load(SeqCst)
    }

    pub fn ended(&self) -> u64 {
        self.0.ended.load(SeqCst)
    }

    /// Items that exist.
    pub fn alive(&self) -> usize {
        self.serials().len()
    }

    /// The serial numbers of the items that exist.
    pub fn serials(&self) -> BTreeSet<u64> {
        self.0.alive.lock().unwrap().clone()
    }

    /// Says that a written-off item lives on.
    pub fn one_escaped(&self) {
        self.0.escaped.fetch_add(1, SeqCst);
    }
}

/// An item that knows whether it is held, and notes its end.
pub struct Item {
    pub serial: u64,
    /// Panics when it ends.
    pub loud: bool,
    /// Shared by all copies of the item, if a pool should ever make one.
    in_use: Arc<AtomicBool>,
    lives: Lives,
}

impl Item {
    /// A holder begins to use it.
    #[track_caller]
    pub fn pick_up(&self) {
        assert!(!self.in_use.swap(true, SeqCst), "item {} has two holders", self.serial);
    }

    /// The holder is about to return it.
    #[track_caller]
    pub fn put_down(&self) {
        assert!(self.in_use.swap(false, SeqCst), "item {} was put down twice", self.serial);
    }
}

impl Drop for Item {
    fn drop(&mut self) {
        self.lives.0.ended.fetch_add(1, SeqCst);
        if !self.lives.0.alive.lock().unwrap().remove(&self.serial) {
            self.lives.0.ended_twice.fetch_add(1, SeqCst);
        }
        if self.loud {
            panic_on_purpose();
        }
    }
}

/// What a pool counted must be what happened: to be called at the end of a test, with the number of items that it holds.
#[track_caller]
pub fn assert_adds_up(stats: &PoolStats, lives: &Lives, held: usize) {
    let purges = &stats.purges;
    let purged =
        purges.overflow + purges.idle_timeout + purges.maximum + purges.shrink + purges.panic + purges.written_off;
    assert_eq!(stats.built, stats.idle as u64 + stats.live as u64 + stats.dropped, "the sum: {stats:?}");
    assert_eq!(stats.dropped, purged, "every dropped item has a cause: {stats:?}");
    assert_eq!(stats.live, held, "items held: {stats:?}");
    assert_eq!(stats.built, lives.begun(), "items that began: {stats:?}");
    assert_eq!(stats.dropped, lives.ended() + lives.0.escaped.load(SeqCst), "items that ended: {stats:?}");
    assert_eq!(lives.0.ended_twice.load(SeqCst), 0, "items that ended twice: {stats:?}");
    #[cfg(feature = "stats")]
    assert!(stats.rents >= stats.misses && stats.rents >= stats.returns, "{stats:?}");
}

/// A panic that prints nothing.
pub fn panic_on_purpose() -> ! {
    panic::resume_unwind(Box::new("on purpose"))
}

/// Runs what must panic on purpose.
#[track_caller]
pub fn must_panic<R>(work: impl FnOnce() -> R) {
    let Err(payload) = panic::catch_unwind(AssertUnwindSafe(work)) else { panic!("there was no panic") };
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"on purpose"), "another panic");
}
