//! Which enemies come when: endless waves that grow denser, and a boss in every fourth.

use std::collections::VecDeque;

use bevy::math::Vec2;
use rand::RngExt;
use rand::rngs::StdRng;

use super::enemies::{Enemy, EnemyKind};

/// Every wave whose number this divides is a boss.
pub const BOSS_EVERY: u32 = 4;
/// Ticks of rest before a wave.
const REST_TICKS: u32 = 60;

/// An enemy that is due to come.
#[derive(Clone, Debug, PartialEq)]
struct Arrival {
    /// Ticks since the wave's start.
    at: u32,
    enemy: Enemy,
}

/// Runs the waves, one after the other, for ever.
#[derive(Clone, Debug, PartialEq)]
pub struct Director {
    wave: u32,
    rest: u32,
    clock: u32,
    queue: VecDeque<Arrival>,
}

impl Default for Director {
    fn default() -> Self {
        Self { wave: 0, rest: REST_TICKS, clock: 0, queue: VecDeque::new() }
    }
}

impl Director {
    /// The number of the wave under way, from 1; 0 before the first.
    pub fn wave(&self) -> u32 {
        self.wave
    }

    /// How dense this wave's patterns are: 1 in the first wave, more in each, at most 2.5.
    pub fn heat(&self) -> f32 {
        1.0 + 0.15 * self.wave.saturating_sub(1).min(10) as f32
    }

    /// Moves on by a tick: starts the next wave when all enemies of the last are gone, and adds
    /// the enemies that are due.
    pub fn advance(&mut self, enemies: &mut Vec<Enemy>, rng: &mut StdRng) {
        if self.rest > 0 {
            self.rest -= 1;
            if self.rest == 0 {
                self.wave += 1;
                self.clock = 0;
                self.queue = plan(self.wave, rng);
            }
            return;
        }
        self.clock += 1;
        while let Some(arrival) = self.queue.pop_front_if(|arrival| arrival.at <= self.clock) {
            enemies.push(arrival.enemy);
        }
        if self.queue.is_empty() && enemies.is_empty() {
            self.rest = REST_TICKS;
        }
    }
}

/// The arrivals of a wave, in order of time.
fn plan(wave: u32, rng: &mut StdRng) -> VecDeque<Arrival> {
    use EnemyKind::{Bloom, Boss, Drone, Mason, Spinner};
    let more = (wave / BOSS_EVERY).min(3) as usize;
    let toughness = 1.0 + 0.12 * (wave - 1).min(20) as f32;
    if wave.is_multiple_of(BOSS_EVERY) {
        let angle = rng.random_range(0.0..std::f32::consts::TAU);
        let enemy = Enemy::new(Boss, Vec2::new(0.0, 400.0), Vec2::new(0.0, 190.0), angle, toughness);
        return VecDeque::from([Arrival { at: 30, enemy }]);
    }
    // Each squad enters as a row; the next follows while the last still fires.
    let squads: &[(EnemyKind, usize)] = match wave % BOSS_EVERY {
        1 => &[(Drone, 4), (Bloom, 3), (Drone, 5), (Bloom, 4)],
        2 => &[(Spinner, 2), (Drone, 4), (Spinner, 3), (Bloom, 2)],
        _ => &[(Mason, 1), (Bloom, 4), (Spinner, 3), (Mason, 2), (Drone, 6)],
    };
    let mut arrivals = VecDeque::new();
    for (row, &(kind, count)) in squads.iter().enumerate() {
        let count = if kind == Mason { count } else { count + more };
        let height = 290.0 - 58.0 * (row % 3) as f32;
        for place in 0..count {
            let x = -330.0 + 660.0 * (place as f32 + 0.5) / count as f32 + rng.random_range(-30.0..30.0);
            let anchor = Vec2::new(x, height + rng.random_range(-14.0..14.0));
            let side = if row % 2 == 0 { -1.0 } else { 1.0 };
            let entry = Vec2::new((x + side * 160.0).clamp(-380.0, 380.0), 400.0);
            let angle = rng.random_range(0.0..std::f32::consts::TAU);
            let at = row as u32 * 170 + place as u32 * 15;
            arrivals.push_back(Arrival { at, enemy: Enemy::new(kind, entry, anchor, angle, toughness) });
        }
    }
    arrivals.make_contiguous().sort_by_key(|arrival| arrival.at);
    arrivals
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn waves_follow_each_other_and_every_fourth_is_a_boss() {
        let (mut director, mut rng, mut enemies) = (Director::default(), StdRng::seed_from_u64(1), Vec::new());
        let mut bosses = Vec::new();
        let mut kinds = Vec::new();
        while director.wave() < 9 {
            director.advance(&mut enemies, &mut rng);
            for enemy in enemies.drain(..) {
                if enemy.is_boss() {
                    bosses.push(director.wave());
                }
                if !kinds.contains(&enemy.kind) {
                    kinds.push(enemy.kind);
                }
            }
        }
        assert_eq!(bosses, [4, 8]);
        assert_eq!(kinds.len(), 5, "{kinds:?}");
    }

    #[test]
    fn the_next_wave_waits_for_the_last_enemy() {
        let (mut director, mut rng, mut enemies) = (Director::default(), StdRng::seed_from_u64(1), Vec::new());
        for _ in 0..10_000 {
            director.advance(&mut enemies, &mut rng);
        }
        assert_eq!(director.wave(), 1);
        assert_eq!(enemies.len(), 16);
    }
}
