//! Each label has a window of its own.

use std::time::{Duration, Instant};

use bevy_frame_percentiles::{FrameRecorder, Series};

const MS: Duration = Duration::from_millis(1);

fn ticks(recorder: &FrameRecorder, label: &str) -> Vec<u128> {
    recorder.samples(Series::Tick, label).map(|tick| tick.as_millis()).collect()
}

fn tick(recorder: &mut FrameRecorder, milliseconds: impl IntoIterator<Item = u32>) {
    milliseconds.into_iter().for_each(|n| recorder.record_tick(n * MS));
}

#[test]
fn samples_stay_with_their_label_and_a_label_continues() {
    let mut recorder = FrameRecorder::new(10, 0, "a");
    tick(&mut recorder, [1, 2]);
    recorder.set_label("b");
    tick(&mut recorder, [3]);
    recorder.set_label("a");
    tick(&mut recorder, [4]);
    assert_eq!((ticks(&recorder, "a"), ticks(&recorder, "b")), (vec![1, 2, 4], vec![3]));
    assert_eq!(recorder.labels().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(recorder.label(), "a");
    assert!(ticks(&recorder, "never set").is_empty());
}

#[test]
fn each_change_drops_warm_up_again_and_no_change_does_not() {
    let mut recorder = FrameRecorder::new(10, 2, "a");
    tick(&mut recorder, [9, 9, 1]);
    recorder.set_label("a");
    tick(&mut recorder, [2]);
    recorder.set_label("b");
    tick(&mut recorder, [9, 9, 3]);
    recorder.set_label("a");
    tick(&mut recorder, [9, 9, 4]);
    assert_eq!((ticks(&recorder, "a"), ticks(&recorder, "b")), (vec![1, 2, 4], vec![3]));
    let dropped = |label| recorder.summary(Series::Tick, label).run.dropped;
    assert_eq!((dropped("a"), dropped("b")), (4, 2));
}

#[test]
fn the_frame_in_which_the_label_changes_belongs_to_the_old_one() {
    let mut recorder = FrameRecorder::new(10, 0, "a");
    let t = Instant::now();
    recorder.begin_frame(t);
    recorder.set_label("b");
    recorder.record_tick(MS);
    recorder.end_update(t + MS);
    recorder.begin_frame(t + 2 * MS);
    recorder.end_update(t + 6 * MS);
    recorder.begin_frame(t + 10 * MS);
    let of = |series, label| recorder.samples(series, label).map(|time| time.as_millis()).collect::<Vec<_>>();
    assert_eq!((of(Series::Frame, "a"), of(Series::Frame, "b")), (vec![2], vec![8]));
    assert_eq!((of(Series::Update, "a"), of(Series::Update, "b")), (vec![1], vec![4]));
    assert_eq!((ticks(&recorder, "a"), ticks(&recorder, "b")), (vec![], vec![1]), "ticks follow at once");
}

#[test]
fn a_change_each_frame_loses_no_frame_without_warm_up() {
    let mut recorder = FrameRecorder::new(100, 0, "a");
    let t = Instant::now();
    for frame in 0..90 {
        recorder.begin_frame(t + frame * MS);
        recorder.set_label(["a", "b", "c"][frame as usize % 3]);
        recorder.end_update(t + frame * MS);
    }
    assert_eq!(recorder.summary_of_all(Series::Update).n, 90);
    assert_eq!(recorder.summary_of_all(Series::Frame).n, 89);
}

#[test]
fn a_reset_forgets_samples_and_keeps_labels() {
    let mut recorder = FrameRecorder::new(10, 1, "a");
    tick(&mut recorder, [9, 1]);
    recorder.set_label("b");
    tick(&mut recorder, [9, 2]);
    recorder.reset();
    assert_eq!((recorder.label(), recorder.labels().len()), ("b", 2));
    tick(&mut recorder, [9, 3]);
    assert_eq!((ticks(&recorder, "a"), ticks(&recorder, "b")), (vec![], vec![3]));
    assert_eq!(recorder.summary(Series::Tick, "b").run.n, 1);
}
