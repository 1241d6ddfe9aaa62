//! When enemies fire, and which pattern.

use std::f32::consts::TAU;

use bevy::math::Vec2;
use bevy_projectile_pool::prelude::ProjectileSpawner;
use rand::RngExt;
use rand::rngs::StdRng;

use super::bullet::Bullet;
use super::enemies::{ENTER_TICKS, Enemy, EnemyKind};
use super::patterns::{Volley, fan, ring, spiral, wall};

/// Ticks for which the boss keeps to one pattern.
pub const PHASE_TICKS: u32 = 420;
/// Ticks at the start of a phase in which the boss holds its fire.
const PHASE_PAUSE: u32 = 50;
/// Below this share of its health the boss fires the next pattern too.
const RAGE_BELOW: f32 = 0.35;

/// What enemies need to know to fire.
pub struct Gunnery<'a, 'w> {
    /// Where the ship is.
    pub target: Vec2,
    /// The projectiles of every pattern are multiplied by this.
    pub density: f32,
    /// The game's random numbers.
    pub rng: &'a mut StdRng,
    /// Takes the projectiles.
    pub spawner: &'a mut ProjectileSpawner<'w, Bullet>,
}

/// The boss's pattern at an age: 0 ring, 1 spiral, 2 fan, 3 wall.
pub fn boss_phase(age: u32) -> u32 {
    age.saturating_sub(ENTER_TICKS) / PHASE_TICKS % 4
}

impl Gunnery<'_, '_> {
    /// Lets an enemy fire if its time has come.
    pub fn fire(&mut self, enemy: &mut Enemy) {
        if !enemy.fires() {
            return;
        }
        let since = enemy.age - ENTER_TICKS;
        match enemy.kind {
            EnemyKind::Drone => self.drone(enemy, since),
            EnemyKind::Bloom => self.bloom(enemy, since),
            EnemyKind::Spinner => self.spinner(enemy, since),
            EnemyKind::Mason => self.mason(enemy, since),
            EnemyKind::Boss => self.boss(enemy, since),
        }
    }

    fn volley(&self, base: f32) -> Volley {
        Volley::new(base, self.density)
    }

    fn drone(&mut self, enemy: &Enemy, since: u32) {
        if since.is_multiple_of(50) {
            let volley = self.volley(7.0);
            self.spawner.spawn_batch(fan(enemy.position, self.target, volley, 0.8, 185.0, 0));
        }
    }

    fn bloom(&mut self, enemy: &mut Enemy, since: u32) {
        if since.is_multiple_of(36) {
            let volley = self.volley(30.0);
            let tint = (since / 36 % 2) as u8;
            self.spawner.spawn_batch(ring(enemy.position, volley, enemy.angle, 105.0, tint));
            enemy.angle = (enemy.angle + 0.37) % TAU;
        }
    }

    fn spinner(&mut self, enemy: &mut Enemy, since: u32) {
        // Fires for two seconds, rests for one.
        if since % 180 < 120 && since.is_multiple_of(4) {
            let volley = self.volley(6.0);
            self.spawner.spawn_batch(spiral(enemy.position, volley, enemy.angle, 125.0, (since / 180 % 2) as u8));
            enemy.angle = (enemy.angle + 0.19) % TAU;
        }
    }

    fn mason(&mut self, enemy: &Enemy, since: u32) {
        if since.is_multiple_of(72) {
            let gap = (enemy.position.x * 0.5 + self.rng.random_range(-190.0..190.0)).clamp(-330.0, 330.0);
            let volley = self.volley(36.0);
            self.spawner.spawn_batch(wall(volley, gap, 130.0, 115.0, (since / 72 % 2) as u8));
        }
    }

    fn boss(&mut self, boss: &mut Enemy, since: u32) {
        let within = since % PHASE_TICKS;
        if within < PHASE_PAUSE {
            return;
        }
        let phase = boss_phase(boss.age);
        self.boss_pattern(boss, phase, within, 0);
        if boss.health_share() < RAGE_BELOW {
            self.boss_pattern(boss, (phase + 1) % 4, within + 11, 1);
        }
    }

    fn boss_pattern(&mut self, boss: &mut Enemy, phase: u32, within: u32, tint: u8) {
        match phase {
            0 if within.is_multiple_of(20) => {
                let volley = self.volley(72.0);
                self.spawner.spawn_batch(ring(boss.position, volley, boss.angle, 120.0, tint));
                boss.angle = (boss.angle + 0.61) % TAU;
            }
            1 if within.is_multiple_of(3) => {
                let volley = self.volley(13.0);
                self.spawner.spawn_batch(spiral(boss.position, volley, boss.angle, 130.0, tint));
                boss.angle = (boss.angle + 0.113) % TAU;
            }
            2 if within.is_multiple_of(18) => {
                // Four rows of a fan that opens and closes.
                let arc = 0.8 + 0.5 * (within as f32 * 0.02).sin();
                for row in 0..4 {
                    let volley = self.volley(18.0);
                    let speed = 120.0 + 32.0 * row as f32;
                    self.spawner.spawn_batch(fan(boss.position, self.target, volley, arc, speed, tint));
                }
            }
            3 if within.is_multiple_of(40) => {
                let gap = self.rng.random_range(-300.0..300.0);
                let volley = self.volley(60.0);
                self.spawner.spawn_batch(wall(volley, gap, 140.0, 125.0, tint));
                let volley = self.volley(48.0);
                self.spawner.spawn_batch(ring(boss.position, volley, boss.angle, 85.0, tint));
                boss.angle = (boss.angle + 0.29) % TAU;
            }
            _ => {}
        }
    }
}
