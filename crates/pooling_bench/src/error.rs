//! What can go wrong, each in one sentence for the user.

use std::{io, path::PathBuf, process::ExitStatus};

use thiserror::Error;

/// Why the bench did not do what was asked.
#[derive(Debug, Error)]
pub enum Error {
    /// An option makes no sense.
    #[error("{0}")]
    Option(String),
    /// A cell that a suite does not have.
    #[error("there is no cell \"{cell}\" in {suite}: it has {}", .known.join(", "))]
    UnknownCell {
        /// The suite.
        suite: &'static str,
        /// What was asked for.
        cell: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// A file or folder cannot be written.
    #[error("{} cannot be written: {error}", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// Standard output is gone.
    #[error("the results were not printed: {0}")]
    Print(#[source] io::Error),
    /// A cell's process did not start or its answer could not be read.
    #[error("the cell {cell} could not be run by {}: {error}", program.display())]
    Process {
        /// The cell.
        cell: String,
        /// The program.
        program: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// A cell's process failed.
    #[error("the cell {cell} failed ({status}): {message}")]
    CellFailed {
        /// The cell.
        cell: String,
        /// How it ended.
        status: ExitStatus,
        /// What it said last.
        message: String,
    },
    /// A thread was not started.
    #[error("a thread could not be started: {0}")]
    Thread(#[source] io::Error),
    /// A pool was refused by its crate, or panicked.
    #[error("{cell} could not be measured: {message}")]
    Pool {
        /// The cell.
        cell: String,
        /// Why.
        message: String,
    },
    /// Checksums are not what they must be.
    #[error("wrong checksum: {0}")]
    Checksum(String),
    /// The user stopped it.
    #[error("stopped; what was done is above")]
    Interrupted,
    /// A program that is needed is not there.
    #[error("{0}")]
    Missing(String),
    /// A plot was not drawn.
    #[error("the plot {} was not drawn: {message}", path.display())]
    Plot {
        /// Where.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// A comparison did not come out as demanded.
    #[error("{0}")]
    Verdict(String),
}

impl Error {
    /// The process's exit code.
    #[must_use]
    pub fn code(&self) -> u8 {
        match self {
            Self::Option(_) | Self::UnknownCell { .. } => 2,
            Self::Interrupted => 130,
            _ => 1,
        }
    }
}
