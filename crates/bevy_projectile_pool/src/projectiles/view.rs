//! Looking at projectiles.

use crate::{
    Payload, ProjectileId,
    alive::Alive,
    engine::{Entity, Query, QueryIter, Vec2},
    pool::Pool,
    projectile::{age, remaining},
    strategy::{
        parallel_arrays::{Arrays, ArraysIter, Columns, Slot},
        rows::{ProjectileLife, ProjectileMotion, ProjectilePayload, Rows},
    },
};

pub(super) type Row<P> = (
    Entity,
    &'static ProjectileId,
    &'static ProjectileMotion<P>,
    &'static ProjectileLife<P>,
    &'static ProjectilePayload<P>,
);

/// A pool, to look at.
pub(super) struct View<'a, 's, P: Payload> {
    pub pool: &'a Pool<P>,
    pub arrays: &'a Arrays<P>,
    pub rows: &'a Rows<P>,
    pub query: Query<'a, 's, Row<P>, Alive<P>>,
}

impl<'a, 's, P: Payload> View<'a, 's, P> {
    pub fn iter(self) -> ProjectileIter<'a, 's, P> {
        let arrays = ArraysIter::new(self.arrays);
        ProjectileIter { steps: self.pool.steps, arrays, query: self.query.iter_inner() }
    }

    pub fn get(self, id: ProjectileId) -> Option<ProjectileRef<'a, P>> {
        let steps = self.pool.steps;
        if let Some((block, slot)) = self.arrays.find(id) {
            return Some(from_columns(steps, self.arrays.columns(block), slot));
        }
        let entity = self.entity(id)?;
        self.query.get_inner(entity).ok().map(|row| from_row(steps, row))
    }

    pub fn contains(&self, id: ProjectileId) -> bool {
        self.arrays.find(id).is_some() || self.entity(id).is_some()
    }

    pub fn entity(&self, id: ProjectileId) -> Option<Entity> {
        if self.pool.ledger.live == 0 || !self.pool.storage.has_entities() {
            return None;
        }
        let entity = self.rows.find(id, self.query.iter().map(|(entity, &id, ..)| (id, entity)))?;
        self.query.get(entity).is_ok_and(|(_, &found, ..)| found == id).then_some(entity)
    }
}

/// A live projectile.
#[derive(Clone, Copy, Debug)]
pub struct ProjectileRef<'a, P> {
    id: ProjectileId,
    position: Vec2,
    velocity: Vec2,
    age: u32,
    remaining: Option<u32>,
    payload: &'a P,
}

impl<'a, P> ProjectileRef<'a, P> {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> ProjectileId {
        self.id
    }

    /// Where it is, in world units.
    #[must_use]
    pub fn position(&self) -> Vec2 {
        self.position
    }

    /// Its velocity, in units per second.
    #[must_use]
    pub fn velocity(&self) -> Vec2 {
        self.velocity
    }

    /// How many steps it has made: 0 in the tick of its spawn, before `Integrate`.
    #[must_use]
    pub fn age(&self) -> u32 {
        self.age
    }

    /// How many steps it has left, or `None` if its lifetime is endless.
    #[must_use]
    pub fn remaining(&self) -> Option<u32> {
        self.remaining
    }

    /// The user's own values.
    #[must_use]
    pub fn payload(&self) -> &'a P {
        self.payload
    }
}

#[inline]
fn from_columns<P: Payload>(steps: u32, columns: &Columns<P>, slot: usize) -> ProjectileRef<'_, P> {
    let (born, lifetime) = (columns.born[slot], columns.lifetime[slot]);
    ProjectileRef {
        id: columns.id[slot],
        position: columns.position(slot),
        velocity: columns.velocity(slot),
        age: age(steps, born),
        remaining: remaining(steps, born, lifetime),
        payload: &columns.payload[slot],
    }
}

type RowItem<'a, P> =
    (Entity, &'a ProjectileId, &'a ProjectileMotion<P>, &'a ProjectileLife<P>, &'a ProjectilePayload<P>);

#[inline]
fn from_row<P: Payload>(steps: u32, row: RowItem<'_, P>) -> ProjectileRef<'_, P> {
    let (_, &id, motion, life, payload) = row;
    ProjectileRef {
        id,
        position: motion.position,
        velocity: motion.velocity,
        age: age(steps, life.born),
        remaining: remaining(steps, life.born, life.lifetime),
        payload: &payload.0,
    }
}

/// Iterates over live projectiles, in no specified order.
pub struct ProjectileIter<'a, 's, P: Payload> {
    steps: u32,
    arrays: ArraysIter<'a, P>,
    query: QueryIter<'a, 's, Row<P>, Alive<P>>,
}

impl<'a, P: Payload> Iterator for ProjectileIter<'a, '_, P> {
    type Item = ProjectileRef<'a, P>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if let Some(Slot { id, position, velocity, born, lifetime, payload }) = self.arrays.next() {
            let (age, remaining) = (age(self.steps, born), remaining(self.steps, born, lifetime));
            return Some(ProjectileRef { id, position, velocity, age, remaining, payload });
        }
        self.query.next().map(|row| from_row(self.steps, row))
    }
}
