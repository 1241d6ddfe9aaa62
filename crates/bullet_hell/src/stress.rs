//! The reference stream: a steady fire of projectiles that any storage can be measured with.
//!
//! The stream is that of the measured article "Does object pooling actually make anything faster?": one muzzle that turns
//! while it fires, lives of 20 to 39 ticks, gravity along +y. About 28.5 projectiles live after a tick for each one that a
//! tick fires. Here it flies in `f32`, as everything in the pool.

use bevy::prelude::*;
use bevy_projectile_pool::prelude::*;

use crate::game::{Bullet, Kind};

/// Gravity, in units per second squared.
pub const GRAVITY: Vec2 = Vec2::new(0.0, 400.0);
/// The middle of the stream, in world units.
pub const CENTRE: Vec2 = Vec2::new(400.0, 300.0);

/// Adds the stream: `per_tick` projectiles a tick.
#[derive(Clone, Copy, Debug)]
pub struct StressPlugin {
    /// Projectiles fired in each tick.
    pub per_tick: u32,
    /// The seed of the stream; the article's is 12345.
    pub seed: u32,
}

impl Plugin for StressPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(Time::<Fixed>::from_hz(crate::game::TICKS_PER_SECOND))
            .insert_resource(Stream { per_tick: self.per_tick, random: Mulberry32(self.seed), muzzle: 0.0 })
            .add_systems(ProjectileTick, fire.in_set(ProjectileSystems::Fire));
    }
}

#[derive(Resource)]
struct Stream {
    per_tick: u32,
    random: Mulberry32,
    /// Radians.
    muzzle: f64,
}

/// The generator mulberry32 (Tommy Ettinger, public domain), which the article uses.
struct Mulberry32(u32);

impl Mulberry32 {
    /// The next number, from 0 to below 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x6D2B_79F5);
        let a = self.0;
        let mut t = (a ^ (a >> 15)).wrapping_mul(a | 1);
        t ^= t.wrapping_add((t ^ (t >> 7)).wrapping_mul(t | 61));
        f64::from(t ^ (t >> 14)) / 4_294_967_296.0
    }
}

impl Stream {
    fn next(&mut self) -> Projectile<Bullet> {
        self.muzzle += 0.017;
        let heading = self.muzzle + 0.4 * self.random.next();
        let speed = 300.0 + 200.0 * self.random.next();
        let lifetime = 20 + (20.0 * self.random.next()) as u32;
        let damage = 1 + (9.0 * self.random.next()) as u8;
        let position = CENTRE.as_dvec2() + 30.0 * bevy::math::DVec2::from_angle(self.muzzle);
        let velocity = speed * bevy::math::DVec2::from_angle(heading);
        let payload = Bullet { damage, ..Bullet::enemy(KINDS[usize::from(damage) % KINDS.len()], damage) };
        Projectile::new(position.as_vec2(), velocity.as_vec2()).lifetime(lifetime).payload(payload)
    }
}

/// Kinds only for their colours.
const KINDS: [Kind; 4] = [Kind::Orb, Kind::Petal, Kind::Dart, Kind::Brick];

fn fire(mut stream: ResMut<Stream>, mut spawner: ProjectileSpawner<Bullet>) {
    let count = stream.per_tick;
    spawner.spawn_batch((0..count).map(|_| stream.next()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_mulberry32() {
        // The first numbers of the reference implementation in JavaScript for the seed 12345.
        let mut random = Mulberry32(12345);
        let first: Vec<f64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(first, [0.9797282677609473, 0.3067522644996643, 0.484205421525985]);
    }

    #[test]
    fn lives_and_speeds_are_in_range() {
        let mut stream = Stream { per_tick: 1, random: Mulberry32(1), muzzle: 0.0 };
        for _ in 0..10_000 {
            let shot = stream.next();
            assert!((20..40).contains(&shot.lifetime));
            assert!((299.9..500.1).contains(&shot.velocity.length()));
            assert!((29.9..30.1).contains(&shot.position.distance(CENTRE)));
            assert!((1..10).contains(&shot.payload.damage));
        }
    }
}
