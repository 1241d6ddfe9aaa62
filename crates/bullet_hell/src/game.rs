//! The game itself: everything that a seed and the player's inputs decide, and nothing that is drawn.
//!
//! All of it runs in the pool's schedule, 60 ticks a second, so that the same seed and inputs give
//! the same game in every storage, at every frame rate, with a window or without:
//!
//! - `Fire`: orders are taken, the ship flies and shoots, waves arrive, enemies move and fire;
//! - `Steer`: petals bend their course;
//! - `Hit`: the bomb spreads, then the ship and then the enemies are hit;
//! - `React`: the game may end.

mod arena;
mod bullet;
mod enemies;
mod events;
mod flow;
mod gunnery;
mod hits;
mod input;
mod patterns;
mod pilot;
mod ship;
mod sweep;
mod waves;

use bevy::app::{RunFixedMainLoop, RunFixedMainLoopSystem};
use bevy::prelude::*;
use bevy::time::TimeSystem;
use bevy_projectile_pool::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;

pub use arena::{
    ARENA_BOUNDS, Arena, BOMB_TICKS, BOMBS, Bomb, CLEAR_RADIUS, GRAZE_RADIUS, HIT_RADIUS, LIVES, PICTURE, PLAYFIELD,
    SAFE_TICKS, Ship,
};
pub use bullet::{Bullet, Kind, Side, bullet_hash, look};
pub use enemies::{Enemy, EnemyKind};
pub use events::{GameEvent, GameEvents};
pub use flow::{GameState, reset_game};
pub use gunnery::boss_phase;
pub use input::{Controls, Orders};
pub use waves::{BOSS_EVERY, Director};

use bullet::{PETAL_BEND, PETAL_BEND_TICKS};
use gunnery::Gunnery;
use pilot::Pilot;

/// Ticks in a second of play.
pub const TICKS_PER_SECOND: f64 = 60.0;

/// Adds the simulation. The app also needs `StatesPlugin` and a pool of [`Bullet`]; it needs no
/// window, no assets and no keyboard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GamePlugin {
    /// Seeds the random numbers; every game of this app uses it.
    pub seed: u64,
    /// A simple pilot plays, from the first tick on, and loses no lives.
    pub autoplay: bool,
    /// The first value of [`Density`].
    pub density: f32,
}

impl Default for GamePlugin {
    fn default() -> Self {
        Self { seed: 0, autoplay: false, density: 1.0 }
    }
}

/// How the game was set up; fixed for the life of the app.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameConfig {
    /// Seeds the random numbers of every game.
    pub seed: u64,
    /// Whether the pilot plays.
    pub autoplay: bool,
}

/// Multiplies the projectiles of every enemy pattern. May be changed at any time.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub struct Density(pub f32);

/// The best score since the app started, in points.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BestScore(pub u64);

/// The game's random numbers, drawn only where the order is fixed.
#[derive(Resource)]
struct GameRng(StdRng);

impl Density {
    /// The least that has an effect.
    pub const MIN: f32 = 0.25;
    /// The most that has an effect.
    pub const MAX: f32 = 8.0;

    /// The factor in use: within [`Density::MIN`] and [`Density::MAX`], and 1 for what is no number.
    pub fn factor(self) -> f32 {
        if self.0.is_nan() { 1.0 } else { self.0.clamp(Self::MIN, Self::MAX) }
    }
}

impl Default for Density {
    fn default() -> Self {
        Self(1.0)
    }
}

impl GameRng {
    fn new(seed: u64) -> Self {
        Self(StdRng::seed_from_u64(seed))
    }
}

impl Plugin for GamePlugin {
    fn build(&self, app: &mut App) {
        if self.autoplay {
            app.insert_state(GameState::Playing);
        } else {
            app.init_state::<GameState>();
        }
        app.insert_resource(Time::<Fixed>::from_hz(TICKS_PER_SECOND))
            .insert_resource(GameConfig { seed: self.seed, autoplay: self.autoplay })
            .insert_resource(Density(self.density))
            .insert_resource(GameRng::new(self.seed))
            .init_resource::<Arena>()
            .init_resource::<BestScore>()
            .init_resource::<Controls>()
            .init_resource::<Pilot>()
            .init_resource::<GameEvents>()
            .add_systems(First, flow::time_follows_state.before(TimeSystem))
            .add_systems(
                RunFixedMainLoop,
                input::read_ship_keys
                    .in_set(RunFixedMainLoopSystem::BeforeFixedMainLoop)
                    .run_if(in_state(GameState::Playing)),
            )
            .add_systems(Update, flow::read_state_keys)
            .add_systems(OnEnter(GameState::Title), reset_game)
            .add_systems(OnExit(GameState::GameOver), reset_game)
            .add_systems(
                ProjectileTick,
                (
                    (fly_ship, advance_enemies).chain().in_set(ProjectileSystems::Fire).run_if(game_runs),
                    bend_petals.in_set(ProjectileSystems::Steer).run_if(game_runs),
                    (hits::spread_bomb, hits::hit_ship, hits::hit_enemies)
                        .chain()
                        .in_set(ProjectileSystems::Hit)
                        .run_if(game_runs),
                    flow::end_game.in_set(ProjectileSystems::React),
                ),
            );
    }
}

fn game_runs(state: Res<State<GameState>>, arena: Res<Arena>) -> bool {
    *state.get() == GameState::Playing && !arena.is_over()
}

fn fly_ship(
    mut arena: ResMut<Arena>,
    mut controls: ResMut<Controls>,
    mut pilot: ResMut<Pilot>,
    mut events: ResMut<GameEvents>,
    mut spawner: ProjectileSpawner<Bullet>,
    projectiles: Projectiles<Bullet>,
    config: Res<GameConfig>,
    clock: Res<ProjectileClock>,
) {
    arena.tick += 1;
    // Taken in any case, so that no press waits for the end of an autopilot's game.
    let mut orders = controls.take_orders();
    if config.autoplay {
        orders = pilot.decide(&arena, &projectiles);
    }
    arena.ship.advance(&orders, clock.delta_secs());
    arena.ship.shoot(&orders, &mut spawner);
    if orders.bomb && arena.drop_bomb() {
        events.push(GameEvent::Bombed(arena.ship.position));
    }
}

fn advance_enemies(
    mut arena: ResMut<Arena>,
    mut rng: ResMut<GameRng>,
    mut spawner: ProjectileSpawner<Bullet>,
    density: Res<Density>,
) {
    let Arena { director, enemies, ship, .. } = &mut *arena;
    director.advance(enemies, &mut rng.0);
    let mut gunnery = Gunnery {
        target: ship.position,
        density: density.factor() * director.heat(),
        rng: &mut rng.0,
        spawner: &mut spawner,
    };
    for enemy in enemies.iter_mut() {
        enemy.advance();
        gunnery.fire(enemy);
    }
    enemies.retain(|enemy| !enemy.is_gone());
}

fn bend_petals(mut projectiles: ProjectilesMut<Bullet>) {
    let turn = Vec2::from_angle(PETAL_BEND);
    for mut projectile in projectiles.iter_mut() {
        if projectile.payload().kind == Kind::Petal && projectile.age() < PETAL_BEND_TICKS {
            let bent = turn.rotate(projectile.velocity());
            projectile.set_velocity(bent);
        }
    }
}
