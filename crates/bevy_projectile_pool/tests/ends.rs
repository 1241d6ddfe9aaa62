//! How projectiles end: lifetimes to the tick, bounds to the edge, and which reason counts where several hold.

mod common;
use common::*;

#[test]
fn a_lifetime_of_one_tick() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        game.spawn(Projectile::new(at(1.0, 1.0), at(64.0, 0.0)).lifetime(1));
        game.during(ProjectileSystems::Steer, |world| {
            let seen = live(world)[0];
            assert_eq!((seen.age, seen.remaining, seen.position), (0, Some(1), at(1.0, 1.0)));
        });
        game.during(ProjectileSystems::Hit, |world| {
            let seen = live(world)[0];
            assert_eq!((seen.age, seen.remaining, seen.position), (1, Some(0), at(2.0, 1.0)), "its last step is seen");
        });
        game.tick();
        assert_eq!(game.live(), []);
        let record = game.records()[0];
        assert_eq!((record.reason, record.position), (RetireReason::Expired, at(2.0, 1.0)));
    });
}

#[test]
fn a_lifetime_of_n_ticks_makes_n_steps() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        for n in 1..=40 {
            game.spawn(Projectile::new(Vec2::ZERO, at(64.0, 0.0)).lifetime(n));
        }
        for tick in 1..=40 {
            game.tick();
            let left: Vec<_> = game.live().iter().map(|seen| (seen.age, seen.remaining)).collect();
            let expected: Vec<_> = (tick + 1..=40).map(|n| (tick, Some(n - tick))).collect();
            assert_eq!(left, expected, "after tick {tick}");
            assert_eq!(game.records()[0].position, at(tick as f32, 0.0), "after {tick} steps");
        }
        assert_eq!(game.ended(RetireReason::Expired), 40);
    });
}

#[test]
fn endless_ones_never_expire_and_the_longest_lifetime_does_not_overflow() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch([still(0), still(1).lifetime(u32::MAX), still(2).lifetime(u32::MAX - 1)]);
        game.ticks(499);
        let left: Vec<_> = game.live().iter().map(|seen| (seen.id, seen.age, seen.remaining)).collect();
        assert_eq!(left, [(ids[0], 500, None), (ids[1], 500, None), (ids[2], 500, Some(u32::MAX - 501))]);
    });
}

#[test]
fn all_end_in_one_step_and_then_the_last_two() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch((0..100).map(|x| still(x).lifetime(3)));
        game.ticks(1);
        assert_eq!(game.count(), 100);
        game.tick();
        assert_eq!((game.count(), game.live()), (0, vec![]));
        assert_eq!(game.ends(), ids.iter().map(|&id| (id, RetireReason::Expired)).collect::<Vec<_>>());

        let two = game.launch((0..2).map(|x| still(x).lifetime(2)));
        assert_eq!(game.live_ids(), two);
        game.tick();
        assert_eq!((game.live(), game.ended(RetireReason::Expired)), (vec![], 102));

        let ids = game.launch((0..100).map(still));
        steer(game.world(), |shots| {
            for mut shot in shots {
                shot.retire(RetireReason::Hit);
            }
        });
        assert_eq!(game.live(), [], "by hand, at once");
        game.tick();
        assert_eq!(game.records().len(), ids.len());
    });
}

#[test]
fn neighbours_of_those_that_end_are_not_skipped() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch((0..90).map(|x| still(x).lifetime(x % 3 + 2)));
        for rest in 0..3 {
            game.tick();
            let kept: Vec<_> = (0..90).filter(|x| x % 3 > rest).map(|x| ids[x]).collect();
            assert_eq!(game.live_ids(), kept);
        }
    });
}

#[test]
fn bounds_include_their_edge() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        game.set(|settings| settings.bounds = Some(Rect::new(-10.0, -20.0, 10.0, 20.0)));
        let inside = [at(-10.0, -20.0), at(10.0, 20.0), at(10.0, 0.0), at(0.0, -20.0), Vec2::ZERO];
        let beyond = |value: f32| if value > 0.0 { value.next_up() } else { value.next_down() };
        let outside = [
            at(beyond(10.0), 0.0),
            at(beyond(-10.0), 0.0),
            at(0.0, beyond(20.0)),
            at(0.0, beyond(-20.0)),
            at(1e30, -1e30),
        ];
        let at_rest = |position: Vec2| Projectile::new(position, Vec2::ZERO);
        let ids = game.launch(inside.into_iter().chain(outside).map(at_rest));
        assert_eq!(game.live_ids(), ids[..5]);
        let ends: Vec<_> = ids[5..].iter().map(|&id| (id, RetireReason::OutOfBounds)).collect();
        assert_eq!(game.ends(), ends);

        let leaving = game.launch([Projectile::new(at(9.0, 0.0), at(64.0, 0.0))]);
        assert!(game.contains(leaving[0]), "on the edge after its first step");
        game.tick();
        assert_eq!(game.records()[0].position, at(11.0, 0.0));

        game.set(|settings| settings.bounds = None);
        let far = game.launch([at_rest(at(1e9, 1e9))]);
        game.tick();
        assert!(game.contains(far[0]), "no bounds any more");
    });
}

#[test]
fn one_outside_can_still_be_hit_and_steered_back() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        game.set(|settings| settings.bounds = Some(Rect::new(-10.0, -10.0, 10.0, 10.0)));
        let ids = game.launch([0, 1, 2].map(|x| Projectile { velocity: at(640.0, 0.0), ..still(x) }));
        assert_eq!(game.live_ids(), ids[..1], "10 is inside, 11 and 12 are not");
        let id = ids[0];
        game.tick_with(ProjectileSystems::Hit, move |world| {
            steer(world, |shots| shots.get_mut(id).expect("still there").set_position(Vec2::ZERO))
        });
        assert!(game.contains(id));
    });
}

#[test]
fn of_several_reasons_the_users_comes_first_then_expired_then_out_of_bounds() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        game.set(|settings| settings.bounds = Some(Rect::new(-10.0, -10.0, 10.0, 10.0)));
        let far = |lifetime| Projectile::new(at(99.0, 0.0), Vec2::ZERO).lifetime(lifetime);
        let ids: Vec<_> = [1, 1, 9, 9].into_iter().map(|lifetime| game.spawn(far(lifetime))).collect();
        let hit = [ids[1], ids[3]];
        game.tick_with(ProjectileSystems::Hit, move |world| {
            steer(world, |shots| hit.map(|id| assert!(shots.retire(id, RetireReason::Hit))));
        });
        use RetireReason::{Expired, Hit, OutOfBounds};
        assert_eq!(game.ends(), [(ids[0], Expired), (ids[1], Hit), (ids[2], OutOfBounds), (ids[3], Hit)]);
        assert_eq!(game.stats().retired.total(), 4, "each ends once");
        let counts: Vec<_> = game.stats().retired.iter().filter(|(_, count)| *count > 0).collect();
        assert_eq!(counts, [(Expired, 1), (OutOfBounds, 1), (Hit, 2)]);
    });
}

#[test]
fn lifetimes_count_on_across_switches() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch([7, 8, 9].map(|lifetime| still(1).lifetime(lifetime)));
        let mut next = strategy;
        for tick in 2..=9 {
            next = next.next();
            game.switch(next);
            game.tick();
            assert_eq!(game.strategy(), next);
            let kept: Vec<_> = (tick.max(6) - 6..3).map(|place| ids[place]).collect();
            assert_eq!(game.live_ids(), kept, "after tick {tick}");
        }
    });
}
