//! A pause leaves no trace in the samples.

use std::time::{Duration, Instant};

use bevy::prelude::*;
use bevy_frame_percentiles::{FramePercentilesPlugin, FrameRecorder, Series};

const MS: Duration = Duration::from_millis(1);

#[test]
fn nothing_is_recorded_while_paused_and_no_sample_spans_the_pause() {
    let mut recorder = FrameRecorder::new(10, 0, "a");
    let t = Instant::now();
    recorder.begin_frame(t);
    recorder.end_update(t + MS);
    recorder.begin_frame(t + 8 * MS);
    recorder.set_paused(true);
    recorder.end_update(t + 9 * MS);
    for i in 2..60 {
        recorder.begin_frame(t + 8 * i * MS);
        recorder.record_tick(MS);
        recorder.end_update(t + 8 * i * MS + MS);
    }
    recorder.begin_frame(t + 1000 * MS);
    recorder.set_paused(false);
    recorder.record_tick(2 * MS);
    recorder.end_update(t + 1001 * MS);
    recorder.begin_frame(t + 1008 * MS);
    recorder.end_update(t + 1012 * MS);
    recorder.begin_frame(t + 1015 * MS);
    let of = |series| recorder.samples(series, "a").map(|time| time.as_millis()).collect::<Vec<_>>();
    assert_eq!(of(Series::Frame), [8, 7]);
    assert_eq!(of(Series::Update), [1, 4]);
    assert_eq!(of(Series::Tick), [2]);
}

#[test]
fn the_same_state_again_is_no_change() {
    let mut recorder = FrameRecorder::new(10, 0, "a");
    let t = Instant::now();
    recorder.begin_frame(t);
    recorder.set_paused(false);
    recorder.begin_frame(t + MS);
    assert_eq!(recorder.samples(Series::Frame, "a").collect::<Vec<_>>(), [MS]);
}

#[test]
fn an_app_pauses_and_resumes() {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, FramePercentilesPlugin { warm_up: 0, ..default() }));
    let updates = |app: &App| app.world().resource::<FrameRecorder>().current_series(Series::Update).len();
    let run = |app: &mut App, paused, frames| {
        app.world_mut().resource_mut::<FrameRecorder>().set_paused(paused);
        (0..frames).for_each(|_| app.update());
    };
    run(&mut app, false, 5);
    assert_eq!(updates(&app), 5);
    run(&mut app, true, 60);
    assert_eq!(updates(&app), 5);
    run(&mut app, false, 5);
    assert_eq!(updates(&app), 10);
    let frames = app.world().resource::<FrameRecorder>().current_series(Series::Frame).len();
    assert_eq!(frames, 8, "four before and four after; none across");
}
