//! The ship's flight and its guns.

use bevy::math::Vec2;
use bevy_projectile_pool::prelude::{Projectile, ProjectileSpawner};

use super::arena::{PLAYFIELD, Ship};
use super::bullet::{Bullet, Kind};
use super::input::Orders;

/// Units per second in free flight.
pub const FREE_SPEED: f32 = 330.0;
/// Units per second while focused.
pub const FOCUS_SPEED: f32 = 140.0;
/// The ship stays this far from the playfield's edge.
pub const EDGE: f32 = 14.0;
/// Ticks between two salvos.
const RELOAD_TICKS: u32 = 4;
/// Units per second of the ship's shots.
const SHOT_SPEED: f32 = 1_080.0;
/// Ticks that a shot of the ship's lives at the most.
const SHOT_TICKS: u32 = 60;

/// A position kept inside the part of the playfield where the ship may be.
pub fn keep_inside(position: Vec2) -> Vec2 {
    position.clamp(PLAYFIELD.min + EDGE, PLAYFIELD.max - EDGE)
}

impl Ship {
    /// The velocity that orders give it, in units per second.
    pub fn velocity(orders: &Orders) -> Vec2 {
        orders.direction * if orders.focus { FOCUS_SPEED } else { FREE_SPEED }
    }

    /// Moves on by a tick of `dt` seconds.
    pub fn advance(&mut self, orders: &Orders, dt: f32) {
        self.previous = self.position;
        self.position = keep_inside(self.position + Self::velocity(orders) * dt);
        self.focused = orders.focus;
        self.safe = self.safe.saturating_sub(1);
        self.reload = self.reload.saturating_sub(1);
    }

    /// Fires a salvo if ordered and reloaded: four close shots while focused, else two and a
    /// spread of four.
    pub fn shoot(&mut self, orders: &Orders, spawner: &mut ProjectileSpawner<Bullet>) {
        if !orders.fire || self.reload > 0 {
            return;
        }
        self.reload = RELOAD_TICKS;
        let nose = self.position + Vec2::new(0.0, 18.0);
        let shot = |offset: f32, lean: f32, kind: Kind, damage: u8| {
            let velocity = Vec2::new(lean.sin(), lean.cos()) * SHOT_SPEED;
            Projectile::new(nose + Vec2::new(offset, -offset.abs() * 0.6), velocity)
                .lifetime(SHOT_TICKS)
                .payload(Bullet::ship(kind, damage))
        };
        if self.focused {
            spawner.spawn_batch([-15.0, -5.0, 5.0, 15.0].map(|offset| shot(offset, 0.0, Kind::Shot, 4)));
        } else {
            spawner.spawn_batch([-6.0, 6.0].map(|offset| shot(offset, 0.0, Kind::Shot, 4)));
            let leans = [(-12.0, -0.20), (-10.0, -0.09), (10.0, 0.09), (12.0, 0.20)];
            spawner.spawn_batch(leans.map(|(offset, lean)| shot(offset, lean, Kind::Spread, 2)));
        }
    }
}
