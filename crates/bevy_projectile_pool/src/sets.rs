//! The schedule of a tick, its order, its clock, and who runs it.

use std::time::{Duration, Instant};

use crate::engine::{
    App, ExecutorKind, Fixed, FixedUpdate, Interned, IntoScheduleConfigs, Reflect, Res, ResMut, Resource,
    RunFixedMainLoop, RunFixedMainLoopSystem, ScheduleLabel, Schedules, SystemSet, Time, Virtual, World,
};

/// The schedule of one tick of all pools of an app. It runs on one thread: what a tick costs is then its work, not the
/// waking of workers.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProjectileTick;

/// The sets of [`ProjectileTick`], in their order. Systems of the app go into `Fire`, `Steer`, `Hit` and `React`.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProjectileSystems {
    /// The app asks for projectiles with [`ProjectileSpawner`](crate::ProjectileSpawner).
    Fire,
    /// The pools take over what was asked for.
    Spawn,
    /// The app steers; what was spawned in this tick is there and has not moved yet.
    Steer,
    /// The pools move every projectile by one step.
    Integrate,
    /// The app tests what was hit; projectiles in their last step are still there.
    Hit,
    /// The pools end what expired or left the bounds, and release what ended.
    Retire,
    /// The app reads [`RetiredProjectiles`](crate::RetiredProjectiles) and [`PoolStats`](crate::PoolStats).
    React,
}

/// The set of the one system that runs [`ProjectileTick`], in the schedule that the plugin names (`FixedUpdate` unless
/// told otherwise): order it among the app's systems, or give it a run condition to pause all pools.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RunProjectileTick;

/// The phase of one pool, which follows the same phase of the pool added before it.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PoolPhase {
    pub pool: usize,
    pub phase: ProjectileSystems,
}

/// What a pool does around a tick.
#[derive(Clone, Copy)]
pub(crate) struct TickHooks {
    pub prepare: fn(&mut World),
    pub conclude: fn(&mut World),
}

/// The pools of an app.
#[derive(Resource, Default)]
pub(crate) struct Pools {
    pub names: Vec<String>,
    pub hooks: Vec<TickHooks>,
    pub host: Option<Interned<dyn ScheduleLabel>>,
}

/// The clock of [`ProjectileTick`].
#[derive(Resource, Clone, Debug, Default, Reflect)]
pub struct ProjectileClock {
    delta: Duration,
    ticks: u64,
    overstep: Duration,
    frame_ticks: Vec<Duration>,
    /// The host's `Time::elapsed` at the last tick.
    ticked_at: Option<Duration>,
}

/// The most ticks of one frame whose times are kept.
const KEPT_TICKS: usize = 1024;

impl ProjectileClock {
    /// How long the current tick is, or the last one between ticks.
    #[must_use]
    pub fn delta(&self) -> Duration {
        self.delta
    }

    /// How long the current tick is, or the last one between ticks, in seconds.
    #[must_use]
    pub fn delta_secs(&self) -> f32 {
        self.delta.as_secs_f32()
    }

    /// How many ticks have begun.
    #[must_use]
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// How far a drawing of this frame should be ahead of the last tick, in seconds: the overstep of Bevy's fixed clock,
    /// and 0 while the pools stand still, by a paused clock or by a run condition. Always 0 if the pools do not run in
    /// one of the fixed schedules.
    #[must_use]
    pub fn overstep_secs(&self) -> f32 {
        self.overstep.as_secs_f32()
    }

    /// The time on the wall that each tick of this frame took, in order: one run of [`ProjectileTick`], without switches
    /// of strategy and checksums. Kept until the next frame begins; of more than 1,024 ticks, the first.
    #[must_use]
    pub fn tick_times(&self) -> &[Duration] {
        &self.frame_ticks
    }
}

/// Runs one tick of all pools by hand, `dt` long. Returns whether it ran: a tick without duration is none, and neither
/// is one asked for from within a tick, or in an app without pools.
pub fn run_projectile_tick(world: &mut World, dt: Duration) -> bool {
    if dt.is_zero() || !world.contains_resource::<Pools>() {
        return false;
    }
    // A schedule that runs is not among the others: nothing of the tick around may change under its feet.
    if !world.resource::<Schedules>().contains(ProjectileTick) {
        tracing::error!("a projectile tick was asked for from within one, and did not run");
        return false;
    }
    let pools = world.resource::<Pools>().hooks.len();
    let hooks = |world: &World, pool: usize| world.resource::<Pools>().hooks[pool];
    for pool in 0..pools {
        (hooks(world, pool).prepare)(world);
    }
    let mut clock = world.resource_mut::<ProjectileClock>();
    clock.delta = dt;
    clock.ticks += 1;
    let start = Instant::now();
    world.run_schedule(ProjectileTick);
    let time = start.elapsed();
    for pool in 0..pools {
        (hooks(world, pool).conclude)(world);
    }
    let mut clock = world.resource_mut::<ProjectileClock>();
    if clock.frame_ticks.len() < KEPT_TICKS {
        clock.frame_ticks.push(time);
    }
    true
}

/// Runs one tick by the clock of the schedule that this is in.
fn run_tick_by_clock(world: &mut World) {
    let Some(time) = world.get_resource::<Time>() else {
        return;
    };
    let (dt, now) = (time.delta(), time.elapsed());
    if run_projectile_tick(world, dt) {
        world.resource_mut::<ProjectileClock>().ticked_at = Some(now);
    }
}

/// In `First`: a new frame begins, and requests come into force also if no tick runs.
fn begin_frame(world: &mut World) {
    world.resource_mut::<ProjectileClock>().frame_ticks.clear();
    for pool in 0..world.resource::<Pools>().hooks.len() {
        (world.resource::<Pools>().hooks[pool].prepare)(world);
    }
}

/// After the fixed loop: how far drawing is ahead of the last tick.
fn measure_overstep(
    fixed: Option<Res<Time<Fixed>>>,
    clock: Option<Res<Time<Virtual>>>,
    mut own: ResMut<ProjectileClock>,
) {
    own.overstep = match (fixed, clock) {
        (Some(fixed), Some(clock)) if !clock.is_paused() && own.ticked_at == Some(fixed.elapsed()) => fixed.overstep(),
        _ => Duration::ZERO,
    };
}

/// Adds what all pools share, once.
pub(crate) fn add_shared(app: &mut App, host: Option<Interned<dyn ScheduleLabel>>) {
    use crate::engine::First;
    use ProjectileSystems::{Fire, Hit, Integrate, React, Retire, Spawn, Steer};

    // Systems of the app may be in it already: whoever adds them need not add the plugin first.
    app.edit_schedule(ProjectileTick, |schedule| {
        schedule.set_executor_kind(ExecutorKind::SingleThreaded);
        schedule.configure_sets((Fire, Spawn, Steer, Integrate, Hit, Retire, React).chain());
    });
    app.init_resource::<ProjectileClock>()
        .register_type::<ProjectileClock>()
        .insert_resource(Pools { host, ..Pools::default() })
        .add_systems(First, begin_frame);
    let Some(host) = host else {
        return;
    };
    app.add_systems(host, run_tick_by_clock.in_set(RunProjectileTick));
    if is_fixed(host) {
        let after = RunFixedMainLoopSystem::AfterFixedMainLoop;
        app.add_systems(RunFixedMainLoop, measure_overstep.in_set(after));
    }
}

/// Whether a schedule runs in Bevy's fixed loop.
fn is_fixed(label: Interned<dyn ScheduleLabel>) -> bool {
    use crate::engine::{FixedFirst, FixedLast, FixedPostUpdate, FixedPreUpdate};
    let fixed = [
        FixedFirst.intern(),
        FixedPreUpdate.intern(),
        FixedUpdate.intern(),
        FixedPostUpdate.intern(),
        FixedLast.intern(),
    ];
    fixed.contains(&label)
}
