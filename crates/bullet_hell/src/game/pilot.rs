//! The autopilot: looks a third of a second ahead, takes the safest of a few moves, shoots always.
//!
//! What it decides must not depend on the order in which projectiles come, for that differs
//! between the storages. So it only ever takes minima over them, never sums.

use bevy::math::Vec2;
use bevy::prelude::Resource;
use bevy_projectile_pool::prelude::Projectiles;

use super::arena::{Arena, HIT_RADIUS, Ship};
use super::bullet::{Bullet, Side};
use super::input::Orders;
use super::ship::keep_inside;
use super::sweep::closest_squared;

/// How far it looks ahead, in seconds.
const HORIZON: f32 = 0.35;
/// It looks at projectiles within this distance of the ship only.
const SIGHT: f32 = 160.0;
/// More room than this, in units, is no better.
const ENOUGH: f32 = 14.0;
/// Where it likes to be, in y.
const HOME_Y: f32 = -235.0;
/// Ticks between two of its bombs, at the least.
const BOMB_REST: u32 = 900;

/// What the autopilot remembers.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct Pilot {
    bomb_rest: u32,
}

/// Every move that it considers: to stay, and eight directions slowly and fast.
fn moves() -> [Orders; 17] {
    const SLANT: f32 = std::f32::consts::FRAC_1_SQRT_2;
    const HEADINGS: [Vec2; 8] = [
        Vec2::X,
        Vec2::new(SLANT, SLANT),
        Vec2::Y,
        Vec2::new(-SLANT, SLANT),
        Vec2::NEG_X,
        Vec2::new(-SLANT, -SLANT),
        Vec2::NEG_Y,
        Vec2::new(SLANT, -SLANT),
    ];
    std::array::from_fn(|index| match index {
        0 => Orders { focus: true, fire: true, ..Orders::default() },
        _ => Orders { direction: HEADINGS[(index - 1) % 8], focus: index <= 8, fire: true, bomb: false },
    })
}

impl Pilot {
    /// The orders for this tick. Costs 17 distance tests for each projectile in sight.
    pub fn decide(&mut self, arena: &Arena, projectiles: &Projectiles<Bullet>) -> Orders {
        self.bomb_rest = self.bomb_rest.saturating_sub(1);
        let ship = arena.ship.position;
        let moves = moves();
        let mut room = [f32::MAX; 17];
        for projectile in projectiles.iter() {
            let bullet = projectile.payload();
            let from = projectile.position() - ship;
            if bullet.side == Side::Ship || from.length_squared() > SIGHT * SIGHT {
                continue;
            }
            let touch = bullet.radius() + HIT_RADIUS;
            for (orders, room) in moves.iter().zip(&mut room) {
                let drift = (projectile.velocity() - Ship::velocity(orders)) * HORIZON;
                *room = room.min(closest_squared(from, from + drift).sqrt() - touch);
            }
        }
        let home = Vec2::new(self.aim(arena), HOME_Y);
        let value = |index: usize| {
            let end = ship + Ship::velocity(&moves[index]) * HORIZON;
            // At the edge it would stand still where it means to fly: count that against the move.
            let blocked = end.distance(keep_inside(end));
            room[index].min(ENOUGH) - 0.4 * blocked - 0.05 * end.distance(home)
        };
        let mut best = 0;
        for index in 1..moves.len() {
            if value(index) > value(best) {
                best = index;
            }
        }
        let mut orders = moves[best];
        if room[best] < 0.0 && self.bomb_rest == 0 && arena.ship.bombs > 0 && arena.ship_is_vulnerable() {
            self.bomb_rest = BOMB_REST;
            orders.bomb = true;
        }
        orders
    }

    /// The x of the enemy that is nearest in x; of equally near ones the oldest.
    fn aim(&self, arena: &Arena) -> f32 {
        let ship = arena.ship.position.x;
        let distance = |x: f32| (x - ship).abs();
        let xs = arena.enemies.iter().map(|enemy| enemy.position.x);
        xs.min_by(|a, b| distance(*a).total_cmp(&distance(*b))).unwrap_or(0.0)
    }
}
