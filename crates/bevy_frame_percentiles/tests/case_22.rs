//! The overlay's arithmetic on values worked by hand: 999 frames of 8 ms and one of 200 ms.

use std::time::Duration;

use bevy_frame_percentiles::{FrameRecorder, Quantile, Series, Summary, percentile::*, stutter::Stutter};

const MS: u64 = 1_000_000;

fn case_22() -> Vec<u64> {
    let mut samples = vec![8 * MS; 1000];
    samples[617] = 200 * MS;
    samples
}

fn near(value: Option<f64>, by_hand: f64) {
    let value = value.expect("there are enough frames");
    assert!((value - by_hand).abs() < 0.05, "{value} is not {by_hand}");
}

#[test]
fn percentiles_maximum_and_rate() {
    let summary = Summary::of(&case_22());
    let eight = Quantile::Measured { ns: 8 * MS };
    assert_eq!([summary.p50, summary.p95, summary.p99], [eight; 3]);
    assert_eq!(summary.max_ms, Some(200.0));
    // 1000 frames / (999 * 8 ms + 200 ms = 8.192 s).
    near(summary.fps, 122.1);
    assert_eq!((summary.n, summary.seconds), (1000, 8.192));
    near(summary.mean_ms(), 8.192);
}

#[test]
fn one_sample_beyond_is_not_enough_for_p999() {
    let summary = Summary::of(&case_22());
    assert_eq!(summary.p999, Quantile::TooFew { nearest_ns: 8 * MS });
    assert_eq!((summary.p999.measured_ms(), summary.p999.nearest_ms()), (None, Some(8.0)));
}

#[test]
fn each_definition_of_one_percent_low_has_its_own_value() {
    let lows = Summary::of(&case_22()).lows;
    // p99 is 8 ms.
    near(lows.get(LowDefinition::Percentile), 125.0);
    // The slowest ten: nine of 8 ms and one of 200 ms: 10 / 0.272 s.
    near(lows.get(LowDefinition::MeanOfSlowest), 36.8);
    // A hundredth of 8.192 s is 81.92 ms: the frame of 200 ms alone is more.
    near(lows.get(LowDefinition::TimeIntegral), 5.0);
}

#[test]
fn the_hitch_is_the_one_stutter() {
    assert_eq!(Summary::of(&case_22()).stutter, Stutter { frames: 1, share: 200.0 / 8192.0 });
}

#[test]
fn the_recorder_gives_the_same_summary_in_any_order_of_its_ring() {
    for already in [0, 1, 700, 2500] {
        let mut recorder = FrameRecorder::new(1000, already, "run");
        for ns in std::iter::repeat_n(50 * MS, already).chain(case_22()) {
            recorder.record(Series::Frame, Duration::from_nanos(ns));
        }
        let mut summary = recorder.summary(Series::Frame, "run");
        assert_eq!(summary.run.dropped, already as u64);
        summary.run.dropped = 0;
        assert_eq!(summary, Summary::of(&case_22()));
    }
}
