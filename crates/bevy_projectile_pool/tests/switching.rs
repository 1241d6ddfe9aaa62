//! A change of strategy carries everything over, and is no event for the game.

mod common;
use common::*;

#[derive(Component)]
struct Tint;

/// Every ordered pair of different strategies.
fn for_each_switch(test: impl Fn(PoolingStrategy, PoolingStrategy)) {
    for_each_strategy(|from| {
        for to in PoolingStrategy::ALL.into_iter().filter(|&to| to != from) {
            test(from, to);
        }
    });
}

/// A game in mid-flight: various ages, lifetimes, velocities and payloads, steered, with holes.
fn in_flight(strategy: PoolingStrategy) -> Game {
    let mut game = Game::new(strategy);
    for round in 0..5 {
        let ids = game.launch((0..10).map(|x| {
            let projectile = Projectile { velocity: at(x as f32, round as f32), ..still(x) };
            if x == 0 { projectile } else { projectile.lifetime(20 + x) }
        }));
        game.retire(ids[3], RetireReason::Hit);
        steer(game.world(), |shots| {
            let mut shot = shots.get_mut(ids[5]).expect("it lives");
            assert!(shot.set_position(at(-1.0, 0.1)) && shot.set_velocity(at(0.3, 0.7)));
            shot.payload_mut().damage = 77;
        });
    }
    game.tick();
    game
}

#[test]
fn every_value_is_carried_over() {
    for_each_switch(|from, to| {
        let mut game = in_flight(from);
        let (before, records, stats, sum) = (game.live(), game.records(), game.stats(), game.checksum());
        assert_eq!(before.len(), 45);
        game.switch(to);
        assert_eq!(game.strategy(), from, "not at once");
        game.app.update();
        assert_eq!(game.strategy(), to);
        assert_eq!(game.live(), before, "to {to}");
        assert_eq!(game.records(), records, "no new records");
        let after = game.stats();
        let figures = |stats: ProjectileStats| (stats.live, stats.peak, stats.spawned, stats.retired, stats.invalid);
        assert_eq!(figures(after), figures(stats), "statistics go on");
        assert_eq!(game.checksum(), sum);
        assert!(after.capacity >= 45 && after.bytes_held > 0);

        let mut other = in_flight(from);
        for ahead in 0..40 {
            game.tick();
            other.tick();
            assert_eq!((game.live(), game.records()), (other.live(), other.records()), "to {to}, tick {ahead}");
            assert_eq!(game.checksum(), other.checksum());
        }
        assert_eq!(game.count(), 5, "the endless ones are left");
    });
}

#[test]
fn the_old_storage_is_left_empty() {
    for_each_switch(|from, to| {
        let mut game = Game::new(from);
        let entities = game.entities();
        let ids = game.launch((0..20).map(still));
        ids[..7].iter().for_each(|&id| assert!(game.retire(id, RetireReason::Hit)));
        game.tick();
        game.switch(to);
        game.tick();
        let rows = if to == PoolingStrategy::ParallelArrays { 0 } else { 13 };
        assert_eq!(game.entities(), entities + rows, "to {to}: free rows and old rows are gone");
        assert_eq!(game.stats().free_rows, 0);
        assert!(ids[7..].iter().all(|&id| game.entity(id).is_some() == (rows > 0)));
    });
}

#[test]
fn what_has_ended_stays_ended_and_is_recorded_once() {
    for_each_switch(|from, to| {
        let mut game = Game::new(from);
        let ids = game.launch((0..4).map(|x| Projectile { velocity: at(64.0, 0.0), ..still(x) }));
        assert!(game.retire(ids[1], RetireReason::Hit));
        assert!(game.retire(ids[2], RetireReason::Cancelled));
        game.switch(to);
        game.app.update();
        assert_eq!((game.live_ids(), game.count()), (vec![ids[0], ids[3]], 2));
        game.tick();
        assert_eq!(game.ends(), [(ids[1], RetireReason::Hit), (ids[2], RetireReason::Cancelled)], "to {to}");
        assert_eq!(game.records()[0].position, at(2.0, 0.0));
        assert_eq!((game.stats().retired.total(), game.stats().spawned), (2, 4));
    });
}

#[test]
fn what_waits_is_spawned_into_the_new_storage() {
    for_each_switch(|from, to| {
        let mut game = Game::new(from);
        let old = game.launch([still(1)]);
        let new = game.spawn(still(2));
        game.switch(to);
        game.app.update();
        assert_eq!(game.live_ids(), old);
        game.tick();
        assert_eq!(game.live_ids(), [old[0], new]);
        assert_eq!(game.live()[1].age, 1);
    });
}

#[test]
fn toggling_twice_is_no_switch() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch((0..3).map(still));
        let places: Vec<_> = ids.iter().map(|&id| game.entity(id)).collect();
        for &entity in places.iter().flatten() {
            game.world().entity_mut(entity).insert(Tint);
        }
        for other in [strategy.next(), strategy.next().next()] {
            game.switch(other);
            game.switch(strategy);
            game.tick();
            assert_eq!(game.strategy(), strategy);
            assert_eq!(ids.iter().map(|&id| game.entity(id)).collect::<Vec<_>>(), places);
            let world = game.world();
            assert_eq!(world.query::<&Tint>().iter(world).count(), places.iter().flatten().count());
        }
    });
}

#[test]
fn the_last_request_counts() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        game.launch([still(1)]);
        game.switch(strategy.next());
        game.switch(strategy.next().next());
        assert_eq!(game.world().resource::<ActiveStrategy<Shot>>().wanted(), strategy.next().next());
        game.tick();
        assert_eq!(game.strategy(), strategy.next().next());
    });
}

#[test]
fn a_request_from_within_a_tick_waits_for_the_next() {
    for_each_switch(|from, to| {
        for phase in [ProjectileSystems::Fire, ProjectileSystems::Hit, ProjectileSystems::React] {
            let mut game = Game::new(from);
            game.launch([still(1)]);
            game.during(phase, move |world| world.resource_mut::<ActiveStrategy<Shot>>().set(to));
            game.tick();
            assert_eq!(game.strategy(), from);
            game.tick();
            assert_eq!((game.strategy(), game.count()), (to, 1));
        }
    });
}

#[test]
fn what_the_app_added_goes() {
    for_each_entity_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch((0..3).map(still));
        let entity = game.entity(ids[0]).expect("it is an entity");
        game.world().entity_mut(entity).insert(Tint).with_child(Tint);
        game.switch(strategy.next());
        game.tick();
        let world = game.world();
        assert_eq!(world.query::<&Tint>().iter(world).count(), 0);
        assert_eq!((game.live_ids(), game.records().len()), (ids, 0), "and no projectile with it");
    });
}

#[test]
fn an_entity_that_was_disabled_before_a_switch_does_not_come_back() {
    for_each_entity_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch((0..3).map(still));
        let entity = game.entity(ids[1]).expect("it is an entity");
        game.world().entity_mut(entity).insert(bevy_ecs::entity_disabling::Disabled);
        game.switch(PoolingStrategy::ParallelArrays);
        game.tick();
        if let Ok(mut entity) = game.world().get_entity_mut(entity) {
            entity.remove::<bevy_ecs::entity_disabling::Disabled>();
        }
        assert_eq!(game.live_ids(), [ids[0], ids[2]]);
        assert_eq!((game.count(), game.ended(RetireReason::Despawned)), (2, 1));
        game.tick();
    });
}
