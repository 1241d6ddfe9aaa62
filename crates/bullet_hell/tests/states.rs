//! Title, playing, paused, game over: keys, a clock that stands still, a level that is left clean.

mod common;

use bevy::prelude::*;
use bevy_projectile_pool::prelude::*;
use bullet_hell::game::{Arena, BOMBS, Bullet, GamePlugin, GameState, LIVES};
use common::*;

/// A game with a keyboard, at its title.
fn with_keys(strategy: PoolingStrategy) -> App {
    let mut app = game(strategy, GamePlugin { seed: 5, ..default() });
    app.init_resource::<ButtonInput<KeyCode>>();
    app
}

fn keys(app: &mut App) -> Mut<'_, ButtonInput<KeyCode>> {
    app.world_mut().resource_mut::<ButtonInput<KeyCode>>()
}

/// Presses a key for one frame, and runs the frame in which a change of state happens.
fn tap(app: &mut App, key: KeyCode) {
    keys(app).press(key);
    app.update();
    keys(app).release(key);
    keys(app).clear();
    app.update();
}

#[test]
fn the_keys_lead_through_all_states() {
    let mut app = with_keys(PoolingStrategy::ParallelArrays);
    assert_eq!(this_state(&app), GameState::Title);
    for (key, state) in [
        (KeyCode::KeyR, GameState::Title),
        (KeyCode::Enter, GameState::Playing),
        (KeyCode::Escape, GameState::Paused),
        (KeyCode::KeyP, GameState::Playing),
        (KeyCode::KeyP, GameState::Paused),
        (KeyCode::KeyR, GameState::Playing),
        (KeyCode::Escape, GameState::Paused),
        (KeyCode::KeyQ, GameState::Title),
        (KeyCode::Space, GameState::Playing),
    ] {
        tap(&mut app, key);
        assert_eq!(this_state(&app), state, "after {key:?}");
    }
    arena_mut(&mut app).ship.lives = 0;
    frames(&mut app, 2);
    assert_eq!(this_state(&app), GameState::GameOver);
    tap(&mut app, KeyCode::KeyR);
    assert_eq!(this_state(&app), GameState::Playing);
    assert_eq!(arena(&app).ship.lives, LIVES);
}

#[test]
fn the_title_waits() {
    let mut app = with_keys(PoolingStrategy::ParallelArrays);
    frames(&mut app, 30);
    assert_eq!(*arena(&app), Arena::default());
    assert_eq!(app.world().resource::<ProjectileClock>().ticks(), 0);
}

#[test]
fn paused_for_sixty_frames_nothing_moves_whatever_the_storage_does() {
    for (index, strategy) in PoolingStrategy::ALL.into_iter().enumerate() {
        let mut app = autoplay(strategy, 7);
        frames(&mut app, 400);
        app.world_mut().resource_mut::<NextState<GameState>>().set(GameState::Paused);
        let before = (seen(&mut app), arena(&app).clone(), checksum(&app));
        assert!(before.0.len() > 50, "{strategy}: too few to tell: {}", before.0.len());
        for frame in 0..60 {
            app.update();
            if frame == 20 {
                set_strategy(&mut app, PoolingStrategy::ALL[(index + 1) % 3]);
            }
        }
        assert_eq!((seen(&mut app), arena(&app).clone(), checksum(&app)), before, "{strategy}: moved while paused");
        assert_eq!(app.world().resource::<ProjectileClock>().overstep_secs(), 0.0, "{strategy}");
        let now = app.world().resource::<ActiveStrategy<Bullet>>().get();
        assert_eq!(now, PoolingStrategy::ALL[(index + 1) % 3]);

        // One frame later exactly one tick has run, as if there had been no pause.
        go_to(&mut app, GameState::Playing);
        assert_eq!(arena(&app).tick, before.1.tick + 1, "{strategy}: a burst on resume");
        let mut straight = autoplay(strategy, 7);
        frames(&mut straight, 401);
        assert_eq!(seen(&mut app), seen(&mut straight), "{strategy}");
    }
}

#[test]
fn leaving_a_game_leaves_nothing_behind() {
    for strategy in PoolingStrategy::ALL {
        // To the title, in each of the ways that lead there.
        let mut app = with_keys(strategy);
        for way in [GameState::Paused, GameState::GameOver] {
            go_to(&mut app, GameState::Playing);
            frames(&mut app, 400);
            assert!(seen(&mut app).len() > 20, "{strategy}");
            go_to(&mut app, way);
            // One that still waits for its first tick goes too.
            spawn(&mut app, Projectile::new(Vec2::ZERO, Vec2::ZERO));
            go_to(&mut app, GameState::Title);
            assert!(seen(&mut app).is_empty(), "{strategy}: from {way:?}");
            assert_eq!(*arena(&app), Arena::default(), "{strategy}: from {way:?}");
            let stats = app.world().resource::<PoolStats<Bullet>>();
            assert_eq!(stats.live, 0, "{strategy}: from {way:?}");
        }
        go_to(&mut app, GameState::Playing);
        app.update();
        assert!(seen(&mut app).is_empty(), "{strategy}: a waiting projectile came back");

        // A restart from the pause.
        frames(&mut app, 400);
        tap(&mut app, KeyCode::Escape);
        tap(&mut app, KeyCode::KeyR);
        assert_eq!(arena(&app).tick, 1, "{strategy}");
        assert!(seen(&mut app).is_empty(), "{strategy}");
    }
}

#[test]
fn a_press_waits_for_its_tick_and_is_used_once() {
    let mut app = with_keys(PoolingStrategy::ParallelArrays);
    tap(&mut app, KeyCode::Enter);
    let step = app.world().resource::<Time<Fixed>>().timestep();

    // Down and up within one frame of four that make up a tick: none of them is lost.
    frame_time(&mut app, step / 4);
    keys(&mut app).press(KeyCode::KeyX);
    keys(&mut app).release(KeyCode::KeyX);
    app.update();
    keys(&mut app).clear();
    frames(&mut app, 4);
    assert_eq!(arena(&app).ship.bombs, BOMBS - 1);

    // Held over fifteen ticks in one frame, and over many more: one press, one bomb.
    frames(&mut app, 4 * 30);
    assert!(arena(&app).bomb.is_none());
    frame_time(&mut app, step * 15);
    let before = arena(&app).tick;
    keys(&mut app).press(KeyCode::KeyX);
    app.update();
    keys(&mut app).clear();
    assert!(arena(&app).tick > before + 13);
    assert_eq!(arena(&app).ship.bombs, BOMBS - 2);
    frames(&mut app, 4);
    assert_eq!(arena(&app).ship.bombs, BOMBS - 2);
}

#[test]
fn keys_fly_the_ship_and_shift_slows_it() {
    let mut app = with_keys(PoolingStrategy::ParallelArrays);
    tap(&mut app, KeyCode::Enter);
    let flown = |app: &mut App, held: &[KeyCode]| {
        for &key in held {
            keys(app).press(key);
        }
        let start = arena(app).ship.position;
        frames(app, 10);
        keys(app).reset_all();
        arena(app).ship.position - start
    };
    let free = flown(&mut app, &[KeyCode::ArrowRight]);
    let focused = flown(&mut app, &[KeyCode::KeyD, KeyCode::ShiftLeft]);
    assert!(free.x > 2.0 * focused.x && focused.x > 5.0, "{free} {focused}");
    let slanted = flown(&mut app, &[KeyCode::KeyW, KeyCode::KeyA]);
    assert!((slanted.length() - free.x).abs() < 0.1, "{slanted}");
    assert_eq!(flown(&mut app, &[KeyCode::ArrowUp, KeyCode::ArrowDown]), Vec2::ZERO);
    flown(&mut app, &[KeyCode::Space]);
    assert!(!seen(&mut app).is_empty(), "Space shoots");
}
