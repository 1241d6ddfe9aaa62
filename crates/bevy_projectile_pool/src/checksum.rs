//! A number that shows any difference between two runs: which projectiles flew, where, for how long, and what ended.

use core::marker::PhantomData;

use crate::{
    Payload, ProjectileId,
    engine::{Resource, Vec2},
    projectile::{age, remaining},
};

/// The checksum of the pool of `P`, folded after every tick while it is on (see
/// [`ProjectilePoolPlugin::checksum`](crate::ProjectilePoolPlugin::checksum)).
///
/// A tick's sum is the wrapping sum, over the live projectiles, of a 64-bit mix of id, bits of position and velocity,
/// age, remaining lifetime and payload hash: it does not depend on the order in which a storage keeps them. A run's
/// checksum folds every tick's sum, live count and ends by reason, so that a loss at any tick shows. It costs a few multiplications
/// a live projectile and tick, outside of the measured tick.
#[derive(Resource)]
pub struct PoolChecksum<P: Payload> {
    on: bool,
    tick: u64,
    run: u64,
    pub(crate) payload_hash: Option<fn(&P) -> u64>,
    pool: PhantomData<fn() -> P>,
}

impl<P: Payload> PoolChecksum<P> {
    pub(crate) fn new(on: bool, payload_hash: Option<fn(&P) -> u64>) -> Self {
        Self { on, tick: 0, run: 0, payload_hash, pool: PhantomData }
    }

    /// The sum over the projectiles that were alive after the last tick, or 0 before any.
    #[must_use]
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// The checksum of the run so far, or 0 before any tick.
    #[must_use]
    pub fn run(&self) -> u64 {
        self.run
    }

    /// Whether ticks are folded.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// Turns folding on or off. A run that was off for some ticks does not contain them.
    pub fn set_on(&mut self, on: bool) {
        self.on = on;
    }

    /// Starts a new run: the checksum is 0 again.
    pub fn reset(&mut self) {
        self.tick = 0;
        self.run = 0;
    }

    pub(crate) fn fold(&mut self, sum: u64, live: usize, ended: &[u64]) {
        self.tick = sum;
        self.run = ended.iter().fold(mix(mix(self.run, sum), live as u64), |run, &count| mix(run, count));
    }
}

/// The 64-bit mix of one live projectile.
#[inline]
pub(crate) fn projectile_mix(
    id: ProjectileId,
    position: Vec2,
    velocity: Vec2,
    steps: u32,
    born: u32,
    lifetime: u32,
    payload: u64,
) -> u64 {
    let age = age(steps, born);
    let left = remaining(steps, born, lifetime).unwrap_or(u32::MAX);
    let words = [vector_bits(position), vector_bits(velocity), pair(age, left), payload];
    words.into_iter().fold(mix(0, id.to_bits()), mix)
}

/// The bits of a vector; every NaN counts as the same one, as their bits depend on the processor.
#[inline]
fn vector_bits(vector: Vec2) -> u64 {
    let bits = |value: f32| if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() };
    pair(bits(vector.x), bits(vector.y))
}

#[inline]
fn pair(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// Mixes a word into a state: the two halves of a 128-bit product, as in the hash function wyhash
/// (<https://github.com/wangyi-fudan/wyhash>). The constants are the fractional parts of √2 and √3.
#[inline]
fn mix(state: u64, word: u64) -> u64 {
    let product = u128::from(state ^ 0x6A09_E667_F3BC_C909) * u128::from(word ^ 0xBB67_AE85_84CA_A73B);
    product as u64 ^ (product >> 64) as u64 ^ state.rotate_left(29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_counts() {
        let id = ProjectileId::FIRST;
        let (position, velocity) = (Vec2::new(1.0, 2.0), Vec2::new(3.0, 4.0));
        let reference = projectile_mix(id, position, velocity, 10, 4, 20, 5);
        let others = [
            projectile_mix(id.next(), position, velocity, 10, 4, 20, 5),
            projectile_mix(id, Vec2::new(2.0, 1.0), velocity, 10, 4, 20, 5),
            projectile_mix(id, position, Vec2::new(3.0, -4.0), 10, 4, 20, 5),
            projectile_mix(id, velocity, position, 10, 4, 20, 5),
            projectile_mix(id, position, velocity, 11, 4, 21, 5),
            projectile_mix(id, position, velocity, 10, 4, 21, 5),
            projectile_mix(id, position, velocity, 10, 4, u32::MAX, 5),
            projectile_mix(id, position, velocity, 10, 4, 20, 6),
        ];
        for (case, other) in others.into_iter().enumerate() {
            assert_ne!(other, reference, "case {case}");
        }
        assert_eq!(projectile_mix(id, position, velocity, 16, 10, 20, 5), reference, "only age and remainder count");
    }

    #[test]
    fn every_nan_is_the_same() {
        let with = |x: f32| projectile_mix(ProjectileId::FIRST, Vec2::new(x, 0.0), Vec2::ZERO, 1, 0, 5, 0);
        assert_eq!(with(f32::NAN), with(-f32::NAN));
        assert_ne!(with(f32::NAN), with(0.0));
    }

    #[test]
    fn a_loss_and_a_swap_of_ticks_show() {
        let run = |ticks: &[(u64, usize, [u64; 2])]| {
            let mut checksum = PoolChecksum::<u8>::new(true, None);
            for (sum, live, ended) in ticks {
                checksum.fold(*sum, *live, ended);
            }
            checksum.run()
        };
        let (a, b) = ((7, 1, [0, 0]), (9, 2, [0, 0]));
        assert_ne!(run(&[a, b]), run(&[b, a]));
        assert_ne!(run(&[a, b]), run(&[a]));
        assert_ne!(run(&[a]), run(&[(7, 1, [0, 1])]), "an end that leaves sum and count alone");
        assert_ne!(run(&[(0, 0, [0, 0])]), run(&[(0, 0, [0, 0]), (0, 0, [0, 0])]));
    }
}
