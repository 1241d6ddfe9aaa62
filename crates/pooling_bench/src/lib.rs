//! The bench of `bevy_projectile_pool`: reproduces a published article on pooling, measures the plugin's strategies beside
//! hand-written baselines, and writes the findings. The README says how to use it.

pub mod article;
pub mod cli;
pub mod compare;
pub mod counting;
pub mod error;
pub mod findings;
pub mod frames;
pub mod memory;
pub mod meter;
pub mod node;
pub mod plots;
pub mod pools;
pub mod prices;
pub mod record;
pub mod report;
pub mod runner;
pub mod samples;
pub mod spec;
pub mod stale;
pub mod strategies;
pub mod stream;
pub mod suites;
pub mod tail;
pub mod targets;

use std::process::ExitCode;

use clap::{Parser, error::ErrorKind};

pub use error::Error;

/// The program: reads the command line, measures, prints. Its exit code is 0 only if all went well and every checksum is
/// right.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            print!("{error}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            let text = error.to_string();
            let sentence = text.lines().next().unwrap_or_default();
            eprintln!("pooling_bench: {} (--help lists the options)", sentence.trim_start_matches("error: "));
            return ExitCode::from(2);
        }
    };
    match suites::run(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pooling_bench: {error}");
            ExitCode::from(error.code())
        }
    }
}
