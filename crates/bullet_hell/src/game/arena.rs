//! The board and the pieces on it: the ship, the enemies, the bomb, the score.
//!
//! They are plain values in one resource, not entities: a tick touches them in a fixed order,
//! and drawing reads them without changing anything.

use bevy::math::{Rect, Vec2};
use bevy::prelude::Resource;

use super::enemies::Enemy;
use super::waves::Director;

/// The logical size of the whole picture, in world units: the playfield and a panel on each side.
pub const PICTURE: Vec2 = Vec2::new(1280.0, 720.0);

/// Where the game is played, in world units. Its centre is the world's origin, y points up.
pub const PLAYFIELD: Rect = Rect { min: Vec2::new(-400.0, -360.0), max: Vec2::new(400.0, 360.0) };

/// Where projectiles live: the playfield and a margin around it, so that none ends in sight.
pub const ARENA_BOUNDS: Rect = Rect { min: Vec2::new(-440.0, -400.0), max: Vec2::new(440.0, 420.0) };

/// Lives at the start of a game.
pub const LIVES: u32 = 3;
/// Bombs at the start of a game and after each boss, at the least.
pub const BOMBS: u32 = 3;
/// The radius of the ship's hitbox, far smaller than its picture.
pub const HIT_RADIUS: f32 = 3.0;
/// An enemy projectile whose edge comes this close to the ship's centre is grazed.
pub const GRAZE_RADIUS: f32 = 22.0;
/// The radius within which a hit on the ship clears enemy projectiles.
pub const CLEAR_RADIUS: f32 = 130.0;
/// Ticks of safety after a hit: two seconds.
pub const SAFE_TICKS: u32 = 120;
/// The shock wave of a bomb grows by this much in a tick.
pub const BOMB_GROWTH: f32 = 48.0;
/// Ticks for which a bomb's shock wave grows: enough to reach every corner.
pub const BOMB_TICKS: u32 = 24;

/// The player's ship.
#[derive(Clone, Debug, PartialEq)]
pub struct Ship {
    /// Where it is.
    pub position: Vec2,
    /// Where it was a tick ago: hits are tested along the way between.
    pub previous: Vec2,
    /// Lives left; 0 ends the game.
    pub lives: u32,
    /// Bombs left.
    pub bombs: u32,
    /// Hits taken since the start; the autopilot's hits cost no life but are counted here.
    pub hits: u32,
    /// Ticks for which nothing can hit it.
    pub safe: u32,
    /// Whether it flies slowly and shows its hitbox.
    pub focused: bool,
    /// Ticks until it can shoot again.
    pub reload: u32,
}

/// A bomb's shock wave, while it grows.
#[derive(Clone, Debug, PartialEq)]
pub struct Bomb {
    /// Where it was dropped.
    pub centre: Vec2,
    /// How far it has come.
    pub radius: f32,
    /// Ticks since it was dropped.
    pub age: u32,
}

/// Everything in a game but its projectiles and its random numbers. Two games with the same
/// seed and inputs have equal arenas at every tick.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct Arena {
    /// Ticks since the start of this game.
    pub tick: u64,
    /// Points.
    pub score: u64,
    /// Enemy projectiles grazed.
    pub grazes: u32,
    /// Enemies destroyed, bosses included.
    pub kills: u32,
    /// The player's ship.
    pub ship: Ship,
    /// The enemies, oldest first; the boss is one of them.
    pub enemies: Vec<Enemy>,
    /// The bomb's shock wave, if one is under way.
    pub bomb: Option<Bomb>,
    /// What comes next.
    pub director: Director,
}

impl Ship {
    /// Where a game starts.
    pub const START: Vec2 = Vec2::new(0.0, -260.0);
}

impl Default for Ship {
    fn default() -> Self {
        Self {
            position: Self::START,
            previous: Self::START,
            lives: LIVES,
            bombs: BOMBS,
            hits: 0,
            safe: SAFE_TICKS,
            focused: false,
            reload: 0,
        }
    }
}

impl Arena {
    /// Whether the last life is gone.
    pub fn is_over(&self) -> bool {
        self.ship.lives == 0
    }

    /// The boss, if one is in the arena.
    pub fn boss(&self) -> Option<&Enemy> {
        self.enemies.iter().find(|enemy| enemy.is_boss())
    }

    /// Whether an enemy projectile can hit the ship now.
    pub fn ship_is_vulnerable(&self) -> bool {
        self.ship.safe == 0 && self.bomb.is_none() && !self.is_over()
    }

    /// Drops a bomb at the ship, if there is one left and none is under way. Says whether it did.
    pub fn drop_bomb(&mut self) -> bool {
        if self.ship.bombs == 0 || self.bomb.is_some() || self.is_over() {
            return false;
        }
        self.ship.bombs -= 1;
        self.bomb = Some(Bomb { centre: self.ship.position, radius: 0.0, age: 0 });
        true
    }
}
