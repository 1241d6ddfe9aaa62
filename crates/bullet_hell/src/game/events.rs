//! What happened in a tick that is worth showing. The simulation never reads it.

use bevy::math::Vec2;
use bevy::prelude::Resource;

/// Something to show at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GameEvent {
    /// A shot struck an enemy here.
    Struck(Vec2),
    /// An enemy of this radius burst here.
    Destroyed(Vec2, f32),
    /// The ship was hit here.
    ShipHit(Vec2),
    /// An enemy projectile grazed the ship, which was here.
    Grazed(Vec2),
    /// A bomb was dropped here.
    Bombed(Vec2),
    /// A bomb or a hit cleared an enemy projectile here.
    Cleared(Vec2),
}

/// The events since the picture last took them, at most [`GameEvents::LIMIT`]: without a
/// picture nobody takes them, so more are dropped.
#[derive(Resource, Debug, Default)]
pub struct GameEvents(Vec<GameEvent>);

impl GameEvents {
    /// The most events that are kept.
    pub const LIMIT: usize = 256;

    /// Adds an event, or drops it if there are too many already.
    pub fn push(&mut self, event: GameEvent) {
        if self.0.len() < Self::LIMIT {
            self.0.push(event);
        }
    }

    /// Takes all events, oldest first.
    pub fn drain(&mut self) -> impl Iterator<Item = GameEvent> + '_ {
        self.0.drain(..)
    }
}
