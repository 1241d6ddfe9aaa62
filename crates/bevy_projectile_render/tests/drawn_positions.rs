//! Where projectiles are drawn: ahead of the last tick while the clock runs, still while it does not, and never where
//! a former life was. No renderer is needed for it.

use std::{collections::BTreeSet, time::Duration};

use bevy::{ecs::system::RunSystemOnce, prelude::*, time::TimeUpdateStrategy};
use bevy_projectile_pool::prelude::*;
use bevy_projectile_render::prelude::*;

const TICK: Duration = Duration::from_millis(20);
/// Two fifths of a tick, so that most frames have an overstep.
const FRAME: Duration = Duration::from_millis(8);

#[derive(Clone, Copy, Default)]
struct Shot {
    shade: u8,
}

fn look(shot: &Shot) -> Look {
    Look::new(2.0, Color::srgb_u8(shot.shade, 0, 0))
}

fn app(strategy: PoolingStrategy, frame: Duration) -> App {
    let mut app = App::new();
    app.add_plugins((
        MinimalPlugins,
        ProjectilePoolPlugin::<Shot>::new("shots").strategy(strategy),
        ProjectileRenderPlugin::new(look).collect_always(),
    ))
    .insert_resource(Time::<Fixed>::from_duration(TICK))
    .insert_resource(TimeUpdateStrategy::ManualDuration(frame));
    app.finish();
    app.cleanup();
    // The first frame has no time to it.
    app.update();
    app
}

fn spawn(app: &mut App, position: Vec2, velocity: Vec2, shade: u8) -> ProjectileId {
    let projectile = Projectile::new(position, velocity).payload(Shot { shade });
    app.world_mut()
        .run_system_once(move |mut spawner: ProjectileSpawner<Shot>| spawner.spawn(projectile))
        .expect("the pool is there")
}

fn retire(app: &mut App, id: ProjectileId) {
    let retired = app
        .world_mut()
        .run_system_once(move |mut shots: ProjectilesMut<Shot>| shots.retire(id, RetireReason::Hit))
        .expect("the pool is there");
    assert!(retired, "{id:?} was alive");
}

fn position(app: &mut App, id: ProjectileId) -> Vec2 {
    app.world_mut()
        .run_system_once(move |shots: Projectiles<Shot>| shots.get(id).map(|shot| shot.position()))
        .expect("the pool is there")
        .expect("the projectile is alive")
}

fn drawn(app: &App) -> Vec<Vec2> {
    app.world().resource::<DrawnProjectiles<Shot>>().positions().collect()
}

fn overstep(app: &App) -> f32 {
    app.world().resource::<ProjectileClock>().overstep_secs()
}

fn frames_until_drawn(app: &mut App) {
    for _ in 0..10 {
        app.update();
        if !drawn(app).is_empty() {
            return;
        }
    }
    panic!("nothing was drawn");
}

#[test]
fn motion_is_smooth_whatever_the_frame_rate() {
    let velocity = Vec2::new(100.0, -50.0);
    for strategy in PoolingStrategy::ALL {
        for frame in [1, 8, 16, 20, 33, 50].map(Duration::from_millis) {
            let mut app = app(strategy, frame);
            let id = spawn(&mut app, Vec2::ZERO, velocity, 1);
            while drawn(&app).is_empty() {
                app.update();
            }
            let mut ahead = BTreeSet::new();
            for _ in 0..100 {
                let before = drawn(&app)[0];
                app.update();
                let step = drawn(&app)[0] - before;
                let expected = velocity * frame.as_secs_f32();
                assert!(step.abs_diff_eq(expected, 1e-2), "{strategy}, {frame:?}: moved by {step}, not {expected}");
                let gap = drawn(&app)[0] - position(&mut app, id);
                assert!(gap.abs_diff_eq(velocity * overstep(&app), 1e-2), "{strategy}, {frame:?}: ahead by {gap}");
                ahead.insert((gap.x * 10.0).round() as i32);
            }
            // Not smooth only because every frame happens to end with a tick.
            assert!(ahead.len() > 1 || frame == TICK, "{strategy}, {frame:?}: the overstep was always {ahead:?}");
        }
    }
}

#[test]
fn a_slot_that_is_used_again_shows_nothing_of_its_former_life() {
    for strategy in PoolingStrategy::ALL {
        let mut app = app(strategy, FRAME);
        let mut old = spawn(&mut app, Vec2::new(-500.0, 70.0), Vec2::new(9000.0, 0.0), 0);
        frames_until_drawn(&mut app);
        for life in 1..50_u8 {
            // A few frames of motion, so that there is something to be left behind.
            for _ in 0..life % 4 {
                app.update();
            }
            retire(&mut app, old);
            let start = Vec2::new(f32::from(life), 1000.0);
            let velocity = Vec2::new(0.0, 100.0);
            old = spawn(&mut app, start, velocity, life);
            // Only gone, until the next tick spawns the new one.
            let mut waited = 0;
            loop {
                app.update();
                let list = app.world().resource::<DrawnProjectiles<Shot>>();
                if !list.is_empty() {
                    break;
                }
                waited += 1;
                assert!(waited < 4, "{strategy}, life {life}: it never came");
            }
            let list = app.world().resource::<DrawnProjectiles<Shot>>();
            assert_eq!(list.len(), 1, "{strategy}, life {life}");
            assert_eq!(list.discs()[0].colour[0], life, "{strategy}: the colour of a former life");
            // Its first step, and the time since.
            let expected = start + velocity * (TICK.as_secs_f32() + overstep(&app));
            let found = drawn(&app)[0];
            assert!(found.abs_diff_eq(expected, 1e-2), "{strategy}, life {life}: at {found}, not {expected}");
        }
    }
}

#[test]
fn the_drawn_are_the_live_in_the_order_of_spawning() {
    for strategy in PoolingStrategy::ALL {
        let mut app = app(strategy, TICK);
        let mut live = Vec::new();
        for round in 0..40_u8 {
            for n in 0..5_u8 {
                live.push((spawn(&mut app, Vec2::new(f32::from(round), f32::from(n)), Vec2::ZERO, round), round, n));
            }
            // Holes all over.
            for _ in 0..3 {
                let (id, ..) = live.remove((usize::from(round) * 7 + 1) % live.len().min(12));
                if app.world_mut().run_system_once(move |shots: Projectiles<Shot>| shots.contains(id)).is_ok_and(|v| v)
                {
                    retire(&mut app, id);
                } else {
                    // Still pending: let it live first.
                    app.update();
                    retire(&mut app, id);
                }
            }
            app.update();
            let expected: Vec<_> = live.iter().map(|&(_, x, y)| Vec2::new(f32::from(x), f32::from(y))).collect();
            assert_eq!(drawn(&app), expected, "{strategy}, round {round}");
        }
    }
}

#[test]
fn nothing_moves_while_the_clock_is_paused() {
    for strategy in PoolingStrategy::ALL {
        let mut app = app(strategy, FRAME);
        stand_still(&mut app, strategy, |app, paused| {
            let mut clock = app.world_mut().resource_mut::<Time<Virtual>>();
            if paused { clock.pause() } else { clock.unpause() }
        });
    }
}

#[derive(Resource, Default)]
struct Paused(bool);

#[test]
fn nothing_moves_while_a_run_condition_holds_the_ticks_back() {
    for strategy in PoolingStrategy::ALL {
        let mut app = app(strategy, FRAME);
        app.init_resource::<Paused>()
            .configure_sets(FixedUpdate, RunProjectileTick.run_if(|paused: Res<Paused>| !paused.0));
        stand_still(&mut app, strategy, |app, paused| {
            app.world_mut().resource_mut::<Paused>().0 = paused;
            // That the ticks are held back shows at the next time for one: until then motion goes on.
            if paused {
                let ticks = app.world().resource::<Time<Fixed>>().elapsed();
                while app.world().resource::<Time<Fixed>>().elapsed() == ticks {
                    app.update();
                }
            }
        });
    }
}

/// Pauses for 60 frames with a switch of strategy in the middle, and resumes, all in mid-flight.
fn stand_still(app: &mut App, strategy: PoolingStrategy, pause: impl Fn(&mut App, bool)) {
    let velocity = Vec2::new(1000.0, 0.0);
    let id = spawn(app, Vec2::ZERO, velocity, 1);
    frames_until_drawn(app);
    while overstep(app) == 0.0 {
        app.update();
    }
    let last_tick = position(app, id);
    assert!(drawn(app)[0].x > last_tick.x, "{strategy}: in flight it is drawn ahead");
    pause(app, true);
    for frame in 0..60 {
        if frame == 30 {
            app.world_mut().resource_mut::<ActiveStrategy<Shot>>().set(strategy.next());
        }
        app.update();
        assert_eq!(position(app, id), last_tick, "{strategy}, paused frame {frame}");
        assert_eq!(drawn(app), [last_tick], "{strategy}, paused frame {frame}");
    }
    let switched = app.world().resource::<ActiveStrategy<Shot>>().get();
    assert_eq!(switched, strategy.next());
    pause(app, false);
    // No burst: no frame of the resumed flight moves by more than a tick and a frame.
    let most = velocity.x * (FRAME + TICK).as_secs_f32() + 1e-2;
    let mut before = last_tick;
    for frame in 0..10 {
        app.update();
        let now = drawn(app)[0];
        let moved = now.x - before.x;
        assert!((0.0..=most).contains(&moved), "{strategy}, frame {frame} after the resume: moved by {moved}");
        before = now;
    }
    assert!(before.x > last_tick.x + velocity.x * 6.0 * FRAME.as_secs_f32(), "{strategy}: it flies on");
}

#[test]
fn without_a_renderer_nothing_is_collected_unless_asked_for() {
    let mut app = App::new();
    app.add_plugins((ProjectileRenderPlugin::new(look), MinimalPlugins, ProjectilePoolPlugin::<Shot>::new("shots")));
    app.finish();
    app.cleanup();
    spawn(&mut app, Vec2::ZERO, Vec2::ZERO, 1);
    run_projectile_tick(app.world_mut(), TICK);
    app.update();
    let shots = app.world().resource::<DrawnProjectiles<Shot>>();
    assert!(shots.is_empty() && shots.discs().is_empty() && shots.skipped() == 0);
}

#[test]
fn later_spawns_are_drawn_later_in_large_pools_of_mixed_lifetimes_too() {
    for strategy in PoolingStrategy::ALL {
        let mut app = app(strategy, TICK);
        app.world_mut()
            .run_system_once(|mut spawner: ProjectileSpawner<Shot>| {
                spawner.spawn_batch((0..2000_u16).map(|place| {
                    let position = Vec2::new(f32::from(place), 0.0);
                    Projectile::new(position, Vec2::ZERO).lifetime(100 + u32::from(place) * 37 % 101)
                }));
            })
            .expect("the pool is there");
        app.update();
        let expected: Vec<Vec2> = (0..2000_u16).map(|place| Vec2::new(f32::from(place), 0.0)).collect();
        assert_eq!(drawn(&app), expected, "{strategy}");
    }
}
