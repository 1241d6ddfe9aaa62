//! The record of ends: the same in every strategy, in order of ids, of the last tick only.

mod common;
use common::*;

#[test]
fn off_unless_asked_for() {
    for_each_strategy(|strategy| {
        let mut game = Game::with(ProjectilePoolPlugin::new("shots").strategy(strategy).by_hand());
        let ids = game.launch((0..4).map(|x| still(x).lifetime(x + 1)));
        game.retire(ids[3], RetireReason::Hit);
        game.tick();
        assert_eq!((game.records().len(), game.stats().retired.total()), (0, 3), "they are only counted");
        game.set(|settings| settings.record_retired = true).tick();
        assert_eq!(game.ends(), [(ids[2], RetireReason::Expired)], "on from the next tick");
        game.set(|settings| settings.record_retired = false);
        game.launch([still(1).lifetime(1)]);
        assert_eq!(game.records(), []);
    });
}

#[test]
fn sorted_by_id_and_equal_in_every_strategy() {
    let records = same_in_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        game.set(|settings| settings.bounds = Some(Rect::new(-50.0, -50.0, 50.0, 50.0)));
        // Churn first, so that rows are in no order of ids.
        for round in 0..6 {
            let ids = game.launch((0..20).map(|x| still(x).lifetime(x % 5 + 1)));
            game.retire(ids[(round * 7) % 20], RetireReason::Cancelled);
        }
        let mut all = Vec::new();
        for round in 0..10_u32 {
            let ids = game.launch(
                (0..20).map(|x| Projectile { velocity: at(64.0 * x as f32, 0.0), ..still(x) }.lifetime(9 + x % 2)),
            );
            for place in [17, 2, 11] {
                game.retire(ids[(place + round as usize) % 20], RetireReason::Hit);
            }
            game.tick();
            let records = game.records();
            assert!(records.is_sorted_by(|a, b| a.id < b.id), "each once, in order");
            all.push(records);
        }
        all
    });
    let count = |reason| records.iter().flatten().filter(|record| record.reason == reason).count();
    assert!([RetireReason::Hit, RetireReason::Expired, RetireReason::OutOfBounds].into_iter().all(|r| count(r) > 9));
}

#[test]
fn the_position_is_that_of_the_moment() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch((0..4).map(|x| Projectile { velocity: at(64.0, 0.0), ..still(x) }.lifetime(2 + x / 3)));
        let end =
            |id: ProjectileId| move |world: &mut World| assert!(steer(world, |s| s.retire(id, RetireReason::Hit)));
        end(ids[0])(game.world());
        steer(game.world(), |shots| {
            let mut shot = shots.get_mut(ids[3]).expect("it lives");
            shot.payload_mut().damage = 99;
            assert!(shot.set_velocity(at(0.0, 640.0)) && shot.set_position(at(0.0, 5.0)));
            assert!(shot.retire(RetireReason::Cancelled));
        });
        game.during(ProjectileSystems::Steer, end(ids[1]));
        game.during(ProjectileSystems::Hit, end(ids[2]));
        game.tick();
        let records = game.records();
        let places: Vec<_> = records.iter().map(|record| record.position).collect();
        assert_eq!(places, [at(1.0, 0.0), at(2.0, 0.0), at(4.0, 0.0), at(0.0, 5.0)]);
        let values = |at: usize| (records[at].velocity, records[at].payload.damage);
        assert_eq!((values(2), values(3)), ((at(64.0, 0.0), 2), (at(0.0, 640.0), 99)));
    });
}

#[test]
fn ends_from_outside_of_a_tick_appear_in_the_next() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch((0..4).map(still));
        game.retire(ids[2], RetireReason::Hit);
        assert_eq!(game.records(), [], "not yet");
        let seen = game.tick_with(ProjectileSystems::Steer, |world| world.resource::<RetiredProjectiles<Shot>>().len());
        assert_eq!(seen, 0, "not before `Retire`");
        assert_eq!(game.ends(), [(ids[2], RetireReason::Hit)]);
        let id = ids[1];
        game.during(ProjectileSystems::React, move |world| {
            assert!(steer(world, |shots| shots.retire(id, RetireReason::Cancelled)));
        });
        assert!(run_projectile_tick(game.world(), DT));
        assert_eq!(game.records(), [], "only the ends of the last tick");
        assert_eq!((game.count(), game.stats().live), (2, 3), "the figures are those of `Retire`");
        game.tick();
        assert_eq!(game.ends(), [(ids[1], RetireReason::Cancelled)], "what ends in `React` is of the next tick");
    });
}

#[test]
fn each_frame_of_several_ticks_keeps_the_last_ones() {
    for_each_strategy(|strategy| {
        let mut game = Game::clocked(strategy);
        (1..=4).for_each(|lifetime| _ = game.spawn(still(lifetime).lifetime(lifetime)));
        game.world().insert_resource(TimeUpdateStrategy::ManualDuration(DT * 3));
        game.frame();
        let damages: Vec<_> = game.records().iter().map(|record| record.payload.damage).collect();
        assert_eq!((damages, game.count()), (vec![3], 1));
    });
}
