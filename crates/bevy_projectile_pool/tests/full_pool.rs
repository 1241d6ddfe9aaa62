//! A full pool follows its policy: it grows to a stated maximum, rejects, or evicts the oldest with a notice.

mod common;
use common::*;

fn full(strategy: PoolingStrategy, capacity: u32, when_full: FullPolicy) -> Game {
    Game::with(pool(strategy).settings(ProjectileSettings {
        capacity,
        when_full,
        record_retired: true,
        ..ProjectileSettings::default()
    }))
}

#[test]
fn it_grows_past_its_capacity_up_to_the_maximum() {
    for_each_strategy(|strategy| {
        let mut game = full(strategy, 8, FullPolicy::Grow { max: 10 });
        let mut ids = game.launch((0..9).map(still));
        assert_eq!(game.live_ids(), ids, "the ninth lives");
        assert_eq!(game.stats().rejected, 0);
        let more = game.launch((9..12).map(still));
        ids.push(more[0]);
        assert_eq!(game.live_ids(), ids, "one more fits, two do not");
        assert_eq!(game.stats().rejected, 2);
        assert!(!game.contains(more[1]) && !game.contains(more[2]));
        assert_eq!((game.stats().spawned, game.stats().evicted, game.stats().peak), (10, 0, 10));
    });
}

#[test]
fn the_default_grows() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        game.launch((0..9).map(still));
        assert_eq!((game.stats().live, game.stats().rejected), (9, 0));
    });
}

#[test]
fn reject_leaves_the_live_ones_untouched() {
    for_each_strategy(|strategy| {
        let mut game = full(strategy, 8, FullPolicy::Reject);
        game.launch((0..8).map(|x| still(x).lifetime(50)));
        let before = game.live();
        let refused = game.launch((20..23).map(still));
        let after: Vec<_> = before.iter().map(|s| Seen { age: 2, remaining: Some(48), ..*s }).collect();
        assert_eq!(game.live(), after);
        assert!(refused.iter().all(|&id| !game.contains(id)), "a rejected id is gone");
        assert_eq!((game.stats().rejected, game.stats().evicted, game.stats().retired.total()), (3, 0, 0));
        assert_eq!(game.records(), [], "what never flew leaves no record");

        assert!(game.retire(before[3].id, RetireReason::Hit));
        let taken = game.launch((30..32).map(still));
        assert!(game.contains(taken[0]), "there is one place");
        assert!(!game.contains(taken[1]));
        assert_eq!((game.stats().live, game.stats().rejected), (8, 4));
    });
}

#[test]
fn evict_oldest_ends_the_oldest_with_a_notice() {
    for_each_strategy(|strategy| {
        let mut game = full(strategy, 8, FullPolicy::EvictOldest);
        let moving = |x| Projectile { velocity: at(64.0, 0.0), ..still(x) };
        let ids = game.launch((0..8).map(moving));
        let more = game.launch((8..11).map(moving));
        let kept: Vec<_> = ids[3..].iter().chain(&more).copied().collect();
        assert_eq!(game.live_ids(), kept);
        let notice = |place: usize| Retired {
            id: ids[place],
            reason: RetireReason::Evicted,
            position: at(place as f32 + 1.0, 0.0), // the step that it made, and no other
            velocity: at(64.0, 0.0),
            payload: Shot { damage: place as u32 },
        };
        assert_eq!(game.records(), [notice(0), notice(1), notice(2)]);
        assert!(!game.contains(ids[0]) && game.contains(ids[3]));
        let stats = game.stats();
        assert_eq!((stats.live, stats.peak, stats.spawned, stats.evicted, stats.rejected), (8, 8, 11, 3, 0));
    });
}

#[test]
fn the_oldest_is_the_lowest_id_after_much_churn() {
    for_each_strategy(|strategy| {
        let mut game = full(strategy, 6, FullPolicy::EvictOldest);
        let mut order = game.launch((0..6).map(still));
        for round in 0..30 {
            let gone = order.remove(round % 5 + 1);
            assert!(game.retire(gone, RetireReason::Hit));
            order.extend(game.launch([still(round as u32), still(round as u32)]));
            order.remove(0);
            assert_eq!(game.live_ids(), order, "round {round}");
        }
        assert_eq!(game.stats().evicted, 30);
    });
}

#[test]
fn without_any_capacity_nothing_lives_and_all_is_counted() {
    for_each_strategy(|strategy| {
        let mut game = full(strategy, 0, FullPolicy::Reject);
        game.launch((0..3).map(still));
        assert_eq!((game.stats().live, game.stats().rejected, game.stats().spawned), (0, 3, 0));

        let mut game = full(strategy, 0, FullPolicy::EvictOldest);
        let ids = game.launch((0..3).map(|x| Projectile { velocity: Vec2::X, ..still(x) }));
        let ends: Vec<_> = ids.iter().map(|&id| (id, RetireReason::Evicted)).collect();
        assert_eq!(game.ends(), ends);
        assert_eq!(game.records()[2].position, at(2.0, 0.0), "it never flew");
        assert_eq!((game.stats().live, game.stats().peak, game.stats().spawned, game.stats().evicted), (0, 0, 3, 3));

        let mut game = full(strategy, 0, FullPolicy::Grow { max: 0 });
        game.launch((0..3).map(still));
        assert_eq!((game.stats().live, game.stats().rejected), (0, 3));
    });
}

#[test]
fn a_batch_larger_than_the_capacity() {
    for_each_strategy(|strategy| {
        let mut game = full(strategy, 4, FullPolicy::EvictOldest);
        let old = game.launch((0..3).map(still));
        let batch = game.launch((10..20).map(still));
        assert_eq!(game.live_ids(), batch[6..], "its own first ones end before they fly");
        let ended: Vec<_> = old.iter().chain(&batch[..6]).map(|&id| (id, RetireReason::Evicted)).collect();
        assert_eq!(game.ends(), ended);
        assert_eq!((game.stats().spawned, game.stats().evicted, game.stats().peak), (13, 9, 4));

        let mut game = full(strategy, 4, FullPolicy::Reject);
        let batch = game.launch((10..20).map(still));
        assert_eq!(game.live_ids(), batch[..4], "the first ones come first");
        assert_eq!((game.stats().spawned, game.stats().rejected), (4, 6));
    });
}

#[test]
fn a_capacity_lowered_while_running() {
    for_each_strategy(|strategy| {
        let mut game = full(strategy, 6, FullPolicy::EvictOldest);
        let ids = game.launch((0..6).map(still));
        game.set(|settings| settings.capacity = 2).tick();
        assert_eq!(game.live_ids(), ids, "nothing is stolen before a spawn needs the room");
        let new = game.launch([still(9)]);
        assert_eq!(game.live_ids(), [ids[5], new[0]]);
        assert_eq!(game.stats().evicted, 5);

        let mut game = full(strategy, 6, FullPolicy::Reject);
        let ids = game.launch((0..6).map(still));
        game.set(|settings| settings.capacity = 2);
        game.launch([still(9)]);
        assert_eq!(game.live_ids(), ids);
        for &id in &ids[1..] {
            game.retire(id, RetireReason::Hit);
        }
        let new = game.launch([still(9), still(9)]);
        assert_eq!(game.live_ids(), [ids[0], new[0]]);
        assert_eq!(game.stats().rejected, 2);
    });
}

#[test]
fn a_policy_changed_while_running() {
    for_each_strategy(|strategy| {
        let mut game = full(strategy, 2, FullPolicy::Reject);
        let first = game.launch((0..3).map(still));
        assert_eq!(game.live_ids(), first[..2]);
        game.set(|settings| settings.when_full = FullPolicy::Grow { max: 3 });
        let second = game.launch((0..2).map(still));
        assert_eq!(game.live_ids(), [first[0], first[1], second[0]]);
        game.set(|settings| settings.when_full = FullPolicy::EvictOldest);
        let third = game.launch([still(7)]);
        assert_eq!(game.live_ids(), [second[0], third[0]], "at most two live now");
        assert_eq!((game.stats().rejected, game.stats().evicted), (2, 2));
    });
}

#[test]
fn what_has_ended_in_this_tick_needs_no_place() {
    for_each_strategy(|strategy| {
        let mut game = full(strategy, 4, FullPolicy::EvictOldest);
        let ids = game.launch((0..4).map(still));
        let doomed = [ids[0], ids[1]];
        let new = game.tick_with(ProjectileSystems::Fire, move |world| {
            steer(world, |shots| doomed.map(|id| assert!(shots.retire(id, RetireReason::Hit))));
            spawner(world, |spawner| [7, 8, 9].map(|x| spawner.spawn(still(x))))
        });
        assert_eq!(game.live_ids(), [ids[3], new[0], new[1], new[2]]);
        let (hit, evicted) = (RetireReason::Hit, RetireReason::Evicted);
        assert_eq!(game.ends(), [(ids[0], hit), (ids[1], hit), (ids[2], evicted)]);
    });
}

#[test]
fn a_huge_capacity_is_a_limit_and_not_a_reservation() {
    for_each_strategy(|strategy| {
        let mut game = full(strategy, u32::MAX, FullPolicy::Reject);
        game.launch((0..3).map(still));
        assert_eq!((game.stats().live, game.stats().rejected), (3, 0));
        assert!(game.stats().capacity <= 1 << 23, "{}", game.stats().capacity);
    });
}
