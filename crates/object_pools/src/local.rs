//! A pool with one owner.

use std::{cell::RefCell, fmt, time::Duration};

use crate::{
    HeldAt, Lifecycle, Overflow, PoolSettings, PoolStats, SettingsError,
    leaks::{Leaks, Place},
    raw::{
        lease::{Lease, TakesBack},
        stack::Stack,
    },
    stats::{Cause, Counts, OnUnwind},
    watch::Watch,
};

/// A pool for one thread: about as fast as a `Vec` of its own from which items are popped and onto which they are pushed.
///
/// Items come back in the order last in, first out, so that those at hand are in the cache. They lie in the pool by value
/// and are moved; pool a `Box` of what is larger than about 32 bytes.
///
/// * **Costs.** A rent of an idle item, or a return: about a nanosecond. Memory: the idle items, and room for as many as
///   were ever idle at once, until `trim` or `shrink_to`.
/// * **Bounds.** At most [`PoolSettings::capacity`] items are idle. As items are built only when none is idle, as many exist
///   as were ever held at once, or built ahead or adopted.
/// * **Not for** items that are cheap to make: if building one costs no more than resetting it, a pool only adds code.
///
/// ```
/// use object_pools::LocalPool;
///
/// let pool = LocalPool::new(|| Box::new([0u8; 4096]));
/// let mut page = pool.lease();
/// page[0] = 1;
/// drop(page); // back in the pool
/// assert_eq!(pool.idle(), 1);
/// ```
///
/// It can be moved to another thread, and not be shared by two:
///
/// ```compile_fail,E0277
/// let pool = object_pools::LocalPool::new(String::new);
/// std::thread::scope(|scope| {
///     scope.spawn(|| pool.rent());
/// });
/// ```
pub struct LocalPool<T, L: Lifecycle<T> = fn() -> T> {
    idle: Stack<T>,
    lifecycle: L,
    capacity: usize,
    overflow: Overflow,
    counts: Counts,
    watch: RefCell<Watch>,
    leaks: Leaks,
    on_leak: Option<fn(&crate::LeakReport)>,
}

/// An item of a [`LocalPool`], which goes back when this is dropped.
pub type LocalLease<'pool, T, L = fn() -> T> = Lease<'pool, T, LocalPool<T, L>>;

impl<T, L: Lifecycle<T>> LocalPool<T, L> {
    /// A pool that keeps everything that is returned.
    pub fn new(lifecycle: L) -> Self {
        Self::with_capacity_known(lifecycle, usize::MAX, &PoolSettings::default())
    }

    /// A pool with settings.
    ///
    /// # Errors
    /// Settings that make no sense.
    pub fn with_settings(lifecycle: L, settings: PoolSettings) -> Result<Self, SettingsError> {
        let capacity = settings.check(usize::MAX)?;
        let pool = Self::with_capacity_known(lifecycle, capacity, &settings);
        pool.prefill(settings.prefill);
        Ok(pool)
    }

    fn with_capacity_known(lifecycle: L, capacity: usize, settings: &PoolSettings) -> Self {
        Self {
            idle: Stack::new(),
            lifecycle,
            capacity,
            overflow: settings.overflow,
            counts: Counts::default(),
            watch: RefCell::new(Watch::new(settings.trim)),
            leaks: Leaks::default(),
            on_leak: settings.on_leak,
        }
    }

    /// An idle item, or a new one if none is idle. Whoever rents gives it back with [`give_back`](Self::give_back).
    ///
    /// # Panics
    /// If the factory does; the pool is as before then.
    #[inline(always)]
    #[track_caller]
    pub fn rent(&self) -> T {
        let item = self.take();
        self.leaks.rented(Place::here());
        item
    }

    /// An idle item, if there is one: builds nothing.
    #[inline(always)]
    #[track_caller]
    pub fn try_rent(&self) -> Option<T> {
        let item = self.idle.pop()?;
        self.leaks.rented(Place::here());
        Some(item)
    }

    /// An item that goes back when the lease is dropped: idle, or a new one.
    ///
    /// # Panics
    /// If the factory does.
    #[inline(always)]
    #[track_caller]
    pub fn lease(&self) -> LocalLease<'_, T, L> {
        Lease::new(self.take(), self, Place::here())
    }

    /// A lease of an idle item, if there is one: builds nothing.
    #[inline(always)]
    #[track_caller]
    pub fn try_lease(&self) -> Option<LocalLease<'_, T, L>> {
        Some(Lease::new(self.idle.pop()?, self, Place::here()))
    }

    #[inline(always)]
    fn take(&self) -> T {
        match self.idle.pop() {
            Some(item) => item,
            None => self.build(),
        }
    }

    #[cold]
    #[inline(never)]
    fn build(&self) -> T {
        let item = self.lifecycle.build();
        self.note_use();
        self.counts.missed();
        item
    }

    /// Takes back an item that was rented here. It is reset, and kept if there is room; otherwise the settings'
    /// [`Overflow`] says what happens.
    ///
    /// An item from elsewhere is for [`adopt`](Self::adopt): given back here, it takes the place of one that is held.
    ///
    /// # Panics
    /// If the reset hook does: the item is dropped and counted then.
    #[inline(always)]
    pub fn give_back(&self, mut item: T) {
        let armed = OnUnwind(|| self.lose_one());
        self.lifecycle.reset(&mut item);
        armed.disarm();
        if let Err(item) = self.idle.push(item) {
            self.keep_or_dispose(item);
        }
    }

    /// As [`give_back`](Self::give_back), but an item for which there is no room comes back as it was.
    ///
    /// # Errors
    /// The item, if the pool is full.
    pub fn try_give_back(&self, item: T) -> Result<(), T> {
        if self.idle.len() >= self.most() {
            return Err(item);
        }
        self.give_back(item);
        Ok(())
    }

    /// A panic took an item.
    #[cold]
    fn lose_one(&self) {
        self.note_use();
        self.counts.purged(Cause::Panic, 1);
    }

    #[cold]
    #[inline(never)]
    fn keep_or_dispose(&self, item: T) {
        self.idle.grow(self.most());
        if let Err(item) = self.idle.push(item) {
            self.note_use();
            self.counts.purged(Cause::Overflow, 1);
            self.lifecycle.dispose(item);
        }
    }

    /// The most items that may be idle.
    fn most(&self) -> usize {
        match self.overflow {
            Overflow::Dispose => self.capacity,
            Overflow::Grow => usize::MAX,
        }
    }

    /// Rents an item for the time of a call.
    ///
    /// # Panics
    /// If the work does: the item, which may be half changed, is dropped and counted then.
    #[inline(always)]
    #[track_caller]
    pub fn scope<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        self.scope_with((), |item, ()| work(item), |_, ()| ())
    }

    /// Rents an item for the time of a call that needs a state, and cleans up after it, before the pool's own reset hook.
    ///
    /// # Panics
    /// If the work or the clean-up does: the item is dropped and counted then.
    #[inline(always)]
    #[track_caller]
    pub fn scope_with<S, R>(
        &self,
        mut state: S,
        work: impl FnOnce(&mut T, &mut S) -> R,
        clean_up: impl FnOnce(&mut T, S),
    ) -> R {
        let mut item = self.take();
        let armed = OnUnwind(|| self.lose_one());
        let result = work(&mut item, &mut state);
        clean_up(&mut item, state);
        armed.disarm();
        self.give_back(item);
        result
    }

    /// Takes in an item that was built elsewhere: it is reset, and kept or disposed of as if it were given back.
    ///
    /// # Panics
    /// If the reset hook does: the item is dropped and counted then.
    pub fn adopt(&self, mut item: T) {
        let armed = OnUnwind(|| self.counts.lost_unrented());
        self.lifecycle.reset(&mut item);
        armed.disarm();
        self.keep_unrented(item);
    }

    /// Builds idle items. Those beyond the capacity are disposed of.
    pub fn prefill(&self, count: usize) {
        for _ in 0..count {
            self.keep_unrented(self.lifecycle.build());
        }
    }

    /// Keeps an item that never was outside, so that it is no part of the peak.
    fn keep_unrented(&self, item: T) {
        self.note_use();
        self.idle.grow_if_full(self.most());
        let refused = self.idle.push(item).err();
        self.counts.built_ahead();
        self.idle.restart_lowest();
        if let Some(item) = refused {
            self.counts.purged(Cause::Overflow, 1);
            self.lifecycle.dispose(item);
        }
    }

    /// Says that held items will not come back, on purpose: they were dropped, replaced, or given away. As many more than
    /// are held do not count.
    pub fn write_off(&self, count: usize) {
        self.note_use();
        let held = self.counts.total().saturating_sub(self.idle.len());
        self.counts.purged(Cause::WrittenOff, count.min(held));
    }

    /// Disposes of idle items beyond `keep`, those that were idle the longest first, and gives the memory of their places
    /// back. Returns how many.
    pub fn shrink_to(&self, keep: usize) -> usize {
        let gone = self.purge(self.idle.len().saturating_sub(keep), Cause::Shrink);
        self.idle.shrink(self.most());
        gone
    }

    /// Lets idle items go as [`TrimPolicy`](crate::TrimPolicy) says, those that were idle the longest first. Returns how
    /// many. `now` is the time of any clock that does not go back.
    pub fn trim(&self, now: Duration) -> usize {
        self.note_use();
        let verdict = self.watch.borrow_mut().decide(now, self.idle.len(), self.counts.total());
        self.idle.restart_lowest();
        let gone = self.purge(verdict.idle_timeout, Cause::IdleTimeout) + self.purge(verdict.maximum, Cause::Maximum);
        if gone > 0 && self.idle.len() < self.idle.capacity() / 2 {
            self.idle.shrink(self.most());
        }
        gone
    }

    fn purge(&self, count: usize, cause: Cause) -> usize {
        if count == 0 {
            return 0;
        }
        self.note_use();
        let oldest = self.idle.take_oldest(count);
        let gone = oldest.len();
        self.counts.purged(cause, gone);
        self.watch.borrow_mut().let_go(gone);
        oldest.into_iter().for_each(|item| self.lifecycle.dispose(item));
        gone
    }

    /// Before the number of items changes: what was used at most until now follows from the fewest that were idle.
    fn note_use(&self) {
        self.watch.borrow_mut().note(self.counts.total(), self.idle.lowest());
        self.idle.restart_lowest();
    }

    /// Items in the pool.
    pub fn idle(&self) -> usize {
        self.idle.len()
    }

    /// The most idle items that are kept, unless the pool may grow.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// What the pool counted until now. `now` is the time of the clock that [`trim`](Self::trim) is given; as it is read
    /// before the call, a clock may use this pool.
    pub fn stats(&self, now: Duration) -> PoolStats {
        self.note_use();
        let stats = self.counts.stats(self.idle.len(), self.idle.popped());
        self.watch.borrow_mut().complete(now, stats, stats.idle)
    }

    /// Where items were rented that may be held still. Nothing in release builds, which do not know.
    pub fn held_at(&self) -> Vec<HeldAt> {
        self.leaks.places(self.counts.total().saturating_sub(self.idle.len()))
    }
}

impl<T, L: Lifecycle<T>> TakesBack<T> for LocalPool<T, L> {
    #[inline(always)]
    fn take_back(&self, item: T) {
        self.give_back(item);
    }

    #[allow(private_interfaces)]
    #[inline(always)]
    fn leaks(&self) -> &Leaks {
        &self.leaks
    }
}

impl<T, L: Lifecycle<T>> Drop for LocalPool<T, L> {
    fn drop(&mut self) {
        let held = self.counts.total().saturating_sub(self.idle.len());
        while let Some(item) = self.idle.pop() {
            self.lifecycle.dispose(item);
        }
        self.leaks.pool_ends::<T>(held, self.on_leak);
    }
}

impl<T, L: Lifecycle<T>> fmt::Debug for LocalPool<T, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalPool")
            .field("idle", &self.idle())
            .field("capacity", &self.capacity)
            .finish_non_exhaustive()
    }
}

impl<T: Default> Default for LocalPool<T> {
    fn default() -> Self {
        Self::new(T::default)
    }
}
