//! Live projectiles in their columns, one by one and to be changed, so that of each only what is asked for is touched.
//!
//! Nine references for each projectile, into as many columns, took 17 ns of an iteration that looked at one of them; a
//! pointer and a slot take one or two.
#![allow(unsafe_code)] // the columns are shared by all slots of an iteration, which safe references cannot say

use core::marker::PhantomData;

use crate::{Payload, ProjectileId, engine::Vec2, projectile::ENDED};

/// Where the columns begin. Each reaches as far as the length that it was made with.
pub(super) struct Starts<P> {
    pub id: *const ProjectileId,
    pub x: *mut f32,
    pub y: *mut f32,
    pub vx: *mut f32,
    pub vy: *mut f32,
    pub born: *const u32,
    pub lifetime: *mut u32,
    pub payload: *mut P,
}

// SAFETY: the pointers are only followed by cursors and slots, which borrow the columns.
unsafe impl<P: Send> Send for Starts<P> {}
// SAFETY: as above.
unsafe impl<P: Sync> Sync for Starts<P> {}

impl<P> Starts<P> {
    pub const NONE: Self = {
        use core::ptr::{null, null_mut};
        Self {
            id: null(),
            x: null_mut(),
            y: null_mut(),
            vx: null_mut(),
            vy: null_mut(),
            born: null(),
            lifetime: null_mut(),
            payload: null_mut(),
        }
    };
}

/// Iterates over the live projectiles of one set of columns, to change them.
pub(crate) struct Cursor<'a, P> {
    starts: &'a Starts<P>,
    next: usize,
    length: usize,
    columns: PhantomData<&'a mut P>,
}

impl<'a, P: Payload> Cursor<'a, P> {
    /// # Safety
    /// For as long as `'a` nobody else touches the columns, which hold at least `length` values each.
    pub(super) unsafe fn new(starts: &'a Starts<P>, length: usize) -> Self {
        Self { starts, next: 0, length, columns: PhantomData }
    }

    /// Only the projectile in this slot. It must be one of the columns'.
    pub(super) fn slot(self, slot: usize) -> SlotMut<'a, P> {
        assert!(slot < self.length);
        SlotMut { starts: self.starts, slot, columns: PhantomData }
    }
}

impl<'a, P: Payload> Iterator for Cursor<'a, P> {
    type Item = SlotMut<'a, P>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        while self.next < self.length {
            // Each slot is given out once.
            let slot = SlotMut { starts: self.starts, slot: self.next, columns: PhantomData };
            self.next += 1;
            if slot.lifetime() != ENDED {
                return Some(slot);
            }
        }
        None
    }
}

/// A projectile in its columns, to change. Nobody else has its slot, which is below the length of the columns.
pub(crate) struct SlotMut<'a, P> {
    starts: &'a Starts<P>,
    slot: usize,
    columns: PhantomData<&'a mut P>,
}

impl<P: Payload> SlotMut<'_, P> {
    /// A value of the slot.
    ///
    /// # Safety
    /// `start` is the start of one of the columns.
    #[inline]
    unsafe fn value<T>(&self, start: *const T) -> &T {
        // SAFETY: the column has this slot, which is this one's alone, and `&self` is borrowed for as long.
        unsafe { &*start.add(self.slot) }
    }

    /// # Safety
    /// As for [`value`](Self::value).
    #[inline]
    unsafe fn value_mut<T>(&mut self, start: *mut T) -> &mut T {
        // SAFETY: as above, and `&mut self` makes it the only borrow.
        unsafe { &mut *start.add(self.slot) }
    }

    #[inline]
    pub fn id(&self) -> ProjectileId {
        // SAFETY: a column's start, as in all that follow.
        unsafe { *self.value(self.starts.id) }
    }

    #[inline]
    pub fn born(&self) -> u32 {
        // SAFETY: see above.
        unsafe { *self.value(self.starts.born) }
    }

    #[inline]
    pub fn lifetime(&self) -> u32 {
        // SAFETY: see above.
        unsafe { *self.value(self.starts.lifetime) }
    }

    #[inline]
    pub fn position(&self) -> Vec2 {
        // SAFETY: see above.
        unsafe { Vec2::new(*self.value(self.starts.x), *self.value(self.starts.y)) }
    }

    #[inline]
    pub fn velocity(&self) -> Vec2 {
        // SAFETY: see above.
        unsafe { Vec2::new(*self.value(self.starts.vx), *self.value(self.starts.vy)) }
    }

    #[inline]
    pub fn payload(&self) -> &P {
        // SAFETY: see above.
        unsafe { self.value(self.starts.payload) }
    }

    #[inline]
    pub fn payload_mut(&mut self) -> &mut P {
        // SAFETY: see above.
        unsafe { self.value_mut(self.starts.payload) }
    }

    #[inline]
    pub fn set_position(&mut self, position: Vec2) {
        let (x, y) = (self.starts.x, self.starts.y);
        // SAFETY: see above.
        unsafe { (*self.value_mut(x), *self.value_mut(y)) = (position.x, position.y) };
    }

    #[inline]
    pub fn set_velocity(&mut self, velocity: Vec2) {
        let (vx, vy) = (self.starts.vx, self.starts.vy);
        // SAFETY: see above.
        unsafe { (*self.value_mut(vx), *self.value_mut(vy)) = (velocity.x, velocity.y) };
    }

    /// Marks it as ended.
    #[inline]
    pub fn end(&mut self) {
        // SAFETY: see above.
        unsafe { *self.value_mut(self.starts.lifetime) = ENDED };
    }
}
