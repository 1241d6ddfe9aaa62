//! Ids: one projectile each, for ever. Whoever ended is gone in every look-up, storage and time.

mod common;
use common::*;

/// Every look-up by this id answers "gone".
fn assert_gone(game: &mut Game, id: ProjectileId, when: &str) {
    assert!(!game.contains(id), "{when}: contains");
    assert_eq!(game.get(id), None, "{when}: get");
    assert_eq!(game.entity(id), None, "{when}: entity");
    assert!(!game.live_ids().contains(&id), "{when}: iteration");
    steer(game.world(), |shots| {
        assert!(!shots.contains(id), "{when}: contains");
        assert!(shots.get(id).is_none(), "{when}: get");
        assert!(shots.get_mut(id).is_none(), "{when}: get_mut");
        assert!(shots.entity(id).is_none(), "{when}: entity");
        assert!(!shots.retire(id, RetireReason::Hit), "{when}: retire");
        assert!(shots.iter().all(|shot| shot.id() != id), "{when}: iteration");
        assert!(shots.iter_mut().all(|shot| shot.id() != id), "{when}: iteration");
    });
}

#[test]
fn retiring_twice_is_told_and_does_nothing() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch((0..3).map(still));
        assert!(game.retire(ids[0], RetireReason::Hit));
        assert!(!game.retire(ids[0], RetireReason::Cancelled), "by id");
        steer(game.world(), |shots| {
            let mut shot = shots.get_mut(ids[1]).expect("it lives");
            assert!(shot.retire(RetireReason::Hit));
            assert_eq!(shot.remaining(), Some(0));
            assert!(!shot.retire(RetireReason::Hit), "the projectile in hand");
        });
        let first = ids[0];
        let again = game.tick_with(ProjectileSystems::Hit, move |world| {
            steer(world, |shots| shots.retire(first, RetireReason::Hit))
        });
        assert!(!again, "later in the tick");
        assert!(!game.retire(ids[0], RetireReason::Hit), "after the tick");
        assert_eq!((game.count(), game.ended(RetireReason::Hit), game.ended(RetireReason::Cancelled)), (1, 2, 0));
        assert_eq!(game.records().len(), 2);

        let new = game.launch((10..13).map(still));
        let mut places: Vec<_> = new.iter().filter_map(|&id| game.entity(id)).collect();
        places.sort();
        places.dedup();
        let expected = if strategy == PoolingStrategy::ParallelArrays { 0 } else { 3 };
        assert_eq!(places.len(), expected, "two projectiles have two places");
        steer(game.world(), |shots| shots.get_mut(new[0]).expect("it lives").set_position(at(-5.0, 0.0)));
        let xs: Vec<_> = game.live().iter().map(|seen| seen.position.x).collect();
        assert_eq!(xs, [2.0, -5.0, 11.0, 12.0], "steering one does not steer another");
    });
}

#[test]
fn an_old_id_is_gone_in_every_storage_and_after_every_switch() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch((0..6).map(still));
        for id in [ids[0], ids[3], ids[5]] {
            assert!(game.retire(id, RetireReason::Hit));
            assert_gone(&mut game, id, "at once");
        }
        game.tick();
        let new = game.launch((10..20).map(still));
        for id in [ids[0], ids[3], ids[5]] {
            assert_gone(&mut game, id, "after its place was used again");
        }
        let mut next = strategy;
        for _ in 0..4 {
            next = next.next();
            game.switch(next);
            game.tick();
            for id in [ids[0], ids[3], ids[5]] {
                assert_gone(&mut game, id, next.name());
            }
            let kept: Vec<_> = [ids[1], ids[2], ids[4]].into_iter().chain(new.clone()).collect();
            assert_eq!(game.live_ids(), kept);
            assert!(kept.iter().all(|&id| game.get(id).is_some_and(|seen| seen.id == id)));
        }
    });
}

#[test]
fn a_pending_one_is_not_there_yet_and_can_be_taken_back() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        game.launch([still(1)]);
        let [kept, cancelled] = [2, 3].map(|x| game.spawn(still(x)));
        assert_gone(&mut game, kept, "before `Spawn`");
        assert_eq!(game.count(), 1);
        let cancel = |game: &mut Game, id| spawner(game.world(), |spawner| spawner.cancel(id));
        assert!(cancel(&mut game, cancelled));
        assert!(!cancel(&mut game, cancelled), "the second time");
        game.tick();
        assert!(game.contains(kept));
        assert!(!cancel(&mut game, kept), "it flies");
        assert_gone(&mut game, cancelled, "never spawned");
        assert_eq!((game.stats().spawned, game.stats().rejected, game.stats().invalid), (2, 0, 0));
    });
}

#[test]
fn ids_rise_and_none_comes_twice() {
    let all = same_in_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let mut ids = game.launch((0..3).map(still));
        ids.push(game.spawn(still(0).lifetime(0)));
        ids.extend(game.launch([still(1).lifetime(1)]));
        game.tick();
        clear_projectiles::<Shot>(game.world());
        game.switch(strategy.next());
        ids.extend(game.launch((0..3).map(still)));
        spawner(game.world(), |spawner| spawner.spawn_batch((0..3).map(still)));
        game.tick();
        ids.extend(game.live_ids().into_iter().skip(3));
        ids
    });
    assert_eq!(all.len(), 11);
    assert!(all.is_sorted_by(|a, b| a < b), "{all:?}");
    assert!(all.is_sorted_by(|a, b| a.to_bits() < b.to_bits()));
    assert_eq!(all[0].to_string(), format!("#{}", all[0].to_bits()));
}

#[test]
fn no_look_up_finds_a_free_row() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch((0..3).map(still));
        assert_gone(&mut game, ProjectileId::PLACEHOLDER, "all alive");
        game.retire(ids[0], RetireReason::Hit);
        game.retire(ids[1], RetireReason::Hit);
        assert_gone(&mut game, ProjectileId::PLACEHOLDER, "two ended");
        game.tick();
        assert_gone(&mut game, ProjectileId::PLACEHOLDER, "two free");
    });
}

#[test]
fn entities_are_told_where_there_are_any() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        for id in game.launch((0..20).map(still)) {
            match game.entity(id) {
                Some(entity) => assert_eq!(game.world().get::<ProjectileId>(entity), Some(&id)),
                None => assert_eq!(strategy, PoolingStrategy::ParallelArrays),
            }
        }
    });
}

#[test]
fn look_ups_follow_what_changes_between_them() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let mut ids = game.launch((0..8).map(still));
        for round in 0..20 {
            assert!(ids.iter().all(|&id| game.get(id).is_some_and(|seen| seen.id == id)), "round {round}");
            let gone = ids.remove((round * 3) % ids.len());
            game.retire(gone, RetireReason::Hit);
            assert_gone(&mut game, gone, "at once");
            let new = game.launch([still(round as u32)]);
            assert_gone(&mut game, gone, "in the next tick");
            ids.extend(new);
        }
    });
}

#[test]
fn every_id_of_a_large_pool_finds_its_own_projectile_until_it_ends() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let lifetime = |x: u32| if x.is_multiple_of(7) { u32::MAX } else { 2 + x % 90 };
        let ids = game.launch((0..2_000).map(|x| still(x).lifetime(lifetime(x))));
        for round in 0..5 {
            for (x, &id) in (0..).zip(&ids).filter(|(x, _)| x % 11 == round) {
                let alive = game.contains(id);
                assert_eq!(game.retire(id, RetireReason::Hit), alive);
                assert_gone(&mut game, id, &format!("{x}, ended in this tick"));
            }
            game.tick();
            let found: Vec<_> = ids.iter().filter_map(|&id| Some((id, game.get(id)?.position.x))).collect();
            assert_eq!(found.len(), game.count());
            for (id, x) in found {
                assert_eq!(ids[x as usize], id, "the position tells which one it is");
            }
        }
    });
}
