//! The reference stream of projectiles, as the measured article defines it, and what this bench adds to it.
//!
//! The stream and its step are those of "Does object pooling actually make anything faster?": one muzzle that turns while
//! it fires, lives of 20 to 39 frames, gravity along +y, 60 frames a second.

use std::time::Duration;

/// A tick of the apps, which is a frame.
pub const PERIOD: Duration = Duration::from_nanos(16_666_667);
/// Seconds in a frame.
pub const DT: f64 = 1.0 / 60.0;
/// Gravity along +y, in units per second squared.
pub const GRAVITY: f64 = 400.0;
/// The seed for which checksums are published.
pub const SEED: u32 = 12345;

/// The generator mulberry32 (Tommy Ettinger, public domain).
#[derive(Clone, Copy, Debug)]
pub struct Mulberry32(pub u32);

impl Mulberry32 {
    /// The next number, from 0 to below 1.
    #[inline]
    pub fn draw(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x6D2B_79F5);
        let a = self.0;
        let mut t = (a ^ (a >> 15)).wrapping_mul(a | 1);
        t ^= t.wrapping_add((t ^ (t >> 7)).wrapping_mul(t | 61));
        f64::from(t ^ (t >> 14)) / 4_294_967_296.0
    }
}

/// One projectile of the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shot {
    /// Units.
    pub x: f64,
    /// Units.
    pub y: f64,
    /// Units a second.
    pub vx: f64,
    /// Units a second.
    pub vy: f64,
    /// Frames.
    pub life: f64,
    /// Points.
    pub damage: f64,
    /// The third random number, of which `life` was made.
    pub draw: f64,
}

/// Makes projectiles, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    random: Mulberry32,
    /// Radians.
    muzzle: f64,
}

impl Stream {
    /// The stream of a seed.
    #[must_use]
    pub fn new(seed: u32) -> Self {
        Self { random: Mulberry32(seed), muzzle: 0.0 }
    }

    /// Replaces the content of `batch` by the next `count` projectiles.
    pub fn fill(&mut self, batch: &mut Vec<Shot>, count: usize) {
        batch.clear();
        batch.extend((0..count).map(|_| self.shoot()));
    }

    /// The next projectile.
    #[inline]
    pub fn shoot(&mut self) -> Shot {
        self.muzzle += 0.017;
        let heading = self.muzzle + 0.4 * self.random.draw();
        let speed = 300.0 + 200.0 * self.random.draw();
        let draw = self.random.draw();
        let damage = 1.0 + (9.0 * self.random.draw()).floor();
        Shot {
            x: 400.0 + 30.0 * self.muzzle.cos(),
            y: 300.0 + 30.0 * self.muzzle.sin(),
            vx: speed * heading.cos(),
            vy: speed * heading.sin(),
            life: 20.0 + (20.0 * draw).floor(),
            damage,
            draw,
        }
    }
}

/// The checksums that the article publishes for its seed, 30 + 600 frames, by spawns a frame; and those of two further
/// rates, which its program gives as well.
const PUBLISHED: [(u32, i64); 5] = [
    (300, 2_050_992_545),
    (1000, 6_838_860_443),
    (3000, 20_516_788_286),
    (10_000, 68_389_346_017),
    (15_000, 102_585_878_786),
];

/// The checksum that this run must give, if there is one for it.
#[must_use]
pub fn published(seed: u32, warmup: u32, frames: u32, spawns: u32) -> Option<i64> {
    let reference = (seed, warmup, frames) == (SEED, 30, 600);
    PUBLISHED.iter().find(|(rate, _)| reference && *rate == spawns).map(|(_, checksum)| *checksum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_ten_numbers_are_mulberry32s() {
        // The reference implementation in JavaScript, for the seed 12345.
        let mut random = Mulberry32(SEED);
        let first: Vec<f64> = (0..10).map(|_| random.draw()).collect();
        assert_eq!(
            first,
            [
                0.9797282677609473,
                0.3067522644996643,
                0.484205421525985,
                0.817934412509203,
                0.5094283693470061,
                0.34747186047025025,
                0.07375754183158278,
                0.7663964673411101,
                0.9968264393974096,
                0.8250224851071835
            ]
        );
    }

    #[test]
    fn the_first_shot_is_as_worked_by_hand() {
        let mut random = Mulberry32(SEED);
        let [u1, u2, u3, u4] = [(); 4].map(|()| random.draw());
        let shot = Stream::new(SEED).shoot();
        let (muzzle, heading, speed): (f64, f64, f64) = (0.017, 0.017 + 0.4 * u1, 300.0 + 200.0 * u2);
        assert_eq!((shot.x, shot.y), (400.0 + 30.0 * muzzle.cos(), 300.0 + 30.0 * muzzle.sin()));
        assert_eq!((shot.vx, shot.vy), (speed * heading.cos(), speed * heading.sin()));
        assert_eq!((shot.life, shot.damage, shot.draw), (29.0, 8.0, u3));
        assert_eq!(shot.damage, 1.0 + (9.0 * u4).floor());
    }

    #[test]
    fn only_the_published_runs_have_a_published_checksum() {
        assert_eq!(published(12345, 30, 600, 1000), Some(6_838_860_443));
        for other in [(1, 30, 600, 1000), (12345, 0, 600, 1000), (12345, 30, 60, 1000), (12345, 30, 600, 2000)] {
            assert_eq!(published(other.0, other.1, other.2, other.3), None, "{other:?}");
        }
    }
}
