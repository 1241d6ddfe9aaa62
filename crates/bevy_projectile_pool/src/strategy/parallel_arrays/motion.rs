//! Positions and velocities: the columns that every step reads and writes.

use bytemuck::{Pod, Zeroable, cast_slice, cast_slice_mut};
use multiversion::multiversion;

use crate::{
    engine::{Rect, Vec2},
    pool::Step,
    projectile::ENDED,
};

/// As many values as a cache line holds. Steps are made line by line, so that the compiler knows how many values lie
/// together and that they are aligned.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([f32; VALUES]);

pub(super) const VALUES: usize = 16;
/// Lines of a page.
const PAGE: usize = 64;
/// Lines by which the starts of two columns differ within a page, at the least. Closer together, a store into one column
/// and a load from the next one look the same to the processor for a while, and the load waits.
const APART: usize = 10;

/// Four columns in one allocation, one after another, each of a quarter of the lines: x, the velocity along it, y, and the
/// velocity along that. So what a step reads and writes together lies one column apart.
#[derive(Default)]
pub(crate) struct Motion(Vec<Line>);

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
        self.0.len() / 4
    }

    pub fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<Line>()
    }

    /// Moves into columns with room for so many values, of which the first `used` are kept.
    pub fn resize(&mut self, room: usize, used: usize) {
        let column = column_of(room);
        if column == self.column() {
            return;
        }
        let mut lines = vec![Line::zeroed(); column * 4];
        let used = used.div_ceil(VALUES);
        if used > 0 {
            for (to, from) in lines.chunks_exact_mut(column).zip(self.0.chunks_exact(self.column())) {
                to[..used].copy_from_slice(&from[..used]);
            }
        }
        self.0 = lines;
    }

    /// The lines of x, y, and the velocities along both.
    #[inline]
    fn lines(&self) -> [&[Line]; 4] {
        let column = self.column();
        let (along_x, along_y) = self.0.split_at(column * 2);
        let ((x, vx), (y, vy)) = (along_x.split_at(column), along_y.split_at(column));
        [x, y, vx, vy]
    }

    #[inline]
    fn lines_mut(&mut self) -> [&mut [Line]; 4] {
        let column = self.column();
        let (along_x, along_y) = self.0.split_at_mut(column * 2);
        let ((x, vx), (y, vy)) = (along_x.split_at_mut(column), along_y.split_at_mut(column));
        [x, y, vx, vy]
    }

    /// The first values of x, y, and the velocities along both.
    #[inline]
    pub fn values(&self, length: usize) -> [&[f32]; 4] {
        self.lines().map(|column| &cast_slice(column)[..length])
    }

    /// The first values of x, y, and the velocities along both.
    #[inline]
    pub fn values_mut(&mut self, length: usize) -> [&mut [f32]; 4] {
        self.lines_mut().map(|column| &mut cast_slice_mut(column)[..length])
    }

    #[inline]
    pub fn position(&self, slot: usize) -> Vec2 {
        let [x, y, ..] = self.values(slot + 1);
        Vec2::new(x[slot], y[slot])
    }

    #[inline]
    pub fn velocity(&self, slot: usize) -> Vec2 {
        let [_, _, vx, vy] = self.values(slot + 1);
        Vec2::new(vx[slot], vy[slot])
    }

    /// One step for the first `length`, and for what is left of the last line.
    pub fn advance(&mut self, length: usize, step: Step) {
        let used = length.div_ceil(VALUES);
        Stretch(self.lines_mut().map(|column| &mut column[..used])).advance(step);
    }

    /// The first `length` in stretches of at most so many lines, which can be advanced apart.
    pub fn stretches(&mut self, length: usize, most: usize) -> impl Iterator<Item = Stretch<'_>> {
        let used = length.div_ceil(VALUES);
        let [x, y, vx, vy] = self.lines_mut().map(|column| column[..used].chunks_mut(most));
        x.zip(y).zip(vx.zip(vy)).map(|((x, y), (vx, vy))| Stretch([x, y, vx, vy]))
    }

    /// Adds the slots, of the first `length`, that are alive and whose position is outside of `bounds`, as one that is NaN
    /// is. `lifetimes` has whole lines.
    pub fn outside(&self, lifetimes: &[u32], length: usize, bounds: Rect, found: &mut Vec<u32>) {
        let used = length.div_ceil(VALUES);
        let [x, y, ..] = self.lines().map(|column| &column[..used]);
        outside(x, y, &lifetimes[..used * VALUES], length, bounds, found);
    }
}

/// Neighbouring lines of the four columns.
pub(crate) struct Stretch<'a>([&'a mut [Line]; 4]);

impl Stretch<'_> {
    pub fn lines(&self) -> usize {
        self.0[0].len()
    }

    pub fn advance(self, step: Step) {
        let [x, y, vx, vy] = self.0;
        for (position, velocity, impulse) in [(x, vx, step.impulse.x), (y, vy, step.impulse.y)] {
            if impulse == 0.0 {
                glide(position, velocity, step.dt);
            } else {
                accelerate(position, velocity, impulse, step.dt);
            }
        }
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

/// Goes line by line, and value by value only in lines that have one to be found. What has ended may be anywhere outside,
/// and must not count: many lines have such.
#[multiversion(targets("x86_64+avx2"))]
fn outside(x: &[Line], y: &[Line], lifetimes: &[u32], length: usize, bounds: Rect, found: &mut Vec<u32>) {
    let Rect { min, max } = bounds;
    for (line, ((Line(x), Line(y)), life)) in x.iter().zip(y).zip(lifetimes.as_chunks::<VALUES>().0).enumerate() {
        // The lifetime of one that is outside, which is not 0 if it is alive, and 0 for one that is inside. (With a mask, as
        // compilers make branches of anything else here, and a line then takes five times as long.)
        let mut hits = [ENDED; VALUES];
        for value in 0..VALUES {
            let (x, y) = (x[value], y[value]);
            let inside = (x >= min.x) & (x <= max.x) & (y >= min.y) & (y <= max.y);
            hits[value] = life[value] & u32::from(inside).wrapping_sub(1);
        }
        if hits.iter().fold(0, |any, hit| any | hit) != 0 {
            for (slot, hit) in (line * VALUES..length).zip(hits) {
                if hit != ENDED {
                    found.push(slot as u32);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn motion(count: usize) -> Motion {
        let mut motion = Motion::default();
        motion.resize(count, 0);
        let [x, y, vx, vy] = motion.values_mut(count);
        for slot in 0..count {
            let place = slot as f32;
            (x[slot], y[slot], vx[slot], vy[slot]) = (place, -place, place * 0.37, 1.0 / (place + 1.0));
        }
        motion
    }

    #[test]
    fn columns_keep_their_values_through_growth_and_shrinking() {
        for count in [0, 1, 15, 16, 17, 500, 1000, 1024, 5000] {
            let mut motion = motion(count);
            motion.resize(10_000, count);
            motion.resize(count, count);
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
            let count = 1003;
            let mut motion = motion(count);
            let mut plain: Vec<(Vec2, Vec2)> =
                (0..count).map(|slot| (motion.position(slot), motion.velocity(slot))).collect();
            for _ in 0..100 {
                motion.advance(count, step);
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
    fn those_outside_are_found_wherever_they_are() {
        let bounds = Rect::new(-2000.0, -2000.0, 2000.0, 2000.0);
        let found = |motion: &Motion, lifetimes: &[u32], length| {
            let mut found = Vec::new();
            motion.outside(lifetimes, length, bounds, &mut found);
            found
        };
        for outside in [Vec2::new(2000.1, 0.0), Vec2::new(0.0, -2000.1), Vec2::new(f32::NAN, 0.0)] {
            for slot in [0, 15, 16, 999] {
                let mut motion = motion(1000);
                let mut lifetimes = vec![1; 1008];
                assert_eq!(found(&motion, &lifetimes, 1000), []);
                let [x, y, ..] = motion.values_mut(1000);
                (x[slot], y[slot]) = (outside.x, outside.y);
                assert_eq!(found(&motion, &lifetimes, 1000), [slot as u32], "{outside}");
                assert_eq!(found(&motion, &lifetimes, slot), [], "what is cut off does not count");
                lifetimes[slot] = ENDED;
                assert_eq!(found(&motion, &lifetimes, 1000), [], "what has ended does not count");
            }
        }
    }
}
