//! The plugin's strategies in a real Bevy app without a window, beside what people write by hand.

mod app;
mod bare;
mod baselines;
mod feed;
mod model;
mod plugin;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

pub use plugin::settling_ticks;

use crate::{
    Error,
    cli::{Common, Mix, strategy_record},
    frames,
    record::{Record, with_medians},
    report::{Column, Report, Table},
    runner::{self, Done, Job, Program},
    spec::{Output, Run, Spec},
};

/// Every cell: the plugin's strategies, the baselines, and the bare loop.
pub const CELLS: [&str; 8] = [
    "despawn-respawn",
    "component-recycling",
    "parallel-arrays",
    "commands",
    "spawn-batch",
    "disabled",
    "marker",
    "bare",
];

/// The rates that are measured if no others are asked for.
pub const SPAWNS: [u32; 5] = [300, 1000, 2000, 3000, 10_000];

/// How the app runs its systems.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Executor {
    /// Every schedule on the main thread.
    Single,
    /// Bevy's default: every schedule on its task pool.
    Multi,
}

/// How long projectiles live.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lifetimes {
    /// 20 to 39 ticks, as in the article.
    Short,
    /// A third each 20 to 39, 40 to 119 and 120 to 599 ticks, and one in a hundred for ever.
    Mixed,
    /// 600 ticks.
    Long,
    /// For ever: only the bounds end them.
    None,
}

/// One cell of `strategies`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StrategySpec {
    /// How long.
    pub run: Run,
    /// One of [`CELLS`].
    pub cell: String,
    /// Projectiles a tick.
    pub spawns: u32,
    /// How the app runs its systems.
    pub executor: Executor,
    /// Threads of the task pools; as many as cores if `None`.
    pub threads: Option<u32>,
    /// Further bytes in each projectile.
    pub extra_bytes: u32,
    /// Per cent of the projectiles ended early in a second.
    pub early_ends: f64,
    /// Whether they are ended by id.
    pub by_id: bool,
    /// How long projectiles live.
    pub lifetimes: Lifetimes,
    /// Whether leaving the world ends them.
    pub bounds: bool,
    /// Whether writes to entities count as changes.
    pub change_detection: bool,
    /// Whether threads share a step.
    pub parallel: bool,
    /// As many projectiles at once before everything else, and time for the pool to give their memory back.
    pub burst: Option<u32>,
    /// The pool holds as many and evicts the oldest. Only in the plugin's cells.
    pub cap: Option<u32>,
}

impl StrategySpec {
    /// What decides which projectiles fly, in words.
    #[must_use]
    pub fn stream_name(&self) -> String {
        let mut name = format!("{} spawns a tick, {} ticks", self.spawns, self.run.warmup + self.run.frames);
        if self.lifetimes != Lifetimes::Short {
            name += &format!(", {:?} lives", self.lifetimes).to_lowercase();
        }
        if self.early_ends > 0.0 {
            name += &format!(", {} % a second ended early", self.early_ends);
        }
        if self.bounds {
            name += ", bounds";
        }
        name.extend(self.burst.map(|burst| format!(", {burst} at once before")));
        name.extend(self.cap.map(|cap| format!(", at most {cap}")));
        name
    }
}

/// Measures one cell in this process.
///
/// # Errors
/// If it names no cell, or an option that has no program.
pub fn measure(spec: &StrategySpec) -> Result<Output, Error> {
    if !CELLS.contains(&spec.cell.as_str()) {
        return Err(Error::UnknownCell { suite: "strategies", cell: spec.cell.clone(), known: CELLS.to_vec() });
    }
    match spec.extra_bytes {
        0 => Ok(app::run::<0>(spec)),
        50 => Ok(app::run::<50>(spec)),
        150 => Ok(app::run::<150>(spec)),
        500 => Ok(app::run::<500>(spec)),
        other => Err(Error::Option(format!("a projectile has 0, 50, 150 or 500 extra bytes, not {other}"))),
    }
}

/// What a spec is run by, and the start of its line.
#[must_use]
pub fn job(suite: &str, spec: StrategySpec) -> Job {
    Job { program: Program::This, record: strategy_record(suite, &spec), spec: Spec::Strategy(spec) }
}

/// Runs the cells of each rate, interleaved.
///
/// # Errors
/// If a cell cannot be run, or the cells do not agree on their checksum.
pub fn suite(common: &Common, mix: &Mix) -> Result<Report, Error> {
    let mut groups = Vec::new();
    for &spawns in &common.spawns {
        let cells = common.chosen(&CELLS).map(|cell| Ok(job("strategies", mix.spec(common, cell, spawns)?)));
        groups.push(cells.collect::<Result<Vec<_>, Error>>()?);
    }
    let repeats: Vec<u32> = common.spawns.iter().map(|&spawns| repeats(common, spawns)).collect();
    let done = runner::run_each(&groups, &repeats)?;
    let notes = frames::check(&done)?;
    let records = lines(&done);
    let tables = common.spawns.iter().map(|&spawns| table(&records, spawns)).filter(|table| !table.rows.is_empty());
    Ok(Report { suite: "strategies", tables: tables.collect(), records, notes, done })
}

/// How often the cells of a rate run. What takes a tenth of a second needs more repeats than what takes seconds: at low
/// rates the ratio of two processes can differ by half from one pair to the next.
fn repeats(common: &Common, spawns: u32) -> u32 {
    common.repeats.unwrap_or(if spawns < 10_000 { 9 } else { 6 })
}

/// The lines of all repeats and their medians, with the ratios to the naive baseline and to the bare loop of the same
/// repeat. In a median's line they are the ratios of the medians: the repeats' own ratios have the noise of two processes
/// each, and their medians differed more from run to run.
#[must_use]
pub fn lines(done: &[Done]) -> Vec<Record> {
    let mut lines = with_medians(done.iter().map(frames::record).collect());
    relate(&mut lines);
    lines
}

/// Sets the ratios of lines to the naive baseline and to the bare loop.
pub fn relate(lines: &mut [Record]) {
    let bases: Vec<Record> =
        lines.iter().filter(|line| matches!(line.cell.as_str(), "commands" | "bare")).cloned().collect();
    for line in lines {
        let base = |cell: &str| bases.iter().find(|base| base.cell == cell && same_run(base, line));
        let naive = base("commands").and_then(|base| base.number("wall_p50_us"));
        let naive = naive.zip(line.number("wall_p50_us")).map(|(naive, own)| naive / own);
        let moved = line.number("integrate_us").zip(line.number("retire_us")).map(|(step, end)| step + end);
        let bare = base("bare").and_then(|base| base.number("integrate_us"));
        let bare = bare.zip(moved).map(|(bare, own)| own / bare);
        let push = base("bare").and_then(|base| base.number("spawn_us"));
        let push = push.zip(line.number("spawn_us")).map(|(push, own)| own / push);
        let per_live = moved.zip(line.number("live")).filter(|(_, live)| *live > 0.0);
        line.set("ratio_to_naive", naive);
        if line.cell != "bare" {
            line.set("ratio_to_bare", bare).set("spawn_ratio_to_push", push);
            line.set("ns_per_live", per_live.map(|(us, live)| us * 1e3 / live));
        }
    }
}

/// Whether two lines are of the same repeat and the same projectiles.
fn same_run(one: &Record, other: &Record) -> bool {
    let fields = [
        "repeat",
        "scenario",
        "spawns",
        "extra_bytes",
        "lifetimes",
        "early_ends",
        "bounds",
        "executor",
        "change_detection",
        "parallel",
    ];
    fields.iter().all(|field| one.get(field) == other.get(field))
}

const COLUMNS: [Column; 13] = [
    ("cell", "cell"),
    ("live", "live"),
    ("tick p50 µs", "wall_p50_us"),
    ("p95", "wall_p95_us"),
    ("p99", "wall_p99_us"),
    ("max", "wall_max_us"),
    ("CPU p50", "cpu_p50_us"),
    ("spawn", "spawn_us"),
    ("integrate", "integrate_us"),
    ("retire", "retire_us"),
    ("times faster than `commands`", "ratio_to_naive"),
    ("spread", "spread"),
    ("integrate + retire / bare loop", "ratio_to_bare"),
];

/// The table of one rate.
fn table(records: &[Record], spawns: u32) -> Table {
    let of_rate = |record: &&Record| record.number("spawns") == Some(f64::from(spawns));
    let medians = records.iter().filter(of_rate).filter(|record| record.is_median());
    let with_spread = medians.map(|median| {
        let mut row = median.clone();
        row.set("spread", spread(records, median, "ratio_to_naive"));
        row
    });
    let rows: Vec<Record> = with_spread.collect();
    let beyond = rows.first().and_then(|row| row.number("wall_p99_beyond")).unwrap_or(0.0);
    let title = format!(
        "{spawns} projectiles a tick: microseconds a tick, medians of the repeats ({beyond} frames lie beyond p99)"
    );
    Table { title, columns: COLUMNS.to_vec(), rows }
}

/// The least and the greatest value of a field over the repeats of a cell.
#[must_use]
pub fn spread(records: &[Record], median: &Record, field: &str) -> Option<String> {
    let key = median.key();
    let repeats = records.iter().filter(|record| !record.is_median() && record.key() == key);
    let values: Vec<f64> = repeats.filter_map(|record| record.number(field)).collect();
    let least = values.iter().copied().reduce(f64::min)?;
    let greatest = values.iter().copied().reduce(f64::max)?;
    let shown = |value: f64| crate::report::shown(&value.into());
    Some(format!("{} to {}", shown(least), shown(greatest)))
}

#[cfg(test)]
mod tests;
