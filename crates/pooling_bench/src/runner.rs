//! Runs cells, each in a process of its own, in an order that treats all alike.

use std::{
    env, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
};

use indicatif::{ProgressBar, ProgressStyle};

use crate::{
    Error, node,
    record::Record,
    spec::{Output, Spec},
};

/// Which program runs a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// This one.
    This,
    /// This one with a counting allocator.
    Counting,
    /// This one with a counting allocator on mimalloc.
    Mimalloc,
    /// The port to JavaScript, in Node.
    Node,
    /// Another build of this one.
    Path(PathBuf),
}

/// A cell to be run: by what, told what, and what its line of results says from the start.
#[derive(Clone, Debug)]
pub struct Job {
    /// By what.
    pub program: Program,
    /// Told what.
    pub spec: Spec,
    /// The start of its line of results.
    pub record: Record,
}

/// A cell that was run.
#[derive(Clone, Debug)]
pub struct Done {
    /// What was to be run.
    pub job: Job,
    /// The how-manieth time, from 1.
    pub repeat: u32,
    /// What it came to.
    pub output: Output,
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Lets Ctrl-C end the run after the cell at hand, so that what is done can be printed.
pub fn stop_at_ctrl_c() {
    // Without a handler Ctrl-C ends the program at once, as ever.
    let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
}

/// Whether the user asked to stop.
#[must_use]
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// The order of `count` cells in a repeat, counted from 1: forwards, then backwards, and so on (A B C C B A).
fn order(count: usize, repeat: u32) -> Box<dyn Iterator<Item = usize>> {
    if repeat % 2 == 1 { Box::new(0..count) } else { Box::new((0..count).rev()) }
}

/// The order of groups that run as often as given: in rounds, each group's repeats evenly spread over them. Of each turn
/// the group and its repeat, counted from 1.
fn turns(repeats: &[u32]) -> Vec<(usize, u32)> {
    let rounds = u64::from(repeats.iter().copied().max().unwrap_or(0));
    let due = |repeats: u32, round: u64| (u64::from(repeats) * round / rounds.max(1)) as u32;
    let of_round = |round: u64| {
        let groups = repeats.iter().enumerate();
        groups.flat_map(move |(group, &all)| (due(all, round - 1) + 1..=due(all, round)).map(move |turn| (group, turn)))
    };
    (1..=rounds).flat_map(of_round).collect()
}

/// Runs each group of cells `repeats` times, interleaved, as [`run_each`] does.
///
/// # Errors
/// If a cell cannot be run or fails.
pub fn run(groups: &[Vec<Job>], repeats: u32) -> Result<Vec<Done>, Error> {
    run_each(groups, &vec![repeats; groups.len()])
}

/// Runs each group of cells as often as said for it, interleaved. The repeats of a group are as far apart as the run
/// allows: a stretch in which the machine is slow then falls on few of them, and the median leaves it out. When the user
/// stops it, returns what was done.
///
/// # Errors
/// If a cell cannot be run or fails.
pub fn run_each(groups: &[Vec<Job>], repeats: &[u32]) -> Result<Vec<Done>, Error> {
    let turns = turns(repeats);
    let progress = progress_bar(turns.iter().map(|&(group, _)| groups[group].len() as u64).sum());
    let mut all = Vec::new();
    let jobs = turns.iter().flat_map(|&(group, repeat)| {
        order(groups[group].len(), repeat).map(move |place| (repeat, &groups[group][place]))
    });
    for (repeat, job) in jobs {
        if interrupted() {
            break;
        }
        progress.set_message(job.record.key());
        match run_one(job) {
            Ok(output) => all.push(Done { job: job.clone(), repeat, output }),
            Err(_) if interrupted() => break,
            Err(error) => return Err(error),
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    // By group, then by cell in the order given, then by repeat.
    let place = |done: &Done| {
        let key = done.job.record.key();
        groups.iter().flatten().position(|job| job.record.key() == key)
    };
    all.sort_by_cached_key(|done| (place(done), done.repeat));
    Ok(all)
}

pub(crate) fn progress_bar(total: u64) -> ProgressBar {
    // On a terminal it draws itself on standard error; elsewhere it is silent.
    let style = ProgressStyle::with_template("{pos}/{len} {wide_bar} {eta} left   {msg}");
    let bar = ProgressBar::new(total);
    style.map(|style| bar.clone().with_style(style)).unwrap_or(bar)
}

/// Runs one cell in a process of its own and reads its answer.
///
/// # Errors
/// If the process does not start, fails, or answers something else.
pub fn run_one(job: &Job) -> Result<Output, Error> {
    let cell = job.spec.cell().to_owned();
    let failed = |program: &Path, error| Error::Process { cell: cell.clone(), program: program.to_owned(), error };
    let mut command = match &job.program {
        Program::Node => node::command(&job.spec)?,
        other => {
            let mut command = Command::new(path_of(other)?);
            let spec = serde_json::to_string(&job.spec).map_err(|error| failed(Path::new("cell"), error.into()))?;
            command.arg("cell").arg(spec);
            command
        }
    };
    let path = PathBuf::from(command.get_program());
    let answer = command.stdin(Stdio::null()).output().map_err(|error| failed(&path, error))?;
    if !answer.status.success() {
        let said = String::from_utf8_lossy(&answer.stderr);
        let message = said.lines().last().unwrap_or("it said nothing").trim().to_owned();
        return Err(Error::CellFailed { cell, status: answer.status, message });
    }
    serde_json::from_slice(&answer.stdout).map_err(|error| failed(&path, error.into()))
}

/// The path of a program of this package. The ones besides this lie beside it; if one is missing or of another build, and
/// this was started by `cargo run`, Cargo builds it.
fn path_of(program: &Program) -> Result<PathBuf, Error> {
    let this =
        env::current_exe().map_err(|error| Error::Missing(format!("this program's path is unknown: {error}")))?;
    let name = match program {
        Program::Path(path) => return Ok(path.clone()),
        Program::This | Program::Node => return Ok(this),
        Program::Counting => "pooling_bench_counting",
        Program::Mimalloc => "pooling_bench_mimalloc",
    };
    let path = this.with_file_name(name).with_extension(env::consts::EXE_EXTENSION);
    if !is_of_this_build(&path) {
        build(name)?;
    }
    let missing =
        || format!("{name} of this build is missing: build all with `cargo build --release -p pooling_bench --bins`");
    if is_of_this_build(&path) { Ok(path) } else { Err(Error::Missing(missing())) }
}

/// Names a build of this package: the same in all its programs, another after any change of what they are made of.
pub const BUILD: &str = env!("BENCH_BUILD");

/// Whether a program is there and says that it is of this build.
fn is_of_this_build(path: &Path) -> bool {
    let answer = Command::new(path).arg("build").stdin(Stdio::null()).output();
    answer.is_ok_and(|answer| answer.status.success() && answer.stdout == BUILD.as_bytes())
}

/// Builds a program of this package, where Cargo is known: `cargo run` says which it is.
fn build(name: &str) -> Result<(), Error> {
    let Some(cargo) = env::var_os("CARGO") else {
        return Ok(());
    };
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "-p", env!("CARGO_PKG_NAME"), "--bin", name]);
    if !cfg!(debug_assertions) {
        command.arg("--release");
    }
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Error::Missing(format!("{name} could not be built ({status})"))),
        Err(error) => Err(Error::Missing(format!("{name} could not be built: {error}"))),
    }
}

/// Writes an answer to standard output.
///
/// # Errors
/// If it is gone.
pub fn answer(output: &Output) -> Result<(), Error> {
    serde_json::to_writer(io::stdout().lock(), output).map_err(|error| Error::Print(error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_that_runs_less_often_is_spread_over_the_run() {
        assert_eq!(turns(&[1, 1]), [(0, 1), (1, 1)]);
        assert_eq!(turns(&[3, 2]), [(0, 1), (0, 2), (1, 1), (0, 3), (1, 2)]);
        assert_eq!(turns(&[2, 0]), [(0, 1), (0, 2)]);
        assert_eq!(turns(&[]), []);
        let many = turns(&[9, 6]);
        assert_eq!(many.len(), 15);
        assert_eq!(many.iter().filter(|turn| turn.0 == 1).count(), 6);
    }

    #[test]
    fn repeats_go_forwards_and_backwards() {
        let places: Vec<usize> = (1..=3).flat_map(|repeat| order(3, repeat)).collect();
        assert_eq!(places, [0, 1, 2, 2, 1, 0, 0, 1, 2]);
    }
}
