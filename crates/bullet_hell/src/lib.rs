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

use std::{
    fmt::Display,
    io::{self, Write},
};

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
            Ok(_display) => return Ok(windowed::run(&options)),
            Err(missing) if options.windowed => return Err(missing.into()),
            Err(missing) => say(format_args!("{missing}; it runs without a window now")),
        }
        if !options.is_a_run() {
            return contest::run(&options).map(|()| AppExit::Success);
        }
        options.headless = true;
    }
    headless::run(&options).map(|()| AppExit::Success)
}

/// Says a sentence on standard error. If nobody can hear it, the work goes on.
pub fn say(sentence: impl Display) {
    let _ = writeln!(io::stderr(), "bullet_hell: {sentence}");
}
