//! Object pools beside each other: ours, what people write by hand, the allocator, and the pools of other crates.
//!
//! A group is a scenario with a number of threads, of items held and of bytes in an item. One process measures all cells
//! of a group, in [`ROUNDS`](rounds::ROUNDS) rounds, so that ratios are of samples taken side by side. In every cell an
//! [`Item`](item::Item) is a pointer to its bytes, `Box<[u64; N / 8]>`, and a thread does the same: rents, counts a touch
//! in the item's first word, gives back in the order in which it rented. With one item held at a time it is a plain local
//! value, with more they lie in a `Vec` that has its room before.

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use crate::{
    Error,
    cli::Common,
    record::{Record, with_medians},
    report::Report,
    runner::{self, Job, Program},
    spec::{Output, Spec},
};

pub mod crew;
pub mod figures;
pub mod hand;
pub mod item;
pub mod kind;
pub mod ours;
pub mod peers;
pub mod plain;
pub mod registry;
pub mod rounds;
pub mod transfer;

pub use registry::CELLS;

use kind::{Load, OPERATIONS, Work};

/// How a pool is used.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scenario {
    /// Every thread rents some items and gives them back
    Pair,
    /// One thread rents, another gives back
    Transfer,
    /// One thread uses 64 pools in turn, beside as many pairs in one pool
    ManyPools,
    /// Runs of 1000 pairs a thread with buffers of 256 bytes, from a pool that keeps 64
    Source,
}

impl Scenario {
    /// All, in their order.
    const ALL: [Self; 4] = [Self::Pair, Self::Transfer, Self::ManyPools, Self::Source];

    /// As on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pair => "pair",
            Self::Transfer => "transfer",
            Self::ManyPools => "many-pools",
            Self::Source => "source",
        }
    }

    /// The sizes of items that it is measured with.
    fn item_bytes(self) -> &'static [u32] {
        match self {
            Self::Pair => &[8, 64, 4096],
            Self::Transfer | Self::ManyPools => &[8],
            Self::Source => &[256],
        }
    }

    /// The numbers of items held at once by a thread.
    fn held(self) -> &'static [u32] {
        match self {
            Self::Pair => &[1, 32, 256],
            _ => &[1],
        }
    }

    /// The numbers of threads, if no other is asked for.
    fn threads(self, item_bytes: u32) -> &'static [u32] {
        match (self, item_bytes) {
            (Self::Pair, 8) | (Self::Source, _) => &[1, 2, 4, 8, 16, 32],
            (Self::Pair, _) => &[1, 2],
            (Self::Transfer, _) => &[2],
            (Self::ManyPools, _) => &[1],
        }
    }

    /// Whether it is measured on as many threads.
    fn runs_on(self, threads: u32) -> bool {
        match self {
            Self::Pair | Self::Source => true,
            Self::Transfer => threads == 2,
            Self::ManyPools => threads == 1,
        }
    }
}

/// The most threads that may be asked for.
const MOST_THREADS: u32 = 64;
/// Idle items that a pool with a limit keeps; in `pair` as many as all threads hold, if that is more.
const CAPACITY: usize = 4096;
/// The same in `source`.
const SOURCE_CAPACITY: usize = 64;

/// Which groups are measured.
#[derive(Args, Clone, Debug)]
pub struct Filter {
    /// Scenarios [default: all]
    #[arg(long, value_enum, value_delimiter = ',')]
    pub scenario: Vec<Scenario>,
    /// Items that a thread holds at once: 1, 32, 256 [default: all]
    #[arg(long, value_delimiter = ',')]
    pub held: Vec<u32>,
    /// Bytes of an item: 8, 64, 4096, and 256 in source [default: all; 64 and 4096 on 1 and 2 threads]
    #[arg(long, value_delimiter = ',')]
    pub item_bytes: Vec<u32>,
    /// The least length of a sample in milliseconds
    #[arg(long, hide = true, default_value_t = rounds::SAMPLE_MS)]
    pub sample_ms: u32,
}

/// One group: what a process of its own measures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoolSpec {
    /// Its name, for messages.
    pub group: String,
    /// How the pools are used.
    pub scenario: Scenario,
    /// Threads that use them.
    pub threads: u32,
    /// Items that each of them holds at once.
    pub held: u32,
    /// Bytes of an item.
    pub item_bytes: u32,
    /// The pools.
    pub cells: Vec<String>,
    /// The least length of a sample in milliseconds.
    pub sample_ms: u32,
}

impl PoolSpec {
    /// What a thread does, on how many, and with which limit of the pools.
    #[must_use]
    pub fn load(&self) -> Load {
        let (threads, held) = (self.threads as usize, self.held as usize);
        let (work, capacity) = match self.scenario {
            Scenario::Pair => (Work::Batch(held), CAPACITY.max(threads * held)),
            Scenario::Transfer => (Work::Transfer, CAPACITY),
            Scenario::ManyPools => (Work::Many, CAPACITY),
            Scenario::Source => (Work::Pairs(OPERATIONS), SOURCE_CAPACITY),
        };
        Load { work, threads, capacity }
    }

    /// Touches in the warm loops of each cell: their checksum.
    #[must_use]
    pub fn touches(&self) -> u64 {
        let load = self.load();
        let threads = if load.work == Work::Transfer { 1 } else { u64::from(self.threads) };
        rounds::warm_loops(self) * load.work.pairs() * threads
    }

    /// Whether one thread does it all.
    #[must_use]
    pub fn is_on_one_thread(&self) -> bool {
        self.threads == 1
    }

    fn job(self) -> Job {
        let mut record = Record::new("pools", &self.group);
        record
            .set("scenario", self.scenario)
            .set("threads", self.threads)
            .set("held", self.held)
            .set("item_bytes", self.item_bytes);
        Job { program: Program::This, spec: Spec::Pools(self), record }
    }
}

/// Measures one group in this process.
///
/// # Errors
/// If it cannot be, or a checksum is wrong.
pub fn measure(spec: &PoolSpec) -> Result<Output, Error> {
    let refuse = |message: String| Err(Error::Option(message));
    if !(1..=MOST_THREADS).contains(&spec.threads) || !spec.scenario.runs_on(spec.threads) {
        return refuse(format!("{} is not measured on {} threads", spec.scenario.name(), spec.threads));
    }
    if !spec.scenario.held().contains(&spec.held) {
        return refuse(format!("{} is not measured with {} items held", spec.scenario.name(), spec.held));
    }
    if !(1..=1000).contains(&spec.sample_ms) {
        return refuse("a sample takes 1 to 1000 milliseconds".to_owned());
    }
    match spec.item_bytes {
        8 => rounds::group::<1>(spec),
        64 => rounds::group::<8>(spec),
        256 => rounds::group::<32>(spec),
        4096 => rounds::group::<512>(spec),
        other => refuse(format!("an item has 8, 64, 256 or 4096 bytes, not {other}")),
    }
}

/// Runs the groups, and makes lines and tables of their cells.
///
/// # Errors
/// Options that make no sense, a group that cannot be run, or a wrong checksum.
pub fn suite(common: &Common, filter: &Filter) -> Result<Report, Error> {
    let groups: Vec<Vec<Job>> = groups(common, filter)?.into_iter().map(|spec| vec![spec.job()]).collect();
    let done = runner::run(&groups, common.repeats())?;
    let mut notes = figures::check(&done)?;
    let records = with_medians(done.iter().flat_map(figures::records).collect());
    notes.extend(figures::notes(&records));
    let tables = figures::tables(&records);
    Ok(Report { suite: "pools", records, tables, notes, done })
}

/// The groups asked for, those of a scenario together.
fn groups(common: &Common, filter: &Filter) -> Result<Vec<PoolSpec>, Error> {
    let refuse = |message: String| Err(Error::Option(message));
    let known = |values: fn(Scenario) -> &'static [u32]| Scenario::ALL.into_iter().flat_map(values).copied();
    if let Some(held) = filter.held.iter().find(|&&held| known(Scenario::held).all(|other| other != held)) {
        return refuse(format!("--held must be 1, 32 or 256, not {held}"));
    }
    if let Some(bytes) =
        filter.item_bytes.iter().find(|&&bytes| known(Scenario::item_bytes).all(|other| other != bytes))
    {
        return refuse(format!("--item-bytes must be 8, 64, 256 or 4096, not {bytes}"));
    }
    if let Some(threads) = common.threads.filter(|&threads| threads > MOST_THREADS) {
        return refuse(format!("--threads must be from 1 to {MOST_THREADS} in pools, not {threads}"));
    }
    if !(1..=1000).contains(&filter.sample_ms) {
        return refuse("--sample-ms must be from 1 to 1000".to_owned());
    }
    let mut groups = Vec::new();
    for scenario in Scenario::ALL.into_iter().filter(|scenario| wanted(&filter.scenario, scenario)) {
        for &item_bytes in scenario.item_bytes().iter().filter(|bytes| wanted(&filter.item_bytes, bytes)) {
            let threads = common.threads.map_or_else(|| scenario.threads(item_bytes).to_vec(), |threads| vec![threads]);
            for threads in threads.into_iter().filter(|&threads| scenario.runs_on(threads)) {
                for &held in scenario.held().iter().filter(|held| wanted(&filter.held, held)) {
                    groups.extend(group(common, filter, scenario, (threads, held, item_bytes)));
                }
            }
        }
    }
    if groups.is_empty() {
        return refuse(
            "nothing fits all of --scenario, --threads, --held, --item-bytes and --cells: transfer is on two threads and \
             many-pools on one, both with one item of 8 bytes held; source has one of 256"
                .to_owned(),
        );
    }
    Ok(groups)
}

/// Whether a value is among those asked for; without any, all are.
fn wanted<T: PartialEq>(asked: &[T], value: &T) -> bool {
    asked.is_empty() || asked.contains(value)
}

/// A group of the cells asked for, if any is measured in it.
fn group(common: &Common, filter: &Filter, scenario: Scenario, sizes: (u32, u32, u32)) -> Option<PoolSpec> {
    let (threads, held, item_bytes) = sizes;
    let cells = common.chosen(&CELLS).filter(|cell| registry::applies(cell, scenario, threads));
    let cells: Vec<String> = cells.map(str::to_owned).collect();
    let group = format!("{} {threads}x{held}x{item_bytes}", scenario.name());
    let spec = PoolSpec { group, scenario, threads, held, item_bytes, cells, sample_ms: filter.sample_ms };
    (!spec.cells.is_empty()).then_some(spec)
}

#[cfg(test)]
mod tests;
