//! What can go wrong, each in one sentence for the user.

use std::{io, path::PathBuf, process::ExitStatus};

use bevy_projectile_pool::prelude::PoolingStrategy;
use thiserror::Error;

use crate::display::Missing;

/// Why the demo did not do what was asked.
#[derive(Debug, Error)]
pub enum Error {
    /// No window or picture is possible here.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// The simulation stands still before its limit.
    #[error("the simulation stands still after {ticks} ticks")]
    Stuck {
        /// Ticks run.
        ticks: u64,
    },
    /// The picture was drawn and not saved.
    #[error("the picture was not saved: {0}")]
    Picture(String),
    /// The renderer gave no picture.
    #[error("the renderer gave no picture")]
    NoPicture,
    /// A table was not written.
    #[error("the table was not written: {0}")]
    Output(#[source] io::Error),
    /// A report was not written.
    #[error("the report was not written to {}: {error}", path.display())]
    Report {
        /// Where it should be.
        path: PathBuf,
        /// Why it is not.
        #[source]
        error: io::Error,
    },
    /// A run's own process did not start or did not answer.
    #[error("a run in a process of its own failed: {0}")]
    Process(#[source] io::Error),
    /// A run's own process failed.
    #[error("the run with {strategy} failed ({status})")]
    RunFailed {
        /// Its strategy.
        strategy: PoolingStrategy,
        /// How it ended.
        status: ExitStatus,
    },
    /// The strategies did not simulate the same game.
    #[error("the strategies do not agree on the checksum: this is a bug, please report it")]
    Disagreement,
}
