//! The recorder in an app without window, renderer or egui.

use std::{thread::sleep, time::Duration};

use bevy::{prelude::*, time::TimeUpdateStrategy};
use bevy_frame_percentiles::{FrameEnd, FramePercentilesPlugin, FrameRecorder, FrameStart, Series};

fn app(plugin: FramePercentilesPlugin) -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, plugin));
    app
}

fn without_warm_up() -> FramePercentilesPlugin {
    FramePercentilesPlugin { warm_up: 0, ..default() }
}

fn count(app: &App, series: Series) -> usize {
    app.world().resource::<FrameRecorder>().current_series(series).len()
}

#[test]
fn n_updates_are_n_updates_and_n_minus_one_frames() {
    let mut app = app(without_warm_up());
    for _ in 0..25 {
        app.update();
    }
    assert_eq!(count(&app, Series::Update), 25);
    assert_eq!(count(&app, Series::Frame), 24, "the last frame has not ended");
    assert_eq!(count(&app, Series::Tick), 0);
}

#[test]
fn warm_up_is_dropped_and_counted() {
    let mut app = app(FramePercentilesPlugin { warm_up: 10, ..FramePercentilesPlugin::new("here") });
    for _ in 0..25 {
        app.update();
    }
    let summary = app.world().resource::<FrameRecorder>().summary(Series::Update, "here");
    assert_eq!((summary.n, summary.run.dropped), (15, 10));
}

#[test]
fn a_frame_holds_what_the_schedules_do_and_an_update_no_wait() {
    let mut app = app(without_warm_up());
    let nap = Duration::from_millis(20);
    app.add_systems(First, move || sleep(nap)).add_systems(Last, move || sleep(nap));
    app.update();
    sleep(3 * nap);
    app.update();
    let recorder = app.world().resource::<FrameRecorder>();
    let update = recorder.samples(Series::Update, "run").next().expect("two updates were recorded");
    let frame = recorder.samples(Series::Frame, "run").next().expect("one frame was recorded");
    // A sleep is never shorter than asked for: lower bounds hold on any machine.
    assert!(update >= 2 * nap, "First and Last are both inside: {update:?}");
    assert!(frame >= update + 3 * nap, "the wait is in the frame, not in the update: {frame:?}, {update:?}");
}

#[test]
fn a_hitch_that_runs_many_fixed_steps_is_one_frame() {
    #[derive(Resource, Default)]
    struct Steps(u32);

    let mut app = app(without_warm_up());
    app.init_resource::<Steps>().insert_resource(Time::<Fixed>::from_hz(64.0)).add_systems(
        FixedUpdate,
        |mut steps: ResMut<Steps>, mut recorder: ResMut<FrameRecorder>| {
            steps.0 += 1;
            recorder.record_tick(Duration::from_micros(5));
        },
    );
    // Time stands still for the first update; afterwards 250 ms each: 16 steps of 1/64 s.
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(250)));
    app.update();
    let before = (count(&app, Series::Update), app.world().resource::<Steps>().0);
    app.update();
    let steps = app.world().resource::<Steps>().0;
    assert_eq!(steps - before.1, 16);
    assert_eq!(count(&app, Series::Update) - before.0, 1, "sixteen steps, one update");
    assert_eq!(count(&app, Series::Tick) as u32, steps);
}

#[test]
fn the_clock_is_read_before_first_and_after_last_whatever_else_is_there() {
    #[derive(Resource, Default)]
    struct Order(Vec<&'static str>);
    fn note(what: &'static str) -> impl Fn(ResMut<Order>) {
        move |mut order| order.0.push(what)
    }

    let mut app = app(without_warm_up());
    app.init_resource::<Order>()
        .add_systems(FrameEnd, note("end"))
        .add_systems(Last, note("last"))
        .add_systems(Update, note("update"))
        .add_systems(First, note("first"))
        .add_systems(FrameStart, note("start"));
    app.update();
    assert_eq!(app.world().resource::<Order>().0, ["start", "first", "update", "last", "end"]);
}
