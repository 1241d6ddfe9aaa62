//! What is seen of the reference stream besides its projectiles: a camera and a line of text.

use bevy::{prelude::*, render::camera::ScalingMode};
use bevy_projectile_pool::prelude::*;

use crate::{
    game::{Bullet, PICTURE},
    hud::{GameCamera, GameRenderTarget, HudSystems},
    stress::CENTRE,
};

/// Adds the camera and the text.
#[derive(Clone, Copy, Debug)]
pub struct StressViewPlugin;

impl Plugin for StressViewPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(ClearColor(Color::srgb(0.02, 0.02, 0.05)))
            .add_systems(Startup, spawn.in_set(HudSystems::Camera))
            .add_systems(Update, write);
    }
}

#[derive(Component)]
struct Line;

fn spawn(mut commands: Commands, target: Option<Res<GameRenderTarget>>) {
    commands.spawn((
        GameCamera,
        Camera2d,
        Camera { target: target.map(|target| target.0.clone()).unwrap_or_default(), ..default() },
        Projection::Orthographic(OrthographicProjection {
            scaling_mode: ScalingMode::AutoMin { min_width: PICTURE.x, min_height: PICTURE.y },
            ..OrthographicProjection::default_2d()
        }),
        // The stream's y points down.
        Transform::from_translation(CENTRE.extend(0.0)).with_scale(Vec3::new(1.0, -1.0, 1.0)),
        IsDefaultUiCamera,
    ));
    let place = Node { position_type: PositionType::Absolute, left: Val::Px(16.0), bottom: Val::Px(12.0), ..default() };
    commands.spawn((Line, Text::default(), TextFont { font_size: 16.0, ..default() }, place));
}

fn write(
    projectiles: Projectiles<Bullet>,
    strategy: Res<ActiveStrategy<Bullet>>,
    clock: Res<ProjectileClock>,
    mut text: Single<&mut Text, With<Line>>,
) {
    let line = format!(
        "reference stream   {}   live {}   tick {}   strategies 1 2 3   overlay F1",
        strategy.get(),
        projectiles.count(),
        clock.ticks()
    );
    if text.0 != line {
        text.0 = line;
    }
}
