//! What a pool counts.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a pool counted since it began, at one moment. It always holds that `built == idle + live + dropped`.
///
/// In a [`SharedPool`](crate::SharedPool) that other threads use meanwhile, the moment is as long as the call takes:
/// `built`, `dropped` and `idle` are read, and the rest follows from them. Items that are just then on their way between a
/// thread and the depot count as held.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PoolStats {
    /// Items rented.
    #[cfg(feature = "stats")]
    pub rents: u64,
    /// Items that were given back: rented or adopted, and not held any more.
    #[cfg(feature = "stats")]
    pub returns: u64,
    /// Items rented in a minute, over the last minute of the caller's clock (or since the first look at it, if that is
    /// less ago).
    #[cfg(feature = "stats")]
    pub rents_per_minute: f64,
    /// Rents that found no idle item.
    pub misses: u64,
    /// Items that ever belonged to the pool: built for a rent, built ahead, or adopted.
    pub built: u64,
    /// Items that left the pool, for one of the causes in [`purges`](Self::purges).
    pub dropped: u64,
    /// Items in the pool.
    pub idle: usize,
    /// Items held outside: rented, not given back.
    pub live: usize,
    /// The most items held at once. In a [`SharedPool`](crate::SharedPool) the most that were outside the depot: held, or
    /// in threads' magazines.
    pub peak: usize,
    /// The same within [`TrimPolicy::peak_window`](crate::TrimPolicy::peak_window), as seen when `trim` or `stats` is called.
    pub rolling_peak: usize,
    /// Why items left.
    pub purges: Purges,
}

/// Items that left a pool, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Purges {
    /// Returned to a full pool.
    pub overflow: u64,
    /// Idle for [`TrimPolicy::idle_timeout`](crate::TrimPolicy::idle_timeout).
    pub idle_timeout: u64,
    /// Beyond [`TrimPolicy::maximum`](crate::TrimPolicy::maximum).
    pub maximum: u64,
    /// Beyond what `shrink_to` was told to keep.
    pub shrink: u64,
    /// At hand while user code panicked: the reset hook, or the work of a scope.
    pub panic: u64,
    /// Not coming back, as the holder said.
    pub written_off: u64,
}

impl Purges {
    fn total(&self) -> u64 {
        self.overflow + self.idle_timeout + self.maximum + self.shrink + self.panic + self.written_off
    }
}

/// Why an item leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    Overflow,
    IdleTimeout,
    Maximum,
    Shrink,
    Panic,
    WrittenOff,
}

/// The counts that change off the fast path.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    misses: AtomicU64,
    /// Built ahead or adopted.
    ahead: AtomicU64,
    /// Adopted, and lost to a panic at once: never rented.
    lost_unrented: AtomicU64,
    /// Rents served by a depot, one by one.
    served: AtomicU64,
    purges: [AtomicU64; 6],
}

impl Counts {
    pub fn missed(&self) {
        self.misses.fetch_add(1, Relaxed);
    }

    pub fn built_ahead(&self) {
        self.ahead.fetch_add(1, Relaxed);
    }

    /// An adopted item was lost to a panic before the pool had it.
    pub fn lost_unrented(&self) {
        self.built_ahead();
        self.lost_unrented.fetch_add(1, Relaxed);
        self.purged(Cause::Panic, 1);
    }

    /// A depot served a rent for a thread without magazines.
    pub fn served(&self) {
        self.served.fetch_add(1, Relaxed);
    }

    /// Rents that depots served so.
    pub fn served_elsewhere(&self) -> u64 {
        self.served.load(Relaxed)
    }

    pub fn purged(&self, cause: Cause, count: usize) {
        self.purges[cause as usize].fetch_add(count as u64, Relaxed);
    }

    /// Items that belong to the pool now.
    pub fn total(&self) -> usize {
        // In this order: whatever was dropped had been built.
        let dropped = self.purges().total();
        (self.misses.load(Relaxed) + self.ahead.load(Relaxed)).saturating_sub(dropped) as usize
    }

    fn purges(&self) -> Purges {
        let of = |cause: Cause| self.purges[cause as usize].load(Relaxed);
        Purges {
            overflow: of(Cause::Overflow),
            idle_timeout: of(Cause::IdleTimeout),
            maximum: of(Cause::Maximum),
            shrink: of(Cause::Shrink),
            panic: of(Cause::Panic),
            written_off: of(Cause::WrittenOff),
        }
    }

    /// A snapshot of a pool with so many idle items, and rents that found one.
    pub fn stats(&self, idle: usize, hits: u64) -> PoolStats {
        let purges = self.purges();
        let misses = self.misses.load(Relaxed);
        let ahead = self.ahead.load(Relaxed);
        let built = misses + ahead;
        // Threads at work may have moved items between the readings.
        let dropped = purges.total().min(built);
        let idle = idle.min((built - dropped) as usize);
        let live = (built - dropped) as usize - idle;
        #[cfg(feature = "stats")]
        let rents = hits + misses;
        #[cfg(not(feature = "stats"))]
        let _ = hits;
        PoolStats {
            #[cfg(feature = "stats")]
            rents,
            #[cfg(feature = "stats")]
            // What was rented, less what is still outside or ended there.
            returns: (rents + self.lost_unrented.load(Relaxed))
                .saturating_sub(live as u64 + purges.panic + purges.written_off),
            #[cfg(feature = "stats")]
            rents_per_minute: 0.0,
            misses,
            built,
            dropped,
            idle,
            live,
            peak: 0,
            rolling_peak: 0,
            purges,
        }
    }
}

/// Does something if it is dropped, as it is when a panic passes by, unless it is disarmed before.
pub(crate) struct OnUnwind<F: Fn()>(pub F);

impl<F: Fn()> OnUnwind<F> {
    #[inline(always)]
    pub fn disarm(self) {
        std::mem::forget(self);
    }
}

impl<F: Fn()> Drop for OnUnwind<F> {
    #[cold]
    fn drop(&mut self) {
        (self.0)();
    }
}
