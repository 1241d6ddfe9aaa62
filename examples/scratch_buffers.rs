//! Scratch buffers without allocations: systems that run side by side rent them from one shared pool.
//!
//! `cargo run --example scratch_buffers`
//!
//! No window opens. Every 60 frames a line says how many buffers were built so far and, since the line before, how often
//! one was rented, how often none was idle (a miss: one is built), and how often the scratch work asked the allocator for
//! memory. Each thread builds two buffers at most, when it first needs them; from then on misses and allocations are 0.
#![allow(unsafe_code)] // a global allocator is unsafe to implement

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use bevy::{log::LogPlugin, prelude::*};
use object_pools::{Cleared, PoolStats, SharedVecPool};

const BODIES: usize = 200;
const FRAMES: u32 = 300;

/// The pool, for all systems: `Res` is enough to rent and to give back.
#[derive(Resource)]
struct Scratch(SharedVecPool<f32>);

#[derive(Component)]
struct Position(Vec2);

/// The distance to the eighth nearest body.
#[derive(Component)]
struct Room(f32);

#[derive(Resource, Default)]
struct WidestGap(f32);

#[derive(Resource, Default)]
struct Middle(Vec2);

/// Everything but Bevy's own plugins.
fn scratch_buffers(app: &mut App) {
    app.insert_resource(Scratch(SharedVecPool::new(Cleared::keeping(4096))))
        .init_resource::<WidestGap>()
        .init_resource::<Middle>()
        .add_systems(Startup, |mut commands: Commands| {
            let place = |body: usize| Vec2::from_angle(body as f32 * 2.4) * (body as f32).sqrt();
            commands.spawn_batch((0..BODIES).map(move |body| (Position(place(body)), Room(0.0))));
        })
        // The three in the middle write different things, so Bevy may run them at the same time.
        .add_systems(Update, (drift, (measure_room, find_gap, find_middle), report).chain());
}

fn drift(mut bodies: Query<&mut Position>) {
    bodies.iter_mut().for_each(|mut body| body.0 = Vec2::from_angle(0.1 / (1.0 + body.0.length())).rotate(body.0));
}

/// A buffer for each body, on whichever thread has its turn; `scope` rents it for the time of a call.
fn measure_room(mut bodies: Query<(&Position, &mut Room)>, others: Query<&Position>, scratch: Res<Scratch>) {
    bodies.par_iter_mut().for_each(|(body, mut room)| {
        let measure = |distances: &mut Vec<f32>| {
            distances.extend(others.iter().map(|other| other.0.distance(body.0)));
            *distances.select_nth_unstable_by(8, f32::total_cmp).1
        };
        room.0 = counted(|| scratch.0.scope(measure));
    });
}

/// One buffer, which goes back when its lease is dropped.
fn find_gap(bodies: Query<&Position>, scratch: Res<Scratch>, mut gap: ResMut<WidestGap>) {
    gap.0 = counted(|| {
        let mut xs = scratch.0.lease();
        xs.extend(bodies.iter().map(|body| body.0.x));
        xs.sort_unstable_by(f32::total_cmp);
        xs.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f32::max)
    });
}

/// Two buffers at once.
fn find_middle(bodies: Query<&Position>, scratch: Res<Scratch>, mut middle: ResMut<Middle>) {
    middle.0 = counted(|| {
        let (mut xs, mut ys) = (scratch.0.lease(), scratch.0.lease());
        xs.extend(bodies.iter().map(|body| body.0.x));
        ys.extend(bodies.iter().map(|body| body.0.y));
        let median = |values: &mut [f32]| *values.select_nth_unstable_by(BODIES / 2, f32::total_cmp).1;
        Vec2::new(median(&mut xs), median(&mut ys))
    });
}

fn report(
    (scratch, time): (Res<Scratch>, Res<Time>),
    mut frame: Local<u32>,
    mut last: Local<(PoolStats, u64)>,
    mut exit: EventWriter<AppExit>,
) {
    *frame += 1;
    if frame.is_multiple_of(60) {
        let (stats, allocations) = (scratch.0.stats(time.elapsed()), ALLOCATIONS.load(Relaxed));
        let (rents, misses) = (stats.rents - last.0.rents, stats.misses - last.0.misses);
        let asked = allocations - last.1;
        info!("frame {:3}: {} buffers, {rents} rents, {misses} misses, {asked} allocations", *frame, stats.built);
        *last = (stats, allocations);
    }
    if *frame == FRAMES {
        exit.write(AppExit::Success);
    }
}

/// Bevy's plugins, with threads enough for systems to run side by side, also on a small machine.
fn bevys_own() -> impl PluginGroup {
    let mut threads = TaskPoolPlugin::default();
    threads.task_pool_options.compute.min_threads = 2;
    MinimalPlugins.set(threads)
}

fn main() -> AppExit {
    App::new().add_plugins((bevys_own(), LogPlugin::default(), scratch_buffers)).run()
}

/// What all scratch work asked of the allocator.
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// What this thread asked of it, for whatever work.
    static REQUESTS: Cell<u64> = const { Cell::new(0) };
}

/// Does scratch work, from rent to return, and counts what it asks of the allocator. Nothing else runs on this thread
/// meanwhile, so that Bevy's own allocations do not count.
fn counted<R>(work: impl FnOnce() -> R) -> R {
    let before = REQUESTS.get();
    let result = work();
    ALLOCATIONS.fetch_add(REQUESTS.get() - before, Relaxed);
    result
}

/// The system's allocator. A buffer that grows asks for memory too: the trait makes that of the two functions below.
struct Counting;

// SAFETY: every request is handed to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = REQUESTS.try_with(|requests| requests.set(requests.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[cfg(test)]
mod tests {
    use bevy::tasks::ComputeTaskPool;

    use super::*;

    #[test]
    fn only_a_threads_first_buffers_ask_for_memory() {
        const UPDATES: u64 = 90;
        let mut app = App::new();
        app.add_plugins((bevys_own(), scratch_buffers));
        (0..UPDATES).for_each(|_| app.update());

        let stats = app.world().resource::<Scratch>().0.stats(app.world().resource::<Time>().elapsed());
        assert_eq!(stats.rents, UPDATES * (BODIES as u64 + 3));
        assert_eq!((stats.live, stats.dropped, stats.misses), (0, 0, stats.built));
        // Systems run on the threads of the pool, and on the one that updates the app.
        let threads = ComputeTaskPool::get().thread_num() as u64 + 1;
        assert!(stats.built <= 2 * threads, "{stats:?}");
        // Each buffer asks once. A thread's first rent also makes its place in the pool: no more than 16 requests.
        let asked = ALLOCATIONS.load(Relaxed);
        assert!((stats.built..=stats.built + 16 * threads).contains(&asked), "{asked} allocations: {stats:?}");

        assert!(app.world().resource::<WidestGap>().0 > 0.0);
        assert!(app.world().resource::<Middle>().0.length() < 5.0);
    }
}
