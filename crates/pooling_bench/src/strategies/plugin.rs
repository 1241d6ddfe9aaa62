//! The cells of the plugin's strategies.

use std::time::Instant;

use bevy::prelude::{App, IntoScheduleConfigs, Res, ResMut, Vec2};
use bevy_projectile_pool::prelude::*;

use super::{
    StrategySpec,
    app::{Cell, Due, EarlyEnds, EndTick, Sum, TickClock, end},
    feed::{ACCELERATION, Feed, Fired, Load, NEVER, WORLD},
};

/// The pool's name.
pub const POOL: &str = "bench";

/// Ticks after a burst until the pool has given its memory back.
pub fn settling_ticks(burst: u32) -> u32 {
    // The projectiles of the burst, the idle time, and the rows that a tick gives back.
    40 + TrimPolicy::default().idle_ticks + burst / 2048 + 60
}

/// Adds a pool and what fires and ends its projectiles.
pub fn add<const EXTRA: usize>(app: &mut App, spec: &StrategySpec, strategy: PoolingStrategy) -> Cell {
    let mut settings = ProjectileSettings {
        acceleration: ACCELERATION,
        bounds: spec.bounds.then_some(WORLD),
        change_detection: spec.change_detection,
        parallel_from: if spec.parallel { 0 } else { ProjectileSettings::NEVER },
        ..ProjectileSettings::default()
    };
    if let Some(cap) = spec.cap {
        settings.capacity = cap;
        settings.when_full = FullPolicy::EvictOldest;
    }
    let pool = ProjectilePoolPlugin::<Load<EXTRA>>::new(POOL).strategy(strategy).settings(settings);
    app.add_plugins(pool).add_systems(EndTick, sum::<EXTRA>.after(end));
    match EarlyEnds::of(spec) {
        EarlyEnds::Never => {
            app.add_systems(ProjectileTick, fire::<EXTRA>.in_set(ProjectileSystems::Fire));
        }
        EarlyEnds::Iterating => {
            app.add_systems(ProjectileTick, fire::<EXTRA>.in_set(ProjectileSystems::Fire))
                .add_systems(ProjectileTick, hit::<EXTRA>.in_set(ProjectileSystems::Hit));
        }
        EarlyEnds::ById => {
            app.insert_resource(Due::<ProjectileId>::new(spec))
                .add_systems(ProjectileTick, fire_with_ids::<EXTRA>.in_set(ProjectileSystems::Fire))
                .add_systems(ProjectileTick, hit_by_id::<EXTRA>.in_set(ProjectileSystems::Hit));
        }
    }
    if let Some(burst) = spec.burst {
        let fire_burst = move |feed: Res<Feed<EXTRA>>, mut spawner: ProjectileSpawner<Load<EXTRA>>| {
            if feed.tick == 1 {
                let shot = Projectile::new(Vec2::ZERO, Vec2::X).lifetime(20);
                spawner.spawn_batch((0..burst).map(|_| shot));
            }
        };
        app.add_systems(ProjectileTick, fire_burst.in_set(ProjectileSystems::Fire).after(fire::<EXTRA>));
    }
    Cell {
        live: |world| world.resource::<PoolStats<Load<EXTRA>>>().live,
        bytes: |world| Some(world.resource::<PoolStats<Load<EXTRA>>>().bytes_held),
        room: |world| world.resource::<PoolStats<Load<EXTRA>>>().capacity,
        diagnostics: true,
    }
}

fn projectile<const EXTRA: usize>(fired: &Fired<EXTRA>) -> Projectile<Load<EXTRA>> {
    let shot = Projectile::new(fired.position, fired.velocity).payload(fired.load);
    if fired.lifetime == NEVER { shot } else { shot.lifetime(fired.lifetime) }
}

fn fire<const EXTRA: usize>(
    feed: Res<Feed<EXTRA>>,
    mut spawner: ProjectileSpawner<Load<EXTRA>>,
    mut clock: ResMut<TickClock>,
) {
    let start = Instant::now();
    spawner.spawn_batch(feed.batch.iter().map(projectile));
    clock.asking = start.elapsed();
}

fn fire_with_ids<const EXTRA: usize>(
    feed: Res<Feed<EXTRA>>,
    mut spawner: ProjectileSpawner<Load<EXTRA>>,
    mut due: ResMut<Due<ProjectileId>>,
    mut clock: ResMut<TickClock>,
) {
    let start = Instant::now();
    for fired in &feed.batch {
        due.note(fired.load.ends_at, spawner.spawn(projectile(fired)));
    }
    clock.asking = start.elapsed();
}

fn hit<const EXTRA: usize>(feed: Res<Feed<EXTRA>>, mut shots: ProjectilesMut<Load<EXTRA>>) {
    for mut shot in &mut shots {
        if shot.payload().ends_at == feed.tick {
            shot.retire(RetireReason::Hit);
        }
    }
}

fn hit_by_id<const EXTRA: usize>(
    feed: Res<Feed<EXTRA>>,
    mut due: ResMut<Due<ProjectileId>>,
    mut shots: ProjectilesMut<Load<EXTRA>>,
) {
    for id in due.take(feed.tick) {
        shots.retire(id, RetireReason::Hit);
    }
}

fn sum<const EXTRA: usize>(feed: Res<Feed<EXTRA>>, shots: Projectiles<Load<EXTRA>>, mut sum: ResMut<Sum>) {
    sum.fold(feed.tick, || shots.iter().map(|shot| (shot.payload().serial, shot.position())));
}
