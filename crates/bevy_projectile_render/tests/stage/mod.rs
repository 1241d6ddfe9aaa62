//! A stage without a window: an app that renders known projectiles into an image and reads it back.

use std::{
    io::Write,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bevy::{
    ecs::system::RunSystemOnce,
    image::BevyDefault,
    prelude::*,
    render::{
        RenderPlugin,
        camera::RenderTarget,
        pipelined_rendering::PipelinedRenderingPlugin,
        render_resource::{Extent3d, TextureDimension, TextureFormat, TextureUsages},
        settings::{Backends, RenderCreation, WgpuSettings},
        view::screenshot::{Screenshot, ScreenshotCaptured},
    },
    time::TimeUpdateStrategy,
    window::ExitCondition,
    winit::WinitPlugin,
};
use bevy_projectile_pool::prelude::*;
use bevy_projectile_render::prelude::*;

/// Width and height of the image in pixels; one pixel is one world unit and the origin is in the middle.
pub const SIZE: u32 = 64;

pub const RED: [u8; 3] = [230, 40, 30];
pub const GREEN: [u8; 3] = [20, 200, 90];
pub const BLUE: [u8; 3] = [40, 60, 240];
pub const BLACK: [u8; 3] = [0, 0, 0];

/// A payload that says itself how it is drawn. `POOL` makes several pools of it.
#[derive(Clone, Copy)]
pub struct Paint<const POOL: usize = 0> {
    pub colour: [u8; 3],
    pub alpha: u8,
    pub radius: f32,
    pub layer: u8,
}

impl<const POOL: usize> Default for Paint<POOL> {
    fn default() -> Self {
        Self { colour: RED, alpha: 255, radius: 8.0, layer: 0 }
    }
}

pub fn paint<const POOL: usize>(colour: [u8; 3]) -> Paint<POOL> {
    Paint { colour, ..default() }
}

pub fn look<const POOL: usize>(paint: &Paint<POOL>) -> Look {
    let [r, g, b] = paint.colour;
    Look { radius: paint.radius, colour: [r, g, b, paint.alpha], layer: paint.layer }
}

/// Holds the renderer for one test at a time. `None`, after saying so, if this machine has no adapter; a panic
/// instead if the environment has `REQUIRE_RENDER=1`.
pub fn renderer(test: &str) -> Option<MutexGuard<'static, ()>> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let instance = wgpu::Instance::new(&wgpu::InstanceDescriptor { backends: backends(), ..default() });
    let adapter = bevy::tasks::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()));
    if adapter.is_some() {
        return Some(guard);
    }
    let text = format!("no graphics adapter (on Debian: install mesa-vulkan-drivers), so nothing is drawn in `{test}`");
    assert!(std::env::var_os("REQUIRE_RENDER").is_none_or(|value| value != "1"), "{text}");
    // Written past the test harness, which would keep it to itself, and in one piece.
    let _ = std::io::stderr().write_all(format!("skipped: {text}\n").as_bytes());
    None
}

fn backends() -> Backends {
    Backends::from_env().unwrap_or(Backends::PRIMARY)
}

#[derive(Resource)]
struct Picture(Option<Image>);

pub struct Stage {
    pub app: App,
    target: Handle<Image>,
}

impl Stage {
    /// Black, with one camera at the origin and whatever plugins `add` adds after Bevy's.
    pub fn new(camera: Camera, msaa: Msaa, add: impl FnOnce(&mut App)) -> Self {
        Self::with_plugins(camera, msaa, |_| {}, add)
    }

    /// The same with plugins added before Bevy's too.
    pub fn with_plugins(
        camera: Camera,
        msaa: Msaa,
        before: impl FnOnce(&mut App),
        after: impl FnOnce(&mut App),
    ) -> Self {
        let mut app = App::new();
        before(&mut app);
        app.add_plugins(
            DefaultPlugins
                .set(RenderPlugin {
                    render_creation: RenderCreation::Automatic(WgpuSettings {
                        backends: Some(backends()),
                        ..default()
                    }),
                    synchronous_pipeline_compilation: true,
                    ..default()
                })
                .set(WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..default() })
                .disable::<WinitPlugin>()
                .disable::<bevy::log::LogPlugin>()
                .disable::<PipelinedRenderingPlugin>(),
        );
        // Time stands still: the tests make the ticks.
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
        app.insert_resource(ClearColor(Color::BLACK)).insert_resource(Picture(None));
        after(&mut app);
        app.finish();
        app.cleanup();

        let mut image = Image::new_fill(
            Extent3d { width: SIZE, height: SIZE, depth_or_array_layers: 1 },
            TextureDimension::D2,
            &[0; 4],
            TextureFormat::bevy_default(),
            default(),
        );
        image.texture_descriptor.usage = TextureUsages::RENDER_ATTACHMENT
            | TextureUsages::TEXTURE_BINDING
            | TextureUsages::COPY_SRC
            | TextureUsages::COPY_DST;
        let target = app.world_mut().resource_mut::<Assets<Image>>().add(image);
        app.world_mut().spawn((
            Camera2d,
            Camera { target: RenderTarget::Image(target.clone().into()), ..camera },
            msaa,
        ));
        Self { app, target }
    }

    /// One pool of the default paint in the given strategy, drawn at depth 0.
    pub fn of_one_pool(strategy: PoolingStrategy) -> Self {
        Self::new(default(), Msaa::Off, |app| {
            app.add_plugins((
                ProjectilePoolPlugin::<Paint>::new("paint").strategy(strategy),
                ProjectileRenderPlugin::new(look::<0>),
            ));
        })
    }

    /// Spawns a projectile at rest, with one tick.
    pub fn spawn<const POOL: usize>(&mut self, x: f32, y: f32, paint: Paint<POOL>) -> ProjectileId {
        let projectile = Projectile::new(Vec2::new(x, y), Vec2::ZERO).payload(paint);
        let id = self
            .app
            .world_mut()
            .run_system_once(move |mut spawner: ProjectileSpawner<Paint<POOL>>| spawner.spawn(projectile))
            .expect("the pool is there");
        self.tick();
        id
    }

    pub fn retire(&mut self, id: ProjectileId) {
        let retired = self
            .app
            .world_mut()
            .run_system_once(move |mut paints: ProjectilesMut<Paint>| paints.retire(id, RetireReason::Hit))
            .expect("the pool is there");
        assert!(retired);
        self.tick();
    }

    pub fn tick(&mut self) {
        run_projectile_tick(self.app.world_mut(), Duration::from_millis(16));
    }

    /// Renders frames until one has been read back.
    pub fn picture(&mut self) -> Pixels {
        // The first frame prepares the image.
        self.app.update();
        self.app.world_mut().spawn(Screenshot::image(self.target.clone())).observe(
            |shot: Trigger<ScreenshotCaptured>, mut picture: ResMut<Picture>| {
                picture.0 = Some(shot.event().0.clone());
            },
        );
        for _ in 0..1000 {
            self.app.update();
            if let Some(image) = self.app.world_mut().resource_mut::<Picture>().0.take() {
                return Pixels::new(&image);
            }
        }
        panic!("no picture came back");
    }
}

pub struct Pixels(Vec<[u8; 3]>);

impl Pixels {
    fn new(image: &Image) -> Self {
        assert_eq!((image.width(), image.height()), (SIZE, SIZE));
        let blue_first = match image.texture_descriptor.format {
            TextureFormat::Rgba8UnormSrgb => false,
            TextureFormat::Bgra8UnormSrgb => true,
            other => panic!("a picture of an unknown format, {other:?}"),
        };
        let bytes = image.data.as_ref().expect("the picture has data");
        let pixels = bytes.chunks_exact(4).map(|p| if blue_first { [p[2], p[1], p[0]] } else { [p[0], p[1], p[2]] });
        Self(pixels.collect())
    }

    /// By column from the left and row from the top.
    pub fn at(&self, column: u32, row: u32) -> [u8; 3] {
        self.0[(row * SIZE + column) as usize]
    }

    /// The pixel whose lower left corner is this place in the world.
    pub fn world(&self, x: i32, y: i32) -> [u8; 3] {
        let half = SIZE as i32 / 2;
        self.at((half + x) as u32, (half - 1 - y) as u32)
    }

    /// Fails unless the pixel of [`Self::world`] is of this colour, give or take one step a channel.
    #[track_caller]
    pub fn expect(&self, x: i32, y: i32, colour: [u8; 3], what: &str) {
        let found = self.world(x, y);
        assert!(close(found, colour, 1), "{what}: at ({x}, {y}) expected {colour:?}, found {found:?}");
    }

    /// How many pixels are not black.
    pub fn painted(&self) -> usize {
        self.0.iter().filter(|&&pixel| pixel != BLACK).count()
    }
}

pub fn close(a: [u8; 3], b: [u8; 3], tolerance: u8) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= tolerance)
}
