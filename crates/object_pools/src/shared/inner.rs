//! What the threads of a shared pool have in common.

use std::time::Duration;

use super::depot::Depot;
use crate::{
    LeakReport, Lifecycle, Overflow, PoolSettings,
    leaks::Leaks,
    raw::{magazine::Magazine, threads::Receives},
    stats::{Cause, Counts},
    sync::{Mutex, lock},
    watch::Watch,
};

pub(crate) struct Inner<T, L> {
    pub depot: Depot<T>,
    pub lifecycle: L,
    pub counts: Counts,
    pub watch: Mutex<Watch>,
    pub leaks: Leaks,
    pub capacity: usize,
    pub on_leak: Option<fn(&LeakReport)>,
}

/// More shards than this do not make waiting rarer.
const MOST_SHARDS: usize = 16;

impl<T, L: Lifecycle<T>> Inner<T, L> {
    pub fn new(lifecycle: L, capacity: usize, settings: &PoolSettings, parallelism: usize) -> Self {
        let most = match settings.overflow {
            Overflow::Dispose => capacity,
            Overflow::Grow => usize::MAX,
        };
        let shards = parallelism.next_power_of_two().min(MOST_SHARDS);
        Self {
            depot: Depot::new(shards, most, settings.magazine.min(most)),
            lifecycle,
            counts: Counts::default(),
            watch: Mutex::new(Watch::new(settings.trim)),
            leaks: Leaks::default(),
            capacity,
            on_leak: settings.on_leak,
        }
    }

    /// Before the number of items changes: what was outside the depot at most follows from the fewest that were in it.
    pub fn note_use(&self) {
        lock(&self.watch).note(self.counts.total(), self.depot.least());
        self.depot.restart_least();
    }

    /// A panic took an item.
    #[cold]
    pub fn lose_one(&self) {
        self.note_use();
        self.counts.purged(Cause::Panic, 1);
    }

    /// Keeps an item that never was outside, so that it is no part of the peak.
    pub fn keep_unrented(&self, item: T) {
        self.note_use();
        let refused = if self.depot.room() == 0 { Some(item) } else { self.depot.put_one(item).err() };
        self.counts.built_ahead();
        self.depot.restart_least();
        if let Some(item) = refused {
            self.counts.purged(Cause::Overflow, 1);
            self.lifecycle.dispose(item);
        }
    }

    /// Lets the depot's items go as the trim policy says.
    pub fn trim(&self, now: Duration) -> usize {
        self.note_use();
        let verdict = lock(&self.watch).decide(now, self.depot.idle(), self.counts.total());
        self.purge(verdict.idle_timeout, Cause::IdleTimeout) + self.purge(verdict.maximum, Cause::Maximum)
    }

    /// Disposes of about the oldest items of the depot.
    pub fn purge(&self, count: usize, cause: Cause) -> usize {
        if count == 0 {
            return 0;
        }
        self.note_use();
        let oldest = self.depot.take_oldest(count);
        self.depot.restart_least();
        let gone = oldest.iter().map(Magazine::len).sum();
        self.counts.purged(cause, gone);
        lock(&self.watch).let_go(gone);
        oldest.into_iter().for_each(|magazine| self.dispose(magazine));
        gone
    }

    /// Disposes of the items of a magazine, which are counted already.
    pub fn dispose(&self, mut magazine: Magazine<T>) {
        while let Some(item) = magazine.pop() {
            self.lifecycle.dispose(item);
        }
        if magazine.room() == self.depot.room() {
            self.depot.keep_empty(0, magazine);
        }
    }
}

impl<T, L: Lifecycle<T>> Receives<T> for Inner<T, L> {
    fn receive(&self, home: usize, magazine: Magazine<T>) -> Result<(), Magazine<T>> {
        if magazine.len() == 0 {
            self.depot.keep_empty(home, magazine);
            return Ok(());
        }
        self.depot.put(home, magazine).inspect_err(|refused| {
            self.note_use();
            self.counts.purged(Cause::Overflow, refused.len());
        })
    }

    fn end(&self, refused: Magazine<T>) {
        self.dispose(refused);
    }
}
