//! The shapes in which enemies fire. Each is a pure function that lists projectiles.

use std::f32::consts::TAU;

use bevy::math::Vec2;
use bevy_projectile_pool::prelude::Projectile;

use super::arena::PLAYFIELD;
use super::bullet::{Bullet, Kind};

/// No enemy projectile lives longer than this, in ticks, whatever the pool's bounds are.
pub const LIFETIME: u32 = 1_200;

/// How many projectiles of a pattern lie side by side, and in how many layers of different speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Volley {
    /// Directions (or columns).
    pub lanes: u32,
    /// Projectiles in each direction; a later layer is slower.
    pub layers: u32,
}

impl Volley {
    /// A volley of about `base * density` projectiles and at least one. Dense ones grow in both
    /// ways, so that gaps between lanes remain.
    pub fn new(base: f32, density: f32) -> Self {
        let total = (base * density).max(1.0);
        let layers = density.sqrt().floor().max(1.0);
        let lanes = (total / layers).round().max(1.0);
        Self { lanes: lanes as u32, layers: layers as u32 }
    }

    /// Every (lane, speed factor) of the volley.
    fn cells(self) -> impl Iterator<Item = (u32, f32)> {
        (0..self.layers)
            .flat_map(move |layer| (0..self.lanes).map(move |lane| (lane, 1.0 / (1.0 + 0.16 * layer as f32))))
    }
}

fn round(position: Vec2, velocity: Vec2, kind: Kind, tint: u8) -> Projectile<Bullet> {
    Projectile::new(position, velocity).lifetime(LIFETIME).payload(Bullet::enemy(kind, tint))
}

/// Equal angles all around, the first at `angle` radians. `speed` in units per second.
pub fn ring(
    origin: Vec2,
    volley: Volley,
    angle: f32,
    speed: f32,
    tint: u8,
) -> impl Iterator<Item = Projectile<Bullet>> {
    volley.cells().map(move |(lane, factor)| {
        let heading = angle + TAU * lane as f32 / volley.lanes as f32;
        round(origin, Vec2::from_angle(heading) * (speed * factor), Kind::Orb, tint)
    })
}

/// One step of a spiral: `volley.lanes` arms, the first at `angle`; the caller turns `angle` from
/// step to step. The projectiles bend their course.
pub fn spiral(
    origin: Vec2,
    volley: Volley,
    angle: f32,
    speed: f32,
    tint: u8,
) -> impl Iterator<Item = Projectile<Bullet>> {
    volley.cells().map(move |(lane, factor)| {
        let heading = angle + TAU * lane as f32 / volley.lanes as f32;
        round(origin, Vec2::from_angle(heading) * (speed * factor), Kind::Petal, tint)
    })
}

/// A fan `arc` radians wide, its middle aimed at `target`; straight down if that is where it stands.
pub fn fan(
    origin: Vec2,
    target: Vec2,
    volley: Volley,
    arc: f32,
    speed: f32,
    tint: u8,
) -> impl Iterator<Item = Projectile<Bullet>> {
    let aim = (target - origin).try_normalize().unwrap_or(Vec2::NEG_Y).to_angle();
    volley.cells().map(move |(lane, factor)| {
        let share = (lane as f32 + 0.5) / volley.lanes as f32 - 0.5;
        round(origin, Vec2::from_angle(aim + arc * share) * (speed * factor), Kind::Dart, tint)
    })
}

/// A row over the whole width of the playfield that falls from its upper edge, with a gap of
/// `gap_width` units around `gap_x`. Layers stack upwards.
pub fn wall(
    volley: Volley,
    gap_x: f32,
    gap_width: f32,
    speed: f32,
    tint: u8,
) -> impl Iterator<Item = Projectile<Bullet>> {
    let width = PLAYFIELD.width();
    let columns = (0..volley.layers).flat_map(move |layer| (0..volley.lanes).map(move |lane| (lane, layer)));
    columns.filter_map(move |(lane, layer)| {
        let x = PLAYFIELD.min.x + width * (lane as f32 + 0.5) / volley.lanes as f32;
        let y = PLAYFIELD.max.y + 18.0 * layer as f32;
        ((x - gap_x).abs() > gap_width / 2.0).then(|| round(Vec2::new(x, y), Vec2::new(0.0, -speed), Kind::Brick, tint))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn density_multiplies_and_never_silences() {
        let count = |density| {
            let volley = Volley::new(24.0, density);
            volley.lanes * volley.layers
        };
        assert_eq!(count(1.0), 24);
        assert_eq!(count(0.25), 6);
        assert!((180..=204).contains(&count(8.0)), "{}", count(8.0));
        assert_eq!(Volley::new(1.0, 0.25), Volley { lanes: 1, layers: 1 });
    }

    #[test]
    fn a_wall_leaves_its_gap_free_at_every_density() {
        for density in [0.25, 1.0, 8.0] {
            let row: Vec<_> = wall(Volley::new(24.0, density), 50.0, 120.0, 100.0, 0).collect();
            assert!(!row.is_empty());
            assert!(row.iter().all(|brick| (brick.position.x - 50.0).abs() > 60.0), "density {density}");
        }
    }

    #[test]
    fn a_fan_is_aimed_and_a_ring_is_round() {
        let middle = fan(Vec2::ZERO, Vec2::new(0.0, -9.0), Volley { lanes: 3, layers: 1 }, 0.6, 100.0, 0)
            .nth(1)
            .expect("three lanes");
        assert!(middle.velocity.distance(Vec2::new(0.0, -100.0)) < 1e-3);
        let sum: Vec2 = ring(Vec2::ZERO, Volley { lanes: 12, layers: 1 }, 0.3, 100.0, 0).map(|orb| orb.velocity).sum();
        assert!(sum.length() < 1e-2, "{sum}");
        let stuck = fan(Vec2::ONE, Vec2::ONE, Volley { lanes: 1, layers: 1 }, 0.6, 100.0, 0).next().expect("one");
        assert!(stuck.velocity.is_finite());
    }
}
