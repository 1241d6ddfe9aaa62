//! Everything that is seen but the projectiles: playfield, ship, enemies, effects, texts, screens.
//!
//! It reads the game and never changes it. It needs a renderer, and a window or a
//! [`GameRenderTarget`]; no files.

mod canvas;
mod effects;
mod palette;
mod panel;
mod scene;
mod screens;

use bevy::prelude::*;
use bevy::render::camera::{RenderTarget, ScalingMode};

use crate::game::{GameState, PICTURE};

pub use scene::{BACK_Z, FRONT_Z};

/// Adds the picture of the game, its camera included. Add it after [`GamePlugin`](crate::game::GamePlugin).
///
/// Projectiles belong between [`BACK_Z`] and [`FRONT_Z`].
#[derive(Clone, Copy, Debug, Default)]
pub struct HudPlugin;

/// The steps of the HUD that others may order themselves against.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HudSystems {
    /// In `Startup`: the camera is spawned; it has a [`GameCamera`].
    Camera,
    /// In `PostUpdate`: the scene is drawn.
    Draw,
}

/// Where the game is drawn instead of the primary window. Insert it before the app starts.
#[derive(Resource, Clone, Debug)]
pub struct GameRenderTarget(pub RenderTarget);

/// Marks the game's camera.
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct GameCamera;

/// Spawns the game's camera: it shows the whole [`PICTURE`] whatever the target's size and shape,
/// and user interfaces go to it by default. Without a target it draws to the primary window.
pub fn spawn_camera(commands: &mut Commands, target: Option<RenderTarget>) -> Entity {
    commands
        .spawn((
            Name::new("game camera"),
            GameCamera,
            Camera2d,
            Camera { target: target.unwrap_or_default(), ..default() },
            Projection::Orthographic(OrthographicProjection {
                scaling_mode: ScalingMode::AutoMin { min_width: PICTURE.x, min_height: PICTURE.y },
                ..OrthographicProjection::default_2d()
            }),
            IsDefaultUiCamera,
        ))
        .id()
}

impl Plugin for HudPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(ClearColor(palette::PANEL))
            .init_resource::<effects::Effects>()
            .add_systems(Startup, (set_up_camera.in_set(HudSystems::Camera), scene::spawn_sheets, panel::spawn_panels))
            .add_systems(
                Update,
                (scale_texts, screens::show_screen.run_if(state_changed::<GameState>), panel::refresh_panels),
            )
            .add_systems(PostUpdate, (effects::advance_effects, scene::draw_scene).chain().in_set(HudSystems::Draw));
    }
}

fn set_up_camera(mut commands: Commands, target: Option<Res<GameRenderTarget>>) {
    spawn_camera(&mut commands, target.map(|target| target.0.clone()));
}

/// Lets texts grow and shrink with the picture, in steps of 5 % so that resizing a window does not
/// fill memory with glyphs of every size.
fn scale_texts(cameras: Query<&Camera, With<GameCamera>>, mut scale: ResMut<UiScale>) {
    let Some(size) = cameras.iter().find_map(Camera::logical_viewport_size) else { return };
    let fit = (size.x / PICTURE.x).min(size.y / PICTURE.y);
    let step = ((fit * 20.0).floor() / 20.0).clamp(0.2, 8.0);
    if scale.0 != step {
        scale.0 = step;
    }
}
