//! One array for each field of a projectile.

use core::slice;

use super::motion::Motion;
use crate::{
    Payload, ProjectileId, RetireReason,
    checksum::projectile_mix,
    engine::{Rect, Vec2},
    ledger::Ledger,
    pool::{Fate, Step},
    projectile::{ENDED, Flight},
};

/// The columns, all of one length. An ended projectile has the lifetime [`ENDED`] until it is squeezed out.
pub(crate) struct Columns<P> {
    pub id: Vec<ProjectileId>,
    motion: Motion,
    pub born: Vec<u32>,
    pub lifetime: Vec<u32>,
    pub payload: Vec<P>,
}

impl<P> Default for Columns<P> {
    fn default() -> Self {
        Self { id: Vec::new(), motion: Motion::default(), born: Vec::new(), lifetime: Vec::new(), payload: Vec::new() }
    }
}

/// Does the same to every column but those of the motion.
macro_rules! each_column {
    ($columns:expr, |$column:ident| $work:expr) => {{
        let Columns { id, motion: _, born, lifetime, payload } = $columns;
        {
            let $column = id;
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

    pub fn capacity(&self) -> usize {
        self.id.capacity()
    }

    pub fn bytes(&self) -> usize {
        let mut bytes = self.motion.bytes();
        each_column!(self, |column| bytes += held(column));
        bytes
    }

    pub fn reserve(&mut self, room: usize) {
        each_column!(&mut *self, |column| column.reserve(room));
        self.motion.reserve(room);
    }

    pub fn shrink_to(&mut self, room: usize) {
        each_column!(&mut *self, |column| column.shrink_to(room));
        self.motion.shrink_to(room);
    }

    pub fn clear(&mut self) {
        self.truncate(0);
    }

    pub fn truncate(&mut self, length: usize) {
        each_column!(&mut *self, |column| column.truncate(length));
        self.motion.truncate(length);
    }

    pub fn push(&mut self, flight: &Flight<P>) {
        self.id.push(flight.id);
        self.motion.push(flight.position, flight.velocity);
        self.born.push(flight.born);
        self.lifetime.push(flight.lifetime);
        self.payload.push(flight.payload);
    }

    /// Makes room for `length` projectiles whose values are to be [`set`](Self::set).
    pub fn resize(&mut self, length: usize) {
        self.id.resize(length, ProjectileId::PLACEHOLDER);
        self.motion.resize(length);
        self.born.resize(length, 0);
        self.lifetime.resize(length, ENDED);
        self.payload.resize(length, P::default());
    }

    #[inline]
    pub fn set(&mut self, slot: usize, flight: &Flight<P>) {
        self.id[slot] = flight.id;
        self.motion.set(slot, flight.position, flight.velocity);
        self.born[slot] = flight.born;
        self.lifetime[slot] = flight.lifetime;
        self.payload[slot] = flight.payload;
    }

    #[inline]
    pub fn position(&self, slot: usize) -> Vec2 {
        self.motion.position(slot)
    }

    #[inline]
    pub fn velocity(&self, slot: usize) -> Vec2 {
        self.motion.velocity(slot)
    }

    pub fn is_alive(&self, slot: usize) -> bool {
        self.lifetime[slot] != ENDED
    }

    pub fn flight(&self, slot: usize) -> Flight<P> {
        Flight {
            id: self.id[slot],
            position: self.position(slot),
            velocity: self.velocity(slot),
            born: self.born[slot],
            lifetime: self.lifetime[slot],
            payload: self.payload[slot],
        }
    }

    /// Every live projectile.
    pub fn flights(&self) -> impl Iterator<Item = Flight<P>> + '_ {
        (0..self.len()).filter(|&slot| self.is_alive(slot)).map(|slot| self.flight(slot))
    }

    /// The projectile in `slot`, to change.
    pub fn slot_mut(&mut self, slot: usize) -> SlotMut<'_, P> {
        let [x, y, vx, vy] = self.motion.values_mut().map(|column| &mut column[slot]);
        let (id, born) = (self.id[slot], self.born[slot]);
        SlotMut { id, born, x, y, vx, vy, lifetime: &mut self.lifetime[slot], payload: &mut self.payload[slot] }
    }

    /// Books the end of the live projectile in `slot`.
    #[inline]
    pub fn end(&mut self, slot: usize, reason: RetireReason, ledger: &mut Ledger<P>) {
        if ledger.recording {
            ledger.end(reason, self.id[slot], self.position(slot), self.velocity(slot), self.payload[slot]);
        } else {
            // Its values need not be read, which are far apart and seldom in the cache.
            ledger.end_unrecorded(reason);
        }
        self.lifetime[slot] = ENDED;
    }

    /// Moves every projectile by one step; one that has ended may move too, nobody sees it.
    pub fn advance(&mut self, step: Step) {
        self.motion.advance(step);
    }

    /// Whether any projectile, ended ones included, is outside of `bounds`. A position that is NaN is.
    pub fn any_outside(&self, bounds: Rect) -> bool {
        self.motion.any_outside(bounds)
    }

    /// Books the end of every live projectile that met its fate, and squeezes all that ended out. The rest keep their
    /// order.
    pub fn retire(&mut self, fate: Fate, ledger: &mut Ledger<P>) {
        self.squeeze(|columns, slot| {
            if let Some(reason) = fate.of(columns.position(slot), columns.born[slot], columns.lifetime[slot]) {
                columns.end(slot, reason, ledger);
            }
        });
    }

    /// Squeezes out all that ended, after `visit` has seen each live projectile. The rest keep their order.
    pub fn squeeze(&mut self, mut visit: impl FnMut(&mut Self, usize)) {
        let mut kept = 0;
        for slot in 0..self.len() {
            if self.is_alive(slot) {
                visit(self, slot);
            }
            if self.is_alive(slot) {
                if kept != slot {
                    each_column!(&mut *self, |column| column[kept] = column[slot]);
                    self.motion.copy(slot, kept);
                }
                kept += 1;
            }
        }
        self.truncate(kept);
    }

    /// The sum of [`projectile_mix`] over the live projectiles.
    pub fn checksum(&self, steps: u32, hash: fn(&P) -> u64) -> u64 {
        self.flights().fold(0, |sum: u64, Flight { id, position, velocity, born, lifetime, payload }| {
            sum.wrapping_add(projectile_mix(id, position, velocity, steps, born, lifetime, hash(&payload)))
        })
    }

    pub fn iter(&self) -> ColumnsIter<'_, P> {
        let [x, y, vx, vy] = self.motion.values().map(<[f32]>::iter);
        ColumnsIter {
            id: self.id.iter(),
            x,
            y,
            vx,
            vy,
            born: self.born.iter(),
            lifetime: self.lifetime.iter(),
            payload: self.payload.iter(),
        }
    }

    pub fn iter_mut(&mut self) -> ColumnsIterMut<'_, P> {
        let [x, y, vx, vy] = self.motion.values_mut().map(<[f32]>::iter_mut);
        ColumnsIterMut {
            id: self.id.iter(),
            x,
            y,
            vx,
            vy,
            born: self.born.iter(),
            lifetime: self.lifetime.iter_mut(),
            payload: self.payload.iter_mut(),
        }
    }
}

fn held<T>(column: &Vec<T>) -> usize {
    column.capacity() * size_of::<T>()
}

/// A live projectile in its columns.
pub(crate) struct Slot<'a, P> {
    pub id: ProjectileId,
    pub position: Vec2,
    pub velocity: Vec2,
    pub born: u32,
    pub lifetime: u32,
    pub payload: &'a P,
}

/// Iterates over the live projectiles of one set of columns.
pub(crate) struct ColumnsIter<'a, P> {
    id: slice::Iter<'a, ProjectileId>,
    x: slice::Iter<'a, f32>,
    y: slice::Iter<'a, f32>,
    vx: slice::Iter<'a, f32>,
    vy: slice::Iter<'a, f32>,
    born: slice::Iter<'a, u32>,
    lifetime: slice::Iter<'a, u32>,
    payload: slice::Iter<'a, P>,
}

impl<'a, P> Iterator for ColumnsIter<'a, P> {
    type Item = Slot<'a, P>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        // The columns are of one length: either all of them have a next value or none has.
        loop {
            let (&id, &born, &lifetime) = (self.id.next()?, self.born.next()?, self.lifetime.next()?);
            let position = Vec2::new(*self.x.next()?, *self.y.next()?);
            let velocity = Vec2::new(*self.vx.next()?, *self.vy.next()?);
            let payload = self.payload.next()?;
            if lifetime != ENDED {
                return Some(Slot { id, position, velocity, born, lifetime, payload });
            }
        }
    }
}

/// A live projectile in its columns, to change.
pub(crate) struct SlotMut<'a, P> {
    pub id: ProjectileId,
    pub born: u32,
    pub x: &'a mut f32,
    pub y: &'a mut f32,
    pub vx: &'a mut f32,
    pub vy: &'a mut f32,
    pub lifetime: &'a mut u32,
    pub payload: &'a mut P,
}

/// Iterates over the live projectiles of one set of columns, to change them.
pub(crate) struct ColumnsIterMut<'a, P> {
    id: slice::Iter<'a, ProjectileId>,
    x: slice::IterMut<'a, f32>,
    y: slice::IterMut<'a, f32>,
    vx: slice::IterMut<'a, f32>,
    vy: slice::IterMut<'a, f32>,
    born: slice::Iter<'a, u32>,
    lifetime: slice::IterMut<'a, u32>,
    payload: slice::IterMut<'a, P>,
}

impl<'a, P> Iterator for ColumnsIterMut<'a, P> {
    type Item = SlotMut<'a, P>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (&id, &born, lifetime) = (self.id.next()?, self.born.next()?, self.lifetime.next()?);
            let (x, y, vx, vy) = (self.x.next()?, self.y.next()?, self.vx.next()?, self.vy.next()?);
            let payload = self.payload.next()?;
            if *lifetime != ENDED {
                return Some(SlotMut { id, born, x, y, vx, vy, lifetime, payload });
            }
        }
    }
}
