//! What the demo does where no window can be opened: the pilot plays the same game in each strategy, and a table tells
//! how the strategies did.

use std::{
    io::{self, Write},
    process::{Command, Stdio},
};

use bevy_projectile_pool::prelude::PoolingStrategy;

use crate::{Error, cli::Options, report::Report};

/// The density of each run: thousands of projectiles, so that there is something to measure.
const DENSITY: f32 = 4.0;

/// Plays in each strategy, each in a process of its own so that none finds the memory that another left, and prints the
/// table on standard output.
///
/// # Errors
/// If a run fails, or the runs do not agree on their checksum.
pub fn run(options: &Options) -> Result<(), Error> {
    let mut reports = Vec::new();
    for strategy in PoolingStrategy::ALL {
        let (run, runs, ticks) = (reports.len() + 1, PoolingStrategy::ALL.len(), options.contest_ticks);
        crate::say(format_args!("run {run} of {runs}: {strategy}, {ticks} ticks"));
        reports.push(run_one(options, strategy)?);
    }
    print_table(&reports, options).map_err(Error::Output)?;
    match reports.iter().all(|report| report.checksum == reports[0].checksum) {
        true => Ok(()),
        false => Err(Error::Disagreement),
    }
}

fn run_one(options: &Options, strategy: PoolingStrategy) -> Result<Report, Error> {
    let program = std::env::current_exe().map_err(Error::Process)?;
    let mut command = Command::new(program);
    command.args(["--headless", "--report", "-", "--strategy", strategy.name()]);
    command.args(["--ticks", &options.contest_ticks.to_string(), "--seed", &options.seed().to_string()]);
    match options.stress {
        Some(per_tick) => command.args(["--stress", &per_tick.to_string()]),
        None => command.args(["--density", &density(options).to_string()]),
    };
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output().map_err(Error::Process)?;
    if !output.status.success() {
        return Err(Error::RunFailed { strategy, status: output.status });
    }
    serde_json::from_slice(&output.stdout).map_err(|error| Error::Process(io::Error::other(error)))
}

/// At least [`DENSITY`], or more if the user asked for more.
fn density(options: &Options) -> f32 {
    options.density.max(DENSITY)
}

fn print_table(reports: &[Report], options: &Options) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{:<20} {:>9} {:>9} {:>7} {:>8}  checksum", "strategy", "p50 ms", "p99 ms", "N", "peak")?;
    for Report { strategy, tick_ms, peak, checksum, .. } in reports {
        let figure = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"));
        let (p50, p99) = (figure(tick_ms.p50), figure(tick_ms.p99));
        writeln!(out, "{strategy:<20} {p50:>9} {p99:>9} {:>7} {peak:>8}  {checksum}", tick_ms.n)?;
    }
    let scene = match options.stress {
        Some(per_tick) => format!("the reference stream of {per_tick} projectiles a tick"),
        None => format!("the game at density {}", density(options)),
    };
    writeln!(
        out,
        "{scene}, seed {}; tick series: one run of the pool's schedule with all that the app does in it",
        options.seed()
    )
}
