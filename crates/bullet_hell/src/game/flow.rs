//! Title, playing, paused, game over: who may change what, and how time follows.

use bevy::prelude::*;
use bevy::time::Fixed;
use bevy_projectile_pool::prelude::clear_projectiles;

use super::arena::Arena;
use super::bullet::Bullet;
use super::events::GameEvents;
use super::input::Controls;
use super::pilot::Pilot;
use super::{BestScore, GameConfig, GameRng};

/// Where the player is. Time runs in `Playing` only.
#[derive(States, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GameState {
    /// Before a game.
    #[default]
    Title,
    /// In a game.
    Playing,
    /// In a game that stands still.
    Paused,
    /// After a game.
    GameOver,
}

/// Stops virtual time outside of [`GameState::Playing`]. Runs before time is advanced and looks at
/// the state that the coming frame will have, so not one tick is lost or too many. It acts on
/// changes only: somebody else's pause during a game stays.
pub(super) fn time_follows_state(
    state: Res<State<GameState>>,
    next: Res<NextState<GameState>>,
    mut time: ResMut<Time<Virtual>>,
    mut ran: Local<Option<bool>>,
) {
    let coming = match &*next {
        NextState::Pending(coming) => *coming,
        NextState::Unchanged => *state.get(),
    };
    let runs = coming == GameState::Playing;
    if ran.replace(runs) != Some(runs) {
        if runs {
            time.unpause();
        } else {
            time.pause();
        }
    }
}

/// Enter, Space, Esc, P, R, Q: moves between the states. Does nothing without a keyboard.
pub(super) fn read_state_keys(
    keys: Option<Res<ButtonInput<KeyCode>>>,
    state: Res<State<GameState>>,
    mut next: ResMut<NextState<GameState>>,
    mut commands: Commands,
) {
    let Some(keys) = keys else { return };
    let pressed = |options: &[KeyCode]| keys.any_just_pressed(options.iter().copied());
    let pause = pressed(&[KeyCode::Escape, KeyCode::KeyP]);
    match state.get() {
        GameState::Title if pressed(&[KeyCode::Enter, KeyCode::NumpadEnter, KeyCode::Space]) => {
            next.set(GameState::Playing);
        }
        GameState::Playing if pause => next.set(GameState::Paused),
        GameState::Paused if pause => next.set(GameState::Playing),
        GameState::Paused if pressed(&[KeyCode::KeyR]) => {
            commands.queue(reset_game);
            next.set(GameState::Playing);
        }
        GameState::GameOver if pressed(&[KeyCode::KeyR, KeyCode::Enter, KeyCode::NumpadEnter]) => {
            next.set(GameState::Playing);
        }
        GameState::Paused | GameState::GameOver if pressed(&[KeyCode::KeyQ]) => next.set(GameState::Title),
        _ => {}
    }
}

/// Begins a new game with the same seed: no projectiles, a new arena, no orders left over. Runs
/// by itself when the title is entered or the game-over screen is left; the state stays as it is.
pub fn reset_game(world: &mut World) {
    clear_projectiles::<Bullet>(world);
    let seed = world.get_resource::<GameConfig>().map_or(0, |config| config.seed);
    world.insert_resource(GameRng::new(seed));
    world.insert_resource(Arena::default());
    world.insert_resource(Controls::default());
    world.insert_resource(Pilot::default());
    world.insert_resource(GameEvents::default());
}

/// Ends the game with the last life, also in the middle of a frame with several ticks.
pub(super) fn end_game(
    arena: Res<Arena>,
    state: Res<State<GameState>>,
    mut best: ResMut<BestScore>,
    mut next: ResMut<NextState<GameState>>,
    fixed: Option<ResMut<Time<Fixed>>>,
) {
    best.0 = best.0.max(arena.score);
    if !arena.is_over() || *state.get() != GameState::Playing {
        return;
    }
    next.set(GameState::GameOver);
    // The rest of a long frame belongs to no game.
    if let Some(mut fixed) = fixed {
        let rest = fixed.overstep();
        fixed.discard_overstep(rest);
    }
}
