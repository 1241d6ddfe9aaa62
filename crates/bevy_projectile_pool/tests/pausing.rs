//! Time stands still, by the clock or by a run condition; and a hitch that brings many ticks in one frame.

mod common;
use common::*;

#[derive(Resource)]
struct Running(bool);

/// A game with some projectiles in mid-flight, 20 ms a frame, so that drawing is ahead of the last tick.
fn in_flight(strategy: PoolingStrategy) -> Game {
    let mut game = Game::clocked(strategy);
    game.world().insert_resource(Running(true));
    let running = |running: Res<Running>| running.0;
    game.app.configure_sets(FixedUpdate, RunProjectileTick.run_if(running));
    game.world().insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(20)));
    for x in 0..20 {
        game.spawn(Projectile { velocity: at(10.0, -3.0), ..still(x) }.lifetime(x + 50));
    }
    game.frames(3);
    assert_eq!(overstep(&mut game), Duration::from_micros(60_000 - 3 * 15_625).as_secs_f32(), "a drawing is ahead");
    game
}

fn overstep(game: &mut Game) -> f32 {
    game.world().resource::<ProjectileClock>().overstep_secs()
}

fn ticks(game: &mut Game) -> u64 {
    game.world().resource::<ProjectileClock>().ticks()
}

fn pause_by_clock(game: &mut Game, paused: bool) {
    let mut clock = game.world().resource_mut::<Time<Virtual>>();
    if paused { clock.pause() } else { clock.unpause() }
}

fn pause_by_condition(game: &mut Game, paused: bool) {
    game.world().resource_mut::<Running>().0 = !paused;
}

#[test]
fn nothing_moves_or_ages_while_paused_also_over_a_switch() {
    for (way, pause) in
        [("clock", pause_by_clock as fn(&mut Game, bool)), ("run condition", pause_by_condition as fn(&mut Game, bool))]
    {
        let outcomes = same_in_each_strategy(|strategy| {
            let mut game = in_flight(strategy);
            let before = (game.live(), ticks(&mut game), game.checksum());
            assert_eq!(before.1, 3);
            pause(&mut game, true);
            let mut next = strategy;
            for frame in 0..60 {
                if frame % 20 == 10 {
                    next = next.next();
                    game.switch(next);
                    assert_ne!(game.strategy(), next);
                }
                game.frame();
                assert_eq!(game.strategy(), next, "{way}: in the next `First`");
                assert_eq!(game.live(), before.0, "{way}, frame {frame}");
                assert_eq!(overstep(&mut game), 0.0, "{way}: drawings stand still too");
                assert!(game.world().resource::<ProjectileClock>().tick_times().is_empty());
            }
            assert_eq!((ticks(&mut game), game.checksum()), (before.1, before.2), "{way}");
            pause(&mut game, false);
            game.frame();
            assert!(ticks(&mut game) <= before.1 + 2, "{way}: no burst");
            let steps = (ticks(&mut game) - before.1) as u32;
            assert!(steps > 0);
            assert!(game.live().iter().zip(&before.0).all(|(now, then)| now.age == then.age + steps), "{way}");
            game.frames(20);
            game.audit();
            (game.live(), game.checksum(), ticks(&mut game))
        });
        assert!(!outcomes.0.is_empty());
    }
}

#[test]
fn a_pause_changes_nothing_but_the_time() {
    for_each_strategy(|strategy| {
        let run = |pause: bool| {
            let mut game = in_flight(strategy);
            pause_by_clock(&mut game, pause);
            game.frames(if pause { 60 } else { 0 });
            pause_by_clock(&mut game, false);
            game.frames(30);
            (game.live(), game.checksum())
        };
        assert_eq!(run(true), run(false));
    });
}

#[test]
fn a_hitch_of_sixteen_ticks_is_sixteen_ticks() {
    for_each_strategy(|strategy| {
        let mut game = Game::clocked(strategy);
        game.app.add_systems(
            ProjectileTick,
            (|mut spawner: ProjectileSpawner<Shot>| {
                spawner.spawn(Projectile::new(Vec2::ZERO, at(64.0, 0.0)));
            })
            .in_set(ProjectileSystems::Fire),
        );
        game.frames(4);
        assert_eq!((ticks(&mut game), game.count()), (4, 4));
        for x in 0..3 {
            game.spawn(still(x).lifetime(16));
        }
        game.world().insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs(30)));
        game.frame();
        assert_eq!(ticks(&mut game), 20, "the clock lets a quarter of a second through");
        assert_eq!(game.world().resource::<ProjectileClock>().tick_times().len(), 16);
        assert_eq!((game.stats().spawned, game.count()), (4 + 16 + 3, 20), "what was asked for once came once");
        let ages: Vec<_> = game.live().iter().map(|seen| seen.age).collect();
        assert_eq!(ages, (1..=20).rev().collect::<Vec<_>>());
        assert!(game.live().iter().all(|seen| seen.position.x == seen.age as f32));
        assert_eq!(game.ended(RetireReason::Expired), 3);

        game.world().insert_resource(TimeUpdateStrategy::ManualDuration(DT));
        game.frame();
        assert_eq!(game.world().resource::<ProjectileClock>().tick_times().len(), 1);
        assert_eq!((ticks(&mut game), game.count()), (21, 21));
        game.audit();
    });
}
