//! A seed and the inputs give the same game: in every storage, with switches, at every frame rate.

mod common;

use std::time::Duration;

use bevy::prelude::*;
use bevy_projectile_pool::prelude::*;
use bullet_hell::game::{Arena, Bullet, Controls, Density, GamePlugin, GameState, reset_game};
use common::*;

const TICKS: usize = 1_800;

/// The run's checksum and the arena after some ticks of autoplay.
fn outcome(mut app: App, ticks: usize, mut each_tick: impl FnMut(&mut App, usize)) -> (u64, Arena) {
    for tick in 0..ticks {
        each_tick(&mut app, tick);
        app.update();
    }
    (checksum(&app), arena(&app).clone())
}

#[test]
fn every_storage_and_every_switch_plays_the_same_game() {
    let expected = outcome(autoplay(PoolingStrategy::ParallelArrays, 7), TICKS, |_, _| ());
    let (_, arena) = &expected;
    assert_eq!(arena.tick, TICKS as u64);
    assert!(arena.score > 0 && arena.kills > 0 && arena.grazes > 0, "hardly a game: {arena:?}");

    for strategy in [PoolingStrategy::DespawnRespawn, PoolingStrategy::ComponentRecycling] {
        assert_eq!(outcome(autoplay(strategy, 7), TICKS, |_, _| ()), expected, "{strategy}");
    }
    let rotate = |app: &mut App, tick: usize| {
        let all = PoolingStrategy::ALL;
        set_strategy(app, all[tick % all.len()]);
    };
    let switched = outcome(autoplay(PoolingStrategy::ParallelArrays, 7), TICKS, rotate);
    assert_eq!(switched, expected, "a switch at each tick");

    let other_seed = outcome(autoplay(PoolingStrategy::ParallelArrays, 8), TICKS, |_, _| ());
    assert_ne!(other_seed.0, expected.0);
}

#[test]
fn the_frame_rate_does_not_matter() {
    let reach = |frame: Duration| {
        let mut app = autoplay(PoolingStrategy::ParallelArrays, 7);
        frame_time(&mut app, frame);
        while arena(&app).tick < 600 {
            app.update();
        }
        (checksum(&app), arena(&app).clone())
    };
    let step = autoplay(PoolingStrategy::ParallelArrays, 7).world().resource::<Time<Fixed>>().timestep();
    let expected = reach(step);
    assert_eq!(expected.1.tick, 600);
    assert_eq!(reach(step / 3), expected, "three frames a tick");
    assert_eq!(reach(step * 6), expected, "six ticks a frame");
}

#[test]
fn a_restart_plays_the_same_game_again() {
    let mut app = game(PoolingStrategy::ComponentRecycling, GamePlugin { seed: 3, ..default() });
    go_to(&mut app, GameState::Playing);
    let play = |app: &mut App| {
        let mut snapshots = Vec::new();
        for tick in 0..400_u32 {
            let mut controls = app.world_mut().resource_mut::<Controls>();
            controls.fire = true;
            controls.direction = Vec2::from_angle(tick as f32 * 0.05);
            if tick == 300 {
                controls.press_bomb();
            }
            app.update();
            if tick % 20 == 0 {
                snapshots.push(arena(app).clone());
            }
        }
        snapshots
    };
    reset_game(app.world_mut());
    let first = play(&mut app);
    assert!(first.last().is_some_and(|arena| arena.score > 0), "{first:?}");
    app.world_mut().resource_mut::<Controls>().press_bomb();
    reset_game(app.world_mut());
    assert!(seen(&mut app).is_empty());
    assert_eq!(*arena(&app), Arena::default());
    assert_eq!(play(&mut app), first);
}

#[test]
fn density_multiplies_projectiles_and_bad_values_are_harmless() {
    let spawned = |density: f32| {
        let mut app = game(PoolingStrategy::ParallelArrays, GamePlugin { seed: 7, autoplay: true, density });
        frames(&mut app, 600);
        app.world().resource::<PoolStats<Bullet>>().spawned
    };
    let [least, normal, most] = [Density::MIN, 1.0, Density::MAX].map(spawned);
    assert!(least < normal && normal * 3 < most, "{least} {normal} {most}");
    assert_eq!(spawned(0.0), least);
    assert_eq!(spawned(-5.0), least);
    assert_eq!(spawned(f32::NAN), normal);
    assert_eq!(spawned(f32::INFINITY), most);
}
