//! Two pools in one app, each with its own payload, settings and storage: sparks that fall, and rockets that burst into
//! sparks where they end. Space goes through the storages of both.
//!
//! `cargo run --example two_pools`

use bevy::prelude::*;
use bevy_projectile_pool::prelude::*;
use bevy_projectile_render::{Look, ProjectileRenderPlugin};

/// What a rocket carries: how many sparks it holds.
#[derive(Clone, Copy, Default)]
struct Rocket {
    sparks: u32,
}

/// What a spark carries: its colour.
#[derive(Clone, Copy, Default)]
struct Spark {
    hue: f32,
}

/// Everything but Bevy's own plugins.
fn two_pools(app: &mut App) {
    let rockets = ProjectilePoolPlugin::<Rocket>::new("rockets")
        .strategy(PoolingStrategy::ComponentRecycling)
        .record_retired(true);
    let falling = ProjectileSettings {
        acceleration: Vec2::new(0.0, -120.0),
        bounds: Some(Rect::from_center_size(Vec2::ZERO, Vec2::new(1280.0, 720.0))),
        ..default()
    };
    let sparks = ProjectilePoolPlugin::<Spark>::new("sparks").settings(falling);
    app.add_plugins((rockets, sparks))
        .add_plugins(ProjectileRenderPlugin::<Rocket>::new(|_| Look::new(5.0, Color::WHITE)))
        .add_plugins(ProjectileRenderPlugin::<Spark>::new(|spark| Look::new(2.5, Color::hsl(spark.hue, 0.9, 0.6))))
        .add_systems(ProjectileTick, launch.in_set(ProjectileSystems::Fire))
        .add_systems(ProjectileTick, burst.in_set(ProjectileSystems::React))
        .add_systems(Update, switch)
        .add_systems(Startup, |mut commands: Commands| {
            commands.spawn(Camera2d);
        });
}

/// Every ten ticks a rocket rises.
fn launch(mut rockets: ProjectileSpawner<Rocket>, clock: Res<ProjectileClock>) {
    if clock.ticks().is_multiple_of(10) {
        let side = (clock.ticks() as f32 * 0.7).sin();
        let rocket = Projectile::new(Vec2::new(side * 400.0, -360.0), Vec2::new(0.0, 420.0));
        rockets.spawn(rocket.lifetime(60 + (clock.ticks() % 30) as u32).payload(Rocket { sparks: 80 }));
    }
}

/// Where a rocket ends, its sparks start. What is asked for here flies from the next tick.
fn burst(ended: Res<RetiredProjectiles<Rocket>>, mut sparks: ProjectileSpawner<Spark>) {
    for rocket in &ended {
        sparks.spawn_batch((0..rocket.payload.sparks).map(|spark| {
            let heading = Vec2::from_angle(spark as f32 * 2.4);
            let speed = 40.0 + 4.0 * (spark % 40) as f32;
            let hue = (rocket.id.to_bits() * 47 % 360) as f32;
            Projectile::new(rocket.position, heading * speed).lifetime(150).payload(Spark { hue })
        }));
    }
}

fn switch(
    keys: Option<Res<ButtonInput<KeyCode>>>,
    mut rockets: ResMut<ActiveStrategy<Rocket>>,
    mut sparks: ResMut<ActiveStrategy<Spark>>,
) {
    if keys.is_some_and(|keys| keys.just_pressed(KeyCode::Space)) {
        let (next_of_rockets, next_of_sparks) = (rockets.get().next(), sparks.get().next());
        rockets.set(next_of_rockets);
        sparks.set(next_of_sparks);
    }
}

fn main() -> AppExit {
    App::new().add_plugins((DefaultPlugins, two_pools)).run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rocket_that_ends_bursts() {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, two_pools));
        let step = app.world().resource::<Time<Fixed>>().timestep();
        app.insert_resource(bevy::time::TimeUpdateStrategy::ManualDuration(step));
        for _ in 0..200 {
            app.update();
        }
        let rockets = app.world().resource::<PoolStats<Rocket>>();
        let sparks = app.world().resource::<PoolStats<Spark>>();
        assert!(rockets.retired.total() > 5, "{rockets:?}");
        // The sparks of rockets that ended in the last tick wait for the next.
        let waiting = app.world().resource::<RetiredProjectiles<Rocket>>().len() as u64;
        assert_eq!(sparks.spawned, 80 * (rockets.retired.total() - waiting));
    }
}
