//! Pure arithmetic on samples: nearest rank, the rule for too few samples, and the three "1 % low" figures.
//!
//! Every function here takes samples in nanoseconds and knows nothing of Bevy. Those named `…sorted` want them
//! ascending.

use bevy::reflect::Reflect;

/// A percentile is trusted only when at least this many samples lie beyond it.
pub const MIN_BEYOND: u64 = 10;

/// The percentiles that are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Reflect)]
pub enum Percentile {
    /// The median.
    P50,
    /// 95 % of the samples are at or below it.
    P95,
    /// 99 % of the samples are at or below it.
    P99,
    /// 99.9 % of the samples are at or below it.
    P999,
}

impl Percentile {
    /// All of them, ascending.
    pub const ALL: [Percentile; 4] = [Self::P50, Self::P95, Self::P99, Self::P999];

    /// The percentile in thousandths, so that ranks are found without rounding errors.
    pub const fn per_mille(self) -> u64 {
        match self {
            Self::P50 => 500,
            Self::P95 => 950,
            Self::P99 => 990,
            Self::P999 => 999,
        }
    }

    /// `p50`, `p95`, `p99` or `p99.9`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::P50 => "p50",
            Self::P95 => "p95",
            Self::P99 => "p99",
            Self::P999 => "p99.9",
        }
    }

    /// The nearest rank among `n` samples, counted from 1; 0 when there are none.
    pub const fn rank(self, n: u64) -> u64 {
        // As n * per_mille / 1000 rounded up, in two parts: it cannot overflow.
        (n / 1000) * self.per_mille() + ((n % 1000) * self.per_mille()).div_ceil(1000)
    }

    /// How many of `n` samples lie beyond the nearest rank.
    pub const fn beyond(self, n: u64) -> u64 {
        n - self.rank(n)
    }

    /// Reads the percentile from ascending samples.
    pub fn of_sorted(self, sorted: &[u64]) -> Quantile {
        let n = sorted.len() as u64;
        match self.rank(n) {
            0 => Quantile::NoSamples,
            rank => self.judge(n, sorted[rank as usize - 1]),
        }
    }

    /// Wraps a value found by other means among `n` samples into a [`Quantile`] that says whether `n` suffices.
    pub fn judge(self, n: u64, ns: u64) -> Quantile {
        match n {
            0 => Quantile::NoSamples,
            n if self.beyond(n) < MIN_BEYOND => Quantile::TooFew { nearest_ns: ns },
            _ => Quantile::Measured { ns },
        }
    }
}

/// The value of a percentile, or why there is none to be trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
pub enum Quantile {
    /// Nothing was recorded.
    #[default]
    NoSamples,
    /// Fewer than [`MIN_BEYOND`] samples lie beyond: "not enough frames".
    TooFew {
        /// What the nearest rank gives all the same, in nanoseconds.
        nearest_ns: u64,
    },
    /// Enough samples lie beyond.
    Measured {
        /// The value in nanoseconds.
        ns: u64,
    },
}

impl Quantile {
    /// The value in milliseconds, only if enough samples stand behind it.
    pub fn measured_ms(self) -> Option<f64> {
        match self {
            Self::Measured { ns } => Some(to_ms(ns)),
            _ => None,
        }
    }

    /// The value of the nearest rank in milliseconds, however few the samples; `None` only without any.
    pub fn nearest_ms(self) -> Option<f64> {
        match self {
            Self::NoSamples => None,
            Self::TooFew { nearest_ns: ns } | Self::Measured { ns } => Some(to_ms(ns)),
        }
    }
}

/// What "1 % low" means: the tools that show one do not agree, so each figure names its definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
pub enum LowDefinition {
    /// The frame rate of the p99 frame time: see [`low_by_percentile`].
    #[default]
    Percentile,
    /// The frame rate over the slowest hundredth of the frames: see [`low_by_mean_of_slowest`].
    MeanOfSlowest,
    /// The frame rate of the frame time above which a hundredth of the time is spent: see [`low_by_time_integral`].
    TimeIntegral,
}

impl LowDefinition {
    /// All three.
    pub const ALL: [LowDefinition; 3] = [Self::Percentile, Self::MeanOfSlowest, Self::TimeIntegral];

    /// The name shown beside the figure.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Percentile => "percentile",
            Self::MeanOfSlowest => "mean of slowest",
            Self::TimeIntegral => "time integral",
        }
    }
}

/// The three "1 % low" figures in frames per second. `None`: not enough frames, or frames that took no time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
pub struct Lows {
    /// [`low_by_percentile`].
    pub percentile: Option<f64>,
    /// [`low_by_mean_of_slowest`].
    pub mean_of_slowest: Option<f64>,
    /// [`low_by_time_integral`].
    pub time_integral: Option<f64>,
}

impl Lows {
    /// All three from ascending samples.
    pub fn of_sorted(sorted: &[u64]) -> Self {
        Self {
            percentile: low_by_percentile(sorted),
            mean_of_slowest: low_by_mean_of_slowest(sorted),
            time_integral: low_by_time_integral(sorted),
        }
    }

    /// The figure by one definition.
    pub fn get(&self, definition: LowDefinition) -> Option<f64> {
        match definition {
            LowDefinition::Percentile => self.percentile,
            LowDefinition::MeanOfSlowest => self.mean_of_slowest,
            LowDefinition::TimeIntegral => self.time_integral,
        }
    }
}

/// 1 % low by percentile: the rate of a frame as long as p99, in frames per second.
///
/// `None` with fewer than [`MIN_BEYOND`] samples beyond p99, that is below 1,000 samples.
pub fn low_by_percentile(sorted: &[u64]) -> Option<f64> {
    match Percentile::P99.of_sorted(sorted) {
        Quantile::Measured { ns } => rate(1, ns.into()),
        _ => None,
    }
}

/// 1 % low by mean of the slowest: the slowest hundredth of the frames (rounded down), its count over its time.
///
/// `None` with fewer than [`MIN_BEYOND`] samples beyond p99, that is below 1,000 samples.
pub fn low_by_mean_of_slowest(sorted: &[u64]) -> Option<f64> {
    let slowest = slowest_percent(sorted)?;
    rate(slowest.len() as u64, sum(slowest))
}

/// 1 % low by time integral: the longest frame time such that the frames at or above it make up at least a
/// hundredth of the total time, as a rate in frames per second.
///
/// `None` with fewer than [`MIN_BEYOND`] samples beyond p99, that is below 1,000 samples.
pub fn low_by_time_integral(sorted: &[u64]) -> Option<f64> {
    slowest_percent(sorted)?;
    let total = sum(sorted);
    let mut above = 0u128;
    let threshold = sorted.iter().rev().find(|&&ns| {
        above += u128::from(ns);
        above * 100 >= total
    })?;
    rate(1, u128::from(*threshold))
}

fn slowest_percent(sorted: &[u64]) -> Option<&[u64]> {
    let beyond = Percentile::P99.beyond(sorted.len() as u64);
    (beyond >= MIN_BEYOND).then(|| &sorted[sorted.len() - beyond as usize..])
}

/// Sum of samples; cannot overflow.
pub(crate) fn sum(samples: &[u64]) -> u128 {
    samples.iter().map(|&ns| u128::from(ns)).sum()
}

/// `count` per `ns`, as a rate a second; `None` when no time passed.
pub(crate) fn rate(count: u64, ns: u128) -> Option<f64> {
    (ns > 0).then(|| count as f64 * 1e9 / ns as f64)
}

pub(crate) fn to_ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_the_nearest_by_hand() {
        // n * q rounded up: 0.95 * 20 = 19, 0.95 * 21 = 19.95 -> 20, 0.999 * 1000 = 999, 0.999 * 1001 = 999.999.
        assert_eq!(Percentile::P95.rank(20), 19);
        assert_eq!(Percentile::P95.rank(21), 20);
        assert_eq!(Percentile::P999.rank(1000), 999);
        assert_eq!(Percentile::P999.rank(1001), 1000);
        for percentile in Percentile::ALL {
            assert_eq!(percentile.rank(0), 0);
            assert_eq!(percentile.rank(1), 1);
            assert!(percentile.rank(u64::MAX) < u64::MAX);
        }
    }

    #[test]
    fn ranks_agree_with_counting_samples() {
        // The nearest rank is the smallest rank with at least that share of the samples at or below it.
        for n in 1..=2100u64 {
            for percentile in Percentile::ALL {
                let counted = (1..=n).find(|rank| rank * 1000 >= n * percentile.per_mille());
                assert_eq!(Some(percentile.rank(n)), counted, "{percentile:?} of {n}");
            }
        }
    }

    #[test]
    fn the_ten_samples_beyond_start_at_these_counts() {
        for (percentile, n) in
            [(Percentile::P50, 20), (Percentile::P95, 200), (Percentile::P99, 1000), (Percentile::P999, 10_000)]
        {
            assert_eq!(percentile.judge(n - 1, 7), Quantile::TooFew { nearest_ns: 7 }, "{percentile:?}");
            assert_eq!(percentile.judge(n, 7), Quantile::Measured { ns: 7 }, "{percentile:?}");
            assert_eq!(percentile.judge(0, 7), Quantile::NoSamples);
        }
    }

    #[test]
    fn too_few_samples_give_no_low_at_all() {
        let samples = vec![8_000_000; 999];
        assert_eq!(Lows::of_sorted(&samples), Lows::default());
        assert_eq!(Lows::of_sorted(&[]), Lows::default());
    }

    #[test]
    fn frames_that_took_no_time_have_no_rate() {
        assert_eq!(Lows::of_sorted(&vec![0; 1000]), Lows::default());
    }
}
