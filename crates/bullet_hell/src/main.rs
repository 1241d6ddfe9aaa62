//! The demo's program: see `bullet_hell --help`.

use std::process::ExitCode;

use bevy::app::AppExit;
use bullet_hell::cli::Options;
use clap::Parser;

fn main() -> ExitCode {
    match bullet_hell::run(Options::parse()) {
        Ok(AppExit::Success) => ExitCode::SUCCESS,
        Ok(AppExit::Error(code)) => ExitCode::from(code.get()),
        Err(error) => {
            bullet_hell::say(error);
            ExitCode::FAILURE
        }
    }
}
