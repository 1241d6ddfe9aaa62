//! In a steady state a tick asks the allocator for nothing, where the strategy pools.
#![allow(unsafe_code)] // a global allocator is unsafe to implement

mod common;
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    hint::black_box,
};

use common::*;

struct Counting;

thread_local! {
    /// Requests of this thread, so that tests beside this one do not count.
    static REQUESTS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    let _ = REQUESTS.try_with(|requests| requests.set(requests.get() + 1));
}

// SAFETY: every request is handed to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as the caller promises.
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn requests_of(work: impl FnOnce()) -> u64 {
    let before = REQUESTS.get();
    work();
    REQUESTS.get() - before
}

#[derive(Resource, Default)]
struct Sum(f32);

fn fire(mut spawner: ProjectileSpawner<Shot>, clock: Res<ProjectileClock>) {
    let tick = clock.ticks() as u32;
    spawner.spawn_batch((0..100).map(|x| Projectile { velocity: at(9.0, 1.0), ..still(x) }.lifetime(20 + x % 4)));
    spawner.spawn(still(tick).lifetime(tick % 2)); // every other one is invalid
}

fn hit(mut shots: ProjectilesMut<Shot>) {
    let mut last = None;
    for mut shot in &mut shots {
        shot.set_velocity(at(8.0, 1.0));
        if shot.payload().damage % 10 == 3 {
            shot.retire(RetireReason::Hit);
        } else {
            last = Some(shot.id());
        }
    }
    last.map(|id| shots.retire(id, RetireReason::Cancelled));
}

fn react(retired: Res<RetiredProjectiles<Shot>>, mut sum: ResMut<Sum>) {
    sum.0 += retired.iter().map(|record| record.position.x).sum::<f32>();
}

/// A game that fires, steers, looks up, hits, records and folds checksums in every tick.
fn busy(strategy: PoolingStrategy, when_full: FullPolicy) -> App {
    let settings =
        ProjectileSettings { capacity: 1_500, when_full, record_retired: true, ..ProjectileSettings::default() };
    let mut app = App::new();
    app.add_plugins(pool(strategy).settings(settings)).init_resource::<Sum>().add_systems(
        ProjectileTick,
        (
            fire.in_set(ProjectileSystems::Fire),
            hit.in_set(ProjectileSystems::Hit),
            react.in_set(ProjectileSystems::React),
        ),
    );
    for _ in 0..1_100 {
        assert!(run_projectile_tick(app.world_mut(), DT)); // also fills the clock's list of tick times
    }
    app
}

#[test]
fn the_counter_counts() {
    assert_eq!(requests_of(|| ()), 0);
    assert!(requests_of(|| drop(black_box(Box::new(7)))) >= 1);
    assert!(requests_of(|| black_box(&mut Vec::<u8>::new()).reserve(10)) >= 1);
}

#[test]
fn a_deliberate_allocation_in_a_tick_is_seen() {
    let mut app = busy(PoolingStrategy::ParallelArrays, FullPolicy::default());
    app.add_systems(ProjectileTick, (|| drop(black_box(Box::new(7)))).in_set(ProjectileSystems::Hit));
    run_projectile_tick(app.world_mut(), DT);
    let requests = requests_of(|| assert!(run_projectile_tick(app.world_mut(), DT)));
    assert_eq!(requests, 1);
}

#[test]
fn a_tick_of_the_pooling_strategies_allocates_nothing() {
    for strategy in [PoolingStrategy::ComponentRecycling, PoolingStrategy::ParallelArrays] {
        for when_full in [FullPolicy::default(), FullPolicy::Reject, FullPolicy::EvictOldest] {
            let mut app = busy(strategy, when_full);
            let live = app.world().resource::<PoolStats<Shot>>().live;
            assert!(live > 1_000, "{strategy}, {when_full:?}: only {live} live");
            let world = app.world_mut();
            let requests = requests_of(|| (0..200).for_each(|_| assert!(run_projectile_tick(world, DT))));
            assert_eq!(requests, 0, "{strategy}, {when_full:?}");
        }
        let mut app = busy(strategy, FullPolicy::EvictOldest);
        app.world_mut().resource_mut::<PoolSettings<Shot>>().capacity = 900;
        (0..50).for_each(|_| assert!(run_projectile_tick(app.world_mut(), DT)));
        let evicted = app.world().resource::<PoolStats<Shot>>().evicted;
        let requests = requests_of(|| (0..200).for_each(|_| assert!(run_projectile_tick(app.world_mut(), DT))));
        assert!(app.world().resource::<PoolStats<Shot>>().evicted > evicted + 1_000, "every tick evicts");
        assert_eq!(requests, 0, "{strategy}, evicting");
    }
}
