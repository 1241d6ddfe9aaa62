//! The stream flown by the plainest code there is: it tells how many are alive in each tick, and what the checksum of every
//! cell must be.

use bevy::prelude::Vec2;

use super::{
    StrategySpec,
    app::Sum,
    feed::{ACCELERATION, Feed, Fired, NEVER, is_outside},
};
use crate::stream::PERIOD;

/// What the stream comes to.
pub struct Model {
    /// Projectiles alive in each tick while they move, from the first tick.
    pub moving: Vec<usize>,
    /// Alive after the last tick.
    pub live: usize,
    /// The checksum.
    pub sum: Sum,
}

/// Flies `ticks` ticks.
pub fn fly(spec: &StrategySpec, ticks: u32) -> Model {
    let mut feed = Feed::<0>::new(spec);
    let mut alive: Vec<Fired<0>> = Vec::new();
    let mut model = Model { moving: Vec::new(), live: 0, sum: Sum::default() };
    let dt = PERIOD.as_secs_f32();
    let impulse: Vec2 = ACCELERATION * dt;
    for _ in 0..ticks {
        feed.advance();
        alive.extend(&feed.batch);
        model.moving.push(alive.len());
        alive.retain_mut(|shot| {
            shot.velocity += impulse;
            shot.position += shot.velocity * dt;
            if shot.lifetime != NEVER {
                shot.lifetime -= 1;
            }
            let hit = shot.load.ends_at == feed.tick;
            let outside = spec.bounds && is_outside(shot.position);
            !hit && shot.lifetime > 0 && !outside
        });
        model.sum.fold(feed.tick, || alive.iter().map(|shot| (shot.load.serial, shot.position)));
    }
    model.live = alive.len();
    model
}
