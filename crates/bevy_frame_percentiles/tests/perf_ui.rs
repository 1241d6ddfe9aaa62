//! Perf UI rows show a diagnostic and percentiles, and compute nothing while hidden.

use std::time::{Duration, Instant};

use bevy::{
    diagnostic::{Diagnostic, DiagnosticMeasurement, DiagnosticPath, DiagnosticsPlugin, DiagnosticsStore},
    prelude::*,
};
use bevy_frame_percentiles::{
    perf_ui::{PerfUiFramePercentiles, PerfUiReading},
    prelude::*,
};
use iyes_perf_ui::{PerfUiPlugin, entry::PerfUiEntry};

struct Live;

impl DiagnosticEntry for Live {
    const PATH: &'static str = "pool/live";
    const LABEL: &'static str = "Alive";
    const UNIT: &'static str = "shots";
}

/// An app without a renderer. Nothing propagates visibility there, so the tests say `Visibility::Visible`.
fn app() -> App {
    let mut app = App::new();
    app.add_plugins((
        MinimalPlugins,
        AssetPlugin::default(),
        DiagnosticsPlugin,
        FramePercentilesPlugin { warm_up: 0, ..default() },
    ))
    .init_asset::<Font>()
    .add_plugins(PerfUiPlugin)
    .add_perf_ui_frame_percentiles()
    .add_perf_ui_diagnostic::<Live>();
    let mut recorder = app.world_mut().resource_mut::<FrameRecorder>();
    // No frame of the test's own counts: the figures shown are those of these.
    (0..1000).for_each(|_| recorder.record(Series::Frame, Duration::from_millis(8)));
    recorder.set_paused(true);
    let mut live = Diagnostic::new(DiagnosticPath::new(Live::PATH));
    live.add_measurement(DiagnosticMeasurement { time: Instant::now(), value: 285_000.0 });
    app.world_mut().resource_mut::<DiagnosticsStore>().add(live);
    app
}

fn texts(app: &mut App) -> Vec<String> {
    let mut texts: Vec<String> =
        app.world_mut().query::<&Text>().iter(app.world()).map(|text| text.0.clone()).collect();
    texts.sort();
    texts
}

fn summaries(app: &App) -> u64 {
    app.world().resource::<FrameRecorder>().summaries_computed()
}

#[test]
fn a_row_shows_the_diagnostic_with_label_and_unit() {
    let mut app = app();
    app.world_mut().spawn((PerfUiEntryDiagnostic::<Live>::default(), Visibility::Visible));
    (0..3).for_each(|_| app.update());
    assert_eq!(texts(&mut app), ["285000 shots", "Alive: "]);
    assert_eq!(summaries(&app), 0, "a diagnostic needs no percentiles");
}

#[test]
fn a_row_for_a_diagnostic_that_is_not_there_says_so() {
    struct Nothing;
    impl DiagnosticEntry for Nothing {
        const PATH: &'static str = "not/there";
        const LABEL: &'static str = "Nothing";
    }
    let mut app = app();
    app.add_perf_ui_diagnostic::<Nothing>();
    app.world_mut().spawn((PerfUiEntryDiagnostic::<Nothing>::default(), Visibility::Visible));
    (0..3).for_each(|_| app.update());
    assert_eq!(texts(&mut app), ["N/A", "Nothing: "]);
}

#[test]
fn rows_show_the_percentiles() {
    let mut app = app();
    app.world_mut().spawn((PerfUiFramePercentiles::default(), Visibility::Visible));
    (0..3).for_each(|_| app.update());
    assert_eq!(texts(&mut app), ["8.00 ms", "8.00 ms", "8.00 ms", "Frame p50: ", "Frame p95: ", "Frame p99: "]);
    assert!(summaries(&app) > 0);
}

#[test]
fn hidden_or_despawned_rows_compute_nothing() {
    for hide in [
        (|root| {
            root.insert(Visibility::Hidden);
        }) as fn(&mut EntityWorldMut),
        |root| {
            root.insert(Node { display: Display::None, ..default() });
        },
    ] {
        let mut app = app();
        let root = app.world_mut().spawn((PerfUiFramePercentiles::default(), Visibility::Visible)).id();
        (0..3).for_each(|_| app.update());
        assert!(summaries(&app) > 0, "shown, it computes");
        hide(&mut app.world_mut().entity_mut(root));
        let before = summaries(&app);
        // Long enough for a row to be due again.
        std::thread::sleep(2 * bevy_frame_percentiles::REFRESH_INTERVAL);
        (0..3).for_each(|_| app.update());
        assert_eq!(summaries(&app), before);

        app.world_mut().entity_mut(root).insert((Visibility::Visible, Node::default()));
        app.update();
        assert_eq!(summaries(&app), before + 3, "shown again, each row is computed");

        app.world_mut().entity_mut(root).despawn();
        std::thread::sleep(2 * bevy_frame_percentiles::REFRESH_INTERVAL);
        (0..3).for_each(|_| app.update());
        assert_eq!(summaries(&app), before + 3);
    }
}

#[test]
fn the_value_takes_the_colour_of_its_marker() {
    struct Hot;
    impl DiagnosticEntry for Hot {
        const PATH: &'static str = "hot";
        const LABEL: &'static str = "Hot";
        fn colour(value: f64) -> Option<Color> {
            (value > 1.0).then_some(Color::WHITE)
        }
    }
    let row = PerfUiEntryDiagnostic::<Hot>::default();
    assert_eq!(row.value_color(&PerfUiReading::Value(2.0)), Some(Color::WHITE));
    assert_eq!(row.value_color(&PerfUiReading::Value(0.5)), None);
}
