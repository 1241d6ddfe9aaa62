//! A headless game for tests: no window, no assets, one tick a frame.
// Each test file uses its own part of this.
#![allow(dead_code)]

use std::time::Duration;

use bevy::ecs::system::RunSystemOnce;
use bevy::prelude::*;
use bevy::state::app::StatesPlugin;
use bevy::time::TimeUpdateStrategy;
use bevy_projectile_pool::ProjectileRef;
use bevy_projectile_pool::prelude::*;
use bullet_hell::game::{ARENA_BOUNDS, Arena, Bullet, GamePlugin, GameState, bullet_hash};

/// What a test can know of a live projectile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    pub id: ProjectileId,
    pub position: Vec2,
    pub velocity: Vec2,
    pub age: u32,
    pub bullet: Bullet,
}

/// An app with a pool and the game, after its first (empty) update.
pub fn game(strategy: PoolingStrategy, plugin: GamePlugin) -> App {
    let settings = ProjectileSettings { bounds: Some(ARENA_BOUNDS), record_retired: true, ..default() };
    let pool = ProjectilePoolPlugin::<Bullet>::new("bullets")
        .strategy(strategy)
        .settings(settings)
        .payload_hash(bullet_hash)
        .checksum(true);
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, StatesPlugin, pool, plugin));
    let step = app.world().resource::<Time<Fixed>>().timestep();
    frame_time(&mut app, step);
    app.update();
    app
}

/// The autopilot's game with a seed.
pub fn autoplay(strategy: PoolingStrategy, seed: u64) -> App {
    game(strategy, GamePlugin { seed, autoplay: true, density: 1.0 })
}

/// A game under way that a test's hand plays, with a ship that can be hit. For 60 ticks no enemy
/// comes.
pub fn calm(strategy: PoolingStrategy) -> App {
    let mut app = game(strategy, GamePlugin { seed: 1, ..default() });
    go_to(&mut app, GameState::Playing);
    app.world_mut().resource_mut::<Arena>().ship.safe = 0;
    app
}

/// Sets how long each frame is from now on.
pub fn frame_time(app: &mut App, frame: Duration) {
    app.insert_resource(TimeUpdateStrategy::ManualDuration(frame));
}

/// Runs frames; with the default frame time each is one tick.
pub fn frames(app: &mut App, count: usize) {
    for _ in 0..count {
        app.update();
    }
}

/// Changes the state and runs the frame in which the change happens.
pub fn go_to(app: &mut App, state: GameState) {
    app.world_mut().resource_mut::<NextState<GameState>>().set(state);
    app.update();
    assert_eq!(this_state(app), state);
}

pub fn this_state(app: &App) -> GameState {
    *app.world().resource::<State<GameState>>().get()
}

pub fn arena(app: &App) -> &Arena {
    app.world().resource::<Arena>()
}

pub fn arena_mut(app: &mut App) -> Mut<'_, Arena> {
    app.world_mut().resource_mut::<Arena>()
}

pub fn set_strategy(app: &mut App, strategy: PoolingStrategy) {
    app.world_mut().resource_mut::<ActiveStrategy<Bullet>>().set(strategy);
}

/// Asks for a projectile; it lives from the next tick on.
pub fn spawn(app: &mut App, projectile: Projectile<Bullet>) -> ProjectileId {
    let spawn_one = move |mut spawner: ProjectileSpawner<Bullet>| spawner.spawn(projectile);
    app.world_mut().run_system_once(spawn_one).expect("the pool is there")
}

/// Every live projectile, by id.
pub fn seen(app: &mut App) -> Vec<Seen> {
    let list = |projectiles: Projectiles<Bullet>| {
        let see = |it: ProjectileRef<Bullet>| Seen {
            id: it.id(),
            position: it.position(),
            velocity: it.velocity(),
            age: it.age(),
            bullet: *it.payload(),
        };
        projectiles.iter().map(see).collect::<Vec<_>>()
    };
    let mut all = app.world_mut().run_system_once(list).expect("the pool is there");
    all.sort_by_key(|it| it.id);
    all
}

/// The ends of the last tick.
pub fn ends(app: &App) -> Vec<(ProjectileId, RetireReason)> {
    app.world().resource::<RetiredProjectiles<Bullet>>().iter().map(|end| (end.id, end.reason)).collect()
}

/// The checksum over all ticks so far.
pub fn checksum(app: &App) -> u64 {
    app.world().resource::<PoolChecksum<Bullet>>().run()
}
