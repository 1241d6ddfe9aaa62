//! Reading, steering and retiring projectiles, alike in every storage.

use crate::{
    Payload, PoolingStrategy, ProjectileId, RetireReason,
    alive::Alive,
    engine::{Entity, Mut, Query, QueryIter, Res, ResMut, SystemParam, Vec2},
    ledger::LedgerCells,
    pool::Pool,
    projectile::{ENDED, age, remaining},
    strategy::{
        parallel_arrays::{Arrays, ArraysIter, ArraysIterMut, Columns, Slot, SlotMut},
        rows::{ProjectileLife, ProjectileMotion, ProjectilePayload, Rows},
    },
};

type Row<P> = (
    Entity,
    &'static ProjectileId,
    &'static ProjectileMotion<P>,
    &'static ProjectileLife<P>,
    &'static ProjectilePayload<P>,
);
type RowMut<P> = (
    Entity,
    &'static ProjectileId,
    &'static mut ProjectileMotion<P>,
    &'static mut ProjectileLife<P>,
    &'static mut ProjectilePayload<P>,
);

/// Reads the live projectiles of the pool of `P`. Those that ended, also in this tick, are gone from it.
///
/// **The order of iteration is not specified** and differs between storages: where it matters, collect what matters
/// with the ids and sort by id. A look-up by id is a few binary searches in the parallel arrays, one in each block that
/// may hold the id; in the entity strategies it is one, but the first look-up after rows changed builds an index in
/// O(n log n).
#[derive(SystemParam)]
pub struct Projectiles<'w, 's, P: Payload> {
    pool: Res<'w, Pool<P>>,
    arrays: Res<'w, Arrays<P>>,
    rows: Res<'w, Rows<P>>,
    query: Query<'w, 's, Row<P>, Alive<P>>,
}

impl<'s, P: Payload> Projectiles<'_, 's, P> {
    /// How many are alive. O(1).
    #[must_use]
    pub fn count(&self) -> usize {
        self.pool.ledger.live
    }

    /// Whether none is alive. O(1).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// All that are alive, in no specified order.
    pub fn iter(&self) -> ProjectileIter<'_, 's, P> {
        let steps = self.pool.steps;
        ProjectileIter { steps, arrays: ArraysIter::new(&self.arrays), query: self.query.iter() }
    }

    /// The projectile with this id, or `None` if it is gone or not spawned yet.
    #[must_use]
    pub fn get(&self, id: ProjectileId) -> Option<ProjectileRef<'_, P>> {
        if let Some((block, slot)) = self.arrays.find(id) {
            return Some(from_columns(self.pool.steps, self.arrays.columns(block), slot));
        }
        self.query.get(self.entity(id)?).ok().map(|row| from_row(self.pool.steps, row))
    }

    /// Whether the projectile with this id is alive.
    #[must_use]
    pub fn contains(&self, id: ProjectileId) -> bool {
        self.arrays.find(id).is_some() || self.entity(id).is_some()
    }

    /// The entity of a live projectile, in the strategies that have entities; `None` in the others. Keep ids, not
    /// entities: an entity may hold another projectile in the next tick.
    #[must_use]
    pub fn entity(&self, id: ProjectileId) -> Option<Entity> {
        if self.pool.ledger.live == 0 || self.pool.storage.strategy() == PoolingStrategy::ParallelArrays {
            return None;
        }
        let entity = self.rows.find(id, self.query.iter().map(|(entity, &id, ..)| (id, entity)))?;
        self.query.get(entity).is_ok_and(|(_, &found, ..)| found == id).then_some(entity)
    }
}

impl<'a, 's, P: Payload> IntoIterator for &'a Projectiles<'_, 's, P> {
    type Item = ProjectileRef<'a, P>;
    type IntoIter = ProjectileIter<'a, 's, P>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
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

/// Reads, steers and retires the live projectiles of the pool of `P`. Order and costs are those of [`Projectiles`].
#[derive(SystemParam)]
pub struct ProjectilesMut<'w, 's, P: Payload> {
    pool: ResMut<'w, Pool<P>>,
    arrays: ResMut<'w, Arrays<P>>,
    rows: Res<'w, Rows<P>>,
    query: Query<'w, 's, RowMut<P>, Alive<P>>,
}

impl<'s, P: Payload> ProjectilesMut<'_, 's, P> {
    /// How many are alive. O(1).
    #[must_use]
    pub fn count(&self) -> usize {
        self.pool.ledger.live
    }

    /// Whether none is alive. O(1).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// All that are alive, in no specified order.
    pub fn iter(&self) -> ProjectileIter<'_, 's, P> {
        let steps = self.pool.steps;
        ProjectileIter { steps, arrays: ArraysIter::new(&self.arrays), query: self.query.iter() }
    }

    /// All that are alive, to steer and retire, in no specified order.
    pub fn iter_mut(&mut self) -> ProjectileIterMut<'_, 's, P> {
        let Pool { steps, ledger, .. } = &mut *self.pool;
        ProjectileIterMut {
            steps: *steps,
            ledger: ledger.cells(),
            arrays: ArraysIterMut::new(&mut self.arrays),
            query: self.query.iter_mut(),
        }
    }

    /// The projectile with this id, or `None` if it is gone or not spawned yet.
    #[must_use]
    pub fn get(&self, id: ProjectileId) -> Option<ProjectileRef<'_, P>> {
        if let Some((block, slot)) = self.arrays.find(id) {
            return Some(from_columns(self.pool.steps, self.arrays.columns(block), slot));
        }
        self.query.get(self.entity(id)?).ok().map(|row| from_row(self.pool.steps, row))
    }

    /// The projectile with this id, to steer and retire, or `None` if it is gone or not spawned yet.
    #[must_use]
    pub fn get_mut(&mut self, id: ProjectileId) -> Option<ProjectileMut<'_, P>> {
        let place = self.arrays.find(id);
        let entity = if place.is_none() { Some(self.entity(id)?) } else { None };
        let Pool { steps, ledger, .. } = &mut *self.pool;
        let ledger = ledger.cells();
        if let Some((block, slot)) = place {
            let Columns { x, y, vx, vy, born, lifetime, payload, .. } = self.arrays.columns_mut(block);
            let place = Place::Columns {
                x: &mut x[slot],
                y: &mut y[slot],
                vx: &mut vx[slot],
                vy: &mut vy[slot],
                lifetime: &mut lifetime[slot],
                payload: &mut payload[slot],
            };
            return Some(ProjectileMut { id, age: age(*steps, born[slot]), ledger, place });
        }
        let (_, _, motion, life, payload) = self.query.get_mut(entity?).ok()?;
        Some(ProjectileMut { id, age: age(*steps, life.born), ledger, place: Place::Row { motion, life, payload } })
    }

    /// Whether the projectile with this id is alive.
    #[must_use]
    pub fn contains(&self, id: ProjectileId) -> bool {
        self.arrays.find(id).is_some() || self.entity(id).is_some()
    }

    /// The entity of a live projectile; see [`Projectiles::entity`].
    #[must_use]
    pub fn entity(&self, id: ProjectileId) -> Option<Entity> {
        if self.pool.ledger.live == 0 || self.pool.storage.strategy() == PoolingStrategy::ParallelArrays {
            return None;
        }
        let entity = self.rows.find(id, self.query.iter().map(|(entity, &id, ..)| (id, entity)))?;
        self.query.get(entity).is_ok_and(|(_, &found, ..)| found == id).then_some(entity)
    }

    /// Ends the projectile with this id. Returns whether it was alive; the second time it was not.
    pub fn retire(&mut self, id: ProjectileId, reason: RetireReason) -> bool {
        self.get_mut(id).is_some_and(|mut projectile| projectile.retire(reason))
    }

    /// Ends every live projectile as [`RetireReason::Cleared`], and returns how many there were. Spawns that wait are
    /// not touched. O(n). To empty a pool when a level is left, see [`clear_projectiles`](crate::clear_projectiles).
    pub fn clear(&mut self) -> usize {
        self.iter_mut().map(|mut projectile| usize::from(projectile.retire(RetireReason::Cleared))).sum()
    }
}

impl<'a, 's, P: Payload> IntoIterator for &'a ProjectilesMut<'_, 's, P> {
    type Item = ProjectileRef<'a, P>;
    type IntoIter = ProjectileIter<'a, 's, P>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, 's, P: Payload> IntoIterator for &'a mut ProjectilesMut<'_, 's, P> {
    type Item = ProjectileMut<'a, P>;
    type IntoIter = ProjectileIterMut<'a, 's, P>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

/// Where the values of a projectile are.
enum Place<'a, P: Payload> {
    Columns {
        x: &'a mut f32,
        y: &'a mut f32,
        vx: &'a mut f32,
        vy: &'a mut f32,
        lifetime: &'a mut u32,
        payload: &'a mut P,
    },
    Row {
        motion: Mut<'a, ProjectileMotion<P>>,
        life: Mut<'a, ProjectileLife<P>>,
        payload: Mut<'a, ProjectilePayload<P>>,
    },
}

/// A projectile to steer and retire. After [`retire`](Self::retire) it can still be read here, and nowhere else.
pub struct ProjectileMut<'a, P: Payload> {
    id: ProjectileId,
    age: u32,
    ledger: LedgerCells<'a, P>,
    place: Place<'a, P>,
}

impl<P: Payload> ProjectileMut<'_, P> {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> ProjectileId {
        self.id
    }

    /// Where it is, in world units.
    #[must_use]
    pub fn position(&self) -> Vec2 {
        match &self.place {
            Place::Columns { x, y, .. } => Vec2::new(**x, **y),
            Place::Row { motion, .. } => motion.position,
        }
    }

    /// Its velocity, in units per second.
    #[must_use]
    pub fn velocity(&self) -> Vec2 {
        match &self.place {
            Place::Columns { vx, vy, .. } => Vec2::new(**vx, **vy),
            Place::Row { motion, .. } => motion.velocity,
        }
    }

    /// How many steps it has made: 0 in the tick of its spawn, before `Integrate`.
    #[must_use]
    pub fn age(&self) -> u32 {
        self.age
    }

    /// How many steps it has left: `None` if its lifetime is endless, 0 once it is retired.
    #[must_use]
    pub fn remaining(&self) -> Option<u32> {
        remaining(self.age, 0, self.lifetime())
    }

    /// The user's own values.
    #[must_use]
    pub fn payload(&self) -> &P {
        match &self.place {
            Place::Columns { payload, .. } => payload,
            Place::Row { payload, .. } => &payload.0,
        }
    }

    /// The user's own values, to change.
    pub fn payload_mut(&mut self) -> &mut P {
        match &mut self.place {
            Place::Columns { payload, .. } => payload,
            Place::Row { payload, .. } => &mut payload.0,
        }
    }

    /// Moves it to `position`, in world units. Returns whether it did: a position that is not finite is refused, counted
    /// in [`ProjectileStats::invalid`](crate::ProjectileStats::invalid), and the first one is logged.
    pub fn set_position(&mut self, position: Vec2) -> bool {
        let accepted = self.ledger.accepts(position);
        if accepted {
            match &mut self.place {
                Place::Columns { x, y, .. } => (**x, **y) = (position.x, position.y),
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
                Place::Columns { vx, vy, .. } => (**vx, **vy) = (velocity.x, velocity.y),
                Place::Row { motion, .. } => motion.velocity = velocity,
            }
        }
        accepted
    }

    /// Ends it, at once for every look-up, iteration and count. Returns whether it was alive; the second time it was not.
    pub fn retire(&mut self, reason: RetireReason) -> bool {
        let alive = self.lifetime() != ENDED;
        if alive {
            self.ledger.end(reason, self.id, self.position(), self.velocity(), *self.payload());
            match &mut self.place {
                Place::Columns { lifetime, .. } => **lifetime = ENDED,
                Place::Row { life, .. } => life.lifetime = ENDED,
            }
        }
        alive
    }

    fn lifetime(&self) -> u32 {
        match &self.place {
            Place::Columns { lifetime, .. } => **lifetime,
            Place::Row { life, .. } => life.lifetime,
        }
    }
}

/// Iterates over live projectiles to steer and retire them, in no specified order.
pub struct ProjectileIterMut<'a, 's, P: Payload> {
    steps: u32,
    ledger: LedgerCells<'a, P>,
    arrays: ArraysIterMut<'a, P>,
    query: QueryIter<'a, 's, RowMut<P>, Alive<P>>,
}

impl<'a, P: Payload> Iterator for ProjectileIterMut<'a, '_, P> {
    type Item = ProjectileMut<'a, P>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if let Some(SlotMut { id, born, x, y, vx, vy, lifetime, payload }) = self.arrays.next() {
            let place = Place::Columns { x, y, vx, vy, lifetime, payload };
            return Some(ProjectileMut { id, age: age(self.steps, born), ledger: self.ledger, place });
        }
        let (_, &id, motion, life, payload) = self.query.next()?;
        let age = age(self.steps, life.born);
        Some(ProjectileMut { id, age, ledger: self.ledger, place: Place::Row { motion, life, payload } })
    }
}
