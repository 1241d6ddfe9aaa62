//! Parallel arrays: no entities, one array a field, projectiles in the order of their ids.
//!
//! Retired projectiles are squeezed out in one stable pass, so that a look-up by id is a binary search and the oldest
//! are at the front.

use super::Room;
use crate::{
    Payload, ProjectileId, RetireReason,
    checksum::projectile_mix,
    engine::{Resource, Vec2, World},
    pool::{Pool, Step},
    projectile::{ENDED, Flight},
};

/// The columns. An ended projectile has the lifetime [`ENDED`] until `retire` squeezes it out.
#[derive(Resource)]
pub(crate) struct Columns<P> {
    pub id: Vec<ProjectileId>,
    pub x: Vec<f32>,
    pub y: Vec<f32>,
    pub vx: Vec<f32>,
    pub vy: Vec<f32>,
    pub born: Vec<u32>,
    pub lifetime: Vec<u32>,
    pub payload: Vec<P>,
}

impl<P> Default for Columns<P> {
    fn default() -> Self {
        Self {
            id: Vec::new(),
            x: Vec::new(),
            y: Vec::new(),
            vx: Vec::new(),
            vy: Vec::new(),
            born: Vec::new(),
            lifetime: Vec::new(),
            payload: Vec::new(),
        }
    }
}

/// Does the same to every column.
macro_rules! each_column {
    ($columns:expr, |$column:ident| $work:expr) => {{
        let Columns { id, x, y, vx, vy, born, lifetime, payload } = $columns;
        {
            let $column = id;
            $work;
        }
        {
            let $column = x;
            $work;
        }
        {
            let $column = y;
            $work;
        }
        {
            let $column = vx;
            $work;
        }
        {
            let $column = vy;
            $work;
        }
        {
            let $column = born;
            $work;
        }
        {
            let $column = lifetime;
            $work;
        }
        {
            let $column = payload;
            $work;
        }
    }};
}

impl<P: Payload> Columns<P> {
    pub fn len(&self) -> usize {
        self.id.len()
    }

    pub fn reserve(&mut self, room: usize) {
        each_column!(self, |column| column.reserve(room));
    }

    #[inline]
    pub fn position(&self, slot: usize) -> Vec2 {
        Vec2::new(self.x[slot], self.y[slot])
    }

    #[inline]
    pub fn velocity(&self, slot: usize) -> Vec2 {
        Vec2::new(self.vx[slot], self.vy[slot])
    }

    /// The slot of a live projectile. O(log n).
    pub fn find(&self, id: ProjectileId) -> Option<usize> {
        self.id.binary_search(&id).ok().filter(|&slot| self.lifetime[slot] != ENDED)
    }

    fn flight(&self, slot: usize) -> Flight<P> {
        Flight {
            id: self.id[slot],
            position: self.position(slot),
            velocity: self.velocity(slot),
            born: self.born[slot],
            lifetime: self.lifetime[slot],
            payload: self.payload[slot],
        }
    }
}

pub(crate) fn spawn<P: Payload>(world: &mut World, _: &mut Pool<P>, flights: &[Flight<P>]) {
    let columns = &mut *world.resource_mut::<Columns<P>>();
    columns.id.extend(flights.iter().map(|flight| flight.id));
    columns.x.extend(flights.iter().map(|flight| flight.position.x));
    columns.y.extend(flights.iter().map(|flight| flight.position.y));
    columns.vx.extend(flights.iter().map(|flight| flight.velocity.x));
    columns.vy.extend(flights.iter().map(|flight| flight.velocity.y));
    columns.born.extend(flights.iter().map(|flight| flight.born));
    columns.lifetime.extend(flights.iter().map(|flight| flight.lifetime));
    columns.payload.extend(flights.iter().map(|flight| flight.payload));
}

pub(crate) fn integrate<P: Payload>(world: &mut World, step: Step) {
    let Columns { x, y, vx, vy, .. } = &mut *world.resource_mut::<Columns<P>>();
    for (position, velocity, impulse) in [(x, vx, step.impulse.x), (y, vy, step.impulse.y)] {
        for (position, velocity) in position.iter_mut().zip(velocity) {
            *velocity += impulse;
            *position += *velocity * step.dt;
        }
    }
}

pub(crate) fn retire<P: Payload>(world: &mut World, pool: &mut Pool<P>) {
    let columns = &mut *world.resource_mut::<Columns<P>>();
    let fate = pool.fate();
    let mut kept = 0;
    for slot in 0..columns.len() {
        let lifetime = columns.lifetime[slot];
        if lifetime == ENDED {
            continue;
        }
        let position = columns.position(slot);
        if let Some(reason) = fate.of(position, columns.born[slot], lifetime) {
            pool.ledger.end(reason, columns.id[slot], position, columns.velocity(slot), columns.payload[slot]);
            continue;
        }
        if kept != slot {
            each_column!(&mut *columns, |column| column[kept] = column[slot]);
        }
        kept += 1;
    }
    each_column!(&mut *columns, |column| column.truncate(kept));
    debug_assert_eq!(pool.ledger.live, kept, "the ledger and the columns disagree");
    if let Some(room) = pool.shrink_to(columns.x.capacity()) {
        each_column!(columns, |column| column.shrink_to(room));
    }
}

pub(crate) fn evict_oldest<P: Payload>(world: &mut World, pool: &mut Pool<P>, count: usize) {
    let columns = &mut *world.resource_mut::<Columns<P>>();
    let mut left = count;
    for slot in 0..columns.len() {
        if left == 0 {
            break;
        }
        if columns.lifetime[slot] == ENDED {
            continue;
        }
        left -= 1;
        columns.lifetime[slot] = ENDED;
        let (position, velocity) = (columns.position(slot), columns.velocity(slot));
        pool.ledger.end(RetireReason::Evicted, columns.id[slot], position, velocity, columns.payload[slot]);
    }
}

pub(crate) fn take_all<P: Payload>(world: &mut World) -> Vec<Flight<P>> {
    let columns = core::mem::take(&mut *world.resource_mut::<Columns<P>>());
    let alive = (0..columns.len()).filter(|&slot| columns.lifetime[slot] != ENDED);
    alive.map(|slot| columns.flight(slot)).collect()
}

pub(crate) fn checksum<P: Payload>(world: &World, steps: u32, hash: fn(&P) -> u64) -> u64 {
    let columns = world.resource::<Columns<P>>();
    let mut sum = 0_u64;
    for slot in 0..columns.len() {
        let Flight { id, position, velocity, born, lifetime, payload } = columns.flight(slot);
        if lifetime != ENDED {
            sum = sum.wrapping_add(projectile_mix(id, position, velocity, steps, born, lifetime, hash(&payload)));
        }
    }
    sum
}

pub(crate) fn room<P: Payload>(world: &World) -> Room {
    let columns = world.resource::<Columns<P>>();
    let mut bytes = 0;
    each_column!(columns, |column| bytes += held(column));
    Room { capacity: columns.x.capacity(), free_rows: 0, bytes }
}

fn held<T>(column: &Vec<T>) -> usize {
    column.capacity() * size_of::<T>()
}
