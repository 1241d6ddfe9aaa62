//! The least that puts pooled projectiles into an app: a fountain of shots, drawn.
//!
//! `cargo run --example minimal`

use bevy::prelude::*;
use bevy_projectile_pool::prelude::*;
use bevy_projectile_render::{Look, ProjectileRenderPlugin};

/// What a projectile of this app carries.
#[derive(Clone, Copy, Default)]
struct Shot {
    damage: u32,
}

/// Everything but Bevy's own plugins. The lines that an app needs are numbered.
fn minimal(app: &mut App) {
    app.add_plugins(ProjectilePoolPlugin::<Shot>::new("shots")) // 1
        .add_plugins(ProjectileRenderPlugin::<Shot>::new(|shot| Look::new(3.0 + shot.damage as f32, Color::WHITE))) // 2
        .add_systems(ProjectileTick, fire.in_set(ProjectileSystems::Fire)) // 3
        .add_systems(Startup, |mut commands: Commands| _ = commands.spawn(Camera2d));
}

/// Five shots a tick, each for two seconds.
fn fire(mut spawner: ProjectileSpawner<Shot>, clock: Res<ProjectileClock>) {
    // 4
    for arm in 0..5 {
        let heading = Vec2::from_angle(clock.ticks() as f32 * 0.05 + arm as f32 * 1.257);
        spawner.spawn(Projectile::new(heading * 20.0, heading * 150.0).lifetime(120).payload(Shot { damage: arm })); // 5
    }
}

fn main() -> AppExit {
    App::new().add_plugins((DefaultPlugins, minimal)).run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_runs_for_some_ticks() {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, minimal));
        let step = app.world().resource::<Time<Fixed>>().timestep();
        app.insert_resource(bevy::time::TimeUpdateStrategy::ManualDuration(step));
        for _ in 0..31 {
            app.update(); // the first has no time to it
        }
        let stats = app.world().resource::<PoolStats<Shot>>();
        assert_eq!((stats.live, stats.spawned), (150, 150));
    }
}
