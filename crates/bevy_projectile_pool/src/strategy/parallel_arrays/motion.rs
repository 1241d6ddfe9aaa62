//! Positions and velocities: the columns that every step reads and writes.

use bytemuck::{Pod, Zeroable, cast_slice, cast_slice_mut};
use multiversion::multiversion;

use crate::{
    engine::{Rect, Vec2},
    pool::Step,
};

/// As many values as a cache line holds. Steps are made line by line, so that the compiler knows how many values lie
/// together and that they are aligned.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([f32; VALUES]);

const VALUES: usize = 16;
/// Lines of a page.
const PAGE: usize = 64;
/// Lines by which the starts of two columns differ within a page, at the least. Closer together, a store into one column
/// and a load from the next one look the same to the processor for a while, and the load waits.
const APART: usize = 10;

/// Four columns in one allocation: x, y, and the velocities along both.
#[derive(Default)]
pub(crate) struct Motion {
    /// The columns one after another, each of a quarter of the lines.
    lines: Vec<Line>,
    length: usize,
}

/// Lines of a column for `room` values.
fn column_of(room: usize) -> usize {
    let lines = room.div_ceil(VALUES);
    let within_page = lines % PAGE;
    if lines < PAGE / 2 {
        lines
    } else if within_page < APART {
        lines + APART - within_page
    } else if within_page > PAGE - APART {
        lines + PAGE - within_page + APART
    } else {
        lines
    }
}

impl Motion {
    /// Lines of one column.
    fn column(&self) -> usize {
        self.lines.len() / 4
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.length
    }

    pub fn capacity(&self) -> usize {
        self.column() * VALUES
    }

    pub fn bytes(&self) -> usize {
        self.lines.capacity() * size_of::<Line>()
    }

    /// Moves into columns of another size, of at least the present length.
    fn resize_columns(&mut self, column: usize) {
        let mut lines = vec![Line::zeroed(); column * 4];
        let used = self.length.div_ceil(VALUES);
        if used > 0 {
            for (to, from) in lines.chunks_exact_mut(column).zip(self.lines.chunks_exact(self.column())) {
                to[..used].copy_from_slice(&from[..used]);
            }
        }
        self.lines = lines;
    }

    /// Makes room for as many more values.
    pub fn reserve(&mut self, more: usize) {
        let wanted = self.length + more;
        if wanted > self.capacity() {
            // As a vector grows: to twice the size at the least, so that pushes cost O(1).
            self.resize_columns(column_of(wanted.max(self.capacity().saturating_mul(2))));
        }
    }

    /// Makes room for exactly as many more values.
    pub fn reserve_exact(&mut self, more: usize) {
        let wanted = self.length + more;
        if wanted > self.capacity() {
            self.resize_columns(column_of(wanted));
        }
    }

    pub fn shrink_to(&mut self, room: usize) {
        let column = column_of(room.max(self.length));
        if column < self.column() {
            self.resize_columns(column);
        }
    }

    pub fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }

    /// Sets the length; values that come in are those that were last there.
    pub fn resize(&mut self, length: usize) {
        self.reserve_exact(length.saturating_sub(self.length));
        self.length = length;
    }

    #[inline]
    pub fn push(&mut self, position: Vec2, velocity: Vec2) {
        if self.length == self.capacity() {
            self.reserve(1);
        }
        self.length += 1;
        self.set(self.length - 1, position, velocity);
    }

    /// The whole of each column, values past the length too.
    #[inline]
    fn columns(&self) -> [&[f32]; 4] {
        let column = self.column();
        let (positions, velocities) = self.lines.split_at(column * 2);
        let ((x, y), (vx, vy)) = (positions.split_at(column), velocities.split_at(column));
        [x, y, vx, vy].map(cast_slice)
    }

    #[inline]
    fn columns_mut(&mut self) -> [&mut [f32]; 4] {
        let column = self.column();
        let (positions, velocities) = self.lines.split_at_mut(column * 2);
        let ((x, y), (vx, vy)) = (positions.split_at_mut(column), velocities.split_at_mut(column));
        [x, y, vx, vy].map(cast_slice_mut)
    }

    /// x, y, and the velocities along both.
    #[inline]
    pub fn values(&self) -> [&[f32]; 4] {
        self.columns().map(|column| &column[..self.length])
    }

    /// x, y, and the velocities along both.
    #[inline]
    pub fn values_mut(&mut self) -> [&mut [f32]; 4] {
        let length = self.length;
        self.columns_mut().map(|column| &mut column[..length])
    }

    #[inline]
    pub fn set(&mut self, slot: usize, position: Vec2, velocity: Vec2) {
        let [x, y, vx, vy] = self.columns_mut();
        x[slot] = position.x;
        y[slot] = position.y;
        vx[slot] = velocity.x;
        vy[slot] = velocity.y;
    }

    #[inline]
    pub fn position(&self, slot: usize) -> Vec2 {
        let [x, y, ..] = self.columns();
        Vec2::new(x[slot], y[slot])
    }

    #[inline]
    pub fn velocity(&self, slot: usize) -> Vec2 {
        let [_, _, vx, vy] = self.columns();
        Vec2::new(vx[slot], vy[slot])
    }

    /// Copies the values of one slot into another.
    #[inline]
    pub fn copy(&mut self, from: usize, to: usize) {
        for column in self.columns_mut() {
            column[to] = column[from];
        }
    }

    /// One step for all, and for what is left of the last line.
    pub fn advance(&mut self, step: Step) {
        let (column, used) = (self.column(), self.length.div_ceil(VALUES));
        let (positions, velocities) = self.lines.split_at_mut(column * 2);
        let ((x, y), (vx, vy)) = (positions.split_at_mut(column), velocities.split_at_mut(column));
        for (position, velocity, impulse) in [(x, vx, step.impulse.x), (y, vy, step.impulse.y)] {
            let (position, velocity) = (&mut position[..used], &mut velocity[..used]);
            if impulse == 0.0 {
                glide(position, velocity, step.dt);
            } else {
                accelerate(position, velocity, impulse, step.dt);
            }
        }
    }

    /// Whether any position is outside of `bounds`. One that is NaN is.
    pub fn any_outside(&self, bounds: Rect) -> bool {
        let [x, y, ..] = self.values();
        any_outside(x, bounds.min.x, bounds.max.x) || any_outside(y, bounds.min.y, bounds.max.y)
    }
}

// The same arithmetic on every processor, in the same order for each value: only how many values are worked on at once
// depends on it. Nothing is contracted into fused multiplications, so that the results are the same bits.

#[multiversion(targets("x86_64+avx2"))]
fn glide(position: &mut [Line], velocity: &[Line], dt: f32) {
    for (position, velocity) in position.iter_mut().zip(velocity) {
        for (position, velocity) in position.0.iter_mut().zip(&velocity.0) {
            *position += velocity * dt;
        }
    }
}

#[multiversion(targets("x86_64+avx2"))]
fn accelerate(position: &mut [Line], velocity: &mut [Line], impulse: f32, dt: f32) {
    for (position, velocity) in position.iter_mut().zip(velocity) {
        for (position, velocity) in position.0.iter_mut().zip(&mut velocity.0) {
            *velocity += impulse;
            *position += *velocity * dt;
        }
    }
}

#[multiversion(targets("x86_64+avx2"))]
fn any_outside(values: &[f32], min: f32, max: f32) -> bool {
    values.iter().fold(false, |any, &value| any | !((value >= min) & (value <= max)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn motion(count: usize) -> Motion {
        let mut motion = Motion::default();
        for place in 0..count {
            let place = place as f32;
            motion.push(Vec2::new(place, -place), Vec2::new(place * 0.37, 1.0 / (place + 1.0)));
        }
        motion
    }

    #[test]
    fn columns_keep_their_values_through_growth_and_shrinking() {
        for count in [0, 1, 15, 16, 17, 500, 1000, 1024, 5000] {
            let mut motion = motion(count);
            motion.reserve(10_000);
            motion.shrink_to(0);
            assert_eq!(motion.len(), count);
            for slot in 0..count {
                assert_eq!(motion.position(slot), Vec2::new(slot as f32, -(slot as f32)), "slot {slot} of {count}");
                assert_eq!(motion.velocity(slot).y, 1.0 / (slot as f32 + 1.0));
            }
        }
    }

    #[test]
    fn no_room_puts_columns_close_together_within_a_page() {
        for room in (0..40_000).step_by(16) {
            let column = column_of(room);
            assert!(column * VALUES >= room && column <= room / VALUES + 2 * APART, "{room}");
            let within = column % PAGE;
            assert!(column < PAGE / 2 || (APART..=PAGE - APART).contains(&within), "room {room}: {column} lines");
        }
    }

    #[test]
    fn every_processor_moves_projectiles_by_the_same_bits() {
        for impulse in [Vec2::ZERO, Vec2::new(0.0, 0.3), Vec2::new(-0.1, 0.7)] {
            let step = Step { dt: 1.0 / 60.0, impulse };
            let mut motion = motion(1003);
            let mut plain: Vec<(Vec2, Vec2)> =
                (0..motion.len()).map(|slot| (motion.position(slot), motion.velocity(slot))).collect();
            for _ in 0..100 {
                motion.advance(step);
                for (position, velocity) in &mut plain {
                    step.advance(position, velocity);
                }
            }
            for (slot, (position, velocity)) in plain.into_iter().enumerate() {
                assert_eq!(motion.position(slot).to_array().map(f32::to_bits), position.to_array().map(f32::to_bits));
                assert_eq!(motion.velocity(slot).to_array().map(f32::to_bits), velocity.to_array().map(f32::to_bits));
            }
        }
    }

    #[test]
    fn one_value_outside_is_found_wherever_it_is() {
        let bounds = Rect::new(-2000.0, -2000.0, 2000.0, 2000.0);
        for outside in [Vec2::new(2000.1, 0.0), Vec2::new(0.0, -2000.1), Vec2::new(f32::NAN, 0.0)] {
            for slot in [0, 15, 16, 999] {
                let mut motion = motion(1000);
                assert!(!motion.any_outside(bounds));
                motion.set(slot, outside, Vec2::ZERO);
                assert!(motion.any_outside(bounds), "{outside} in slot {slot}");
                motion.truncate(slot);
                assert!(!motion.any_outside(bounds), "what is cut off does not count");
            }
        }
    }
}
