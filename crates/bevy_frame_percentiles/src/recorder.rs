//! Records frames, updates and ticks under labels.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use bevy::ecs::resource::Resource;

use crate::{
    series::{SampleSeries, Series},
    summary::Summary,
};

/// Records the three [`Series`], each label in a window of its own.
///
/// **Labels.** What is recorded belongs to the current label. A change of label starts a window for a new label, and
/// continues that of a label seen before; either way the next `warm_up` samples of each series are dropped, so that
/// the cost of the change itself does not count. Ticks follow the label at once; frame and update follow at the start
/// of the next frame, so the frame during which the label changes still belongs to the old one.
///
/// **Memory.** Fixed for each label: with the default window about 400 KiB, allocated when the label is first set.
/// Recording allocates nothing.
#[derive(Resource)]
pub struct FrameRecorder {
    window: usize,
    warm_up: usize,
    labels: Vec<Labelled>,
    /// The label that ticks belong to.
    current: usize,
    /// The label that the frame in progress belongs to.
    in_frame: usize,
    frame_start: Option<Instant>,
    update_start: Option<Instant>,
    paused: bool,
    summaries: AtomicU64,
}

struct Labelled {
    label: String,
    series: [SampleSeries; 3],
}

impl FrameRecorder {
    /// A recorder with windows of `window` samples (at least 1) that drops the first `warm_up` samples of each series
    /// at the start, after a change of label and after a reset. `label` is the first label.
    pub fn new(window: usize, warm_up: usize, label: impl Into<String>) -> Self {
        let mut recorder = Self {
            window,
            warm_up,
            labels: Vec::new(),
            current: 0,
            in_frame: 0,
            frame_start: None,
            update_start: None,
            paused: false,
            summaries: AtomicU64::new(0),
        };
        recorder.add_label(label.into());
        recorder
    }

    /// The current label.
    pub fn label(&self) -> &str {
        &self.labels[self.current].label
    }

    /// All labels, in the order they were first set.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = &str> {
        self.labels.iter().map(|labelled| labelled.label.as_str())
    }

    /// Changes the label; the current label again is no change. See [`FrameRecorder`] for what a change means.
    ///
    /// Cost: cheap enough to be called each frame. A label never seen before allocates its window.
    pub fn set_label(&mut self, label: &str) {
        if self.label() == label {
            return;
        }
        self.current = match self.position(label) {
            Some(known) => known,
            None => self.add_label(label.to_owned()),
        };
        self.warm_up_again();
    }

    /// Drops the next `warm_up` samples of each series under the current label, and counts them as dropped.
    pub fn warm_up_again(&mut self) {
        let warm_up = self.warm_up;
        for series in &mut self.labels[self.current].series {
            series.warm_up(warm_up);
        }
    }

    /// Whether recording is paused.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Pauses or resumes. While paused nothing is recorded; the frames in progress when the pause began and when it
    /// ended are not recorded either, so no sample spans a pause.
    pub fn set_paused(&mut self, paused: bool) {
        if self.paused != paused {
            self.paused = paused;
            self.forget_frame_in_progress();
        }
    }

    /// Forgets all samples of all labels; the labels stay, and so does a pause. The frame in progress is not recorded.
    pub fn reset(&mut self) {
        self.forget_frame_in_progress();
        for labelled in &mut self.labels {
            for series in &mut labelled.series {
                series.reset(self.warm_up);
            }
        }
    }

    /// Records one tick under the current label. How long it took is for the app to say.
    pub fn record_tick(&mut self, tick: Duration) {
        self.record(Series::Tick, tick);
    }

    /// Records one sample of any series under the current label, for apps that drive frames by hand and measure them
    /// on their own. A recorder under [`FramePercentilesPlugin`](crate::FramePercentilesPlugin) needs only
    /// [`Self::record_tick`].
    pub fn record(&mut self, series: Series, sample: Duration) {
        if !self.paused {
            self.labels[self.current].series[series as usize].record(sample);
        }
    }

    /// Ends the frame in progress at `now` and begins the next. The plugin calls it just before `First`.
    ///
    /// A `now` before the start of the frame in progress makes a sample of zero.
    pub fn begin_frame(&mut self, now: Instant) {
        if self.paused {
            return;
        }
        if let Some(start) = self.frame_start.replace(now) {
            self.record_in_frame(Series::Frame, now.saturating_duration_since(start));
        }
        self.update_start = Some(now);
        self.in_frame = self.current;
    }

    /// Ends the update in progress at `now`, if there is one. The plugin calls it just after `Last`.
    pub fn end_update(&mut self, now: Instant) {
        if let Some(start) = self.update_start.take() {
            self.record_in_frame(Series::Update, now.saturating_duration_since(start));
        }
    }

    /// The samples of one series under one label. `None` for a label never set.
    pub fn series(&self, series: Series, label: &str) -> Option<&SampleSeries> {
        self.position(label).map(|i| &self.labels[i].series[series as usize])
    }

    /// The samples of one series under the current label.
    pub fn current_series(&self, series: Series) -> &SampleSeries {
        &self.labels[self.current].series[series as usize]
    }

    /// The window's samples of one series under one label, oldest first; none for a label never set.
    pub fn samples(&self, series: Series, label: &str) -> impl Iterator<Item = Duration> + '_ {
        self.series(series, label).into_iter().flat_map(SampleSeries::samples).map(Duration::from_nanos)
    }

    /// The figures of one series under one label; those of no samples for a label never set.
    ///
    /// Cost: about 0.1 ms for a full window of 2,000 in a release build, and some allocations: not for every frame.
    pub fn summary(&self, series: Series, label: &str) -> Summary {
        self.count_summary();
        self.series(series, label).map(SampleSeries::summary).unwrap_or_default()
    }

    /// The figures of one series over all labels: their windows together, their runs together.
    ///
    /// Cost: that of [`Self::summary`] for each label.
    pub fn summary_of_all(&self, series: Series) -> Summary {
        self.count_summary();
        let all: Vec<&SampleSeries> = self.labels.iter().map(|labelled| &labelled.series[series as usize]).collect();
        SampleSeries::summary_of(all)
    }

    /// How often a summary was computed since the recorder was made: shows that nothing is while nobody looks.
    pub fn summaries_computed(&self) -> u64 {
        self.summaries.load(Ordering::Relaxed)
    }

    fn count_summary(&self) {
        self.summaries.fetch_add(1, Ordering::Relaxed);
    }

    fn position(&self, label: &str) -> Option<usize> {
        self.labels.iter().position(|labelled| labelled.label == label)
    }

    fn add_label(&mut self, label: String) -> usize {
        let series = std::array::from_fn(|_| SampleSeries::new(self.window, self.warm_up));
        self.labels.push(Labelled { label, series });
        self.labels.len() - 1
    }

    fn record_in_frame(&mut self, series: Series, sample: Duration) {
        self.labels[self.in_frame].series[series as usize].record(sample);
    }

    fn forget_frame_in_progress(&mut self) {
        self.frame_start = None;
        self.update_start = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn ms(recorder: &FrameRecorder, series: Series, label: &str) -> Vec<u128> {
        recorder.samples(series, label).map(|sample| sample.as_millis()).collect()
    }

    #[test]
    fn frame_is_start_to_start_and_update_start_to_end() {
        let mut recorder = FrameRecorder::new(10, 0, "a");
        let t = Instant::now();
        recorder.begin_frame(t);
        recorder.end_update(t + 3 * MS);
        recorder.begin_frame(t + 10 * MS);
        recorder.end_update(t + 14 * MS);
        recorder.begin_frame(t + 30 * MS);
        assert_eq!(ms(&recorder, Series::Frame, "a"), [10, 20]);
        assert_eq!(ms(&recorder, Series::Update, "a"), [3, 4]);
        assert!(ms(&recorder, Series::Tick, "a").is_empty());
    }

    #[test]
    fn a_clock_that_goes_backwards_makes_a_zero() {
        let mut recorder = FrameRecorder::new(10, 0, "a");
        let t = Instant::now() + 100 * MS;
        recorder.begin_frame(t);
        recorder.end_update(t - 5 * MS);
        recorder.begin_frame(t - 5 * MS);
        recorder.begin_frame(t);
        assert_eq!(ms(&recorder, Series::Frame, "a"), [0, 5]);
        assert_eq!(ms(&recorder, Series::Update, "a"), [0]);
    }

    #[test]
    fn an_end_without_a_start_is_nothing() {
        let mut recorder = FrameRecorder::new(10, 0, "a");
        recorder.end_update(Instant::now());
        assert!(recorder.samples(Series::Update, "a").next().is_none());
    }

    #[test]
    fn no_sample_spans_a_reset() {
        let mut recorder = FrameRecorder::new(10, 0, "a");
        let t = Instant::now();
        recorder.begin_frame(t);
        recorder.record_tick(MS);
        recorder.reset();
        recorder.end_update(t + MS);
        recorder.begin_frame(t + 2 * MS);
        for series in Series::ALL {
            assert!(ms(&recorder, series, "a").is_empty(), "{series:?}");
        }
        recorder.begin_frame(t + 9 * MS);
        assert_eq!(ms(&recorder, Series::Frame, "a"), [7]);
    }

    #[test]
    fn all_labels_together() {
        let mut recorder = FrameRecorder::new(2, 0, "a");
        for (label, samples) in [("a", [9, 1, 2]), ("b", [3, 4, 5])] {
            recorder.set_label(label);
            samples.iter().for_each(|&n| recorder.record_tick(n * MS));
        }
        let summary = recorder.summary_of_all(Series::Tick);
        // The windows hold 1, 2 and 4, 5; the runs all six.
        assert_eq!((summary.n, summary.max_ms), (4, Some(5.0)));
        assert_eq!((summary.run.n, summary.run.max_ms()), (6, Some(9.0)));
        let p999 = summary.p999.nearest_ms().expect("there are samples");
        assert!((p999 - 9.0).abs() < 0.01, "{p999}");
        assert_eq!(recorder.summary(Series::Tick, "never set"), Summary::default());
        assert_eq!(recorder.summaries_computed(), 2);
    }
}
