//! The stream for apps: in `f32`, with the lifetimes, early ends and bounds that were asked for.

use bevy::prelude::{Component, Rect, Resource, Vec2};

use super::{Lifetimes, StrategySpec};
use crate::stream::{GRAVITY, Mulberry32, Shot, Stream};

/// Gravity, in units per second squared.
pub const ACCELERATION: Vec2 = Vec2::new(0.0, GRAVITY as f32);
/// The world, if it has bounds: the article's 800 x 600 and a hundred units around.
pub const WORLD: Rect = Rect { min: Vec2::new(-100.0, -100.0), max: Vec2::new(900.0, 700.0) };
/// A lifetime without end, and an early end that never comes.
pub const NEVER: u32 = u32::MAX;

/// What a projectile carries.
#[derive(Component, Clone, Copy, Debug)]
pub struct Load<const EXTRA: usize> {
    /// Its number in the stream, from 0.
    pub serial: u32,
    /// The tick in which it is ended early.
    pub ends_at: u32,
    /// What else a game keeps in it; written once.
    #[expect(dead_code, reason = "what is not read costs memory all the same")]
    pub extra: [u8; EXTRA],
}

impl<const EXTRA: usize> Default for Load<EXTRA> {
    fn default() -> Self {
        Self { serial: 0, ends_at: NEVER, extra: [0; EXTRA] }
    }
}

/// A projectile to be spawned.
#[derive(Clone, Copy, Debug)]
pub struct Fired<const EXTRA: usize> {
    /// Units.
    pub position: Vec2,
    /// Units a second.
    pub velocity: Vec2,
    /// Ticks, or [`NEVER`].
    pub lifetime: u32,
    /// What it carries.
    pub load: Load<EXTRA>,
}

/// Makes the projectiles of each tick.
#[derive(Resource)]
pub struct Feed<const EXTRA: usize> {
    stream: Stream,
    random: Mulberry32,
    lifetimes: Lifetimes,
    spawns: u32,
    /// The share of the projectiles that a tick ends early.
    hazard: f64,
    serial: u32,
    /// The tick at hand, from 1.
    pub tick: u32,
    /// The projectiles of the tick at hand.
    pub batch: Vec<Fired<EXTRA>>,
}

impl<const EXTRA: usize> Feed<EXTRA> {
    /// The feed of a cell.
    pub fn new(spec: &StrategySpec) -> Self {
        Self {
            stream: Stream::new(spec.run.seed),
            // A stream of its own: the projectiles are the same whether any end early or not.
            random: Mulberry32(spec.run.seed ^ 0x9E37_79B9),
            lifetimes: spec.lifetimes,
            spawns: spec.spawns,
            hazard: spec.early_ends / 100.0 / 60.0,
            serial: 0,
            tick: 0,
            batch: Vec::with_capacity(spec.spawns as usize),
        }
    }

    /// Makes the projectiles of the next tick.
    pub fn advance(&mut self) {
        self.tick += 1;
        self.batch.clear();
        for _ in 0..self.spawns {
            let fired = self.fire();
            self.batch.push(fired);
        }
    }

    fn fire(&mut self) -> Fired<EXTRA> {
        let Shot { x, y, vx, vy, life, damage, draw } = self.stream.shoot();
        let ends_at = if self.hazard > 0.0 { self.ends_at() } else { NEVER };
        let load = Load { serial: self.serial, ends_at, extra: [damage as u8; EXTRA] };
        self.serial = self.serial.wrapping_add(1);
        Fired {
            position: Vec2::new(x as f32, y as f32),
            velocity: Vec2::new(vx as f32, vy as f32),
            lifetime: lifetime(self.lifetimes, life, draw),
            load,
        }
    }

    /// The tick in which the next projectile is ended early: each tick ends the same share of those alive, so that the
    /// number of ticks has a geometric distribution.
    fn ends_at(&mut self) -> u32 {
        let ticks = ((1.0 - self.random.draw()).ln() / (1.0 - self.hazard).ln()).floor();
        self.tick.saturating_add(ticks as u32)
    }
}

fn lifetime(lifetimes: Lifetimes, life: f64, draw: f64) -> u32 {
    match lifetimes {
        Lifetimes::Short => life as u32,
        Lifetimes::Long => 600,
        Lifetimes::None => NEVER,
        Lifetimes::Mixed if draw < 0.01 => NEVER,
        Lifetimes::Mixed => {
            let (class, within) = ((draw - 0.01) / 0.33, ((draw - 0.01) / 0.33).fract());
            match class as u32 {
                0 => 20 + (20.0 * within) as u32,
                1 => 40 + (80.0 * within) as u32,
                _ => 120 + (480.0 * within) as u32,
            }
        }
    }
}

/// Whether a projectile has left the world.
#[inline]
pub fn is_outside(position: Vec2) -> bool {
    !WORLD.contains(position)
}
