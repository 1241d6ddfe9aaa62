//! Joins the game and the frame-time overlay: neither knows the other.

use bevy::{
    diagnostic::FrameTimeDiagnosticsPlugin,
    prelude::*,
    winit::{EventLoopProxyWrapper, WakeUp},
};
use bevy_egui::{
    EguiContext, EguiMultipassSchedule, EguiPlugin, EguiPreUpdateSet, EguiPrimaryContextPass, PrimaryEguiContext,
    update_ui_size_and_scale_system,
};
use bevy_frame_percentiles::{
    perf_ui::{FrameP50, FrameP99},
    prelude::*,
};
use bevy_projectile_pool::{TICK_MS, prelude::*};
use iyes_perf_ui::prelude::*;

use crate::{
    app::POOL,
    game::{Bullet, Density},
    hud::{GameCamera, GameRenderTarget, HudSystems},
};

/// Adds the egui overlay, the Perf UI, and the keys 1, 2 and 3.
#[derive(Clone, Copy, Debug)]
pub struct DemoOverlayPlugin {
    /// Whether the overlay shows from the start.
    pub visible: bool,
}

impl Plugin for DemoOverlayPlugin {
    fn build(&self, app: &mut App) {
        let pool = OverlayDiagnostics::new(format!("projectile_pool/{POOL}")).with_total(TICK_MS.as_str());
        let overlay = PercentileOverlayPlugin { visible: self.visible, ..PercentileOverlayPlugin::new([pool]) };
        app.add_plugins((FrameTimeDiagnosticsPlugin::default(), EguiPlugin::default(), PerfUiPlugin, overlay))
            .add_perf_ui_diagnostic::<LiveProjectiles>()
            .add_perf_ui_percentile::<FrameP50>()
            .add_perf_ui_percentile::<FrameP99>()
            .insert_resource(OverlayChoices::new("Storage (1 2 3)", PoolingStrategy::ALL.map(PoolingStrategy::name)))
            .add_systems(Startup, spawn_perf_ui)
            .add_systems(Update, (read_strategy_keys, join_choices, show_perf_ui).chain());
        if let Some(density) = app.world().get_resource::<Density>() {
            let slider = OverlaySlider::new("pattern density", Density::MIN..=Density::MAX, density.factor());
            app.insert_resource(OverlaySliders(vec![slider]));
            app.add_systems(Update, join_sliders.run_if(resource_changed::<OverlaySliders>));
        }
        if app.world().contains_resource::<GameRenderTarget>() {
            draw_egui_without_window(app);
        }
    }
}

/// The Perf UI's row for the live count.
struct LiveProjectiles;

impl DiagnosticEntry for LiveProjectiles {
    const PATH: &'static str = "projectile_pool/bullets/live";
    const LABEL: &'static str = "Projectiles";
}

fn spawn_perf_ui(mut commands: Commands) {
    commands.spawn((
        // As narrow as the panel beside the playfield, and no higher than what its texts leave free.
        PerfUiRoot {
            position: PerfUiPosition::BottomLeft,
            fontsize_label: 12.0,
            fontsize_value: 12.0,
            margin: 6.0,
            padding: 2.0,
            inner_margin: 0.0,
            inner_padding: 2.0,
            ..default()
        },
        PerfUiEntryFPS::default(),
        PerfUiEntryPercentile::<FrameP50>::default(),
        PerfUiEntryPercentile::<FrameP99>::default(),
        PerfUiEntryDiagnostic::<LiveProjectiles>::default(),
    ));
}

/// The Perf UI shows with the overlay.
fn show_perf_ui(overlay: Res<PercentileOverlay>, mut roots: Query<&mut Visibility, With<PerfUiRoot>>) {
    let wanted = if overlay.visible { Visibility::Inherited } else { Visibility::Hidden };
    for mut visibility in &mut roots {
        visibility.set_if_neq(wanted);
    }
}

fn read_strategy_keys(keys: Res<ButtonInput<KeyCode>>, mut strategy: ResMut<ActiveStrategy<Bullet>>) {
    let rows =
        [[KeyCode::Digit1, KeyCode::Numpad1], [KeyCode::Digit2, KeyCode::Numpad2], [KeyCode::Digit3, KeyCode::Numpad3]];
    for (keys_of_row, wanted) in rows.into_iter().zip(PoolingStrategy::ALL) {
        if keys.any_just_pressed(keys_of_row) {
            strategy.set(wanted);
        }
    }
}

/// The overlay's buttons ask for strategies, and show which one is in use.
fn join_choices(mut choices: ResMut<OverlayChoices>, mut strategy: ResMut<ActiveStrategy<Bullet>>) {
    if choices.requested.is_some()
        && let Some(wanted) = choices.requested.take().and_then(|choice| PoolingStrategy::ALL.get(choice).copied())
    {
        strategy.set(wanted);
    }
    let active = PoolingStrategy::ALL.iter().position(|&known| known == strategy.get());
    if active.is_some_and(|active| active != choices.active) {
        choices.active = active.unwrap_or(0);
    }
}

/// The overlay's slider sets the density.
fn join_sliders(sliders: Res<OverlaySliders>, mut density: ResMut<Density>) {
    if let Some(slider) = sliders.0.first() {
        density.set_if_neq(Density(slider.value));
    }
}

/// Lets egui draw to the image that the game is drawn to.
fn draw_egui_without_window(app: &mut App) {
    // bevy_egui asks for winit's event loop, which an app without windows does not have.
    let has_event_loop = resource_exists::<EventLoopProxyWrapper<WakeUp>>;
    app.configure_sets(PreUpdate, EguiPreUpdateSet::InitContexts.run_if(has_event_loop))
        .add_systems(
            PreUpdate,
            update_ui_size_and_scale_system
                .after(EguiPreUpdateSet::InitContexts)
                .before(EguiPreUpdateSet::ProcessInput),
        )
        .add_systems(Startup, add_egui_context.after(HudSystems::Camera));
}

fn add_egui_context(mut commands: Commands, camera: Single<Entity, With<GameCamera>>) {
    commands.entity(*camera).insert((
        PrimaryEguiContext,
        EguiContext::default(),
        EguiMultipassSchedule::new(EguiPrimaryContextPass),
    ));
}
