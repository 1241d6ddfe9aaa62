//! Enemies: how tough each kind is and how it moves. Where one is follows from its age alone.

use bevy::math::Vec2;

use super::arena::{ARENA_BOUNDS, PLAYFIELD};

/// The kinds of enemies; each fires one pattern, the boss all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnemyKind {
    /// Fires aimed fans.
    Drone,
    /// Fires rings.
    Bloom,
    /// Fires spirals.
    Spinner,
    /// Fires walls with a gap.
    Mason,
    /// Fires every pattern in turn.
    Boss,
}

/// One enemy. The boss is one too.
#[derive(Clone, Debug, PartialEq)]
pub struct Enemy {
    /// What it is.
    pub kind: EnemyKind,
    /// Where it is.
    pub position: Vec2,
    /// Where it was a tick ago.
    pub previous: Vec2,
    /// Where it comes from.
    pub entry: Vec2,
    /// Where it stays and fires.
    pub anchor: Vec2,
    /// Ticks since it came.
    pub age: u32,
    /// Hits it can still take, in units of a shot's damage; destroyed at 0 or below.
    pub health: i32,
    /// The health that it came with.
    pub max_health: i32,
    /// The direction of its next pattern, in radians.
    pub angle: f32,
    /// Ticks for which it is drawn bright after a hit.
    pub flash: u32,
}

/// Ticks that an enemy takes from its entry to its anchor.
pub const ENTER_TICKS: u32 = 70;
/// Units that a leaving enemy climbs in a tick.
const LEAVE_SPEED: f32 = 4.0;

impl EnemyKind {
    /// The radius of its circle, in world units.
    pub const fn radius(self) -> f32 {
        match self {
            Self::Drone => 15.0,
            Self::Bloom => 20.0,
            Self::Spinner => 18.0,
            Self::Mason => 22.0,
            Self::Boss => 46.0,
        }
    }

    /// Health at the start, in units of a shot's damage.
    pub const fn health(self) -> i32 {
        match self {
            Self::Drone => 60,
            Self::Bloom => 150,
            Self::Spinner => 130,
            Self::Mason => 200,
            Self::Boss => 4_200,
        }
    }

    /// Points for destroying it.
    pub const fn points(self) -> u64 {
        match self {
            Self::Drone => 150,
            Self::Bloom => 300,
            Self::Spinner => 350,
            Self::Mason => 400,
            Self::Boss => 10_000,
        }
    }

    /// The age in ticks at which it leaves if nobody destroys it.
    pub const fn leaves_at(self) -> u32 {
        match self {
            Self::Drone => 540,
            Self::Bloom | Self::Spinner => 780,
            Self::Mason => 900,
            Self::Boss => 3_600,
        }
    }

    /// How far it sways about its anchor, in units.
    const fn sway(self) -> Vec2 {
        match self {
            Self::Drone => Vec2::new(70.0, 18.0),
            Self::Bloom => Vec2::new(26.0, 14.0),
            Self::Spinner => Vec2::new(40.0, 26.0),
            Self::Mason => Vec2::new(16.0, 6.0),
            Self::Boss => Vec2::new(210.0, 46.0),
        }
    }
}

impl Enemy {
    /// A new enemy at its entry. `health_factor` multiplies its health.
    pub fn new(kind: EnemyKind, entry: Vec2, anchor: Vec2, angle: f32, health_factor: f32) -> Self {
        let health = ((kind.health() as f32 * health_factor) as i32).max(1);
        Self {
            kind,
            position: entry,
            previous: entry,
            entry,
            anchor,
            age: 0,
            health,
            max_health: health,
            angle,
            flash: 0,
        }
    }

    /// Whether it is the boss.
    pub fn is_boss(&self) -> bool {
        self.kind == EnemyKind::Boss
    }

    /// Whether it has arrived, has not begun to leave, and is inside the playfield, so that it fires.
    pub fn fires(&self) -> bool {
        (ENTER_TICKS..self.kind.leaves_at()).contains(&self.age) && PLAYFIELD.contains(self.position)
    }

    /// Whether it has left for good.
    pub fn is_gone(&self) -> bool {
        self.age > self.kind.leaves_at() && self.position.y > ARENA_BOUNDS.max.y
    }

    /// Health left, 0 to 1.
    pub fn health_share(&self) -> f32 {
        (self.health.max(0) as f32) / self.max_health as f32
    }

    /// Takes damage; returns whether this destroyed it.
    pub fn wound(&mut self, damage: i32) -> bool {
        let alive = self.health > 0;
        self.health -= damage;
        self.flash = 4;
        alive && self.health <= 0
    }

    /// Moves on by a tick.
    pub fn advance(&mut self) {
        self.age += 1;
        self.flash = self.flash.saturating_sub(1);
        self.previous = self.position;
        self.position = self.place(self.age);
    }

    fn place(&self, age: u32) -> Vec2 {
        if age < ENTER_TICKS {
            // Quick at first, then gently to a stop.
            let left = 1.0 - age as f32 / ENTER_TICKS as f32;
            return self.anchor.lerp(self.entry, left * left);
        }
        let leaves_at = self.kind.leaves_at();
        // The boss is slow enough to be followed.
        let pace = if self.is_boss() { 0.5 } else { 1.0 };
        let time = (age.min(leaves_at) - ENTER_TICKS) as f32 * pace;
        let swayed = self.anchor + self.kind.sway() * Vec2::new((time * 0.017).sin(), (time * 0.029).sin());
        swayed + Vec2::new(0.0, LEAVE_SPEED * age.saturating_sub(leaves_at) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_comes_stays_and_leaves_without_a_jump() {
        for kind in [EnemyKind::Drone, EnemyKind::Bloom, EnemyKind::Spinner, EnemyKind::Mason, EnemyKind::Boss] {
            let mut enemy = Enemy::new(kind, Vec2::new(0.0, 395.0), Vec2::new(50.0, 200.0), 0.0, 1.0);
            let mut fired = 0;
            for _ in 0..kind.leaves_at() + 300 {
                enemy.advance();
                let step = enemy.position.distance(enemy.previous);
                assert!(step < 12.0, "{kind:?} jumps {step} units at age {}", enemy.age);
                fired += u32::from(enemy.fires());
                if enemy.is_gone() {
                    break;
                }
            }
            assert!(enemy.is_gone(), "{kind:?} never leaves");
            assert!(fired > 400, "{kind:?} fires for {fired} ticks only");
        }
    }
}
