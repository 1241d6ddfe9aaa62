//! The command line.

use std::{fs, path::PathBuf};

use bevy_projectile_pool::FullPolicy;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::{
    Error, pools,
    record::Record,
    spec::Run,
    strategies::{Executor, Lifetimes, StrategySpec},
    stream::SEED,
};

/// Does pooling make anything faster? Measures it, each cell in a process of its own, interleaved.
#[derive(Parser, Clone, Debug)]
#[command(version)]
pub struct Cli {
    /// What to measure.
    #[command(subcommand)]
    pub command: Command,
}

/// What to measure.
#[derive(Subcommand, Clone, Debug)]
pub enum Command {
    /// The article's workload over its storages and ours, in f64, with its checksums
    Article {
        #[command(flatten)]
        common: Common,
        /// Values of a projectile
        #[arg(long, value_delimiter = ',', default_values_t = [6, 20])]
        fields: Vec<u32>,
    },
    /// What one allocation, overwrite, push and pop cost, and the difference a frame that they predict
    Prices {
        #[command(flatten)]
        common: Common,
    },
    /// The plugin's strategies in a Bevy app, beside hand-written baselines and a bare loop
    Strategies {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        mix: Mix,
    },
    /// What happens in the slowest frames
    Tail {
        #[command(flatten)]
        common: Common,
    },
    /// What each storage holds after a burst
    Memory {
        #[command(flatten)]
        common: Common,
        /// Projectiles alive at the peak
        #[arg(long, default_value_t = 300_000)]
        peak: u32,
        /// Projectiles alive after it
        #[arg(long, default_value_t = 30_000)]
        rest: u32,
    },
    /// The stale-field bug: what a forgotten reset does, and where it cannot happen
    Stale {
        #[command(flatten)]
        common: Common,
    },
    /// Object pools: ours, by hand, and of other crates; one repeat by default, in some ten minutes
    ///
    /// A repeat is 21 rounds of all cells of a group, in one process. --spawns, --frames, --warmup and --seed do not apply;
    /// --threads measures only what runs on as many. `all` leaves this suite out.
    Pools {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        filter: pools::Filter,
    },
    /// Two builds of this bench, in the order A B B A A B: is B faster?
    Compare {
        /// The program of the build before
        a: PathBuf,
        /// The program of the build after
        b: PathBuf,
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        mix: Mix,
        /// The geometric mean of the ratios B / A must be at most this
        #[arg(long, default_value_t = 0.95)]
        accept: f64,
        /// No ratio B / A may be above this
        #[arg(long, default_value_t = 1.10)]
        worst: f64,
    },
    /// The project's targets: aim, floor, and what is reached
    Targets {
        #[command(flatten)]
        common: Common,
        /// Rows to measure [default: all]
        #[arg(long, value_delimiter = ',')]
        rows: Vec<u32>,
    },
    /// Everything: the findings with plots in the folder of --out, and the page when-to-pool.md beside it
    All {
        #[command(flatten)]
        common: Common,
    },
    /// Tells which build this is
    #[command(hide = true)]
    Build,
    /// One cell, in this process
    #[command(hide = true)]
    Cell {
        /// As JSON
        spec: String,
    },
}

/// Options that all commands have.
#[derive(Args, Clone, Debug)]
pub struct Common {
    /// Projectiles a frame [default: 300,1000,2000,3000,10000,12000,15000; some commands take fewer; memory, stale and
    /// targets have rates of their own]
    #[arg(long, value_delimiter = ',')]
    pub spawns: Vec<u32>,
    /// Measured frames
    #[arg(long, default_value_t = 600)]
    pub frames: u32,
    /// Frames before the measured ones
    #[arg(long, default_value_t = 30)]
    pub warmup: u32,
    /// How often each cell runs [default: 3; strategies: 9, and 6 from 10000 projectiles a tick on; pools: 1]
    #[arg(long)]
    pub repeats: Option<u32>,
    /// Cells to measure [default: all]
    #[arg(long, value_delimiter = ',')]
    pub cells: Vec<String>,
    /// The seed of the stream
    #[arg(long, default_value_t = SEED)]
    pub seed: u32,
    /// Threads of the app's task pools; what runs on one thread stays on one [default: as many as cores; pools: several]
    #[arg(long)]
    pub threads: Option<u32>,
    /// How results are printed
    #[arg(long, value_enum, default_value_t = Format::Md)]
    pub format: Format,
    /// A folder for the results in all formats, and for the samples
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// How results are printed.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Tables in Markdown.
    Md,
    /// One JSON object a line.
    Json,
    /// Comma-separated values.
    Csv,
}

/// What the projectiles of `strategies` and `compare` are like.
#[derive(Args, Clone, Debug)]
pub struct Mix {
    /// How the app runs its systems
    #[arg(long, value_enum, default_value_t = Executor::Single)]
    pub executor: Executor,
    /// Further bytes in each projectile: 0, 50, 150 or 500
    #[arg(long, default_value_t = 0)]
    pub extra_bytes: u32,
    /// Per cent of the projectiles ended early in a second, while iterating
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0)]
    pub early_ends: f64,
    /// End them by id instead (10 per cent, or those of --early-ends)
    #[arg(long, value_name = "PERCENT", num_args = 0..=1, default_missing_value = "-1", allow_negative_numbers = true)]
    pub early_ends_by_id: Option<f64>,
    /// How long projectiles live: short 20 to 39 ticks, mixed 20 ticks to for ever, long 600 ticks, none for ever
    #[arg(long, value_enum, default_value_t = Lifetimes::Short)]
    pub lifetimes: Lifetimes,
    /// End projectiles that leave the world; always on with --lifetimes none
    #[arg(long)]
    pub bounds: bool,
    /// Whether writes to entities count as changes
    #[arg(long, value_enum, default_value_t = OnOff::On)]
    pub change_detection: OnOff,
    /// Let the threads of --threads share each step of parallel-arrays
    #[arg(long)]
    pub parallel: bool,
}

/// On or off.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnOff {
    /// On.
    On,
    /// Off.
    Off,
}

/// The rates of the article and of its claims.
pub const SPAWNS: [u32; 7] = [300, 1000, 2000, 3000, 10_000, 12_000, 15_000];

impl Common {
    /// Tests what all commands have in common, makes the folder for the results, and fills in the command's own defaults.
    ///
    /// # Errors
    /// The first option that makes no sense, or a folder that cannot be written.
    pub fn check(&mut self, suite: &'static str, cells: &[&'static str], spawns: &[u32]) -> Result<(), Error> {
        let refuse = |message: &str| Err(Error::Option(message.to_owned()));
        if self.spawns.is_empty() {
            self.spawns = spawns.to_vec();
        }
        if self.spawns.contains(&0) {
            return refuse("--spawns must be at least 1: nothing is measured without projectiles");
        }
        if self.spawns.iter().any(|&spawns| spawns > 100_000) {
            return refuse("--spawns must be at most 100000 a frame");
        }
        if !(10..=1_000_000).contains(&self.frames) {
            return refuse("--frames must be from 10 to 1000000: fewer have no percentiles");
        }
        if self.warmup > 1_000_000 {
            return refuse("--warmup must be at most 1000000 frames");
        }
        if !(1..=1000).contains(&self.repeats()) {
            return refuse("--repeats must be from 1 to 1000");
        }
        if self.threads.is_some_and(|threads| !(1..=1024).contains(&threads)) {
            return refuse("--threads must be from 1 to 1024");
        }
        if cells.is_empty() && !self.cells.is_empty() {
            return Err(Error::Option(format!("{suite} takes no --cells: it needs all that it measures")));
        }
        if let Some(cell) = self.cells.iter().find(|cell| !cells.contains(&cell.as_str())) {
            return Err(Error::UnknownCell { suite, cell: cell.clone(), known: cells.to_vec() });
        }
        if let Some(folder) = &self.out {
            let failed = |error| Error::Write { path: folder.clone(), error };
            fs::create_dir_all(folder).map_err(failed)?;
            let probe = folder.join(".pooling_bench");
            fs::write(&probe, "").and_then(|()| fs::remove_file(&probe)).map_err(failed)?;
        }
        Ok(())
    }

    /// How often each cell runs.
    #[must_use]
    pub fn repeats(&self) -> u32 {
        self.repeats.unwrap_or(3)
    }

    /// The length of a run.
    #[must_use]
    pub fn run(&self) -> Run {
        Run { frames: self.frames, warmup: self.warmup, seed: self.seed, events: false }
    }

    /// The cells of a suite that are to be measured, in its order.
    pub fn chosen<'a>(&self, cells: &'a [&'static str]) -> impl Iterator<Item = &'static str> + 'a {
        let chosen = self.cells.clone();
        cells.iter().copied().filter(move |cell| chosen.is_empty() || chosen.iter().any(|name| name == cell))
    }
}

/// Bytes that may be added to a projectile: each is a type of its own in the program.
pub const EXTRA_BYTES: [u32; 4] = [0, 50, 150, 500];

impl Mix {
    /// Short lives, and nothing else.
    #[must_use]
    pub fn plain(executor: Executor) -> Self {
        Self {
            executor,
            extra_bytes: 0,
            early_ends: 0.0,
            early_ends_by_id: None,
            lifetimes: Lifetimes::Short,
            bounds: false,
            change_detection: OnOff::On,
            parallel: false,
        }
    }

    /// What a cell is told.
    ///
    /// # Errors
    /// An option that makes no sense.
    pub fn spec(&self, common: &Common, cell: &str, spawns: u32) -> Result<StrategySpec, Error> {
        let refuse = |message: String| Err(Error::Option(message));
        if !EXTRA_BYTES.contains(&self.extra_bytes) {
            return refuse(format!("--extra-bytes must be 0, 50, 150 or 500, not {}", self.extra_bytes));
        }
        let by_id = self.early_ends_by_id.is_some();
        let early_ends = match self.early_ends_by_id {
            Some(percent) if percent >= 0.0 => percent,
            Some(_) if self.early_ends == 0.0 => 10.0,
            _ => self.early_ends,
        };
        if !(0.0..=100.0).contains(&early_ends) {
            return refuse(format!("--early-ends must be from 0 to 100 per cent a second, not {early_ends}"));
        }
        // The longest life, and about how long the bounds let an endless one live.
        let longest = match self.lifetimes {
            Lifetimes::Short => 40,
            Lifetimes::None => 120,
            Lifetimes::Mixed | Lifetimes::Long => 600,
        };
        let most = FullPolicy::DEFAULT_MAX / longest;
        if spawns > most {
            return refuse(format!(
                "{spawns} spawns a tick with lives of up to {longest} ticks are more than the 4 million projectiles that \
                 a pool takes: --spawns must be at most {most}"
            ));
        }
        Ok(StrategySpec {
            run: common.run(),
            cell: cell.to_owned(),
            spawns,
            executor: self.executor,
            threads: common.threads,
            extra_bytes: self.extra_bytes,
            early_ends,
            by_id,
            lifetimes: self.lifetimes,
            bounds: self.bounds || self.lifetimes == Lifetimes::None,
            change_detection: self.change_detection == OnOff::On,
            parallel: self.parallel,
            burst: None,
            cap: None,
        })
    }
}

/// The start of a line of `strategies`: what names the cell.
#[must_use]
pub fn strategy_record(suite: &str, spec: &StrategySpec) -> Record {
    let mut record = Record::new(suite, &spec.cell);
    record
        .set("spawns", spec.spawns)
        .set("extra_bytes", spec.extra_bytes)
        .set("lifetimes", spec.lifetimes)
        .set("early_ends", spec.early_ends)
        .set("early_ends_by_id", (spec.early_ends > 0.0).then_some(spec.by_id))
        .set("bounds", spec.bounds)
        .set("change_detection", spec.change_detection)
        .set("parallel", spec.parallel.then_some(true))
        .set("executor", spec.executor)
        .set("threads", spec.threads);
    record
}
