//! The bare loop: moves as many projectiles as are alive, in place, and does nothing else. And a plain push of the same
//! columns as the plugin's parallel arrays keep.

use std::time::Instant;

use bevy::prelude::{App, FixedUpdate, Res, ResMut, Resource};
use multiversion::multiversion;

use super::{
    app::{Cell, TickClock},
    feed::{ACCELERATION, Feed, Load},
    model::Model,
};
use crate::stream::PERIOD;

/// Values by which the starts of the columns are apart within a page, besides their length: see the article's columns.
const STAGGER: usize = 160;

/// A column whose start is staggered.
struct Column {
    values: Vec<f32>,
    lead: usize,
}

impl Column {
    fn new(place: usize, length: usize) -> Self {
        let lead = place * STAGGER;
        Self { values: vec![1.0; lead + length], lead }
    }

    fn first(&mut self, count: usize) -> &mut [f32] {
        &mut self.values[self.lead..self.lead + count]
    }
}

#[derive(Resource)]
struct Bare<const EXTRA: usize> {
    /// Projectiles alive in each tick.
    moving: Vec<usize>,
    x: Column,
    y: Column,
    vx: Column,
    vy: Column,
    pushed: Pushed<EXTRA>,
}

/// The columns of the plugin.
#[derive(Default)]
struct Pushed<const EXTRA: usize> {
    id: Vec<u64>,
    x: Vec<f32>,
    y: Vec<f32>,
    vx: Vec<f32>,
    vy: Vec<f32>,
    born: Vec<u32>,
    lifetime: Vec<u32>,
    load: Vec<Load<EXTRA>>,
}

impl<const EXTRA: usize> Pushed<EXTRA> {
    fn clear(&mut self) {
        self.id.clear();
        for column in [&mut self.x, &mut self.y, &mut self.vx, &mut self.vy] {
            column.clear();
        }
        self.born.clear();
        self.lifetime.clear();
        self.load.clear();
    }
}

/// Adds the loop over as many as the model has alive. Its checksum is the model's.
pub fn add<const EXTRA: usize>(app: &mut App, model: Model) -> Cell {
    let most = model.moving.iter().copied().max().unwrap_or(0);
    let column = |place| Column::new(place, most);
    app.insert_resource(model.sum).insert_resource(Live(model.live)).insert_resource(Bare::<EXTRA> {
        moving: model.moving,
        x: column(0),
        y: column(1),
        vx: column(2),
        vy: column(3),
        pushed: Pushed::default(),
    });
    app.add_systems(FixedUpdate, tick::<EXTRA>);
    Cell { live: |world| world.resource::<Live>().0, bytes: |_| None, room: |_| 0, diagnostics: false }
}

#[derive(Resource)]
struct Live(usize);

fn tick<const EXTRA: usize>(feed: Res<Feed<EXTRA>>, mut bare: ResMut<Bare<EXTRA>>, mut clock: ResMut<TickClock>) {
    let Bare { moving, x, y, vx, vy, pushed } = &mut *bare;
    pushed.clear();
    for fired in &feed.batch {
        pushed.id.push(fired.load.serial.into());
        pushed.x.push(fired.position.x);
        pushed.y.push(fired.position.y);
        pushed.vx.push(fired.velocity.x);
        pushed.vy.push(fired.velocity.y);
        pushed.born.push(feed.tick);
        pushed.lifetime.push(fired.lifetime);
        pushed.load.push(fired.load);
    }
    clock.spawned = Some(Instant::now());
    let count = moving.get(feed.tick as usize - 1).copied().unwrap_or(0);
    let dt = PERIOD.as_secs_f32();
    let impulse = ACCELERATION.y * dt;
    step(x.first(count), y.first(count), vx.first(count), vy.first(count), impulse, dt);
    clock.moved = Some(Instant::now());
}

/// The loop itself, with AVX2 where there is one, as the plugin's parallel arrays.
#[multiversion(targets("x86_64+avx2"))]
fn step(x: &mut [f32], y: &mut [f32], vx: &[f32], vy: &mut [f32], impulse: f32, dt: f32) {
    for (((x, y), vx), vy) in x.iter_mut().zip(y).zip(vx).zip(vy) {
        *vy += impulse;
        *x += *vx * dt;
        *y += *vy * dt;
    }
}
