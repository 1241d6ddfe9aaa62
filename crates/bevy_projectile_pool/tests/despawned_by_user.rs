//! The app takes entities, or components of them, away behind the pool's back.

mod common;
use bevy_ecs::entity_disabling::Disabled;
use common::*;

#[test]
fn a_live_ones_entity() {
    for_each_entity_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch((0..3).map(|x| Projectile { velocity: at(0.0, 64.0), ..still(x) }));
        let entity = game.entity(ids[1]).expect("it is an entity");
        game.world().despawn(entity);
        assert_eq!((game.count(), game.live_ids()), (2, vec![ids[0], ids[2]]), "at once");
        assert!(!game.contains(ids[1]));
        assert!(!game.retire(ids[1], RetireReason::Hit), "it is gone already");
        game.tick();
        let record = Retired {
            id: ids[1],
            reason: RetireReason::Despawned,
            position: at(1.0, 1.0),
            velocity: at(0.0, 64.0),
            payload: Shot { damage: 1 },
        };
        assert_eq!(game.records(), [record]);
        let new = game.launch((5..8).map(still));
        assert_eq!(game.live_ids(), [ids[0], ids[2], new[0], new[1], new[2]]);
        assert_eq!((game.ended(RetireReason::Despawned), game.stats().spawned), (1, 6));
    });
}

#[test]
fn by_commands_within_a_tick() {
    for_each_entity_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch((0..3).map(still));
        let entity = game.entity(ids[0]).expect("it is an entity");
        game.app.add_systems(
            ProjectileTick,
            (move |mut commands: Commands| commands.entity(entity).try_despawn()).in_set(ProjectileSystems::Steer),
        );
        assert_eq!(game.tick_with(ProjectileSystems::Hit, |world| live(world).len()), 2);
        assert_eq!(game.ends(), [(ids[0], RetireReason::Despawned)]);
    });
}

#[test]
fn one_that_has_ended_in_this_tick_ends_once() {
    for_each_entity_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch((0..3).map(still));
        let (id, entity) = (ids[1], game.entity(ids[1]).expect("it is an entity"));
        game.tick_with(ProjectileSystems::Hit, move |world| {
            assert!(steer(world, |shots| shots.retire(id, RetireReason::Hit)));
            world.despawn(entity);
        });
        assert_eq!(game.ends(), [(ids[1], RetireReason::Hit)]);
        assert_eq!((game.count(), game.ended(RetireReason::Despawned)), (2, 0));
        game.launch((0..2).map(still));
        assert_eq!(game.count(), 4);
    });
}

#[test]
fn free_rows() {
    let mut game = Game::new(PoolingStrategy::ComponentRecycling);
    let ids = game.launch((0..4).map(still));
    for &id in &ids[1..] {
        game.retire(id, RetireReason::Hit);
    }
    game.tick();
    let (_, free) = game.rows();
    assert_eq!((free.len(), game.stats().free_rows), (3, 3));
    game.world().despawn(free[0]);
    game.world().despawn(free[2]);
    assert_eq!(game.count(), 1, "nothing has ended");
    let new = game.launch((10..15).map(still));
    assert_eq!(game.live_ids(), [&ids[..1], &new].concat());
    let (alive, free) = game.rows();
    assert_eq!((alive.len(), free.len()), (6, 0));
    let positions: Vec<_> = game.live().iter().map(|seen| seen.position.x).collect();
    assert_eq!(positions, [0.0, 10.0, 11.0, 12.0, 13.0, 14.0]);
    assert_eq!(game.ended(RetireReason::Despawned), 0);
}

#[test]
fn the_life_component_alone() {
    for_each_entity_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch((0..3).map(still));
        let entity = game.entity(ids[2]).expect("it is an entity");
        game.world().entity_mut(entity).remove::<ProjectileLife<Shot>>();
        assert_eq!((game.count(), game.contains(ids[2])), (2, false), "at once");
        game.tick();
        assert_eq!(game.ends(), [(ids[2], RetireReason::Despawned)]);
        assert!(game.world().get_entity(entity).is_ok(), "the entity is the app's now");
        game.launch((0..2).map(still));
        assert_eq!((game.count(), game.ended(RetireReason::Despawned)), (4, 1));
    });
}

#[test]
fn another_component_alone() {
    for_each_entity_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch((0..3).map(still));
        let [first, second] = [0, 1].map(|place| game.entity(ids[place]).expect("it is an entity"));
        game.world().entity_mut(first).remove::<ProjectilePayload<Shot>>();
        game.world().entity_mut(second).remove::<ProjectileId>();
        assert_eq!(game.live_ids(), ids[2..], "no iteration finds them");
        assert!(!game.contains(ids[0]) && !game.contains(ids[1]));
        game.tick();
        assert_eq!((game.count(), game.ended(RetireReason::Despawned)), (1, 2), "booked by the next tick");
        game.world().despawn(first);
        game.world().despawn(second);
        game.launch((0..2).map(still));
        assert_eq!((game.count(), game.ended(RetireReason::Despawned)), (3, 2), "and not again");
    });
}

#[test]
fn every_entity_of_the_world() {
    for_each_entity_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch((0..5).map(still));
        assert!(ids.iter().all(|&id| game.contains(id)), "this builds an index of entities");
        game.retire(ids[0], RetireReason::Hit);
        game.world().clear_entities();
        assert!(ids.iter().all(|&id| !game.contains(id)));
        game.tick();
        assert_eq!(game.ends(), [(ids[0], RetireReason::Hit)], "the others leave no record");
        assert_eq!((game.count(), game.ended(RetireReason::Despawned)), (0, 4));
        let new = game.launch((0..5).map(still));
        assert_eq!(game.live_ids(), new);
        assert!(ids.iter().all(|&id| !game.contains(id)), "though entities have the same numbers again");
        assert!(new.iter().all(|&id| game.contains(id)));
    });
}

#[test]
fn the_parent_of_a_live_one() {
    for_each_entity_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch((0..3).map(still));
        let entity = game.entity(ids[1]).expect("it is an entity");
        let ship = game.world().spawn_empty().add_child(entity).id();
        game.world().despawn(ship);
        assert_eq!(game.count(), 2);
        game.tick();
        assert_eq!(game.ends(), [(ids[1], RetireReason::Despawned)]);
    });
}

#[test]
fn a_projectile_that_is_the_parent_of_another() {
    for_each_entity_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch((0..3).map(still));
        let [parent, child] = [0, 1].map(|place| game.entity(ids[place]).expect("it is an entity"));
        game.world().entity_mut(parent).add_child(child);
        game.retire(ids[0], RetireReason::Hit);
        game.tick(); // the pool releases the parent, and the child goes with it
        assert_eq!(game.live_ids(), ids[2..]);
        assert_eq!(game.ends(), [(ids[0], RetireReason::Hit), (ids[1], RetireReason::Despawned)]);
    });
}

#[test]
fn an_observer_of_one_end_that_makes_another() {
    for_each_entity_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch((0..3).map(still));
        let [first, second] = [0, 1].map(|place| game.entity(ids[place]).expect("it is an entity"));
        game.world().entity_mut(first).observe(move |_: Trigger<OnRemove, ProjectileLife<Shot>>, mut c: Commands| {
            c.entity(second).despawn();
        });
        game.retire(ids[0], RetireReason::Hit);
        game.tick();
        assert_eq!(game.live_ids(), ids[2..]);
        assert_eq!(game.ends(), [(ids[0], RetireReason::Hit), (ids[1], RetireReason::Despawned)]);
    });
}

#[test]
fn one_that_is_disabled_and_comes_back() {
    for_each_entity_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch((0..3).map(still));
        let entity = game.entity(ids[0]).expect("it is an entity");
        game.world().entity_mut(entity).insert(Disabled);
        game.tick();
        assert_eq!((game.live_ids(), game.ended(RetireReason::Despawned)), (ids[1..].to_vec(), 1));
        game.world().entity_mut(entity).remove::<Disabled>();
        game.tick();
        assert_eq!((game.live_ids(), game.ended(RetireReason::Despawned)), (ids.clone(), 0));
        game.retire(ids[0], RetireReason::Hit);
        game.tick();
        assert_eq!(game.ends(), [(ids[0], RetireReason::Hit)]);
    });
}

#[test]
fn a_clone_of_an_entity_is_no_projectile() {
    for_each_entity_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch((0..2).map(still));
        let entity = game.entity(ids[0]).expect("it is an entity");
        let clone = game.world().entity_mut(entity).clone_and_spawn();
        game.tick();
        assert_eq!(game.live_ids(), ids, "no id twice");
        assert_eq!(game.entity(ids[0]), Some(entity));
        game.world().despawn(clone);
        game.tick();
        assert_eq!((game.live_ids(), game.records().len()), (ids, 0));
    });
}
