//! Sparks and rings that show what happened. Purely visual: they have random numbers of their own
//! and the simulation never sees them.

use bevy::prelude::*;

use super::canvas::{Canvas, faded};
use super::palette;
use crate::game::{GameEvent, GameEvents};

/// The most sparks at a time.
const MAX_SPARKS: usize = 500;
/// The most rings at a time.
const MAX_RINGS: usize = 40;

struct Spark {
    place: Vec2,
    velocity: Vec2,
    /// Seconds left, and at the start.
    left: f32,
    life: f32,
    colour: LinearRgba,
}

struct Ring {
    centre: Vec2,
    radius: f32,
    left: f32,
    life: f32,
    colour: LinearRgba,
}

/// Everything that glitters.
#[derive(Resource, Default)]
pub struct Effects {
    sparks: Vec<Spark>,
    rings: Vec<Ring>,
    noise: u32,
}

impl Effects {
    /// A number from 0 to 1.
    fn random(&mut self) -> f32 {
        self.noise = self.noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.noise >> 8) as f32 / (1 << 24) as f32
    }

    fn burst(&mut self, place: Vec2, count: usize, speed: f32, life: f32, colour: LinearRgba) {
        for _ in 0..count {
            if self.sparks.len() >= MAX_SPARKS {
                return;
            }
            let heading = Vec2::from_angle(self.random() * std::f32::consts::TAU);
            let velocity = heading * speed * (0.3 + 0.7 * self.random());
            let life = life * (0.5 + 0.5 * self.random());
            self.sparks.push(Spark { place, velocity, left: life, life, colour });
        }
    }

    fn ring(&mut self, centre: Vec2, radius: f32, life: f32, colour: LinearRgba) {
        if self.rings.len() < MAX_RINGS {
            self.rings.push(Ring { centre, radius, left: life, life, colour });
        }
    }

    fn show(&mut self, event: GameEvent) {
        let (ship, bomb) = (palette::SHIP.to_linear(), palette::BOMB.to_linear());
        match event {
            GameEvent::Struck(place) => self.burst(place, 2, 160.0, 0.18, ship),
            GameEvent::Destroyed(place, radius) => {
                let colour = Color::srgb(1.0, 0.72, 0.38).to_linear();
                self.burst(place, (radius * 1.6) as usize, radius * 13.0, 0.7, colour);
                self.ring(place, radius * 3.2, 0.45, colour);
                self.ring(place, radius * 1.8, 0.25, LinearRgba::WHITE);
            }
            GameEvent::ShipHit(place) => {
                self.burst(place, 60, 340.0, 0.8, ship);
                self.ring(place, crate::game::CLEAR_RADIUS, 0.5, ship);
                self.ring(place, 60.0, 0.3, LinearRgba::WHITE);
            }
            GameEvent::Grazed(place) => self.burst(place, 1, 130.0, 0.25, LinearRgba::WHITE),
            GameEvent::Bombed(place) => self.burst(place, 50, 420.0, 0.7, bomb),
            GameEvent::Cleared(place) => self.burst(place, 1, 60.0, 0.4, bomb),
        }
    }

    /// Draws everything.
    pub fn draw(&self, canvas: &mut Canvas) {
        for ring in &self.rings {
            let share = ring.left / ring.life;
            let radius = ring.radius * (1.0 - share * share);
            canvas.ring(ring.centre, radius, 1.0 + 7.0 * share, 40, 0.0, faded(ring.colour, 0.8 * share));
        }
        for spark in &self.sparks {
            let share = spark.left / spark.life;
            let tail = spark.place - spark.velocity * 0.04;
            canvas.streak(spark.place, tail, 2.5, faded(spark.colour, share), faded(spark.colour, 0.0));
        }
    }
}

/// Turns events into effects and moves them on in virtual time.
pub(super) fn advance_effects(mut effects: ResMut<Effects>, mut events: ResMut<GameEvents>, time: Res<Time<Virtual>>) {
    for event in events.drain() {
        effects.show(event);
    }
    let dt = time.delta_secs();
    let slowed = (1.0 - 2.2 * dt).max(0.0);
    for spark in &mut effects.sparks {
        spark.place += spark.velocity * dt;
        spark.velocity *= slowed;
        spark.left -= dt;
    }
    for ring in &mut effects.rings {
        ring.left -= dt;
    }
    effects.sparks.retain(|spark| spark.left > 0.0);
    effects.rings.retain(|ring| ring.left > 0.0);
}
