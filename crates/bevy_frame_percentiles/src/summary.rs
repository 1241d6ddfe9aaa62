//! The figures of one window of samples.

use bevy::reflect::Reflect;

use crate::{
    percentile::{Lows, Percentile, Quantile, rate, sum, to_ms},
    stutter::Stutter,
};

/// The figures of one series under one label: of its window of the last N samples, and of its whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
pub struct Summary {
    /// Samples in the window.
    pub n: usize,
    /// Time in the window, in seconds.
    pub seconds: f64,
    /// Samples over time, a second; of the frame series, the frames per second. `None` if no time passed.
    pub fps: Option<f64>,
    /// Median of the window.
    pub p50: Quantile,
    /// 95th percentile of the window.
    pub p95: Quantile,
    /// 99th percentile of the window.
    pub p99: Quantile,
    /// 99.9th percentile of the whole run: exact while the window holds all of it, then true within 0.1 %.
    pub p999: Quantile,
    /// The longest sample in the window, in milliseconds.
    pub max_ms: Option<f64>,
    /// The window's "1 % low" in each of its three definitions.
    pub lows: Lows,
    /// Stutter in the window.
    pub stutter: Stutter,
    /// Figures of the whole run.
    #[reflect(ignore)]
    pub run: RunTotals,
}

/// Figures of all samples since the start, or since the last reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunTotals {
    /// Samples recorded.
    pub n: u64,
    /// Their time, in nanoseconds.
    pub total_ns: u128,
    /// The longest, in nanoseconds; 0 without any.
    pub max_ns: u64,
    /// Samples dropped as warm-up. They count nowhere else.
    pub dropped: u64,
}

impl RunTotals {
    /// The time of all samples, in seconds.
    pub fn seconds(&self) -> f64 {
        self.total_ns as f64 / 1e9
    }

    /// The longest sample, in milliseconds.
    pub fn max_ms(&self) -> Option<f64> {
        (self.n > 0).then(|| to_ms(self.max_ns))
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.n += other.n;
        self.total_ns += other.total_ns;
        self.max_ns = self.max_ns.max(other.max_ns);
        self.dropped += other.dropped;
    }
}

impl Summary {
    /// The figures of samples in nanoseconds, given in the order they were recorded. The window is the whole run.
    ///
    /// Cost: a copy and a sort.
    pub fn of(samples: &[u64]) -> Self {
        let mut sorted = samples.to_vec();
        sorted.sort_unstable();
        let total_ns = sum(samples);
        let n = samples.len();
        let longest = sorted.last().copied();
        Self {
            n,
            seconds: total_ns as f64 / 1e9,
            fps: rate(n as u64, total_ns),
            p50: Percentile::P50.of_sorted(&sorted),
            p95: Percentile::P95.of_sorted(&sorted),
            p99: Percentile::P99.of_sorted(&sorted),
            p999: Percentile::P999.of_sorted(&sorted),
            max_ms: longest.map(to_ms),
            lows: Lows::of_sorted(&sorted),
            stutter: Stutter::of(samples),
            run: RunTotals { n: n as u64, total_ns, max_ns: longest.unwrap_or(0), dropped: 0 },
        }
    }

    /// One of the percentiles.
    pub fn percentile(&self, percentile: Percentile) -> Quantile {
        match percentile {
            Percentile::P50 => self.p50,
            Percentile::P95 => self.p95,
            Percentile::P99 => self.p99,
            Percentile::P999 => self.p999,
        }
    }

    /// The mean of the window in milliseconds: one over [`Self::fps`]. `None` without samples.
    pub fn mean_ms(&self) -> Option<f64> {
        (self.n > 0).then(|| self.seconds * 1e3 / self.n as f64)
    }
}
