//! A pool for many threads.

mod depot;
mod inner;

use std::{fmt, sync::Arc, thread, time::Duration};

use crate::{
    HeldAt, Lifecycle, PoolSettings, PoolStats, SettingsError,
    leaks::{Leaks, Place},
    raw::{
        lease::{Lease, TakesBack},
        magazine::{Magazine, Owner},
        threads::{Receives as _, Threads},
    },
    stats::{Cause, OnUnwind},
    sync::lock,
};
use inner::Inner;

/// A pool for many threads. Each thread has one idle item at hand and two small stacks of them, its magazines, which serve
/// almost all rents and returns without touching anything shared; full and empty magazines are exchanged whole with a
/// sharded depot.
///
/// Items lie in magazines by value and are moved; pool a `Box` of what is larger than about 32 bytes.
///
/// * **Costs.** A rent or a return served by the thread's magazines: about as much as by a `Vec` of its own. One in as
///   many as a magazine holds takes a lock, for a few loads and stores. The first of a thread allocates its magazines. A
///   thread that uses more than 64 pools in turn may look some up in a register, for some 10 ns each time.
/// * **Bounds.** The depot holds at most [`PoolSettings::capacity`] idle items, by default twice the available parallelism,
///   and each thread at most one item and two magazines more, of [`PoolSettings::magazine`] items, or of the capacity if
///   that is less. A thread's idle items go to the depot when it ends. Items are built only when neither the thread nor the
///   depot has one, so at most as many exist as were held at once, and what each thread may keep; those which do not find
///   room are disposed of.
/// * **Not for** one thread, for which [`LocalPool`](crate::LocalPool) keeps exact counts and needs no registers, nor for
///   items that are cheap to make.
///
/// `thread::scope` may return before the magazines of its threads are back, as it does not wait for the destructors of
/// thread-local values; joining a thread's handle waits.
///
/// ```
/// use object_pools::SharedPool;
///
/// let pool = SharedPool::new(|| Vec::<u8>::with_capacity(4096));
/// std::thread::scope(|scope| {
///     for _ in 0..4 {
///         scope.spawn(|| {
///             let mut buffer = pool.lease();
///             buffer.clear();
///             buffer.extend_from_slice(b"one buffer a thread");
///         });
///     }
/// });
/// ```
///
/// What may not change threads cannot be pooled here:
///
/// ```compile_fail,E0277
/// let pool = object_pools::SharedPool::new(|| std::rc::Rc::new(1));
/// ```
pub struct SharedPool<T: Send + 'static, L: Lifecycle<T> + 'static = fn() -> T> {
    threads: Threads<T>,
    inner: Arc<Inner<T, L>>,
}

/// An item of a [`SharedPool`], which goes back when this is dropped, by whichever thread.
pub type SharedLease<'pool, T, L = fn() -> T> = Lease<'pool, T, SharedPool<T, L>>;

impl<T: Send + 'static, L: Lifecycle<T> + 'static> SharedPool<T, L> {
    /// A pool whose depot keeps twice as many idle items as the machine has processors.
    pub fn new(lifecycle: L) -> Self {
        Self::with_capacity_known(lifecycle, Self::default_capacity(), &PoolSettings::default())
    }

    /// A pool with settings.
    ///
    /// # Errors
    /// Settings that make no sense.
    pub fn with_settings(lifecycle: L, settings: PoolSettings) -> Result<Self, SettingsError> {
        let capacity = settings.check(Self::default_capacity())?;
        let pool = Self::with_capacity_known(lifecycle, capacity, &settings);
        pool.prefill(settings.prefill);
        Ok(pool)
    }

    fn default_capacity() -> usize {
        2 * parallelism()
    }

    fn with_capacity_known(lifecycle: L, capacity: usize, settings: &PoolSettings) -> Self {
        let inner = Inner::new(lifecycle, capacity, settings, parallelism());
        Self { threads: Threads::new(), inner: Arc::new(inner) }
    }

    /// This thread's magazines. `None` if the pool keeps nothing, or if the thread ends and has none any more.
    fn mine(&self) -> Option<Owner<'_, T>> {
        let depot = &self.inner.depot;
        if depot.room() == 0 { None } else { self.threads.registered(&self.inner, || [depot.empty(0), depot.empty(0)]) }
    }

    /// An idle item, or a new one if this thread and the depot have none. Whoever rents gives it back with
    /// [`give_back`](Self::give_back), on any thread.
    ///
    /// # Panics
    /// If the factory does; the pool is as before then.
    #[inline(always)]
    #[track_caller]
    pub fn rent(&self) -> T {
        let item = self.take();
        self.inner.leaks.rented(Place::here());
        item
    }

    /// An idle item, if this thread or the depot has one: builds nothing. Other threads' magazines are not looked into.
    #[inline(always)]
    #[track_caller]
    pub fn try_rent(&self) -> Option<T> {
        let item = self.take_idle()?;
        self.inner.leaks.rented(Place::here());
        Some(item)
    }

    /// An item that goes back when the lease is dropped: idle, or a new one.
    ///
    /// # Panics
    /// If the factory does.
    #[inline(always)]
    #[track_caller]
    pub fn lease(&self) -> SharedLease<'_, T, L> {
        Lease::new(self.take(), self, Place::here())
    }

    /// A lease of an idle item, if there is one: builds nothing.
    #[inline(always)]
    #[track_caller]
    pub fn try_lease(&self) -> Option<SharedLease<'_, T, L>> {
        Some(Lease::new(self.take_idle()?, self, Place::here()))
    }

    #[inline(always)]
    fn take_idle(&self) -> Option<T> {
        match self.threads.known().and_then(|mine| mine.pop()) {
            Some(item) => Some(item),
            None => self.take_from_depot(),
        }
    }

    #[inline(always)]
    fn take(&self) -> T {
        match self.threads.known().and_then(|mine| mine.pop()) {
            Some(item) => item,
            None => self.take_from_depot_or_build(),
        }
    }

    #[cold]
    #[inline(never)]
    fn take_from_depot_or_build(&self) -> T {
        self.take_from_depot().unwrap_or_else(|| self.build())
    }

    #[cold]
    #[inline(never)]
    fn take_from_depot(&self) -> Option<T> {
        let inner = &*self.inner;
        let Some(mine) = self.mine() else {
            let item = inner.depot.take_one()?;
            inner.counts.served();
            return Some(item);
        };
        // The fast table may not have known them.
        if let Some(item) = mine.pop() {
            return Some(item);
        }
        if mine.len() == 0 {
            if mine.spare_len() > 0 {
                mine.swap();
            } else {
                match inner.depot.exchange_empty(mine.home(), mine.unload()) {
                    Ok(loaded) => mine.load(loaded),
                    Err(empty) => mine.load(empty),
                }
            }
        }
        mine.pop()
    }

    #[cold]
    fn build(&self) -> T {
        let item = self.inner.lifecycle.build();
        self.inner.note_use();
        self.inner.counts.missed();
        item
    }

    /// Takes back an item that was rented here, by any thread. It is reset, and kept if there is room; otherwise the
    /// settings' [`Overflow`](crate::Overflow) says what happens.
    ///
    /// An item from elsewhere is for [`adopt`](Self::adopt): given back here, it takes the place of one that is held.
    ///
    /// # Panics
    /// If the reset hook does: the item is dropped and counted then.
    #[inline(always)]
    pub fn give_back(&self, mut item: T) {
        let armed = OnUnwind(|| self.inner.lose_one());
        self.inner.lifecycle.reset(&mut item);
        armed.disarm();
        self.keep(item);
    }

    #[inline(always)]
    fn keep(&self, item: T) {
        let item = match self.threads.known() {
            Some(mine) => match mine.push(item) {
                Ok(()) => return,
                Err(item) => item,
            },
            None => item,
        };
        self.keep_in_depot(item);
    }

    #[cold]
    #[inline(never)]
    fn keep_in_depot(&self, item: T) {
        let inner = &*self.inner;
        let Some(mine) = self.mine() else {
            let refused = if inner.depot.room() == 0 { Err(item) } else { inner.depot.put_one(item) };
            if let Err(item) = refused {
                inner.note_use();
                inner.counts.purged(Cause::Overflow, 1);
                inner.lifecycle.dispose(item);
            }
            return;
        };
        // The fast table may not have known them.
        let Err(item) = mine.push(item) else { return };
        let mut refused = None;
        if mine.is_full() {
            mine.swap();
            if mine.is_full() {
                let empty = inner.depot.empty(mine.home());
                refused = inner.receive(mine.home(), mine.unload()).err();
                mine.load(empty);
            }
        }
        let pushed = mine.push(item);
        debug_assert!(pushed.is_ok(), "a magazine that is not full has room");
        // The user's code last, when the pool is as it should be and nothing is borrowed.
        if let Some(refused) = refused {
            inner.end(refused);
        }
    }

    /// As [`give_back`](Self::give_back), but an item for which there is no room comes back as it was. Room is this
    /// thread's, and the depot's.
    ///
    /// # Errors
    /// The item, if the pool is full.
    pub fn try_give_back(&self, item: T) -> Result<(), T> {
        let full = |mine: &Owner<'_, T>| {
            mine.has_one_at_hand() && mine.is_full() && mine.spare_len() >= self.inner.depot.room()
        };
        let no_room = match self.mine() {
            Some(mine) => full(&mine) && !self.inner.depot.has_room_for(self.inner.depot.room()),
            None => !self.inner.depot.has_room_for(1),
        };
        if no_room {
            return Err(item);
        }
        self.give_back(item);
        Ok(())
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
        let armed = OnUnwind(|| self.inner.lose_one());
        let result = work(&mut item, &mut state);
        clean_up(&mut item, state);
        armed.disarm();
        self.give_back(item);
        result
    }

    /// Takes in an item that was built elsewhere: it is reset, and goes into the depot or is disposed of.
    ///
    /// # Panics
    /// If the reset hook does: the item is dropped and counted then.
    pub fn adopt(&self, mut item: T) {
        let armed = OnUnwind(|| self.inner.counts.lost_unrented());
        self.inner.lifecycle.reset(&mut item);
        armed.disarm();
        self.inner.keep_unrented(item);
    }

    /// Builds idle items, into the depot, for any thread. Those beyond the capacity are disposed of.
    pub fn prefill(&self, count: usize) {
        for _ in 0..count {
            self.inner.keep_unrented(self.inner.lifecycle.build());
        }
    }

    /// Says that held items will not come back, on purpose: they were dropped, replaced, or given away. As many more than
    /// are held do not count.
    pub fn write_off(&self, count: usize) {
        self.inner.note_use();
        let held = self.inner.counts.total().saturating_sub(self.idle());
        self.inner.counts.purged(Cause::WrittenOff, count.min(held));
    }

    /// Gives this thread's idle items to the depot, where other threads find them, as happens when a thread ends. For a
    /// thread that goes on with other work.
    pub fn release_thread(&self) {
        if let Some(mine) = self.mine() {
            let (home, depot) = (mine.home(), &self.inner.depot);
            let [hand, loaded, spare] = mine.unload_all();
            mine.load(depot.empty(home));
            mine.swap();
            mine.load(depot.empty(home));
            let refused = [hand, loaded, spare].map(|magazine| self.inner.receive(home, magazine).err());
            refused.into_iter().flatten().for_each(|refused| self.inner.end(refused));
        }
    }

    /// Disposes of the depot's items beyond `keep`, about those that were idle the longest first, and frees magazines that
    /// are not in use. What lies in threads' magazines stays. Returns how many.
    pub fn shrink_to(&self, keep: usize) -> usize {
        let gone = self.inner.purge(self.inner.depot.idle().saturating_sub(keep), Cause::Shrink);
        self.inner.depot.shrink();
        gone
    }

    /// Lets the depot's idle items go as [`TrimPolicy`](crate::TrimPolicy) says, where those in threads' magazines count as
    /// used. Returns how many. `now` is the time of any clock that does not go back.
    pub fn trim(&self, now: Duration) -> usize {
        self.inner.trim(now)
    }

    /// Idle items, in the depot and in all threads' magazines.
    pub fn idle(&self) -> usize {
        self.inner.depot.idle() + self.threads.idle()
    }

    /// The most idle items that the depot keeps, unless the pool may grow.
    pub fn capacity(&self) -> usize {
        self.inner.capacity
    }

    /// What the pool counted until now. `now` is the time of the clock that [`trim`](Self::trim) is given; as it is read
    /// before the call, a clock may use this pool.
    pub fn stats(&self, now: Duration) -> PoolStats {
        let hits = self.inner.counts.served_elsewhere() + self.threads.rents();
        self.inner.note_use();
        let stats = self.inner.counts.stats(self.idle(), hits);
        lock(&self.inner.watch).complete(now, stats, self.inner.depot.idle())
    }

    /// Where items were rented that may be held still. Nothing in release builds, which do not know.
    pub fn held_at(&self) -> Vec<HeldAt> {
        self.inner.leaks.places(self.inner.counts.total().saturating_sub(self.idle()))
    }
}

fn parallelism() -> usize {
    if cfg!(loom) { 2 } else { thread::available_parallelism().map_or(1, usize::from) }
}

impl<T: Send + 'static, L: Lifecycle<T> + 'static> TakesBack<T> for SharedPool<T, L> {
    #[inline(always)]
    fn take_back(&self, item: T) {
        self.give_back(item);
    }

    #[allow(private_interfaces)]
    #[inline(always)]
    fn leaks(&self) -> &Leaks {
        &self.inner.leaks
    }
}

impl<T: Send + 'static, L: Lifecycle<T> + 'static> Drop for SharedPool<T, L> {
    fn drop(&mut self) {
        // Closed first: threads that end take their items to the depot until then.
        let of_threads = self.threads.close();
        let of_depot = self.inner.depot.take_oldest(usize::MAX);
        let all = || of_threads.iter().chain(&of_depot);
        let held = self.inner.counts.total().saturating_sub(all().map(Magazine::len).sum());
        of_threads.into_iter().chain(of_depot).for_each(|magazine| self.inner.dispose(magazine));
        self.inner.leaks.pool_ends::<T>(held, self.inner.on_leak);
    }
}

impl<T: Send + 'static, L: Lifecycle<T> + 'static> fmt::Debug for SharedPool<T, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (idle, capacity) = (self.idle(), self.capacity());
        f.debug_struct("SharedPool").field("idle", &idle).field("capacity", &capacity).finish_non_exhaustive()
    }
}

impl<T: Default + Send + 'static> Default for SharedPool<T> {
    fn default() -> Self {
        Self::new(T::default)
    }
}
