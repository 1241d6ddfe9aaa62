//! The order of a tick, and what Bevy's ambiguity detection says of it.

mod common;
use bevy_ecs::schedule::{LogLevel, ScheduleBuildError, ScheduleBuildSettings, Schedules};
use common::*;

#[derive(Clone, Copy, Default)]
struct Spark;

fn two_pools() -> App {
    let mut app = App::new();
    app.add_plugins((
        ProjectilePoolPlugin::<Shot>::new("shots").by_hand(),
        ProjectilePoolPlugin::<Spark>::new("sparks").by_hand(),
    ));
    app
}

fn ambiguities(mut app: App) -> Result<(), ScheduleBuildError> {
    let mut schedule = app.world_mut().resource_mut::<Schedules>().remove(ProjectileTick).expect("it is there");
    let detection = ScheduleBuildSettings { ambiguity_detection: LogLevel::Error, ..ScheduleBuildSettings::default() };
    schedule.set_build_settings(detection);
    schedule.initialize(app.world_mut())
}

fn fire<P: Payload>(mut spawner: ProjectileSpawner<P>, _: Projectiles<P>) {
    spawner.spawn(Projectile::new(Vec2::ZERO, Vec2::X));
}

fn steer_all<P: Payload>(mut all: ProjectilesMut<P>) {
    for mut one in &mut all {
        one.set_velocity(Vec2::Y);
    }
}

fn look<P: Payload>(_: Projectiles<P>, _: Res<RetiredProjectiles<P>>, _: Res<PoolStats<P>>, _: Res<ProjectileClock>) {}

#[test]
fn systems_of_two_pools_in_every_set_are_unambiguous() {
    use ProjectileSystems::{Fire, Hit, React, Steer};
    let mut app = two_pools();
    app.add_systems(ProjectileTick, (fire::<Shot>, fire::<Spark>).in_set(Fire));
    for set in [Steer, Hit] {
        app.add_systems(ProjectileTick, (steer_all::<Shot>, steer_all::<Spark>).in_set(set));
    }
    for set in [Fire, React] {
        app.add_systems(ProjectileTick, (look::<Shot>, look::<Spark>, look::<Shot>).in_set(set));
    }
    ambiguities(app).expect("no two systems conflict");
}

#[test]
fn two_systems_that_spawn_into_one_pool_are_found() {
    let mut app = two_pools();
    let fire_too = |mut spawner: ProjectileSpawner<Shot>| _ = spawner.spawn(still(1));
    app.add_systems(ProjectileTick, (fire::<Shot>, fire_too).in_set(ProjectileSystems::Fire));
    assert!(matches!(ambiguities(app), Err(ScheduleBuildError::Ambiguity(_))));

    let mut app = two_pools();
    app.add_systems(ProjectileTick, (fire::<Shot>, fire_too).chain().in_set(ProjectileSystems::Fire));
    ambiguities(app).expect("they are in order now");
}

#[test]
fn two_systems_that_steer_one_pool_are_found() {
    let mut app = two_pools();
    app.add_systems(ProjectileTick, (steer_all::<Shot>, look::<Shot>).in_set(ProjectileSystems::Steer));
    assert!(matches!(ambiguities(app), Err(ScheduleBuildError::Ambiguity(_))));
}

#[test]
fn one_system_spawns_reads_and_steers_another_pool() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        game.app.add_plugins(ProjectilePoolPlugin::<Spark>::new("sparks").strategy(strategy).by_hand());
        game.app.add_systems(
            ProjectileTick,
            (|mut spawner: ProjectileSpawner<Shot>, shots: Projectiles<Shot>, _: ProjectilesMut<Spark>| {
                if shots.is_empty() {
                    spawner.spawn(still(1));
                }
            })
            .in_set(ProjectileSystems::Fire),
        );
        game.ticks(3);
        assert_eq!(game.count(), 1);
    });
}

#[test]
fn the_phases_come_in_their_order() {
    #[derive(Resource, Default)]
    struct Seen(Vec<(&'static str, usize, usize, u64)>);
    fn note(
        phase: &'static str,
    ) -> impl Fn(Projectiles<Shot>, Res<RetiredProjectiles<Shot>>, Res<PoolStats<Shot>>, ResMut<Seen>) {
        move |shots, retired, stats, mut seen| seen.0.push((phase, shots.count(), retired.len(), stats.spawned))
    }
    use ProjectileSystems::{Fire, Hit, React, Steer};
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        game.world().init_resource::<Seen>();
        for (phase, name) in [(React, "react"), (Hit, "hit"), (Steer, "steer"), (Fire, "fire")] {
            game.app.add_systems(ProjectileTick, note(name).in_set(phase));
        }
        game.launch([still(1).lifetime(1), still(2)]);
        let seen = core::mem::take(&mut game.world().resource_mut::<Seen>().0);
        assert_eq!(seen, [("fire", 0, 0, 0), ("steer", 2, 0, 0), ("hit", 2, 0, 0), ("react", 1, 1, 2)]);
    });
}

#[test]
fn what_is_spawned_is_steered_before_its_first_step() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let id = game.spawn(Projectile::new(at(3.0, 0.0), at(64.0, 0.0)).lifetime(2));
        game.during(ProjectileSystems::Steer, move |world| {
            steer(world, |shots| {
                let mut shot = shots.get_mut(id).expect("it is spawned");
                assert_eq!((shot.age(), shot.remaining(), shot.position()), (0, Some(2), at(3.0, 0.0)));
                assert_eq!((shot.id(), shot.velocity(), *shot.payload()), (id, at(64.0, 0.0), Shot::default()));
                assert!(shot.set_velocity(at(0.0, 64.0)));
            });
        });
        game.during(ProjectileSystems::Hit, move |world| {
            steer(world, |shots| {
                let shot = shots.get_mut(id).expect("it flies");
                assert_eq!((shot.age(), shot.remaining(), shot.position()), (1, Some(1), at(3.0, 1.0)));
            });
        });
        game.tick();
        let last = game.tick_with(ProjectileSystems::Hit, live)[0];
        assert_eq!((last.age, last.remaining, last.position), (2, Some(0), at(3.0, 2.0)), "its last step is seen");
        assert!(!game.contains(id));
    });
}

#[test]
fn a_retired_one_stays_where_it_was() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch([0, 1].map(|x| Projectile { velocity: at(64.0, 0.0), ..still(x) }));
        let id = ids[0];
        game.during(ProjectileSystems::Steer, move |world| {
            assert!(steer(world, |shots| shots.retire(id, RetireReason::Cancelled)));
            assert_eq!(live(world).len(), 1, "gone at once");
        });
        game.during(ProjectileSystems::Hit, move |world| assert!(!read(world, |shots| shots.contains(id))));
        game.tick();
        assert_eq!(game.records()[0].position, at(1.0, 0.0), "it made no further step");
    });
}
