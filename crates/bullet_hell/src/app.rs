//! Puts the demo together, for a window, for a picture without one, or for neither.

use std::time::Duration;

use bevy::{
    app::{PluginGroupBuilder, ScheduleRunnerPlugin, TaskPoolOptions, TerminalCtrlCHandlerPlugin},
    asset::RenderAssetUsages,
    diagnostic::DiagnosticsPlugin,
    image::BevyDefault,
    log::{Level, LogPlugin},
    prelude::*,
    render::{
        RenderPlugin,
        render_resource::{Extent3d, TextureDimension, TextureFormat, TextureUsages},
        renderer::RenderAdapterInfo,
        settings::WgpuSettings,
    },
    state::app::StatesPlugin,
    time::TimeUpdateStrategy,
    window::{ExitCondition, PresentMode, WindowResolution},
    winit::{UpdateMode, WinitPlugin, WinitSettings},
};
use bevy_frame_percentiles::{FramePercentilesPlugin, FrameRecorder};
use bevy_projectile_pool::prelude::*;
use bevy_projectile_render::{Look, ProjectileRenderPlugin};

use crate::{
    cli::Options,
    display,
    game::{ARENA_BOUNDS, Bullet, GamePlugin, PICTURE, bullet_hash, look},
    hud::{BACK_Z, FRONT_Z, GameCamera, GameRenderTarget, HudPlugin, HudSystems},
    overlay::DemoOverlayPlugin,
    stress::{self, StressPlugin},
    stress_view::StressViewPlugin,
};

/// The pool's name.
pub const POOL: &str = "bullets";

/// How the demo is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// A window; time goes by the clock.
    Window,
    /// An image that is drawn to without a window; one tick a frame.
    Image,
    /// Nothing is drawn, no driver is needed; one tick a frame.
    Nothing,
}

/// Builds the demo.
#[must_use]
pub fn demo(options: &Options, surface: Surface) -> App {
    let mut app = App::new();
    if let Some(threads) = options.threads {
        // Before the plugins that would make the pools; one that is there already stays.
        TaskPoolOptions::with_num_threads(threads.into()).create_default_pools();
    }
    match surface {
        Surface::Window => add_window(&mut app),
        Surface::Image => add_image(&mut app),
        Surface::Nothing => {
            app.add_plugins((MinimalPlugins, StatesPlugin, DiagnosticsPlugin));
        }
    }
    add_simulation(&mut app, options, surface);
    if surface != Surface::Nothing {
        add_picture(&mut app, options);
    }
    if surface != Surface::Window {
        // Exactly one tick a frame, after the first frame, which has no time to it.
        let step = app.world().resource::<Time<Fixed>>().timestep();
        app.insert_resource(TimeUpdateStrategy::ManualDuration(step));
    }
    app
}

fn add_window(app: &mut App) {
    let window = Window {
        title: "bullet hell".to_owned(),
        resolution: WindowResolution::new(PICTURE.x, PICTURE.y),
        present_mode: PresentMode::AutoVsync,
        ..default()
    };
    app.add_plugins(plugins(Some(window)))
        // Without focus Bevy would run at a lower rate, and a game must not depend on that.
        .insert_resource(WinitSettings {
            focused_mode: UpdateMode::Continuous,
            unfocused_mode: UpdateMode::Continuous,
        });
}

fn add_image(app: &mut App) {
    // Updates are driven by hand, so Ctrl+C must end the program itself and not ask a runner to.
    let plugins = plugins(None).disable::<WinitPlugin>().disable::<TerminalCtrlCHandlerPlugin>();
    app.add_plugins((plugins, ScheduleRunnerPlugin::run_loop(Duration::ZERO)));
    let mut image = Image::new_fill(
        Extent3d { width: PICTURE.x as u32, height: PICTURE.y as u32, depth_or_array_layers: 1 },
        TextureDimension::D2,
        &[0, 0, 0, 255],
        TextureFormat::bevy_default(),
        RenderAssetUsages::default(),
    );
    image.texture_descriptor.usage = TextureUsages::RENDER_ATTACHMENT
        | TextureUsages::TEXTURE_BINDING
        | TextureUsages::COPY_SRC
        | TextureUsages::COPY_DST;
    let image = app.world_mut().resource_mut::<Assets<Image>>().add(image);
    app.insert_resource(GameRenderTarget(image.into())).add_systems(Update, draw_the_end_only);
}

/// Frames before the end of a run from which on the picture is drawn: text and overlay need a few to settle.
const DRAWN_FRAMES: u64 = 10;

/// A picture without a window is only seen at the end of the run, so only the end is drawn.
fn draw_the_end_only(
    limit: Res<RunLimit>,
    clock: Res<ProjectileClock>,
    mut camera: Single<&mut Camera, With<GameCamera>>,
) {
    let drawn = limit.ticks.is_none_or(|limit| clock.ticks() + DRAWN_FRAMES >= limit);
    if camera.is_active != drawn {
        camera.is_active = drawn;
    }
}

fn plugins(window: Option<Window>) -> PluginGroupBuilder {
    let exit_condition = if window.is_some() { ExitCondition::OnPrimaryClosed } else { ExitCondition::DontExit };
    let drivers = WgpuSettings { backends: Some(display::backends()), ..default() };
    DefaultPlugins
        .set(WindowPlugin { primary_window: window, exit_condition, ..default() })
        // No frame is drawn with a pipeline missing, so that a picture of an early frame is whole.
        .set(RenderPlugin { synchronous_pipeline_compilation: true, render_creation: drivers.into(), ..default() })
        .set(LogPlugin { level: Level::WARN, ..default() })
}

fn add_simulation(app: &mut App, options: &Options, surface: Surface) {
    let mut settings = ProjectileSettings { parallel_from: options.parallel_from(), ..ProjectileSettings::default() };
    match options.stress {
        Some(per_tick) => {
            settings.acceleration = stress::GRAVITY;
            app.add_plugins(StressPlugin { per_tick, seed: options.stream_seed() });
        }
        None => {
            settings.bounds = Some(ARENA_BOUNDS);
            let autoplay = options.pilot_plays();
            app.add_plugins(GamePlugin { seed: options.seed(), autoplay, density: options.density });
        }
    }
    let pool = ProjectilePoolPlugin::<Bullet>::new(POOL)
        .strategy(options.strategy)
        .settings(settings)
        .payload_hash(bullet_hash)
        .checksum(options.report.is_some() || surface != Surface::Window);
    // A run that ends is reported whole, up to a million frames of each strategy.
    let window = options.limit().map_or(2000, |ticks| ticks.clamp(2000, 1_000_000) as usize);
    let warm_up = if surface == Surface::Window { 30 } else { 0 };
    let label = options.strategy.name().to_owned();
    app.add_plugins((pool, FramePercentilesPlugin { window, warm_up, label }))
        .insert_resource(RunLimit { ticks: options.limit(), switch_every: options.switch_every })
        .configure_sets(FixedUpdate, RunProjectileTick.run_if(within_limit))
        .add_systems(ProjectileTick, rotate_strategy.in_set(ProjectileSystems::React))
        .add_systems(Last, record_ticks);
}

fn add_picture(app: &mut App, options: &Options) {
    let render = ProjectileRenderPlugin::<Bullet>::new(|bullet| {
        let (radius, colour, layer) = look(bullet);
        Look { radius, colour, layer }
    });
    app.add_plugins(render.z((BACK_Z + FRONT_Z) / 2.0));
    if options.stress.is_some() {
        app.add_plugins(StressViewPlugin);
    } else {
        app.add_plugins(HudPlugin);
    }
    app.add_plugins(DemoOverlayPlugin { visible: options.overlay })
        .add_systems(Startup, spare_software_renderers.after(HudSystems::Camera));
}

/// A processor that draws in place of a graphics card spends most of a frame on smooth edges: it draws without.
fn spare_software_renderers(
    adapter: Option<Res<RenderAdapterInfo>>,
    cameras: Query<Entity, With<GameCamera>>,
    mut commands: Commands,
) {
    if adapter.is_some_and(|adapter| adapter.device_type == wgpu::DeviceType::Cpu) {
        for camera in &cameras {
            commands.entity(camera).insert(Msaa::Off);
        }
    }
}

/// Where a run ends, and when it changes its strategy.
#[derive(Resource, Clone, Copy, Debug)]
pub struct RunLimit {
    /// Ticks; endless if `None`.
    pub ticks: Option<u64>,
    switch_every: Option<u64>,
}

impl RunLimit {
    /// Whether all ticks have run.
    #[must_use]
    pub fn is_reached(&self, clock: &ProjectileClock) -> bool {
        self.ticks.is_some_and(|limit| clock.ticks() >= limit)
    }
}

fn within_limit(limit: Res<RunLimit>, clock: Res<ProjectileClock>) -> bool {
    !limit.is_reached(&clock)
}

/// Goes to the next strategy, which comes into force before the next tick.
fn rotate_strategy(limit: Res<RunLimit>, clock: Res<ProjectileClock>, mut strategy: ResMut<ActiveStrategy<Bullet>>) {
    if limit.switch_every.is_some_and(|every| clock.ticks().is_multiple_of(every)) {
        let next = strategy.get().next();
        strategy.set(next);
    }
}

/// Hands the times of the frame's ticks to the recorder, under the strategy that they ran in.
fn record_ticks(
    clock: Res<ProjectileClock>,
    strategy: Res<ActiveStrategy<Bullet>>,
    mut recorder: ResMut<FrameRecorder>,
) {
    if recorder.label() != strategy.get().name() {
        recorder.set_label(strategy.get().name());
    }
    for tick in clock.tick_times() {
        recorder.record_tick(*tick);
    }
}
