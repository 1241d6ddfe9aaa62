//! Who runs ticks, and when: the fixed clock, another schedule, or the app by hand.

mod common;
use common::*;

#[derive(Clone, Copy, Default)]
struct Spark;

fn ticks(world: &mut World) -> u64 {
    world.resource::<ProjectileClock>().ticks()
}

#[test]
fn by_hand_tells_whether_it_ran() {
    assert!(!run_projectile_tick(&mut World::new(), DT), "no pools");
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        game.spawn(Projectile::new(Vec2::ZERO, at(64.0, 0.0)));
        assert!(!run_projectile_tick(game.world(), Duration::ZERO), "no duration");
        assert_eq!((ticks(game.world()), game.count()), (0, 0));
        assert!(run_projectile_tick(game.world(), DT));
        assert!(run_projectile_tick(game.world(), DT * 3));
        assert_eq!((ticks(game.world()), game.live()[0].age), (2, 2));
        assert_eq!(game.live()[0].position, at(4.0, 0.0), "each by its own duration");
        let clock = game.world().resource::<ProjectileClock>();
        assert_eq!((clock.delta(), clock.delta_secs(), clock.overstep_secs()), (DT * 3, 3.0 * DT_SECS, 0.0));
        assert_eq!(clock.tick_times().len(), 2);
        game.app.update();
        assert_eq!(ticks(game.world()), 2, "frames bring no ticks");
        assert!(game.world().resource::<ProjectileClock>().tick_times().is_empty(), "a new frame");
    });
}

#[test]
fn a_tick_within_a_tick_is_refused_without_harm() {
    use ProjectileSystems::{Fire, Hit, React, Steer};
    for_each_strategy(|strategy| {
        let run = |again: bool| {
            let mut game = Game::new(strategy);
            for tick in 0..6 {
                game.spawn(Projectile { velocity: at(64.0, 0.0), ..still(tick) }.lifetime(tick + 2));
                if again && tick > 0 {
                    for phase in [Fire, Steer, Hit, React] {
                        game.during(phase, move |world| {
                            let wanted = world.resource::<ActiveStrategy<Shot>>().get().next();
                            world.resource_mut::<ActiveStrategy<Shot>>().set(wanted);
                            world.resource_mut::<PoolSettings<Shot>>().acceleration = at(0.0, 99.0);
                            assert!(!run_projectile_tick(world, DT * 7));
                            assert_eq!(world.resource::<ActiveStrategy<Shot>>().get(), strategy, "no switch inside");
                            assert_eq!(world.resource::<ProjectileClock>().delta(), DT);
                            world.resource_mut::<ActiveStrategy<Shot>>().set(strategy);
                            world.resource_mut::<PoolSettings<Shot>>().acceleration = Vec2::ZERO;
                        });
                    }
                }
                game.tick();
            }
            (game.live(), game.checksum(), ticks(game.world()))
        };
        assert_eq!(run(true), run(false));
    });
}

#[test]
fn in_update_ticks_have_the_frames_duration() {
    for_each_strategy(|strategy| {
        let mut app = App::new();
        app.add_plugins((TimePlugin, clocked_pool(strategy).schedule(Update)))
            .insert_resource(TimeUpdateStrategy::ManualDuration(DT * 2));
        app.update();
        assert_eq!(ticks(app.world_mut()), 0, "the first frame has no duration");
        spawner(app.world_mut(), |spawner| spawner.spawn(Projectile::new(Vec2::ZERO, at(64.0, 0.0))));
        app.update();
        app.update();
        assert_eq!((ticks(app.world_mut()), live(app.world_mut())[0].position), (2, at(4.0, 0.0)));
        assert_eq!(app.world().resource::<ProjectileClock>().overstep_secs(), 0.0);
        app.world_mut().resource_mut::<Time<Virtual>>().pause();
        app.update();
        assert_eq!(ticks(app.world_mut()), 2, "paused: no duration, no tick");
        app.world_mut().resource_mut::<Time<Virtual>>().unpause();
        app.world_mut().resource_mut::<Time<Virtual>>().set_relative_speed(0.5);
        app.update();
        assert_eq!(live(app.world_mut())[0].position, at(5.0, 0.0), "slow motion");
    });
}

#[test]
fn in_fixed_update_ticks_are_those_of_the_fixed_clock() {
    for_each_strategy(|strategy| {
        let mut game = Game::clocked(strategy);
        game.spawn(Projectile::new(Vec2::ZERO, at(64.0, 0.0)));
        game.frames(10);
        assert_eq!((ticks(game.world()), game.live()[0].position), (10, at(10.0, 0.0)));
        game.world().insert_resource(TimeUpdateStrategy::ManualDuration(DT / 2));
        game.frame();
        assert_eq!((ticks(game.world()), game.live()[0].age), (10, 10), "half a tick's time is none yet");
        assert_eq!(game.world().resource::<ProjectileClock>().overstep_secs(), DT_SECS / 2.0);
        assert!(game.world().resource::<ProjectileClock>().tick_times().is_empty());
        game.frame();
        assert_eq!((ticks(game.world()), game.live()[0].age), (11, 11));
        assert_eq!(game.world().resource::<ProjectileClock>().overstep_secs(), 0.0);
    });
}

#[test]
fn without_a_clock_nothing_runs_and_nothing_breaks() {
    for_each_strategy(|strategy| {
        let mut app = App::new();
        app.add_plugins(clocked_pool(strategy).schedule(Update));
        spawner(app.world_mut(), |spawner| spawner.spawn(still(1)));
        (0..3).for_each(|_| app.update());
        assert_eq!(ticks(app.world_mut()), 0);
        assert!(run_projectile_tick(app.world_mut(), DT), "by hand it can");
        assert_eq!(live(app.world_mut()).len(), 1);
    });
}

#[test]
fn two_pools_tick_together() {
    for_each_strategy(|strategy| {
        let mut game = Game::clocked(strategy);
        game.app.add_plugins(ProjectilePoolPlugin::<Spark>::new("sparks").strategy(strategy.next()));
        game.spawn(still(1));
        spawner_of(game.world(), |s: &mut ProjectileSpawner<Spark>| s.spawn(Projectile::new(Vec2::ZERO, Vec2::X)));
        game.frames(5);
        assert_eq!((ticks(game.world()), game.live()[0].age), (5, 5), "one tick a frame, for both");
        let ages: Vec<_> =
            read_of(game.world(), |sparks: &Projectiles<Spark>| sparks.iter().map(|s| s.age()).collect());
        assert_eq!(ages, [5]);
    });
}

#[test]
fn many_ticks_in_one_frame_keep_a_bounded_list_of_times() {
    let mut game = Game::new(PoolingStrategy::ParallelArrays);
    for _ in 0..1_500 {
        assert!(run_projectile_tick(game.world(), DT));
    }
    assert_eq!(ticks(game.world()), 1_500);
    assert_eq!(game.world().resource::<ProjectileClock>().tick_times().len(), 1_024);
}
