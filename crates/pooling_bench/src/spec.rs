//! What a cell's own process is told, and what it answers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Error, article, memory, pools, prices, samples::Samples, stale, strategies};

/// The length of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Measured frames.
    pub frames: u32,
    /// Frames before them.
    pub warmup: u32,
    /// Of the stream.
    pub seed: u32,
    /// Whether events are read around each frame.
    pub events: bool,
}

/// One cell: what a process of its own measures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "suite", rename_all = "kebab-case")]
pub enum Spec {
    /// A storage of the article.
    Article(article::ArticleSpec),
    /// A price of one operation.
    Price(prices::PriceSpec),
    /// A strategy of the plugin, or a baseline, in an app.
    Strategy(strategies::StrategySpec),
    /// A burst and its fall.
    Memory(memory::MemorySpec),
    /// The stale-field bug.
    Stale(stale::StaleSpec),
    /// Object pools: all cells of a group, beside each other.
    Pools(pools::PoolSpec),
}

impl Spec {
    /// The cell's name.
    #[must_use]
    pub fn cell(&self) -> &str {
        match self {
            Self::Article(spec) => &spec.cell,
            Self::Price(spec) => &spec.cell,
            Self::Strategy(spec) => &spec.cell,
            Self::Memory(spec) => &spec.cell,
            Self::Stale(spec) => &spec.cell,
            Self::Pools(spec) => &spec.group,
        }
    }

    /// Whether everything that it measures is on one thread.
    #[must_use]
    pub fn is_on_one_thread(&self) -> bool {
        match self {
            Self::Strategy(spec) => spec.executor == strategies::Executor::Single,
            Self::Pools(spec) => spec.is_on_one_thread(),
            _ => true,
        }
    }

    /// Measures it in this process.
    ///
    /// # Errors
    /// If it names no cell, or cannot be run.
    pub fn measure(&self) -> Result<Output, Error> {
        match self {
            Self::Article(spec) => article::measure(spec),
            Self::Price(spec) => prices::measure(spec),
            Self::Strategy(spec) => strategies::measure(spec),
            Self::Memory(spec) => memory::measure(spec),
            Self::Stale(spec) => stale::measure(spec),
            Self::Pools(spec) => pools::measure(spec),
        }
    }
}

/// A checksum: a whole number where the article has one, and else 16 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Checksum {
    /// The article's sum of positions.
    Decimal(i64),
    /// A hash.
    Hex(String),
}

impl Checksum {
    /// The hexadecimal form of a hash.
    #[must_use]
    pub fn hex(hash: u64) -> Self {
        Self::Hex(format!("{hash:016x}"))
    }
}

impl std::fmt::Display for Checksum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Decimal(sum) => sum.fmt(f),
            Self::Hex(hash) => hash.fmt(f),
        }
    }
}

/// What a cell came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Output {
    /// Frame by frame.
    pub samples: Samples,
    /// Of the whole run.
    pub checksum: Option<Checksum>,
    /// Projectiles alive after the last frame.
    pub live: Option<u64>,
    /// Figures of the suite's own.
    pub figures: BTreeMap<String, f64>,
    /// Of a group of pools, the rounds of each cell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pools: Vec<pools::rounds::CellRounds>,
}

/// Mixes a word into a hash: the two halves of a 128-bit product, as in wyhash
/// (<https://github.com/wangyi-fudan/wyhash>). The constants are the fractional parts of √2 and √3.
#[must_use]
pub fn mix(state: u64, word: u64) -> u64 {
    let product = u128::from(state ^ 0x6A09_E667_F3BC_C909) * u128::from(word ^ 0xBB67_AE85_84CA_A73B);
    product as u64 ^ (product >> 64) as u64 ^ state.rotate_left(29)
}
