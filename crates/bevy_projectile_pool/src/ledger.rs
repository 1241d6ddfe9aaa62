//! The books of a pool: how many live, how many ended and why. Every end passes through here, in every storage, at the
//! moment it happens; storages release what is already booked.

use core::cell::Cell;

use crate::{Payload, ProjectileId, RetireReason, Retired, engine::Vec2};

const REASONS: usize = RetireReason::ALL.len();

/// A pool's counts and its records of ends.
pub(crate) struct Ledger<P> {
    pub live: usize,
    /// Ends so far, by reason.
    pub ended: [u64; REASONS],
    /// Steering values refused so far because they were not finite.
    pub refused: u64,
    pub recording: bool,
    /// Ends since the last `Retire`, in the order they happened.
    pub records: Vec<Retired<P>>,
}

impl<P> Default for Ledger<P> {
    fn default() -> Self {
        Self { live: 0, ended: [0; REASONS], refused: 0, recording: false, records: Vec::new() }
    }
}

impl<P: Payload> Ledger<P> {
    /// Books the end of a live projectile.
    #[inline]
    pub fn end(&mut self, reason: RetireReason, id: ProjectileId, position: Vec2, velocity: Vec2, payload: P) {
        self.end_unrecorded(reason, 1);
        if self.recording {
            self.records.push(Retired { id, reason, position, velocity, payload });
        }
    }

    /// Books the ends of live projectiles of which no records are wanted.
    #[inline]
    pub fn end_unrecorded(&mut self, reason: RetireReason, count: usize) {
        self.live = self.live.saturating_sub(count);
        self.ended[reason as usize] += count as u64;
    }

    /// Makes the live count what a storage found. What is missing was taken away behind the pool's back and is booked
    /// as despawned, without a record; what came back, as an entity that was disabled for a while, is no longer.
    pub fn recount(&mut self, found: usize) {
        let despawned = &mut self.ended[RetireReason::Despawned as usize];
        let (missing, extra) = (self.live.saturating_sub(found), found.saturating_sub(self.live));
        *despawned = (*despawned + missing as u64).saturating_sub(extra as u64);
        self.live = found;
    }

    /// The ledger, shared by all items of one iteration.
    #[inline]
    pub fn share(&mut self) -> SharedLedger<'_, P> {
        SharedLedger(Cell::from_mut(self))
    }
}

/// A ledger that several projectiles can write to at once, on one thread. A single pointer, as each item of an iteration
/// has one.
pub(crate) struct SharedLedger<'a, P>(&'a Cell<Ledger<P>>);

impl<P> Clone for SharedLedger<'_, P> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for SharedLedger<'_, P> {}

impl<P: Payload> SharedLedger<'_, P> {
    fn with(self, work: impl FnOnce(&mut Ledger<P>)) {
        let mut ledger = self.0.take();
        work(&mut ledger);
        self.0.set(ledger);
    }

    pub fn end(self, reason: RetireReason, id: ProjectileId, position: Vec2, velocity: Vec2, payload: P) {
        self.with(|ledger| ledger.end(reason, id, position, velocity, payload));
    }

    /// Whether a steering value is finite; one that is not is counted, the first one with a warning.
    #[inline]
    pub fn accepts(self, value: Vec2) -> bool {
        let finite = value.is_finite();
        if !finite {
            self.with(|ledger| {
                if ledger.refused == 0 {
                    tracing::warn!(
                        "a projectile was not steered to {value}, which is not finite; further ones are only counted"
                    );
                }
                ledger.refused += 1;
            });
        }
        finite
    }
}
