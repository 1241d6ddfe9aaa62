//! A bullet-hell game on `bevy_projectile_pool`: play it, and change how its projectiles are stored.
#![deny(missing_docs)]

/// The code of the project's README, compiled.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct ProjectReadme;

pub mod app;
pub mod cli;
pub mod contest;
pub mod display;
mod error;
pub mod game;
pub mod headless;
pub mod hud;
pub mod overlay;
pub mod report;
pub mod shot;
pub mod stress;
pub mod stress_view;
pub mod windowed;

use bevy::app::AppExit;

use cli::Options;
pub use error::Error;

/// Does what the options say: plays in a window, runs without one, or says why it cannot.
///
/// # Errors
/// If what was asked for cannot be done; the error is one sentence for the user.
pub fn run(mut options: Options) -> Result<AppExit, Error> {
    if !options.headless {
        match display::check_window() {
            Ok(()) => return Ok(windowed::run(&options)),
            Err(missing) if options.windowed => return Err(missing.into()),
            Err(missing) => eprintln!("bullet_hell: {missing}; it runs without a window now"),
        }
        if !options.is_a_run() {
            return contest::run(&options).map(|()| AppExit::Success);
        }
        options.headless = true;
    }
    let report = headless::run(&options)?;
    match &options.report {
        Some(path) => report.write(path).map_err(Error::Output)?,
        None => eprintln!("{}", report.summary()),
    }
    Ok(AppExit::Success)
}
