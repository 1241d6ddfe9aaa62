//! Who is hit. What depends on order is collected first, sorted by id, and then applied; ids are
//! the same in every storage, the order of iteration is not.

use bevy::math::Vec2;
use bevy::prelude::{Local, Res, ResMut};
use bevy_projectile_pool::prelude::{ProjectileClock, ProjectileId, ProjectilesMut, RetireReason};

use super::GameConfig;
use super::arena::{Arena, BOMB_GROWTH, BOMB_TICKS, BOMBS, CLEAR_RADIUS, GRAZE_RADIUS, HIT_RADIUS, SAFE_TICKS};
use super::bullet::{Bullet, Side};
use super::enemies::Enemy;
use super::events::{GameEvent, GameEvents};
use super::sweep::{closest_squared, first_contact};

/// Points for a graze.
const GRAZE_POINTS: u64 = 20;
/// Points for an enemy projectile that a bomb clears.
const CLEAR_POINTS: u64 = 2;
/// Damage that a bomb does to each enemy within it, in each tick.
const BOMB_DAMAGE: i32 = 9;

/// A shot of the ship's that touches an enemy, with its way within this tick.
#[derive(Clone, Copy)]
pub(super) struct Shot {
    id: ProjectileId,
    from: Vec2,
    to: Vec2,
    radius: f32,
    damage: i32,
}

/// Grows the bomb's shock wave, clears the enemy projectiles within it and hurts enemies.
pub(super) fn spread_bomb(
    mut projectiles: ProjectilesMut<Bullet>,
    mut arena: ResMut<Arena>,
    mut events: ResMut<GameEvents>,
) {
    let Some(bomb) = &mut arena.bomb else { return };
    bomb.age += 1;
    bomb.radius += BOMB_GROWTH;
    let (centre, radius, spent) = (bomb.centre, bomb.radius, bomb.age >= BOMB_TICKS);
    let cleared = clear_around(&mut projectiles, centre, radius, &mut events);
    arena.score += cleared * CLEAR_POINTS;
    for index in 0..arena.enemies.len() {
        if arena.enemies[index].position.distance_squared(centre) <= radius * radius {
            wound(&mut arena, index, BOMB_DAMAGE, &mut events);
        }
    }
    arena.enemies.retain(|enemy| enemy.health > 0);
    if spent {
        arena.bomb = None;
    }
}

/// Tests the ship against enemy projectiles: grazes and at most one hit.
pub(super) fn hit_ship(
    mut projectiles: ProjectilesMut<Bullet>,
    mut arena: ResMut<Arena>,
    mut events: ResMut<GameEvents>,
    clock: Res<ProjectileClock>,
    config: Res<GameConfig>,
) {
    if !arena.ship_is_vulnerable() {
        return;
    }
    let dt = clock.delta_secs();
    let (now, before) = (arena.ship.position, arena.ship.previous);
    let mut first_struck: Option<ProjectileId> = None;
    let mut grazed = 0;
    for mut projectile in projectiles.iter_mut() {
        let bullet = *projectile.payload();
        if bullet.side == Side::Ship {
            continue;
        }
        let to = projectile.position() - now;
        let from = projectile.position() - projectile.velocity() * dt - before;
        let distance_squared = closest_squared(from, to);
        let graze = bullet.radius() + GRAZE_RADIUS;
        if distance_squared > graze * graze {
            continue;
        }
        let touch = bullet.radius() + HIT_RADIUS;
        if distance_squared <= touch * touch {
            let id = projectile.id();
            first_struck = Some(first_struck.map_or(id, |other| other.min(id)));
        } else if !bullet.grazed {
            projectile.payload_mut().grazed = true;
            grazed += 1;
        }
    }
    arena.grazes += grazed;
    arena.score += u64::from(grazed) * GRAZE_POINTS;
    for _ in 0..grazed.min(4) {
        events.push(GameEvent::Grazed(now));
    }
    if let Some(id) = first_struck {
        projectiles.retire(id, RetireReason::Hit);
        clear_around(&mut projectiles, now, CLEAR_RADIUS, &mut events);
        arena.ship.hits += 1;
        arena.ship.safe = SAFE_TICKS;
        if !config.autoplay {
            arena.ship.lives = arena.ship.lives.saturating_sub(1);
            // A new life comes with new bombs.
            arena.ship.bombs = arena.ship.bombs.max(BOMBS);
        }
        events.push(GameEvent::ShipHit(now));
    }
}

/// Tests enemies against the ship's shots. A shot hits the enemy that it meets first on its way
/// (of equals the oldest), and ends.
pub(super) fn hit_enemies(
    mut projectiles: ProjectilesMut<Bullet>,
    mut arena: ResMut<Arena>,
    mut events: ResMut<GameEvents>,
    clock: Res<ProjectileClock>,
    mut shots: Local<Vec<Shot>>,
) {
    if arena.enemies.is_empty() {
        return;
    }
    let dt = clock.delta_secs();
    shots.clear();
    for projectile in projectiles.iter() {
        let bullet = projectile.payload();
        if bullet.side != Side::Ship {
            continue;
        }
        let to = projectile.position();
        let from = to - projectile.velocity() * dt;
        let shot = Shot { id: projectile.id(), from, to, radius: bullet.radius(), damage: bullet.damage.into() };
        if first_met(&shot, &arena.enemies).is_some() {
            shots.push(shot);
        }
    }
    shots.sort_unstable_by_key(|shot| shot.id);
    for shot in shots.iter() {
        // An earlier shot may have destroyed the enemy that this one would have met.
        let Some((index, at)) = first_met(shot, &arena.enemies) else { continue };
        if projectiles.retire(shot.id, RetireReason::Hit) {
            events.push(GameEvent::Struck(shot.from.lerp(shot.to, at)));
            wound(&mut arena, index, shot.damage, &mut events);
        }
    }
    arena.enemies.retain(|enemy| enemy.health > 0);
}

/// The living enemy that a shot meets first, and the fraction of its way at which it does.
fn first_met(shot: &Shot, enemies: &[Enemy]) -> Option<(usize, f32)> {
    let mut first: Option<(usize, f32)> = None;
    for (index, enemy) in enemies.iter().enumerate().filter(|(_, enemy)| enemy.health > 0) {
        let reach = shot.radius + enemy.kind.radius();
        let met = first_contact(shot.from - enemy.previous, shot.to - enemy.position, reach);
        if let Some(at) = met
            && first.is_none_or(|(_, earlier)| at < earlier)
        {
            first = Some((index, at));
        }
    }
    first
}

/// Damages an enemy, and scores if that destroys it. It stays in the list, with no health.
fn wound(arena: &mut Arena, index: usize, damage: i32, events: &mut GameEvents) {
    let enemy = &mut arena.enemies[index];
    if !enemy.wound(damage) {
        return;
    }
    events.push(GameEvent::Destroyed(enemy.position, enemy.kind.radius()));
    arena.score += enemy.kind.points();
    arena.kills += 1;
    if enemy.is_boss() {
        arena.ship.bombs = (arena.ship.bombs + 1).max(BOMBS);
    }
}

/// Ends every enemy projectile within `radius` of `centre`; returns how many.
fn clear_around(projectiles: &mut ProjectilesMut<Bullet>, centre: Vec2, radius: f32, events: &mut GameEvents) -> u64 {
    let mut cleared = 0;
    for mut projectile in projectiles.iter_mut() {
        let place = projectile.position();
        let enemy = projectile.payload().side == Side::Enemy;
        if enemy && place.distance_squared(centre) <= radius * radius && projectile.retire(RetireReason::Cancelled) {
            events.push(GameEvent::Cleared(place));
            cleared += 1;
        }
    }
    cleared
}
