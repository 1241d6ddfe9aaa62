//! The egui overlay: percentiles side by side, a graph, counters and phases, and the app's own buttons and sliders.
//!
//! Figures are computed four times a second in [`PercentileOverlaySystems::Refresh`] and drawn each frame in
//! [`PercentileOverlaySystems::Draw`]. While the overlay is hidden neither runs.

mod controls;
mod figures;
mod format;
mod graph;
mod table;
mod window;

use std::time::Instant;

use bevy::{
    app::{App, Plugin, Update},
    diagnostic::DiagnosticsStore,
    ecs::{
        query::With,
        resource::Resource,
        schedule::{IntoScheduleConfigs, SystemSet},
        system::{Query, Res, ResMut},
    },
    input::{ButtonInput, keyboard::KeyCode},
    reflect::Reflect,
    window::{PresentMode, PrimaryWindow, Window},
};
use bevy_egui::{EguiContext, EguiPrimaryContextPass, PrimaryEguiContext};

pub use controls::{OverlayChoices, OverlaySlider, OverlaySliders};

use crate::{FramePercentilesPlugin, FrameRecorder, LowDefinition, Series, refresh::RefreshTimer};
use figures::Figures;
use graph::Graph;
use table::Table;

/// Adds the egui overlay.
///
/// The app adds bevy_egui's `EguiPlugin` itself. [`FramePercentilesPlugin`] is added with its defaults if the app has
/// not added it before. Without a window or a camera there is nothing to draw on, and nothing is drawn.
#[derive(Clone, Debug)]
pub struct PercentileOverlayPlugin {
    /// The window's title. Default `Frame percentiles`.
    pub title: String,
    /// The key that shows and hides the overlay; `None` for none. Default F1.
    pub toggle_key: Option<KeyCode>,
    /// Whether the overlay shows from the start. Default `false`.
    pub visible: bool,
    /// The groups of Bevy diagnostics that are shown as counters and phases. Default none.
    pub diagnostics: Vec<OverlayDiagnostics>,
    /// The lines across the graph, in milliseconds. Default 1000/60, 1000/120 and 1000/144.
    pub target_lines_ms: Vec<f64>,
    /// Which series the overlay shows first. Default [`Series::Frame`].
    pub series: Series,
    /// The overlay's width in logical pixels. Default 420.
    pub width: f32,
}

impl Default for PercentileOverlayPlugin {
    fn default() -> Self {
        Self {
            title: "Frame percentiles".to_owned(),
            toggle_key: Some(KeyCode::F1),
            visible: false,
            diagnostics: Vec::new(),
            target_lines_ms: [60.0, 120.0, 144.0].map(|fps| 1000.0 / fps).into(),
            series: Series::Frame,
            width: 420.0,
        }
    }
}

impl PercentileOverlayPlugin {
    /// The defaults, with diagnostics to show, for instance `["my_game", "render"]`.
    pub fn new(diagnostics: impl IntoIterator<Item = impl Into<OverlayDiagnostics>>) -> Self {
        Self { diagnostics: diagnostics.into_iter().map(Into::into).collect(), ..Self::default() }
    }
}

/// A group of Bevy diagnostics: all whose path starts with a prefix, or is the prefix.
///
/// Those whose path ends in `_ms` are phases and show the mean of their history; the rest are counters and show their
/// last value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OverlayDiagnostics {
    /// The path's first components, such as `my_game/physics`. The empty prefix means all diagnostics.
    pub prefix: String,
    /// The path of the diagnostic that measures all phases together. With it the overlay shows "other": this total
    /// minus the sum of the phases.
    pub total: Option<String>,
}

impl OverlayDiagnostics {
    /// All diagnostics below a prefix.
    pub fn new(prefix: impl Into<String>) -> Self {
        Self { prefix: prefix.into(), total: None }
    }

    /// Names the diagnostic that measures all phases together.
    pub fn with_total(mut self, path: impl Into<String>) -> Self {
        self.total = Some(path.into());
        self
    }
}

impl<T: Into<String>> From<T> for OverlayDiagnostics {
    fn from(prefix: T) -> Self {
        Self::new(prefix)
    }
}

/// The overlay's state. It is kept while the overlay is hidden.
#[derive(Resource, Clone, Debug, Reflect)]
pub struct PercentileOverlay {
    /// Whether the overlay is shown. Hidden, it does no work at all.
    pub visible: bool,
    /// Which series the table and the graph show.
    pub series: Series,
    /// Which "1 % low" is shown.
    pub low: LowDefinition,
    /// What the overlay itself costs, in milliseconds a frame, over the last quarter of a second: figures and layout.
    /// The renderer's part, turning shapes into triangles and drawing them, is not in it. Written by the overlay.
    pub cost_ms: Option<f64>,
}

/// The overlay's system sets.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PercentileOverlaySystems {
    /// In `Update`: the key that shows and hides.
    Toggle,
    /// In `Update`, only while visible: computes what is shown, four times a second.
    Refresh,
    /// In `EguiPrimaryContextPass`, only while visible: draws.
    Draw,
}

/// What the plugin was told, for the systems.
#[derive(Resource)]
struct OverlaySettings(PercentileOverlayPlugin);

/// What is shown, as computed at the last refresh.
#[derive(Resource, Default)]
struct Shown {
    timer: RefreshTimer,
    /// The series and the "1 % low" the table was made for: another choice refreshes at once.
    made_for: Option<(Series, LowDefinition)>,
    table: Table,
    figures: Figures,
    graph: Graph,
    /// Median of the shown series under the current label, in milliseconds; the graph takes its scale from it.
    median_ms: Option<f64>,
    present_mode: Option<PresentMode>,
    cost: Cost,
}

/// Sums up what the overlay costs between two refreshes.
#[derive(Default)]
struct Cost {
    seconds: f64,
    frames: u32,
}

impl Cost {
    fn add(&mut self, since: Instant) {
        self.seconds += since.elapsed().as_secs_f64();
    }

    fn take_mean_ms(&mut self) -> Option<f64> {
        let cost = std::mem::take(self);
        (cost.frames > 0).then(|| cost.seconds * 1e3 / f64::from(cost.frames))
    }
}

impl Plugin for PercentileOverlayPlugin {
    fn build(&self, app: &mut App) {
        if !app.is_plugin_added::<FramePercentilesPlugin>() {
            app.add_plugins(FramePercentilesPlugin::default());
        }
        app.register_type::<PercentileOverlay>()
            .insert_resource(PercentileOverlay {
                visible: self.visible,
                series: self.series,
                low: LowDefinition::default(),
                cost_ms: None,
            })
            .insert_resource(OverlaySettings(self.clone()))
            .init_resource::<Shown>()
            .configure_sets(Update, PercentileOverlaySystems::Refresh.after(PercentileOverlaySystems::Toggle))
            .add_systems(
                Update,
                (
                    toggle.in_set(PercentileOverlaySystems::Toggle),
                    refresh.in_set(PercentileOverlaySystems::Refresh).run_if(visible),
                ),
            )
            .add_systems(EguiPrimaryContextPass, draw.in_set(PercentileOverlaySystems::Draw).run_if(visible));
    }
}

fn visible(overlay: Res<PercentileOverlay>) -> bool {
    overlay.visible
}

fn toggle(
    keys: Option<Res<ButtonInput<KeyCode>>>,
    settings: Res<OverlaySettings>,
    mut overlay: ResMut<PercentileOverlay>,
) {
    if let (Some(keys), Some(key)) = (keys, settings.0.toggle_key)
        && keys.just_pressed(key)
    {
        overlay.visible = !overlay.visible;
    }
}

fn refresh(
    recorder: Res<FrameRecorder>,
    store: Option<Res<DiagnosticsStore>>,
    windows: Query<&Window, With<PrimaryWindow>>,
    settings: Res<OverlaySettings>,
    mut overlay: ResMut<PercentileOverlay>,
    mut shown: ResMut<Shown>,
) {
    let started = Instant::now();
    let wanted = (overlay.series, overlay.low);
    if shown.made_for.replace(wanted) != Some(wanted) {
        shown.timer.expire();
    }
    if shown.timer.due(started) {
        overlay.cost_ms = shown.cost.take_mean_ms();
        shown.table = Table::new(&recorder, overlay.series, overlay.low);
        shown.median_ms = shown.table.current.p50.nearest_ms();
        shown.figures = store.map(|store| Figures::new(&store, &settings.0.diagnostics)).unwrap_or_default();
        shown.present_mode = windows.single().ok().map(|window| window.present_mode);
        shown.cost.add(started);
    }
    // Here, because egui may draw a frame in more than one pass.
    shown.cost.frames += 1;
}

fn draw(
    mut contexts: Query<&mut EguiContext, With<PrimaryEguiContext>>,
    recorder: Res<FrameRecorder>,
    settings: Res<OverlaySettings>,
    mut overlay: ResMut<PercentileOverlay>,
    mut shown: ResMut<Shown>,
    mut choices: Option<ResMut<OverlayChoices>>,
    mut sliders: Option<ResMut<OverlaySliders>>,
) {
    let started = Instant::now();
    let Ok(mut context) = contexts.single_mut() else { return };
    let view = window::View {
        settings: &settings.0,
        recorder: &recorder,
        shown: &mut shown,
        overlay: overlay.reborrow(),
        choices: choices.as_mut().map(|choices| choices.reborrow()),
        sliders: sliders.as_mut().map(|sliders| sliders.reborrow()),
    };
    window::draw(context.get_mut(), view);
    shown.cost.add(started);
}

/// Whether a present mode makes frames wait for the display.
pub fn is_vsync(mode: PresentMode) -> bool {
    match mode {
        PresentMode::AutoVsync | PresentMode::Fifo | PresentMode::FifoRelaxed => true,
        PresentMode::AutoNoVsync | PresentMode::Immediate | PresentMode::Mailbox => false,
    }
}
