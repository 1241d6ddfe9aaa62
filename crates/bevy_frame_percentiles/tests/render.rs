//! Draws overlay and Perf UI into an image, without a window, and looks at the pixels.
//!
//! Needs a Vulkan driver; a software one such as lavapipe will do. Without one the test says so and passes, unless
//! `REQUIRE_RENDER=1`. The picture is kept as `overlay.png` in Cargo's directory for test files.

use std::{
    io::Write,
    path::Path,
    time::{Duration, Instant},
};

use bevy::{
    diagnostic::{Diagnostic, DiagnosticMeasurement, DiagnosticPath, DiagnosticsStore},
    image::BevyDefault,
    prelude::*,
    render::{
        RenderPlugin,
        camera::RenderTarget,
        render_resource::{Extent3d, TextureDimension, TextureFormat, TextureUsages},
        view::screenshot::{Screenshot, ScreenshotCaptured},
    },
    window::ExitCondition,
    winit::{EventLoopProxyWrapper, WakeUp, WinitPlugin},
};
use bevy_egui::{
    EguiContext, EguiMultipassSchedule, EguiPlugin, EguiPreUpdateSet, EguiPrimaryContextPass, PrimaryEguiContext,
    update_ui_size_and_scale_system,
};
use bevy_frame_percentiles::{perf_ui::PerfUiFramePercentiles, prelude::*};
use iyes_perf_ui::prelude::*;

const WIDTH: u32 = 1280;
const HEIGHT: u32 = 720;
/// The scene behind the overlay.
const BACKGROUND: [u8; 3] = [70, 90, 160];

#[derive(Resource)]
struct Target(Handle<Image>);

#[derive(Resource, Default)]
struct Picture(Option<Image>);

struct Live;

impl DiagnosticEntry for Live {
    const PATH: &'static str = "pool/shots/live";
    const LABEL: &'static str = "Alive";
}

#[test]
fn overlay_and_perf_ui_are_drawn_and_leave_the_screen_free() {
    if !adapter_is_there() {
        let skipped = "skipped: overlay_and_perf_ui_are_drawn_and_leave_the_screen_free, no Vulkan driver found \
                       (on Debian: apt install mesa-vulkan-drivers)";
        assert!(std::env::var_os("REQUIRE_RENDER").is_none_or(|value| value != "1"), "{skipped}");
        // Not eprintln!, which the test harness captures.
        let _ = writeln!(std::io::stderr(), "{skipped}");
        return;
    }
    let mut app = app();
    let shown = picture(&mut app);
    save(&shown, "overlay.png");
    // The overlay: dark, 420 wide at the top right, with light text on it.
    let dark = share(&shown, 880..1260, 100..400, |[r, g, b]| r < 40 && g < 45 && b < 60);
    let light = share(&shown, 880..1260, 40..400, |[r, g, b]| r > 180 && g > 180 && b > 180);
    assert!(dark > 0.6, "the overlay's ground covers its place: {dark}");
    assert!(light > 0.01 && light < 0.3, "there is text on it: {light}");
    // The middle and the left below the Perf UI are the game's.
    assert_eq!(share(&shown, 300..820, 0..720, is_background), 1.0);
    assert_eq!(share(&shown, 0..820, 200..720, is_background), 1.0);
    // The Perf UI at the top left.
    assert!(share(&shown, 16..250, 16..110, is_background) < 0.2);

    app.world_mut().resource_mut::<PercentileOverlay>().visible = false;
    let hidden = picture(&mut app);
    assert_eq!(share(&hidden, 300..1280, 0..720, is_background), 1.0, "hidden, nothing of it is left");
}

fn is_background(pixel: [u8; 3]) -> bool {
    pixel.iter().zip(BACKGROUND).all(|(a, b)| a.abs_diff(b) <= 2)
}

fn adapter_is_there() -> bool {
    let instance = wgpu::Instance::new(&wgpu::InstanceDescriptor { backends: wgpu::Backends::VULKAN, ..default() });
    bevy::tasks::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default())).is_some()
}

fn app() -> App {
    let mut app = App::new();
    app.add_plugins(
        DefaultPlugins
            .set(WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..default() })
            .set(RenderPlugin { synchronous_pipeline_compilation: true, ..default() })
            .disable::<WinitPlugin>(),
    );
    app.add_plugins((
        EguiPlugin::default(),
        PerfUiPlugin,
        FramePercentilesPlugin { warm_up: 0, ..default() },
        PercentileOverlayPlugin {
            visible: true,
            ..PercentileOverlayPlugin::new([OverlayDiagnostics::new("pool/shots").with_total("pool/shots/tick_ms")])
        },
    ))
    .add_perf_ui_frame_percentiles()
    .add_perf_ui_diagnostic::<Live>()
    .insert_resource(ClearColor(Color::srgb_u8(BACKGROUND[0], BACKGROUND[1], BACKGROUND[2])))
    .insert_resource(OverlayChoices {
        active: 2,
        ..OverlayChoices::new("strategy", ["despawn-respawn", "component-recycling", "parallel-arrays"])
    })
    .insert_resource(OverlaySliders(vec![OverlaySlider::new("pattern density", 0.25..=4.0, 1.0)]))
    .init_resource::<Picture>()
    .add_systems(Startup, camera);
    // bevy_egui sets up contexts of windows here; without winit there is none, and the size is to be set by hand.
    app.configure_sets(
        PreUpdate,
        EguiPreUpdateSet::InitContexts.run_if(resource_exists::<EventLoopProxyWrapper<WakeUp>>),
    )
    .add_systems(
        PreUpdate,
        update_ui_size_and_scale_system.after(EguiPreUpdateSet::InitContexts).before(EguiPreUpdateSet::ProcessInput),
    );
    figures(app.world_mut());
    app.finish();
    app.cleanup();
    app
}

fn camera(mut commands: Commands, mut images: ResMut<Assets<Image>>) {
    let size = Extent3d { width: WIDTH, height: HEIGHT, depth_or_array_layers: 1 };
    let mut image = Image::new_fill(size, TextureDimension::D2, &[0; 4], TextureFormat::bevy_default(), default());
    image.texture_descriptor.usage = TextureUsages::RENDER_ATTACHMENT
        | TextureUsages::TEXTURE_BINDING
        | TextureUsages::COPY_SRC
        | TextureUsages::COPY_DST;
    let image = images.add(image);
    commands.spawn((
        Camera2d,
        Msaa::Off,
        Camera { target: RenderTarget::Image(image.clone().into()), ..default() },
        IsDefaultUiCamera,
        PrimaryEguiContext,
        EguiContext::default(),
        EguiMultipassSchedule::new(EguiPrimaryContextPass),
    ));
    commands.insert_resource(Target(image));
    commands.spawn((
        PerfUiRoot { position: PerfUiPosition::TopLeft, ..default() },
        PerfUiFramePercentiles::default(),
        PerfUiEntryDiagnostic::<Live>::default(),
    ));
}

/// Samples and diagnostics that are the same in each run, of a made-up game.
fn figures(world: &mut World) {
    let mut recorder = world.resource_mut::<FrameRecorder>();
    for (label, base) in [("despawn-respawn", 14.0), ("component-recycling", 11.0), ("parallel-arrays", 7.4)] {
        recorder.set_label(label);
        for i in 0..2400u64 {
            let wave = (i as f64 * 0.013).sin() * 0.6 + (i * 7919 % 97) as f64 / 97.0;
            let spike = if i % 613 == 300 { 60.0 } else { 0.0 };
            let frame = Duration::from_secs_f64((base + wave + spike) / 1e3);
            recorder.record(Series::Frame, frame);
            recorder.record(Series::Update, frame / 2);
            recorder.record_tick(frame / 20);
        }
    }
    recorder.set_paused(true);
    let mut store = world.resource_mut::<DiagnosticsStore>();
    for (path, suffix, value) in [
        ("pool/shots/tick_ms", "ms", 0.412),
        ("pool/shots/spawn_ms", "ms", 0.061),
        ("pool/shots/integrate_ms", "ms", 0.204),
        ("pool/shots/retire_ms", "ms", 0.088),
        ("pool/shots/live", "", 284_913.0),
        ("pool/shots/peak", "", 285_120.0),
        ("pool/shots/spawned", "", 6_300_000.0),
        ("pool/shots/bytes_held", " B", 18_247_680.0),
    ] {
        let mut diagnostic = Diagnostic::new(DiagnosticPath::const_new(path)).with_suffix(suffix);
        diagnostic.add_measurement(DiagnosticMeasurement { time: Instant::now(), value });
        store.add(diagnostic);
    }
}

/// The picture after some frames more, when layout has settled.
fn picture(app: &mut App) -> Image {
    (0..8).for_each(|_| app.update());
    // So that the overlay has measured its own cost and shows it.
    std::thread::sleep(2 * bevy_frame_percentiles::REFRESH_INTERVAL);
    (0..3).for_each(|_| app.update());
    let target = app.world().resource::<Target>().0.clone();
    app.world_mut().spawn(Screenshot::image(target)).observe(
        |shot: Trigger<ScreenshotCaptured>, mut picture: ResMut<Picture>| picture.0 = Some(shot.event().0.clone()),
    );
    for _ in 0..600 {
        app.update();
        if let Some(picture) = app.world_mut().resource_mut::<Picture>().0.take() {
            return picture;
        }
    }
    panic!("no screenshot came in 600 frames");
}

/// The share of pixels in an area for which `is` holds.
fn share(
    picture: &Image,
    columns: std::ops::Range<u32>,
    rows: std::ops::Range<u32>,
    is: impl Fn([u8; 3]) -> bool,
) -> f64 {
    let (mut all, mut held) = (0u32, 0u32);
    for y in rows {
        for x in columns.clone() {
            let colour = picture.get_color_at(x, y).expect("inside the picture").to_srgba().to_u8_array();
            all += 1;
            held += u32::from(is([colour[0], colour[1], colour[2]]));
        }
    }
    f64::from(held) / f64::from(all)
}

fn save(picture: &Image, name: &str) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let picture = picture.clone().try_into_dynamic().expect("a screenshot is a plain picture");
    picture.to_rgb8().save(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
