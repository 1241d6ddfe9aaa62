//! Who is hit, and how often: shots and enemies, enemy projectiles and the ship, bombs.

mod common;

use bevy::prelude::*;
use bevy_projectile_pool::prelude::*;
use bullet_hell::game::{
    Arena, BOMB_TICKS, BOMBS, Bullet, Controls, Enemy, EnemyKind, GameState, Kind, LIVES, SAFE_TICKS, Ship,
};
use common::*;

/// An enemy that stands still at a place for as long as a test takes.
fn enemy_at(place: Vec2) -> Enemy {
    Enemy::new(EnemyKind::Drone, place, place, 0.0, 1.0)
}

fn shot(position: Vec2, velocity: Vec2) -> Projectile<Bullet> {
    Projectile::new(position, velocity).payload(Bullet::ship(Kind::Shot, 4))
}

fn orb(position: Vec2, velocity: Vec2) -> Projectile<Bullet> {
    Projectile::new(position, velocity).payload(Bullet::enemy(Kind::Orb, 0))
}

fn health(app: &App) -> Vec<i32> {
    arena(app).enemies.iter().map(|enemy| enemy.health).collect()
}

#[test]
fn a_shot_that_overlaps_three_enemies_hits_the_first_on_its_way_and_ends() {
    for strategy in PoolingStrategy::ALL {
        let mut app = calm(strategy);
        // The second in the list is the first on the way up; all three overlap where the shot is.
        let places = [Vec2::new(0.0, 8.0), Vec2::new(0.0, 2.0), Vec2::new(0.0, 14.0)];
        arena_mut(&mut app).enemies.extend(places.map(enemy_at));
        let full = EnemyKind::Drone.health();
        let id = spawn(&mut app, shot(Vec2::new(0.0, -30.0), Vec2::new(0.0, 1_800.0)));
        app.update();
        assert_eq!(health(&app), [full, full - 4, full], "{strategy}");
        assert_eq!(ends(&app), [(id, RetireReason::Hit)], "{strategy}");
        frames(&mut app, 5);
        assert_eq!(health(&app), [full, full - 4, full], "{strategy}: hit again");
        let stats = app.world().resource::<PoolStats<Bullet>>();
        assert_eq!(stats.retired.get(RetireReason::Hit), 1, "{strategy}");
    }
}

#[test]
fn of_equally_near_enemies_the_oldest_is_hit() {
    let mut app = calm(PoolingStrategy::ParallelArrays);
    arena_mut(&mut app).enemies.extend([enemy_at(Vec2::ZERO), enemy_at(Vec2::ZERO)]);
    spawn(&mut app, shot(Vec2::ZERO, Vec2::new(0.0, 60.0)));
    app.update();
    let full = EnemyKind::Drone.health();
    assert_eq!(health(&app), [full - 4, full]);
}

#[test]
fn a_fast_shot_hits_what_it_jumps_over() {
    for strategy in PoolingStrategy::ALL {
        let mut app = calm(strategy);
        arena_mut(&mut app).enemies.push(enemy_at(Vec2::ZERO));
        // 80 units a tick, twenty of its radii: before the enemy at one tick, behind it at the next.
        let id = spawn(&mut app, shot(Vec2::new(0.0, -40.0), Vec2::new(0.0, 4_800.0)));
        app.update();
        assert_eq!(ends(&app), [(id, RetireReason::Hit)], "{strategy}");
        // One that starts behind it and flies away has never been before it.
        let id = spawn(&mut app, shot(Vec2::new(0.0, 30.0), Vec2::new(0.0, 4_800.0)));
        app.update();
        assert!(!ends(&app).contains(&(id, RetireReason::Hit)), "{strategy}");
    }
}

#[test]
fn many_shots_in_one_tick_destroy_an_enemy_once_and_the_rest_fly_on() {
    for strategy in PoolingStrategy::ALL {
        let mut app = calm(strategy);
        arena_mut(&mut app).enemies.push(enemy_at(Vec2::ZERO));
        let needed = (EnemyKind::Drone.health() as usize).div_ceil(4);
        let ids: Vec<_> =
            (0..needed + 3).map(|_| spawn(&mut app, shot(Vec2::new(0.0, -30.0), Vec2::new(0.0, 1_800.0)))).collect();
        app.update();
        let arena = arena(&app);
        assert_eq!((arena.kills, arena.enemies.len()), (1, 0), "{strategy}");
        assert_eq!(arena.score, EnemyKind::Drone.points(), "{strategy}");
        // The oldest hit; the last three found nobody left.
        let hits: Vec<_> = ends(&app).iter().map(|end| end.0).collect();
        assert_eq!(hits, ids[..needed], "{strategy}");
        let left: Vec<_> = seen(&mut app).iter().map(|it| it.id).collect();
        assert_eq!(left, ids[needed..], "{strategy}");
    }
}

#[test]
fn a_graze_counts_once_however_long_it_lasts() {
    for strategy in PoolingStrategy::ALL {
        let mut app = calm(strategy);
        let beside = orb(Ship::START + Vec2::new(18.0, 20.0), Vec2::new(0.0, -90.0));
        let id = spawn(&mut app, beside);
        frames(&mut app, 30);
        assert_eq!(arena(&app).grazes, 1, "{strategy}");
        assert_eq!(arena(&app).ship.hits, 0, "{strategy}");
        assert!(seen(&mut app).iter().any(|it| it.id == id && it.bullet.grazed), "{strategy}");
        // One far away is no graze.
        spawn(&mut app, orb(Ship::START + Vec2::new(60.0, 20.0), Vec2::new(0.0, -90.0)));
        frames(&mut app, 20);
        assert_eq!(arena(&app).grazes, 1, "{strategy}");
    }
}

#[test]
fn a_fast_orb_hits_the_ship_once_and_makes_it_safe() {
    for strategy in PoolingStrategy::ALL {
        let mut app = calm(strategy);
        let above = Ship::START + Vec2::new(0.0, 60.0);
        let first = spawn(&mut app, orb(above, Vec2::new(0.0, -7_200.0)));
        let second = spawn(&mut app, orb(above, Vec2::new(0.0, -7_200.0)));
        let near = spawn(&mut app, orb(Ship::START + Vec2::new(0.0, 90.0), Vec2::ZERO));
        let far = spawn(&mut app, orb(Ship::START + Vec2::new(0.0, 300.0), Vec2::ZERO));
        app.update();
        let expected = [(first, RetireReason::Hit), (second, RetireReason::Cancelled), (near, RetireReason::Cancelled)];
        assert_eq!(ends(&app), expected, "{strategy}");
        let ship = &arena(&app).ship;
        assert_eq!((ship.hits, ship.lives, ship.safe), (1, LIVES - 1, SAFE_TICKS), "{strategy}");
        // Safe: another one passes through.
        spawn(&mut app, orb(above, Vec2::new(0.0, -7_200.0)));
        frames(&mut app, 3);
        assert_eq!(arena(&app).ship.hits, 1, "{strategy}");
        assert!(seen(&mut app).iter().any(|it| it.id == far), "{strategy}");
    }
}

#[test]
fn the_last_life_ends_the_game_also_within_a_long_frame() {
    let mut app = calm(PoolingStrategy::ParallelArrays);
    arena_mut(&mut app).ship.lives = 1;
    let step = app.world().resource::<Time<Fixed>>().timestep();
    frame_time(&mut app, step * 10);
    let before = arena(&app).tick;
    let ticks = |app: &App| app.world().resource::<ProjectileClock>().ticks();
    let pool_before = ticks(&app);
    spawn(&mut app, orb(Ship::START, Vec2::ZERO));
    app.update();
    assert!(arena(&app).is_over());
    assert_eq!(arena(&app).tick, before + 1, "no tick after the last");
    assert_eq!(ticks(&app), pool_before + 1, "projectiles went on without the game");
    app.update();
    assert_eq!(this_state(&app), GameState::GameOver);
    assert_eq!((arena(&app).tick, ticks(&app)), (before + 1, pool_before + 1));
}

#[test]
fn a_bomb_clears_enemy_projectiles_and_hurts_enemies_but_spares_shots() {
    for strategy in PoolingStrategy::ALL {
        let mut app = calm(strategy);
        for index in 0..500 {
            let place = Vec2::new(-380.0 + 1.5 * index as f32, 300.0 - 1.2 * index as f32);
            spawn(&mut app, orb(place, Vec2::ZERO));
        }
        let kept = spawn(&mut app, shot(Vec2::new(390.0, -340.0), Vec2::ZERO));
        arena_mut(&mut app).enemies.push(enemy_at(Vec2::new(0.0, 100.0)));
        arena_mut(&mut app).ship.position = Vec2::new(-390.0, 350.0);
        app.update();
        app.world_mut().resource_mut::<Controls>().press_bomb();
        frames(&mut app, BOMB_TICKS as usize);
        let left: Vec<_> = seen(&mut app).iter().map(|it| it.id).collect();
        assert_eq!(left, [kept], "{strategy}");
        let arena = arena(&app);
        assert_eq!(arena.ship.bombs, BOMBS - 1, "{strategy}");
        assert!(arena.bomb.is_none(), "{strategy}");
        assert!(arena.enemies.is_empty() && arena.kills == 1, "{strategy}: {arena:?}");
        assert_eq!(arena.score, 500 * 2 + EnemyKind::Drone.points(), "{strategy}");
        let stats = app.world().resource::<PoolStats<Bullet>>();
        assert_eq!(stats.retired.get(RetireReason::Cancelled), 500, "{strategy}");
    }
}

#[test]
fn without_bombs_a_press_does_nothing_and_does_not_wait() {
    let mut app = calm(PoolingStrategy::ParallelArrays);
    arena_mut(&mut app).ship.bombs = 0;
    app.world_mut().resource_mut::<Controls>().press_bomb();
    app.update();
    arena_mut(&mut app).ship.bombs = 1;
    frames(&mut app, 3);
    let arena: &Arena = arena(&app);
    assert_eq!((arena.ship.bombs, &arena.bomb), (1, &None));
}
