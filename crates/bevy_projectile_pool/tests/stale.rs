//! Nothing of a former projectile reaches the next one: no value, no component, no child, no observer.

mod common;
use common::*;

#[derive(Component)]
struct Tint;

#[derive(Event)]
struct Poke;

#[derive(Resource, Default)]
struct Poked(u32);

#[test]
fn every_field_has_its_named_or_default_value_again() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let loud = |x: u32| Projectile::new(at(x as f32, 9.0), at(5.0, 5.0)).lifetime(77).payload(Shot { damage: x });
        game.launch((1..=50).map(loud));
        steer(game.world(), |shots| {
            for mut shot in shots {
                assert!(shot.set_position(at(-1e6, 1e6)) && shot.set_velocity(at(1e5, -1e5)));
                shot.payload_mut().damage = 666;
            }
        });
        let world = game.world();
        let mut raw = world.query::<(&mut ProjectileMotion<Shot>, &mut ProjectilePayload<Shot>)>();
        for (mut motion, mut payload) in raw.iter_mut(world) {
            (motion.position, motion.velocity, payload.0.damage) = (at(f32::NAN, 1.0), at(1.0, f32::NAN), 667);
        }
        steer(game.world(), |shots| {
            for mut shot in shots {
                assert!(shot.retire(RetireReason::Hit));
            }
        });
        game.tick();
        assert_eq!(game.live(), []);

        let plain = |x: usize| Projectile::new(at(x as f32, 0.0), at(0.0, x as f32));
        let ids: Vec<_> = (0..60).map(|x| game.spawn(plain(x))).collect();
        let fresh: Vec<_> = ids
            .iter()
            .enumerate()
            .map(|(x, &id)| Seen {
                id,
                position: at(x as f32, 0.0),
                velocity: at(0.0, x as f32),
                age: 0,
                remaining: None,
                payload: Shot::default(),
            })
            .collect();
        assert_eq!(game.tick_with(ProjectileSystems::Steer, live), fresh, "before its first step");
        if strategy == PoolingStrategy::ComponentRecycling {
            assert_eq!(game.rows().0.len(), 60, "rows were used again, or this test shows nothing");
        }
    });
}

#[test]
fn each_field_named_alone_leaves_the_defaults_for_the_rest() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        game.launch([Projectile::new(at(7.0, 7.0), at(7.0, 7.0)).lifetime(1).payload(Shot { damage: 7 })]);
        game.launch([Projectile::new(Vec2::ZERO, Vec2::ZERO).lifetime(1)]);
        assert_eq!(game.records()[0].payload, Shot::default());
        game.launch([Projectile::new(Vec2::ZERO, Vec2::ZERO).payload(Shot { damage: 3 })]);
        let seen = game.live()[0];
        assert_eq!((seen.payload.damage, seen.remaining, seen.position, seen.age), (3, None, Vec2::ZERO, 1));
    });
}

/// Retires the only projectile, whose entity `dress` dressed, and spawns two in the same or the next tick.
fn dressed(strategy: PoolingStrategy, same_tick: bool, dress: impl Fn(&mut World, Entity)) -> Game {
    let mut game = Game::new(strategy);
    game.world().init_resource::<Poked>();
    let ids = game.launch((0..3).map(still));
    let entity = game.entity(ids[1]).expect("it is an entity");
    dress(game.world(), entity);
    game.tick();
    assert_eq!(game.live_ids(), ids, "what the app adds harms nothing");
    if same_tick {
        let id = ids[1];
        game.tick_with(ProjectileSystems::Fire, move |world| {
            assert!(steer(world, |shots| shots.retire(id, RetireReason::Hit)));
            spawner(world, |spawner| spawner.spawn_batch([still(5), still(6)]));
        });
    } else {
        game.retire(ids[1], RetireReason::Hit);
        game.tick();
        game.launch([still(5), still(6)]);
    }
    assert_eq!(game.count(), 4);
    game
}

#[test]
fn components_that_the_app_inserted() {
    for_each_entity_strategy(|strategy| {
        for same_tick in [false, true] {
            let mut game = dressed(strategy, same_tick, |world, entity| {
                world.entity_mut(entity).insert((Tint, Name::new("mine")));
            });
            let world = game.world();
            assert_eq!(world.query::<&Tint>().iter(world).count(), 0);
            assert_eq!(world.query::<&Name>().iter(world).count(), 0);
        }
    });
}

#[test]
fn children_and_parents() {
    for_each_entity_strategy(|strategy| {
        for same_tick in [false, true] {
            let mut game = dressed(strategy, same_tick, |world, entity| {
                world.spawn((ChildOf(entity), Tint));
            });
            let world = game.world();
            assert_eq!(world.query::<&Children>().iter(world).count(), 0);
            assert_eq!(world.query::<&Tint>().iter(world).count(), 0, "the child goes with its parent");

            let mut game = dressed(strategy, same_tick, |world, entity| {
                let ship = world.spawn(Tint).id();
                world.entity_mut(entity).insert(ChildOf(ship));
            });
            let world = game.world();
            assert_eq!(world.query::<&ChildOf>().iter(world).count(), 0);
            assert_eq!(world.query::<(&Tint, &Children)>().iter(world).count(), 0, "the ship stays, without children");
            assert_eq!(world.query::<&Tint>().iter(world).count(), 1);
        }
    });
}

#[test]
fn observers_of_one_entity() {
    for_each_entity_strategy(|strategy| {
        for same_tick in [false, true] {
            let mut game = dressed(strategy, same_tick, |world, entity| {
                world.entity_mut(entity).observe(|_: Trigger<Poke>, mut poked: ResMut<Poked>| poked.0 += 1);
                world.trigger_targets(Poke, entity);
            });
            assert_eq!(game.world().resource::<Poked>().0, 1, "it observed the first one");
            let (alive, free) = game.rows();
            for entity in alive.into_iter().chain(free) {
                game.world().trigger_targets(Poke, entity);
            }
            assert_eq!(game.world().resource::<Poked>().0, 1, "and no other");
        }
    });
}

#[test]
fn what_was_added_to_a_free_row() {
    let mut game = Game::new(PoolingStrategy::ComponentRecycling);
    let ids = game.launch((0..3).map(still));
    game.retire(ids[0], RetireReason::Hit);
    game.tick();
    let (_, free) = game.rows();
    game.world().entity_mut(free[0]).insert(Tint);
    game.launch([still(7)]);
    let world = game.world();
    assert_eq!(world.query::<&Tint>().iter(world).count(), 0);
    assert_eq!(game.count(), 3);
}

#[test]
fn speed_after_a_thousand_reuses() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        game.set(|settings| settings.acceleration = at(0.0, -64.0));
        let entities = game.entities();
        for round in 0..1000 {
            game.launch([Projectile::new(at(1.0, 2.0), at(320.0, 64.0)).lifetime(1)]);
            let record = game.records()[0];
            assert_eq!((record.position, record.velocity), (at(6.0, 2.984_375), at(320.0, 63.0)), "round {round}");
        }
        let rows = u32::from(strategy == PoolingStrategy::ComponentRecycling);
        assert_eq!(game.entities(), entities + rows, "one row for all of them, if any");
        assert_eq!((game.stats().spawned, game.stats().peak), (1000, 1));
    });
}

#[test]
fn free_rows_do_not_move_and_are_hidden() {
    let mut game = Game::new(PoolingStrategy::ComponentRecycling);
    let ids = game.launch((1..=3).map(|x| Projectile { velocity: at(0.0, 64.0), ..still(x) }));
    game.retire(ids[1], RetireReason::Hit);
    game.ticks(5);
    let world = game.world();
    let all: Vec<_> = world.query::<&ProjectileMotion<Shot>>().iter(world).map(|motion| motion.position).collect();
    assert_eq!(all, [at(1.0, 6.0), at(2.0, 1.0), at(3.0, 6.0)], "a raw query sees the free row");
    let mut alive = world.query_filtered::<&ProjectileMotion<Shot>, Alive<Shot>>();
    assert_eq!(alive.iter(world).map(|motion| motion.position.x).collect::<Vec<_>>(), [1.0, 3.0]);
    let mut ids = world.query::<&ProjectileId>();
    assert_eq!(ids.iter(world).filter(|&&id| id == ProjectileId::PLACEHOLDER).count(), 1);
}
