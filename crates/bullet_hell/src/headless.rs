//! Runs the demo without a window, one tick a frame, as fast as it goes.

use std::{path::Path, time::Instant};

use bevy::{app::PluginsState, prelude::*};
use bevy_frame_percentiles::FrameRecorder;
use bevy_projectile_pool::prelude::ProjectileClock;
use indicatif::{ProgressBar, ProgressStyle};

use crate::{
    Error,
    app::{RunLimit, Surface, demo},
    cli::Options,
    display::check_driver,
    hud::GameRenderTarget,
    report::Report,
    say,
    shot::{self, Shot},
};

/// Frames after which a run that does not tick is given up.
const PATIENCE: u32 = 100;
/// Frames after which a picture that has not come is given up.
const SHOT_PATIENCE: u32 = 600;

/// Runs to the limit of the options, writes the report, and saves the picture if one is wanted.
///
/// # Errors
/// If the report cannot be written, or a picture is wanted and cannot be drawn or saved.
pub fn run(options: &Options) -> Result<(), Error> {
    let surface = if options.screenshot.is_some() { Surface::Image } else { Surface::Nothing };
    if surface == Surface::Image {
        check_driver()?;
    }
    let mut app = demo(options, surface);
    while app.plugins_state() == PluginsState::Adding {
        bevy::tasks::tick_global_task_pools_on_main_thread();
    }
    app.finish();
    app.cleanup();
    run_ticks(&mut app)?;
    let report = Report::of(app.world(), options.seed());
    match &options.report {
        Some(path) => report.write(path).map_err(|error| Error::Report { path: path.clone(), error })?,
        None => say(report.summary()),
    }
    if let Some(path) = &options.screenshot {
        take_shot(&mut app, path)?;
    }
    Ok(())
}

/// Updates the app until its limit is reached.
fn run_ticks(app: &mut App) -> Result<(), Error> {
    let limit = app.world().resource::<RunLimit>().ticks.unwrap_or(0);
    let progress = progress_bar(limit);
    let (mut ticks, mut idle) = (0, 0);
    app.update(); // the first frame has no time to it, and does not count
    app.world_mut().resource_mut::<FrameRecorder>().reset();
    while ticks < limit {
        app.update();
        let now = app.world().resource::<ProjectileClock>().ticks();
        idle = if now == ticks { idle + 1 } else { 0 };
        if idle > PATIENCE {
            return Err(Error::Stuck { ticks });
        }
        ticks = now;
        progress.set_position(ticks);
    }
    app.world_mut().resource_mut::<FrameRecorder>().begin_frame(Instant::now()); // ends the last frame
    progress.finish_and_clear();
    Ok(())
}

fn progress_bar(limit: u64) -> ProgressBar {
    // On a terminal it draws itself on standard error; elsewhere it is silent.
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} ticks, {eta} left");
    let bar = ProgressBar::new(limit);
    style.map(|style| bar.clone().with_style(style)).unwrap_or(bar)
}

fn take_shot(app: &mut App, path: &Path) -> Result<(), Error> {
    let target = app.world().resource::<GameRenderTarget>().0.clone();
    shot::request(app.world_mut(), target, path);
    for _ in 0..SHOT_PATIENCE {
        app.update();
        if let Some(result) = app.world_mut().resource_mut::<Shot>().take() {
            return result.map_err(Error::Picture);
        }
    }
    Err(Error::NoPicture)
}
