//! Steering and retiring projectiles.

use crate::{
    Payload, ProjectileId, RetireReason,
    alive::Alive,
    engine::{Entity, Mut, QueryIter, Vec2},
    ledger::SharedLedger,
    projectile::{ENDED, age, remaining},
    strategy::{
        parallel_arrays::{ArraysIterMut, SlotMut},
        rows::{ProjectileLife, ProjectileMotion, ProjectilePayload},
    },
};

pub(super) type RowMut<P> = (
    Entity,
    &'static ProjectileId,
    &'static mut ProjectileMotion<P>,
    &'static mut ProjectileLife<P>,
    &'static mut ProjectilePayload<P>,
);

/// Where the values of a projectile are.
/// Where a projectile is.
pub(super) enum Place<'a, P: Payload> {
    Columns(SlotMut<'a, P>),
    Row {
        id: ProjectileId,
        motion: Mut<'a, ProjectileMotion<P>>,
        life: Mut<'a, ProjectileLife<P>>,
        payload: Mut<'a, ProjectilePayload<P>>,
    },
}

/// A projectile to steer and retire. After [`retire`](Self::retire) it can still be read here, and nowhere else.
pub struct ProjectileMut<'a, P: Payload> {
    pub(super) steps: u32,
    pub(super) ledger: SharedLedger<'a, P>,
    pub(super) place: Place<'a, P>,
}

impl<P: Payload> ProjectileMut<'_, P> {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> ProjectileId {
        match &self.place {
            Place::Columns(slot) => slot.id(),
            Place::Row { id, .. } => *id,
        }
    }

    /// Where it is, in world units.
    #[must_use]
    pub fn position(&self) -> Vec2 {
        match &self.place {
            Place::Columns(slot) => slot.position(),
            Place::Row { motion, .. } => motion.position,
        }
    }

    /// Its velocity, in units per second.
    #[must_use]
    pub fn velocity(&self) -> Vec2 {
        match &self.place {
            Place::Columns(slot) => slot.velocity(),
            Place::Row { motion, .. } => motion.velocity,
        }
    }

    /// How many steps it has made: 0 in the tick of its spawn, before `Integrate`.
    #[must_use]
    pub fn age(&self) -> u32 {
        let born = match &self.place {
            Place::Columns(slot) => slot.born(),
            Place::Row { life, .. } => life.born,
        };
        age(self.steps, born)
    }

    /// How many steps it has left: `None` if its lifetime is endless, 0 once it is retired.
    #[must_use]
    pub fn remaining(&self) -> Option<u32> {
        remaining(self.age(), 0, self.lifetime())
    }

    /// The user's own values.
    #[must_use]
    pub fn payload(&self) -> &P {
        match &self.place {
            Place::Columns(slot) => slot.payload(),
            Place::Row { payload, .. } => &payload.0,
        }
    }

    /// The user's own values, to change.
    pub fn payload_mut(&mut self) -> &mut P {
        match &mut self.place {
            Place::Columns(slot) => slot.payload_mut(),
            Place::Row { payload, .. } => &mut payload.0,
        }
    }

    /// Moves it to `position`, in world units. Returns whether it did: a position that is not finite is refused, counted
    /// in [`ProjectileStats::invalid`](crate::ProjectileStats::invalid), and the first one is logged.
    pub fn set_position(&mut self, position: Vec2) -> bool {
        let accepted = self.ledger.accepts(position);
        if accepted {
            match &mut self.place {
                Place::Columns(slot) => slot.set_position(position),
                Place::Row { motion, .. } => motion.position = position,
            }
        }
        accepted
    }

    /// Gives it a velocity, in units per second. Returns whether it did: a velocity that is not finite is refused as in
    /// [`set_position`](Self::set_position).
    pub fn set_velocity(&mut self, velocity: Vec2) -> bool {
        let accepted = self.ledger.accepts(velocity);
        if accepted {
            match &mut self.place {
                Place::Columns(slot) => slot.set_velocity(velocity),
                Place::Row { motion, .. } => motion.velocity = velocity,
            }
        }
        accepted
    }

    /// Ends it, at once for every look-up, iteration and count. Returns whether it was alive; the second time it was not.
    pub fn retire(&mut self, reason: RetireReason) -> bool {
        let alive = self.lifetime() != ENDED;
        if alive {
            self.ledger.end(reason, self.id(), self.position(), self.velocity(), *self.payload());
            match &mut self.place {
                Place::Columns(slot) => slot.end(),
                Place::Row { life, .. } => life.lifetime = ENDED,
            }
        }
        alive
    }

    fn lifetime(&self) -> u32 {
        match &self.place {
            Place::Columns(slot) => slot.lifetime(),
            Place::Row { life, .. } => life.lifetime,
        }
    }
}

/// Iterates over live projectiles to steer and retire them, in no specified order.
pub struct ProjectileIterMut<'a, 's, P: Payload> {
    pub(super) steps: u32,
    pub(super) ledger: SharedLedger<'a, P>,
    pub(super) arrays: ArraysIterMut<'a, P>,
    pub(super) query: QueryIter<'a, 's, RowMut<P>, Alive<P>>,
}

impl<'a, P: Payload> Iterator for ProjectileIterMut<'a, '_, P> {
    type Item = ProjectileMut<'a, P>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let place = match self.arrays.next() {
            Some(slot) => Place::Columns(slot),
            None => {
                let (_, &id, motion, life, payload) = self.query.next()?;
                Place::Row { id, motion, life, payload }
            }
        };
        Some(ProjectileMut { steps: self.steps, ledger: self.ledger, place })
    }
}
