//! Runs the demo in a window, and ends it as the options say.

use std::path::PathBuf;

use bevy::{
    prelude::*,
    render::camera::RenderTarget,
    window::{PrimaryWindow, WindowRef},
};
use bevy_projectile_pool::prelude::{ActiveStrategy, ProjectileClock};

use crate::{
    app::{RunLimit, Surface, demo},
    cli::Options,
    game::{Bullet, GameState},
    report::Report,
    shot::{self, Shot},
};

/// Opens the window and plays until it is closed or the limit is reached.
#[must_use]
pub fn run(options: &Options) -> AppExit {
    let mut app = demo(options, Surface::Window);
    app.insert_resource(Ending {
        seed: options.seed(),
        report: options.report.clone(),
        screenshot: options.screenshot.clone(),
        ended: false,
    })
    .add_systems(Update, entitle)
    .add_systems(Last, end);
    app.run()
}

/// The window's title tells the state of the game and the strategy.
fn entitle(
    state: Option<Res<State<GameState>>>,
    strategy: Res<ActiveStrategy<Bullet>>,
    mut window: Single<&mut Window, With<PrimaryWindow>>,
) {
    let state = match state.map(|state| *state.get()) {
        Some(GameState::Title) => "title",
        Some(GameState::Playing) => "playing",
        Some(GameState::Paused) => "paused",
        Some(GameState::GameOver) => "game over",
        None => "stress",
    };
    let title = format!("bullet hell - {state} - {}", strategy.get());
    if window.title != title {
        window.title = title;
    }
}

/// What is left to do at the end of the run.
#[derive(Resource)]
struct Ending {
    seed: u64,
    report: Option<PathBuf>,
    screenshot: Option<PathBuf>,
    ended: bool,
}

/// At the limit: the picture first, then the end. When the window is closed: the end at once.
fn end(world: &mut World, mut waits_for_shot: Local<bool>) {
    let closed = !world.resource::<Events<AppExit>>().is_empty();
    let reached = world.resource::<RunLimit>().is_reached(world.resource::<ProjectileClock>());
    if world.resource::<Ending>().ended || !(closed || reached) {
        return;
    }
    let mut failure = None;
    if closed && (world.resource::<Ending>().screenshot.is_some() || *waits_for_shot) {
        failure = Some("the window was closed before the picture was taken".to_owned());
    }
    if !closed {
        if let Some(path) = world.resource_mut::<Ending>().screenshot.take() {
            shot::request(world, RenderTarget::Window(WindowRef::Primary), &path);
            *waits_for_shot = true;
        }
        if *waits_for_shot {
            match world.resource_mut::<Shot>().take() {
                None => return,
                Some(saved) => failure = saved.err(),
            }
        }
    }
    let ending = world.resource::<Ending>();
    if let Some(path) = &ending.report
        && let Err(error) = Report::of(world, ending.seed).write(path)
    {
        failure = Some(format!("the report was not written: {error}"));
    }
    world.resource_mut::<Ending>().ended = true;
    let exit = match failure {
        Some(failure) => {
            crate::say(failure);
            AppExit::error()
        }
        None => AppExit::Success,
    };
    world.send_event(exit);
}
