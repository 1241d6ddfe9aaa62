//! The overlay: hidden it computes nothing, shown it lays out within the screen, and its buttons work.
//!
//! egui lays out without a window or a renderer, so these tests need neither.

use std::time::Duration;

use bevy::{input::ButtonInput, prelude::*};
use bevy_egui::{
    EguiContext, EguiPrimaryContextPass, PrimaryEguiContext,
    egui::{self, Event, PointerButton, Pos2, Rect, pos2},
};
use bevy_frame_percentiles::prelude::*;

const SCREEN: Rect = Rect { min: Pos2::ZERO, max: pos2(1280.0, 720.0) };

fn app(plugin: PercentileOverlayPlugin) -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, FramePercentilesPlugin { warm_up: 0, ..default() }))
        .init_resource::<ButtonInput<KeyCode>>()
        .add_plugins(plugin);
    app.init_schedule(EguiPrimaryContextPass);
    app.world_mut().spawn((EguiContext::default(), PrimaryEguiContext));
    app
}

fn shown() -> App {
    app(PercentileOverlayPlugin { visible: true, ..default() })
}

/// One frame: the app's update, and a pass of egui with the given events. Gives what egui painted.
fn frame(app: &mut App, events: Vec<Event>) -> egui::FullOutput {
    app.update();
    let world = app.world_mut();
    let mut contexts = world.query::<&mut EguiContext>();
    let context = contexts.single_mut(world).expect("one context was spawned").get_mut().clone();
    let input = egui::RawInput { screen_rect: Some(SCREEN), events, ..Default::default() };
    context.run(input, |_| world.run_schedule(EguiPrimaryContextPass))
}

fn click(app: &mut App, at: Pos2) {
    let button = |pressed| Event::PointerButton {
        pos: at,
        button: PointerButton::Primary,
        pressed,
        modifiers: egui::Modifiers::default(),
    };
    for event in [Event::PointerMoved(at), button(true), button(false)] {
        frame(app, vec![event]);
    }
}

/// All painted text with where it stands.
fn texts(output: &egui::FullOutput) -> Vec<(String, Rect)> {
    fn collect(shape: &egui::Shape, clip: Rect, texts: &mut Vec<(String, Rect)>) {
        match shape {
            egui::Shape::Text(text) => {
                let rect = text.visual_bounding_rect();
                if clip.intersects(rect) {
                    texts.push((text.galley.text().to_owned(), rect));
                }
            }
            egui::Shape::Vec(shapes) => shapes.iter().for_each(|shape| collect(shape, clip, texts)),
            _ => {}
        }
    }
    let mut texts = Vec::new();
    for clipped in &output.shapes {
        collect(&clipped.shape, clipped.clip_rect, &mut texts);
    }
    texts
}

/// Draws until the layout has settled, and gives all text.
fn settled(app: &mut App) -> Vec<(String, Rect)> {
    (0..4).for_each(|_| drop(frame(app, vec![])));
    texts(&frame(app, vec![]))
}

fn find(texts: &[(String, Rect)], text: &str) -> Rect {
    let found = texts.iter().find(|(found, _)| found.trim() == text);
    found.unwrap_or_else(|| panic!("{text:?} is not among {texts:#?}")).1
}

fn summaries(app: &App) -> u64 {
    app.world().resource::<FrameRecorder>().summaries_computed()
}

#[test]
fn hidden_it_computes_and_paints_nothing() {
    let mut app = app(PercentileOverlayPlugin::default());
    for _ in 0..5 {
        let output = frame(&mut app, vec![]);
        assert!(texts(&output).is_empty());
    }
    assert_eq!(summaries(&app), 0);

    app.world_mut().resource_mut::<PercentileOverlay>().visible = true;
    let output = frame(&mut app, vec![]);
    assert!(summaries(&app) > 0, "shown, it computes at once");
    drop(output);

    app.world_mut().resource_mut::<PercentileOverlay>().visible = false;
    let before = summaries(&app);
    std::thread::sleep(2 * bevy_frame_percentiles::REFRESH_INTERVAL);
    (0..5).for_each(|_| drop(frame(&mut app, vec![])));
    assert_eq!(summaries(&app), before);
}

#[test]
fn the_key_toggles_it() {
    let mut app = app(PercentileOverlayPlugin { toggle_key: Some(KeyCode::F3), ..default() });
    let press = |app: &mut App, key| {
        app.world_mut().resource_mut::<ButtonInput<KeyCode>>().press(key);
        app.update();
        app.world_mut().resource_mut::<ButtonInput<KeyCode>>().reset_all();
        app.world().resource::<PercentileOverlay>().visible
    };
    assert!(!press(&mut app, KeyCode::F1));
    assert!(press(&mut app, KeyCode::F3));
    assert!(!press(&mut app, KeyCode::F3));
}

#[test]
fn labels_stand_side_by_side_in_a_window_at_the_top_right() {
    let mut app = shown();
    let mut recorder = app.world_mut().resource_mut::<FrameRecorder>();
    for (label, ms) in [("despawn-respawn", 12), ("component-recycling", 9), ("parallel-arrays", 4)] {
        recorder.set_label(label);
        (0..1000).for_each(|_| recorder.record(Series::Frame, Duration::from_millis(ms)));
    }
    recorder.set_paused(true);
    let texts = settled(&mut app);
    let p50 = ["12.00", "9.00", "4.00"].map(|value| find(&texts, value));
    assert!(p50[0].max.x < p50[1].max.x && p50[1].max.x < p50[2].max.x);
    assert!(p50.iter().all(|rect| (rect.min.y - p50[0].min.y).abs() < 2.0));
    let window = texts.iter().map(|(_, rect)| *rect).reduce(Rect::union).expect("there is text");
    assert!(SCREEN.contains_rect(window), "{window:?}");
    assert!(window.left() > 1280.0 - 460.0, "about 420 wide, at the right: {window:?}");
    find(&texts, "recording is paused");
    find(&texts, "1 % low p99");
    assert!(texts.iter().any(|(text, _)| text.contains("too few")), "p99.9 of 1000 is marked");
}

#[test]
fn a_button_of_the_app_is_reported_and_the_active_one_is_the_apps_choice() {
    let mut app = shown();
    app.insert_resource(OverlayChoices::new("strategy", ["one", "two", "three"]));
    let texts = settled(&mut app);
    click(&mut app, find(&texts, "two").center());
    let choices = app.world().resource::<OverlayChoices>().clone();
    assert_eq!((choices.requested, choices.active), (Some(1), 0));
    let requested = app.world_mut().resource_mut::<OverlayChoices>().requested.take();
    frame(&mut app, vec![]);
    assert_eq!((requested, app.world().resource::<OverlayChoices>().requested), (Some(1), None));
}

#[test]
fn resources_of_the_app_change_only_when_used() {
    let mut app = shown();
    app.insert_resource(OverlayChoices::new("strategy", ["one", "two"]));
    app.insert_resource(OverlaySliders(vec![OverlaySlider::new("density", 0.0..=10.0, 1.0)]));
    settled(&mut app);
    app.world_mut().clear_trackers();
    frame(&mut app, vec![]);
    assert!(!app.world().is_resource_changed::<OverlayChoices>());
    assert!(!app.world().is_resource_changed::<OverlaySliders>());
}

#[test]
fn a_slider_of_the_app_moves() {
    let mut app = shown();
    app.insert_resource(OverlaySliders(vec![OverlaySlider::new("density", 0.0..=10.0, 1.0)]));
    let texts = settled(&mut app);
    // The bar lies at the left of its row.
    let row = find(&texts, "density").center().y;
    let left = find(&texts, "series").left();
    click(&mut app, pos2(left + 60.0, row));
    let value = app.world().resource::<OverlaySliders>().0[0].value;
    assert!(value > 2.0 && value < 10.0, "{value}");
}

#[test]
fn series_and_definition_are_chosen_by_mouse_and_kept_while_hidden() {
    let mut app = shown();
    let texts = settled(&mut app);
    click(&mut app, find(&texts, "tick").center());
    click(&mut app, find(&texts, "time integral").center());
    app.world_mut().resource_mut::<PercentileOverlay>().visible = false;
    settled(&mut app);
    let overlay = app.world().resource::<PercentileOverlay>();
    assert_eq!((overlay.series, overlay.low), (Series::Tick, LowDefinition::TimeIntegral));
}

#[test]
fn it_says_when_frames_are_held_by_vsync() {
    use bevy::window::{PresentMode, PrimaryWindow};
    for (mode, held) in [(PresentMode::Fifo, true), (PresentMode::AutoVsync, true), (PresentMode::AutoNoVsync, false)] {
        let mut app = shown();
        app.world_mut().spawn((Window { present_mode: mode, ..default() }, PrimaryWindow));
        let texts = settled(&mut app);
        assert_eq!(texts.iter().any(|(text, _)| text == "held by vsync"), held, "{mode:?}");
        click(&mut app, find(&texts, "update").center());
        let texts = settled(&mut app);
        assert!(!texts.iter().any(|(text, _)| text == "held by vsync"), "the update series waits for no display");
    }
}

#[test]
fn it_states_its_own_cost_and_warns_in_debug_builds() {
    let mut app = shown();
    let texts = settled(&mut app);
    let warned = texts.iter().any(|(text, _)| text.starts_with("debug build"));
    assert_eq!(warned, cfg!(debug_assertions));
    assert!(texts.iter().any(|(text, _)| text.starts_with("this overlay: ")));
    std::thread::sleep(2 * bevy_frame_percentiles::REFRESH_INTERVAL);
    settled(&mut app);
    assert!(app.world().resource::<PercentileOverlay>().cost_ms.is_some_and(|cost| cost > 0.0));
}

#[test]
fn its_window_collapses_to_the_title() {
    let mut app = shown();
    let texts = settled(&mut app);
    let title = find(&texts, "Frame percentiles");
    let table = find(&texts, "p50 ms");
    // The arrow stands left of everything, at the height of the title.
    click(&mut app, pos2(table.left() + 6.0, title.center().y));
    std::thread::sleep(Duration::from_millis(300));
    let texts = settled(&mut app);
    assert!(texts.iter().all(|(text, _)| text != "p50 ms"), "{texts:?}");
    find(&texts, "Frame percentiles");
}
