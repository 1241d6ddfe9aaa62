//! One series of samples: a window for exact percentiles, and a histogram for the whole run.

use std::time::Duration;

use bevy::reflect::Reflect;
use hdrhistogram::Histogram;

use crate::{
    percentile::Percentile,
    summary::{RunTotals, Summary},
};

/// The longest sample the whole-run histogram tells apart, 10 minutes in nanoseconds; longer ones count as this.
const LONGEST_NS: u64 = 600_000_000_000;
/// Significant decimal digits of the whole-run histogram: its values are true within 0.1 %.
const DIGITS: u8 = 3;

/// What is measured. Each series is taken from the monotonic clock, never from Bevy's `Time`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
pub enum Series {
    /// From the start of one frame to the start of the next: what the player sees. Held by vsync, if that is on.
    #[default]
    Frame,
    /// From the start of `First` to the end of `Last`: the app's own work, without the wait for the display.
    Update,
    /// One run of whatever the app calls a tick, handed in by the app.
    Tick,
}

impl Series {
    /// All three.
    pub const ALL: [Series; 3] = [Self::Frame, Self::Update, Self::Tick];

    /// `frame`, `update` or `tick`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Frame => "frame",
            Self::Update => "update",
            Self::Tick => "tick",
        }
    }

    /// The definition, in one line.
    pub const fn definition(self) -> &'static str {
        match self {
            Self::Frame => "start of First to the next start of First",
            Self::Update => "start of First to end of Last: no wait for the display",
            Self::Tick => "one tick, as handed in by the app",
        }
    }
}

/// A window of the last N samples, and figures of the whole run. Fixed memory: 8 bytes a sample of the window and
/// about 120 KiB for the histogram. Recording allocates nothing.
#[derive(Clone)]
pub struct SampleSeries {
    ring: Box<[u64]>,
    /// Where the next sample goes.
    next: usize,
    len: usize,
    run: RunTotals,
    histogram: Histogram<u32>,
    /// Warm-up samples still to be dropped.
    to_drop: usize,
}

impl SampleSeries {
    /// A series with a window of `window` samples (at least 1) that drops its first `warm_up` samples.
    pub fn new(window: usize, warm_up: usize) -> Self {
        let histogram = Histogram::new_with_bounds(1, LONGEST_NS, DIGITS).expect("constant bounds are in order");
        Self {
            ring: vec![0; window.max(1)].into(),
            next: 0,
            len: 0,
            run: RunTotals::default(),
            histogram,
            to_drop: warm_up,
        }
    }

    /// Takes one sample. Cost: some tens of nanoseconds, no allocation. A zero is a sample like any other.
    pub fn record(&mut self, sample: Duration) {
        if self.to_drop > 0 {
            self.to_drop -= 1;
            self.run.dropped += 1;
            return;
        }
        let ns = u64::try_from(sample.as_nanos()).unwrap_or(u64::MAX);
        self.ring[self.next] = ns;
        self.next = (self.next + 1) % self.ring.len();
        self.len = (self.len + 1).min(self.ring.len());
        self.run.n += 1;
        self.run.total_ns += u128::from(ns);
        self.run.max_ns = self.run.max_ns.max(ns);
        self.histogram.saturating_record(ns);
    }

    /// Drops the next `samples` samples, and counts them as dropped.
    pub fn warm_up(&mut self, samples: usize) {
        self.to_drop = samples;
    }

    /// Forgets everything, and drops the next `warm_up` samples.
    pub fn reset(&mut self, warm_up: usize) {
        self.next = 0;
        self.len = 0;
        self.run = RunTotals::default();
        self.histogram.reset();
        self.to_drop = warm_up;
    }

    /// How many samples the window can hold.
    pub fn window(&self) -> usize {
        self.ring.len()
    }

    /// How many samples the window holds.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the window holds none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Samples recorded in the whole run, without those dropped.
    pub fn recorded(&self) -> u64 {
        self.run.n
    }

    /// Samples dropped as warm-up.
    pub fn dropped(&self) -> u64 {
        self.run.dropped
    }

    /// The window's samples in nanoseconds, oldest first.
    pub fn samples(&self) -> impl DoubleEndedIterator<Item = u64> + Clone + '_ {
        let (newer, older) = self.ring[..self.len].split_at(if self.len < self.ring.len() { 0 } else { self.next });
        older.iter().chain(newer).copied()
    }

    /// Summarises the window, and the run for p99.9. Cost: two copies and a sort of the window.
    pub fn summary(&self) -> Summary {
        Self::summary_of([self])
    }

    /// Summarises several series as if they were one: their windows one after the other, their runs added up.
    pub(crate) fn summary_of<'a>(series: impl IntoIterator<Item = &'a Self> + Clone) -> Summary {
        let mut samples = Vec::with_capacity(series.clone().into_iter().map(Self::len).sum());
        let mut run = RunTotals::default();
        for one in series.clone() {
            samples.extend(one.samples());
            run.add(&one.run);
        }
        let mut summary = Summary::of(&samples);
        let windows_hold_all = run.n == samples.len() as u64;
        if !windows_hold_all {
            summary.p999 = Percentile::P999.judge(run.n, run_quantile(series, Percentile::P999, &run));
        }
        summary.run = run;
        summary
    }
}

/// A percentile of the whole run, from the histograms.
fn run_quantile<'a>(
    series: impl IntoIterator<Item = &'a SampleSeries> + Clone,
    percentile: Percentile,
    run: &RunTotals,
) -> u64 {
    let mut all = series.into_iter().map(|one| &one.histogram);
    let Some(first) = all.next() else { return 0 };
    let quantile = percentile.per_mille() as f64 / 1000.0;
    let mut rest = all.peekable();
    let ns = if rest.peek().is_none() {
        first.value_at_quantile(quantile)
    } else {
        let mut merged = first.clone();
        for histogram in rest {
            // All histograms have the same bounds, so adding them cannot fail.
            if merged.add(histogram).is_err() {
                return run.max_ns;
            }
        }
        merged.value_at_quantile(quantile)
    };
    ns.min(run.max_ns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::percentile::Quantile;

    fn record(series: &mut SampleSeries, samples: impl IntoIterator<Item = u64>) {
        for ns in samples {
            series.record(Duration::from_nanos(ns));
        }
    }

    #[test]
    fn none_one_and_zero() {
        let mut series = SampleSeries::new(4, 0);
        assert!(series.is_empty());
        assert_eq!(series.summary(), Summary::default());
        record(&mut series, [0]);
        let summary = series.summary();
        assert_eq!((summary.n, summary.fps, summary.max_ms), (1, None, Some(0.0)));
        assert_eq!(summary.p50, Quantile::TooFew { nearest_ns: 0 });
    }

    #[test]
    fn the_window_keeps_the_last_in_order() {
        let mut series = SampleSeries::new(4, 0);
        record(&mut series, 1..=3);
        assert_eq!(series.samples().collect::<Vec<_>>(), [1, 2, 3]);
        record(&mut series, 4..=9);
        assert_eq!(series.samples().collect::<Vec<_>>(), [6, 7, 8, 9]);
        assert_eq!((series.len(), series.window(), series.recorded()), (4, 4, 9));
        record(&mut series, [10, 11, 12]);
        assert_eq!(series.samples().collect::<Vec<_>>(), [9, 10, 11, 12]);
    }

    #[test]
    fn a_window_of_zero_holds_one() {
        let mut series = SampleSeries::new(0, 0);
        record(&mut series, [1, 2]);
        assert_eq!(series.samples().collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn warm_up_is_dropped_and_counted() {
        let mut series = SampleSeries::new(8, 3);
        record(&mut series, [100, 100, 100, 1, 2]);
        assert_eq!(series.samples().collect::<Vec<_>>(), [1, 2]);
        assert_eq!((series.recorded(), series.dropped()), (2, 3));
        assert_eq!(series.summary().run.max_ns, 2);
        series.warm_up(1);
        record(&mut series, [100, 3]);
        assert_eq!((series.samples().collect::<Vec<_>>(), series.dropped()), (vec![1, 2, 3], 4));
        series.reset(1);
        record(&mut series, [100, 3]);
        assert_eq!((series.samples().collect::<Vec<_>>(), series.dropped()), (vec![3], 1));
    }

    #[test]
    fn the_run_outlives_the_window() {
        let mut series = SampleSeries::new(100, 0);
        // 20,000 samples, of which 40 long ones early on: p99.9 leaves 20 beyond, so it is a long one.
        record(&mut series, (0..20_000).map(|i| if i < 40 { 50_000_000 } else { 1_000_000 }));
        let summary = series.summary();
        assert_eq!(summary.max_ms, Some(1.0), "the window");
        assert_eq!(summary.run.max_ms(), Some(50.0), "the run");
        let p999 = summary.p999.measured_ms().expect("20 samples lie beyond");
        assert!((p999 - 50.0).abs() < 0.05, "within 0.1 %: {p999}");
        assert_eq!(summary.run.n, 20_000);
    }

    #[test]
    fn very_long_samples_saturate() {
        let mut series = SampleSeries::new(2, 0);
        series.record(Duration::MAX);
        series.record(Duration::MAX);
        series.record(Duration::MAX);
        assert_eq!(series.summary().run.max_ns, u64::MAX);
        assert!(series.summary().fps.is_some_and(|fps| fps > 0.0));
    }
}
