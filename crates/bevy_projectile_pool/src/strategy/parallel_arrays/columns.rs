//! One array for each field of a projectile.

use core::slice;

use multiversion::multiversion;

use super::{
    cursor::{Cursor, SlotMut, Starts},
    motion::{Motion, Stretch, VALUES},
};
use crate::{
    Payload, ProjectileId, RetireReason,
    checksum::projectile_mix,
    engine::{Rect, Vec2},
    ledger::Ledger,
    pool::{Fate, Step},
    projectile::{ENDED, Flight, expired},
};

/// Slots of columns that are pushed to, at the least.
const LEAST: usize = 64;

/// The columns, all of one length. An ended projectile has the lifetime [`ENDED`] until it is squeezed out.
///
/// The arrays are as long as there is room; what lies past the length is left over from earlier projectiles and is never
/// looked at. So a new length needs no writing.
pub(crate) struct Columns<P> {
    pub id: Vec<ProjectileId>,
    motion: Motion,
    pub born: Vec<u32>,
    pub lifetime: Vec<u32>,
    pub payload: Vec<P>,
    length: usize,
    /// Where the columns begin, for the iteration that goes on.
    starts: Starts<P>,
}

impl<P> Default for Columns<P> {
    fn default() -> Self {
        Self {
            id: Vec::new(),
            motion: Motion::default(),
            born: Vec::new(),
            lifetime: Vec::new(),
            payload: Vec::new(),
            length: 0,
            starts: Starts::NONE,
        }
    }
}

impl<P: Payload> Columns<P> {
    pub fn len(&self) -> usize {
        self.length
    }

    pub fn capacity(&self) -> usize {
        self.id.len()
    }

    pub fn bytes(&self) -> usize {
        self.motion.bytes() + held(&self.id) + held(&self.born) + held(&self.lifetime) + held(&self.payload)
    }

    /// Makes room for so many in all, and for no more if there is less.
    pub fn reserve(&mut self, room: usize) {
        if room > self.capacity() {
            self.resize_arrays(room);
        }
    }

    pub fn shrink_to(&mut self, room: usize) {
        let room = room.max(self.length).next_multiple_of(VALUES);
        if room < self.capacity() {
            self.resize_arrays(room);
        }
    }

    fn resize_arrays(&mut self, room: usize) {
        let room = room.next_multiple_of(VALUES);
        resize(&mut self.id, room, ProjectileId::PLACEHOLDER);
        resize(&mut self.born, room, 0);
        resize(&mut self.lifetime, room, ENDED);
        resize(&mut self.payload, room, P::default());
        self.motion.resize(room, self.length);
    }

    pub fn clear(&mut self) {
        self.length = 0;
    }

    pub fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }

    /// Sets the length to `length`, of which every value is to be [filled](Self::fill) in, and returns the room.
    pub fn start(&mut self, length: usize) -> usize {
        self.reserve(length);
        self.length = length;
        self.capacity()
    }

    /// Writes every slot: `order` says which of the flights goes where. (Slot by slot, as memory is written fastest in
    /// order; reading here and there from what has just been written costs less.)
    pub fn fill(&mut self, flights: &[Flight<P>], order: &[u32]) {
        let AllMut { id, x, y, vx, vy, born, lifetime, payload } = self.all_mut();
        let order = &order[..id.len()];
        for (slot, &place) in order.iter().enumerate() {
            let flight = &flights[place as usize];
            id[slot] = flight.id;
            x[slot] = flight.position.x;
            y[slot] = flight.position.y;
            vx[slot] = flight.velocity.x;
            vy[slot] = flight.velocity.y;
            born[slot] = flight.born;
            lifetime[slot] = flight.lifetime;
            payload[slot] = flight.payload;
        }
    }

    pub fn push(&mut self, flight: &Flight<P>) {
        if self.length == self.capacity() {
            // As a vector grows: to twice the size, so that a push costs O(1).
            self.reserve((self.capacity() * 2).max(LEAST));
        }
        let last = self.length;
        self.length += 1;
        let AllMut { id, x, y, vx, vy, born, lifetime, payload } = self.all_mut();
        id[last] = flight.id;
        (x[last], y[last]) = (flight.position.x, flight.position.y);
        (vx[last], vy[last]) = (flight.velocity.x, flight.velocity.y);
        (born[last], lifetime[last], payload[last]) = (flight.born, flight.lifetime, flight.payload);
    }

    /// Every column, to be written at many slots.
    #[inline]
    pub fn all_mut(&mut self) -> AllMut<'_, P> {
        let length = self.length;
        let [x, y, vx, vy] = self.motion.values_mut(length);
        AllMut {
            id: &mut self.id[..length],
            x,
            y,
            vx,
            vy,
            born: &mut self.born[..length],
            lifetime: &mut self.lifetime[..length],
            payload: &mut self.payload[..length],
        }
    }

    #[inline]
    pub fn position(&self, slot: usize) -> Vec2 {
        self.motion.position(slot)
    }

    #[inline]
    pub fn velocity(&self, slot: usize) -> Vec2 {
        self.motion.velocity(slot)
    }

    #[inline]
    pub fn is_alive(&self, slot: usize) -> bool {
        self.lifetime[slot] != ENDED
    }

    /// How many are alive from `start` on.
    pub fn alive_from(&self, start: usize) -> usize {
        self.lifetime[start..self.length].iter().filter(|&&lifetime| lifetime != ENDED).count()
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
        self.iter_mut().slot(slot)
    }

    /// Books the end of the live projectile in `slot`.
    #[inline]
    pub fn end(&mut self, slot: usize, reason: RetireReason, ledger: &mut Ledger<P>) {
        if ledger.recording {
            ledger.end(reason, self.id[slot], self.position(slot), self.velocity(slot), self.payload[slot]);
        } else {
            // Its values need not be read, which are far apart and seldom in the cache.
            ledger.end_unrecorded(reason, 1);
        }
        self.lifetime[slot] = ENDED;
    }

    /// Moves every projectile by one step; one that has ended may move too, nobody sees it.
    pub fn advance(&mut self, step: Step) {
        self.motion.advance(self.length, step);
    }

    /// The same in stretches of at most so many lines, for several threads.
    pub fn stretches(&mut self, most: usize) -> impl Iterator<Item = Stretch<'_>> {
        self.motion.stretches(self.length, most)
    }

    /// Books the end of every live projectile outside of `bounds`, and returns whether there was any. `outside` is memory
    /// to work with.
    pub fn end_outside(&mut self, bounds: Rect, outside: &mut Vec<u32>, ledger: &mut Ledger<P>) -> bool {
        outside.clear();
        self.motion.outside(&self.lifetime, self.length, bounds, outside);
        for &slot in &*outside {
            self.end(slot as usize, RetireReason::OutOfBounds, ledger);
        }
        !outside.is_empty()
    }

    /// Books the end of every live projectile that met its fate, and squeezes all that ended out, now or before. The rest
    /// keep their order.
    pub fn retire(&mut self, fate: Fate, outside: &mut Vec<u32>, ledger: &mut Ledger<P>) {
        let mut any = any_expired(&self.born[..self.length], &self.lifetime[..self.length], fate.steps);
        if any {
            for slot in 0..self.length {
                if self.is_alive(slot) && fate.has_expired(self.born[slot], self.lifetime[slot]) {
                    self.end(slot, RetireReason::Expired, ledger);
                }
            }
        }
        if let Some(bounds) = fate.bounds {
            any |= self.end_outside(bounds, outside, ledger);
        }
        if any {
            self.squeeze(|_, _| ());
        }
    }

    /// Squeezes out all that ended. The rest keep their order. `visit` is told of every slot in turn:
    /// how many are kept before it, and the id of what it held, if that is alive.
    pub fn squeeze(&mut self, mut visit: impl FnMut(usize, Option<ProjectileId>)) {
        let mut all = self.all_mut();
        let mut kept = 0;
        for slot in 0..all.lifetime.len() {
            if all.lifetime[slot] == ENDED {
                visit(kept, None);
                continue;
            }
            if kept != slot {
                all.copy(slot, kept);
            }
            visit(kept, Some(all.id[kept]));
            kept += 1;
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
        let length = self.length;
        let [x, y, vx, vy] = self.motion.values(length).map(<[f32]>::iter);
        let (id, born) = (self.id[..length].iter(), self.born[..length].iter());
        let (lifetime, payload) = (self.lifetime[..length].iter(), self.payload[..length].iter());
        ColumnsIter(id.zip(born).zip(lifetime.zip(payload)).zip(x.zip(y).zip(vx.zip(vy))))
    }

    #[allow(unsafe_code)] // see `cursor.rs`
    pub fn iter_mut(&mut self) -> Cursor<'_, P> {
        let AllMut { id, x, y, vx, vy, born, lifetime, payload } = self.all_mut();
        self.starts = Starts {
            id: id.as_ptr(),
            x: x.as_mut_ptr(),
            y: y.as_mut_ptr(),
            vx: vx.as_mut_ptr(),
            vy: vy.as_mut_ptr(),
            born: born.as_ptr(),
            lifetime: lifetime.as_mut_ptr(),
            payload: payload.as_mut_ptr(),
        };
        // SAFETY: the starts are those of columns that are all of this length, and `&mut self` is borrowed for as long as
        // the cursor is there.
        unsafe { Cursor::new(&self.starts, self.length) }
    }
}

/// Every column up to the length, to be written.
pub(crate) struct AllMut<'a, P> {
    id: &'a mut [ProjectileId],
    x: &'a mut [f32],
    y: &'a mut [f32],
    vx: &'a mut [f32],
    vy: &'a mut [f32],
    born: &'a mut [u32],
    lifetime: &'a mut [u32],
    payload: &'a mut [P],
}

impl<P: Payload> AllMut<'_, P> {
    #[inline]
    fn copy(&mut self, from: usize, to: usize) {
        self.id[to] = self.id[from];
        self.x[to] = self.x[from];
        self.y[to] = self.y[from];
        self.vx[to] = self.vx[from];
        self.vy[to] = self.vy[from];
        self.born[to] = self.born[from];
        self.lifetime[to] = self.lifetime[from];
        self.payload[to] = self.payload[from];
    }
}

/// Whether any lifetime is over, among them those of projectiles that have ended before.
#[multiversion(targets("x86_64+avx2"))]
fn any_expired(born: &[u32], lifetime: &[u32], steps: u32) -> bool {
    born.iter().zip(lifetime).fold(false, |any, (&born, &lifetime)| any | expired(steps, born, lifetime))
}

/// Makes a column exactly so long. Values that come in are `filler`.
fn resize<T: Clone>(column: &mut Vec<T>, room: usize, filler: T) {
    if room < column.len() {
        column.truncate(room);
        column.shrink_to_fit();
    } else {
        column.reserve_exact(room - column.len());
        column.resize(room, filler);
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

/// Two columns side by side. Zipped slices are walked with one count for all; an iterator a column would compare eight.
type Both<A, B> = core::iter::Zip<A, B>;
type Four<T> = Both<Both<T, T>, Both<T, T>>;

/// Iterates over the live projectiles of one set of columns.
pub(crate) struct ColumnsIter<'a, P>(
    #[expect(clippy::type_complexity, reason = "it has the shape of the columns")]
    Both<
        Both<Both<slice::Iter<'a, ProjectileId>, slice::Iter<'a, u32>>, Both<slice::Iter<'a, u32>, slice::Iter<'a, P>>>,
        Four<slice::Iter<'a, f32>>,
    >,
);

impl<'a, P> Iterator for ColumnsIter<'a, P> {
    type Item = Slot<'a, P>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (((&id, &born), (&lifetime, payload)), ((&x, &y), (&vx, &vy))) = self.0.next()?;
            if lifetime != ENDED {
                let (position, velocity) = (Vec2::new(x, y), Vec2::new(vx, vy));
                return Some(Slot { id, position, velocity, born, lifetime, payload });
            }
        }
    }
}
