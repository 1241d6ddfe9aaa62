//! Values that make no sense: a clear error or the stated policy, and no harm to the others.

mod common;
use common::*;

const BAD: [f32; 3] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];

fn good() -> Projectile<Shot> {
    Projectile::new(at(1.0, 2.0), at(64.0, 0.0)).lifetime(9)
}

/// Every projectile that a pool refuses.
fn bad() -> Vec<Projectile<Shot>> {
    let mut all = vec![good().lifetime(0)];
    for value in BAD {
        all.push(Projectile { position: at(value, 0.0), ..good() });
        all.push(Projectile { position: at(0.0, value), ..good() });
        all.push(Projectile { velocity: at(value, 0.0), ..good() });
        all.push(Projectile { velocity: at(0.0, value), ..good() });
    }
    all
}

/// Live values by their bits, so that a NaN equals itself.
fn bits(game: &mut Game) -> Vec<(u64, [u32; 4], u32)> {
    let of = |seen: Seen| [seen.position.x, seen.position.y, seen.velocity.x, seen.velocity.y].map(f32::to_bits);
    game.live().into_iter().map(|seen| (seen.id.to_bits(), of(seen), seen.age)).collect()
}

#[test]
fn a_bad_projectile_is_counted_and_its_id_is_gone() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        for projectile in bad() {
            let id = game.spawn(projectile);
            game.tick();
            assert!(!game.contains(id), "{projectile:?}");
        }
        let stats = game.stats();
        assert_eq!((stats.invalid, stats.spawned, stats.rejected, stats.live), (13, 0, 0, 0));
    });
}

#[test]
fn try_spawn_tells_what_is_wrong_and_takes_nothing() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        for projectile in bad() {
            let error = spawner(game.world(), |spawner| spawner.try_spawn(projectile)).expect_err("it is bad");
            let fits = match error {
                InvalidProjectile::Position(_) => !projectile.position.is_finite(),
                InvalidProjectile::Velocity(_) => !projectile.velocity.is_finite(),
                InvalidProjectile::Lifetime => projectile.lifetime == 0,
            };
            assert!(fits, "{projectile:?}: {error}");
        }
        let id = spawner(game.world(), |spawner| spawner.try_spawn(good())).expect("it is good");
        game.tick();
        assert_eq!(game.live_ids(), [id]);
        assert_eq!(id.to_bits(), 1, "no id was used up");
        assert_eq!((game.stats().invalid, game.stats().spawned), (0, 1));
    });
}

#[test]
fn a_bad_one_in_a_batch_does_not_stop_the_others() {
    let seen = same_in_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let mixed = bad().into_iter().flat_map(|projectile| [good(), projectile]);
        spawner(game.world(), |spawner| spawner.spawn_batch(mixed.chain([good()])));
        game.ticks(3);
        assert_eq!((game.stats().spawned, game.stats().invalid), (14, 13));
        assert!(game.live().iter().all(|seen| seen.position == at(4.0, 2.0)));
        (game.live(), game.checksum())
    });
    assert_eq!(seen.0.len(), 14);
}

#[test]
fn setters_refuse_what_is_not_finite() {
    let (_, clean) = same_in_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch([good(), good()]);
        steer(game.world(), |shots| {
            let mut shot = shots.get_mut(ids[0]).expect("it lives");
            for value in BAD {
                assert!(!shot.set_position(at(value, 0.0)) && !shot.set_position(at(0.0, value)));
                assert!(!shot.set_velocity(at(value, 0.0)) && !shot.set_velocity(at(0.0, value)));
            }
            assert_eq!((shot.position(), shot.velocity()), (at(2.0, 2.0), at(64.0, 0.0)));
        });
        game.tick();
        assert_eq!(game.stats().invalid, 12);
        let [a, b] = [game.live()[0], game.live()[1]];
        assert_eq!((a.position, a.velocity), (b.position, b.velocity));
        (game.live(), game.checksum())
    });
    let mut untouched = Game::new(PoolingStrategy::ParallelArrays);
    untouched.launch([good(), good()]);
    untouched.tick();
    assert_eq!(untouched.checksum(), clean, "refused values leave no trace");
}

#[test]
fn settings_that_make_no_sense_are_replaced() {
    same_in_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        game.launch([good()]);
        for value in BAD {
            game.set(|settings| {
                settings.acceleration = at(0.0, value);
                settings.bounds = Some(Rect { min: at(f32::NAN, 0.0), max: Vec2::ZERO });
                settings.trim = TrimPolicy { keep: value, idle_ticks: 0, minimum: 0 };
            });
            game.tick();
        }
        assert_eq!(game.live()[0].velocity, at(64.0, 0.0));
        assert_eq!(game.live()[0].position, at(5.0, 2.0));
        game.set(|settings| (settings.acceleration, settings.bounds) = (at(0.0, 64.0), None)).tick();
        assert_eq!(game.live()[0].velocity, at(64.0, 1.0), "sensible ones count again");
        (game.live(), game.checksum())
    });
    same_in_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        game.launch([good()]);
        game.set(|settings| settings.bounds = Some(Rect { min: Vec2::NEG_INFINITY, max: Vec2::INFINITY })).ticks(2);
        game.checksum()
    });
}

#[test]
fn what_overflows_in_flight_harms_no_other() {
    for bounds in [None, Some(Rect::new(-1e6, -1e6, 1e6, 1e6))] {
        let fast = Projectile::new(Vec2::ZERO, at(f32::MAX, -f32::MAX));
        let run = |strategy, fly: bool| {
            let mut game = Game::new(strategy);
            game.set(|settings| {
                settings.bounds = bounds;
                settings.acceleration = at(f32::MAX, 0.0); // velocities overflow, and positions with them
            });
            let ids = [fast, fast, still(1)].map(|projectile| game.spawn(projectile));
            if !fly {
                ids[..2].iter().for_each(|&id| assert!(spawner(game.world(), |spawner| spawner.cancel(id))));
            }
            game.tick();
            game.set(|settings| settings.acceleration = at(0.0, 1.0));
            game.launch([good().lifetime(500)]);
            game.ticks(100);
            (bits(&mut game), game.checksum(), game.stats().retired)
        };
        let with = same_in_each_strategy(|strategy| run(strategy, true));
        let without = run(PoolingStrategy::ParallelArrays, false);
        let others: Vec<_> = with.0.iter().filter(|(id, ..)| *id > 2).copied().collect();
        assert_eq!(others, without.0, "the good ones fly as without them");
        if bounds.is_some() {
            assert_eq!(with.2.get(RetireReason::OutOfBounds), 3, "they leave any bounds in their first step");
            assert_eq!(others.len(), 1);
        } else {
            assert_eq!((with.0.len(), others.len()), (4, 2), "they fly on until they are ended");
            let infinite = [f32::INFINITY, f32::NEG_INFINITY, f32::INFINITY].map(f32::to_bits);
            assert!(with.0[..2].iter().all(|(_, values, _)| values[..3] == infinite));
        }
    }
}

#[test]
fn a_raw_query_that_writes_nan_is_caught_by_bounds() {
    for_each_entity_strategy(|strategy| {
        let mut game = Game::new(strategy);
        game.set(|settings| settings.bounds = Some(Rect::new(-1e6, -1e6, 1e6, 1e6)));
        let ids = game.launch([good(), good()]);
        let entity = game.entity(ids[0]).expect("it is an entity");
        game.world().get_mut::<ProjectileMotion<Shot>>(entity).expect("it moves").position.x = f32::NAN;
        game.tick();
        assert_eq!(game.ends(), [(ids[0], RetireReason::OutOfBounds)]);
        assert_eq!(game.live_ids(), ids[1..]);
    });
}

#[test]
fn positions_that_became_nan_are_out_of_bounds_also_in_large_pools() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let first = game.launch((0..600).map(|x| Projectile { velocity: at(f32::MAX, 0.0), ..still(x) }))[0];
        game.launch((0..600).map(still));
        // To infinity, then backwards with a velocity that becomes infinite as well: infinity less infinity.
        for acceleration in [0.0, -f32::MAX] {
            game.set(|settings| settings.acceleration = at(acceleration, 0.0));
            game.ticks(400);
        }
        assert!(game.get(first).is_some_and(|seen| seen.position.x.is_nan()), "{:?}", game.get(first));
        assert_eq!(game.count(), 1200, "without bounds nothing ends");
        game.set(|settings| settings.acceleration = Vec2::ZERO);
        game.set(|settings| settings.bounds = Some(Rect { min: Vec2::NEG_INFINITY, max: Vec2::INFINITY }));
        game.tick();
        let out = game.ended(RetireReason::OutOfBounds);
        assert!(out >= 600, "{out} left bounds that only a NaN can leave");
        assert_eq!(game.get(first), None);
    });
}
