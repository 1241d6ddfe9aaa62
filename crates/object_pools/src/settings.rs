//! How much a pool keeps.

use std::time::Duration;

use thiserror::Error;

/// How much a pool keeps, and when it lets go.
#[derive(Clone, Debug)]
pub struct PoolSettings {
    /// The most idle items that are kept. `None` is the pool's own default: no limit in a [`LocalPool`], twice the
    /// available parallelism in a [`SharedPool`], whose threads keep some more: see there. With 0 nothing is kept.
    ///
    /// [`LocalPool`]: crate::LocalPool
    /// [`SharedPool`]: crate::SharedPool
    pub capacity: Option<usize>,
    /// What happens to an item that is returned to a full pool.
    pub overflow: Overflow,
    /// Items that are built with the pool. At most the capacity.
    pub prefill: usize,
    /// Only in a [`SharedPool`](crate::SharedPool): the items of a magazine, from 1 to [`PoolSettings::MOST_MAGAZINE`]. A
    /// thread keeps at most one item and two magazines. It is never more than the capacity.
    pub magazine: usize,
    /// What [`trim`](crate::LocalPool::trim) does.
    pub trim: TrimPolicy,
    /// What a debug build does if items are still held when their pool is dropped. `None` prints them to standard error.
    pub on_leak: Option<fn(&LeakReport)>,
}

impl PoolSettings {
    /// The largest magazine.
    pub const MOST_MAGAZINE: usize = 4096;

    /// Tests whether these make sense, for a pool with this capacity if none is set.
    pub(crate) fn check(&self, default_capacity: usize) -> Result<usize, SettingsError> {
        let capacity = self.capacity.unwrap_or(default_capacity);
        if self.prefill > capacity && self.overflow == Overflow::Dispose {
            return Err(SettingsError::Prefill { prefill: self.prefill, capacity });
        }
        if !(1..=Self::MOST_MAGAZINE).contains(&self.magazine) {
            return Err(SettingsError::Magazine(self.magazine));
        }
        self.trim.check()?;
        Ok(capacity)
    }
}

impl Default for PoolSettings {
    fn default() -> Self {
        Self {
            capacity: None,
            overflow: Overflow::Dispose,
            prefill: 0,
            magazine: 64,
            trim: TrimPolicy::NEVER,
            on_leak: None,
        }
    }
}

/// What happens to an item that is returned to a full pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Overflow {
    /// It goes to [`Lifecycle::dispose`](crate::Lifecycle::dispose), which drops it unless you say otherwise.
    #[default]
    Dispose,
    /// The pool grows beyond its capacity; only trimming and shrinking make it smaller.
    Grow,
}

/// When a pool lets idle items go. Nothing happens by itself: the owner calls `trim` with the time, as often as it likes.
///
/// A call lets go of the items that nobody needed for [`idle_timeout`](Self::idle_timeout), but keeps so many that held
/// and idle ones together are at least [`peak_buffer`](Self::peak_buffer) times the most that were in use at once within
/// [`peak_window`](Self::peak_window), and at least [`minimum`](Self::minimum) idle ones. Idle items beyond
/// [`maximum`](Self::maximum) go whatever their age. Both hold to [`per_call`](Self::per_call) and
/// [`hysteresis`](Self::hysteresis).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrimPolicy {
    /// An item that was idle for as long may go. [`Duration::MAX`]: never.
    pub idle_timeout: Duration,
    /// How long a peak of use is remembered. It is forgotten up to 1/32 of this late, never early.
    pub peak_window: Duration,
    /// Items kept, held ones among them, as a multiple of the remembered peak. 0: the peak does not matter.
    pub peak_buffer: f64,
    /// Idle items that always stay.
    pub minimum: usize,
    /// Idle items beyond this go, whatever their age. `usize::MAX`: no limit.
    pub maximum: usize,
    /// No call lets anything go so soon after one that did.
    pub hysteresis: Duration,
    /// The most items that one call lets go: a bound on its time.
    pub per_call: usize,
}

impl TrimPolicy {
    /// Nothing is ever let go.
    pub const NEVER: Self = Self {
        idle_timeout: Duration::MAX,
        peak_window: Duration::from_secs(60),
        peak_buffer: 0.0,
        minimum: 0,
        maximum: usize::MAX,
        hysteresis: Duration::ZERO,
        per_call: usize::MAX,
    };

    /// Lets go of what was idle for as long, all at once.
    #[must_use]
    pub const fn after(idle_timeout: Duration) -> Self {
        Self { idle_timeout, ..Self::NEVER }
    }

    fn check(&self) -> Result<(), SettingsError> {
        if !self.peak_buffer.is_finite() || self.peak_buffer < 0.0 {
            return Err(SettingsError::PeakBuffer(self.peak_buffer));
        }
        if self.minimum > self.maximum {
            return Err(SettingsError::Bounds { minimum: self.minimum, maximum: self.maximum });
        }
        if self.per_call == 0 {
            return Err(SettingsError::PerCall);
        }
        Ok(())
    }
}

impl Default for TrimPolicy {
    fn default() -> Self {
        Self::NEVER
    }
}

/// Settings that make no sense.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// More would be built with the pool than it keeps.
    #[error("a pool that keeps {capacity} items cannot be filled with {prefill}")]
    Prefill {
        /// Items to be built with the pool.
        prefill: usize,
        /// Items it keeps.
        capacity: usize,
    },
    /// A magazine of no items, or of too many.
    #[error("a magazine holds 1 to {} items, not {_0}", PoolSettings::MOST_MAGAZINE)]
    Magazine(usize),
    /// The peak cannot be multiplied by this.
    #[error("the peak buffer must be a finite number of at least 0, not {_0}")]
    PeakBuffer(f64),
    /// More would have to stay than may stay.
    #[error("at least {minimum} idle items cannot stay where at most {maximum} may")]
    Bounds {
        /// Idle items that always stay.
        minimum: usize,
        /// Idle items that may stay.
        maximum: usize,
    },
    /// A trim that may let nothing go.
    #[error("a trim must be allowed to let at least one item go a call; `TrimPolicy::NEVER` turns it off")]
    PerCall,
}

/// The items that were still held when their pool was dropped. Only debug builds make one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeakReport {
    /// The type of the pool's items.
    pub item: &'static str,
    /// Items held: rented, not given back, and not written off.
    pub held: usize,
    /// Where items may have been rented that are still held.
    pub places: Vec<HeldAt>,
}

/// A place in the program where items were rented that are not back. Only debug builds know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldAt {
    /// File, line and column of the call.
    pub place: &'static std::panic::Location<'static>,
    /// Leases made there that are held: exact.
    pub leases: usize,
    /// Items rented there without a lease since the pool began. They carry no mark: which of them are held is not known
    /// where several places rent.
    pub rents: u64,
}
