//! The app around a cell: its clock, its feed, what is measured, and the checksum.

use std::time::{Duration, Instant};

use bevy::{
    MinimalPlugins,
    app::{FixedFirst, FixedMainScheduleOrder, FixedUpdate, PluginGroup, TaskPoolOptions, TaskPoolPlugin},
    diagnostic::{DiagnosticPath, DiagnosticsStore},
    ecs::schedule::{ExecutorKind, ScheduleLabel, Schedules},
    prelude::{App, Fixed, ResMut, Resource, Time, Vec2, World},
    time::TimeUpdateStrategy,
};

use super::{Executor, StrategySpec, bare, baselines, feed::Feed, model, plugin};
use crate::{
    meter::{Lap, Measured},
    samples::{Samples, ns},
    spec::{Checksum, Output, mix},
    stream::PERIOD,
};

/// The checksum takes every tenth tick, so that reading all projectiles disturbs few of the measured ones.
const SUMMED: u32 = 10;

/// The schedule before `FixedUpdate`: the measured stretch begins.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct BeginTick;

/// The schedule after `FixedUpdate`: the measured stretch ends, and the checksum is taken.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
pub struct EndTick;

/// When each phase of a tick began. What a cell does not mark is not measured.
#[derive(Resource, Default)]
pub struct TickClock {
    events: bool,
    lap: Option<Lap>,
    measured: Option<Measured>,
    started: Option<Instant>,
    ended: Option<Instant>,
    generation: Duration,
    /// Of a plugin cell: the time that asking for projectiles took.
    pub asking: Duration,
    /// Of the others: when everything was spawned.
    pub spawned: Option<Instant>,
    /// When everything had moved.
    pub moved: Option<Instant>,
    /// When early ends were asked for, if there are any.
    pub hit: Option<Instant>,
}

/// The checksum of a run: of every tenth tick, the sum of a hash of each live projectile, and their count.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub struct Sum {
    run: u64,
}

impl Sum {
    /// Takes a tick, if it is one of those that are taken: the number and position of each live projectile.
    pub fn fold<I: Iterator<Item = (u32, Vec2)>>(&mut self, tick: u32, alive: impl FnOnce() -> I) {
        if tick.is_multiple_of(SUMMED) {
            let (mut sum, mut live) = (0_u64, 0_u64);
            for (serial, position) in alive() {
                let bits = u64::from(position.x.to_bits()) << 32 | u64::from(position.y.to_bits());
                sum = sum.wrapping_add(mix(mix(0, serial.into()), bits));
                live += 1;
            }
            self.run = mix(mix(self.run, sum), live);
        }
    }

    /// The checksum so far.
    pub fn checksum(self) -> Checksum {
        Checksum::hex(self.run)
    }
}

/// What a cell's app is asked after each tick.
pub struct Cell {
    /// Projectiles alive.
    pub live: fn(&mut World) -> usize,
    /// Bytes held, where the cell knows.
    pub bytes: fn(&World) -> Option<usize>,
    /// Projectiles that there is room for.
    pub room: fn(&World) -> usize,
    /// Whether phases are read from the plugin's diagnostics.
    pub diagnostics: bool,
}

/// Runs a cell.
pub fn run<const EXTRA: usize>(spec: &StrategySpec) -> Output {
    let mut app = App::new();
    let threads =
        spec.threads.map_or(TaskPoolOptions::default(), |threads| TaskPoolOptions::with_num_threads(threads as usize));
    app.add_plugins(MinimalPlugins.set(TaskPoolPlugin { task_pool_options: threads }))
        .insert_resource(Time::<Fixed>::from_duration(PERIOD))
        .insert_resource(TimeUpdateStrategy::ManualDuration(PERIOD))
        .insert_resource(Feed::<EXTRA>::new(spec))
        .insert_resource(TickClock { events: spec.run.events, ..TickClock::default() })
        .init_resource::<Sum>()
        .add_systems(FixedFirst, generate::<EXTRA>)
        .add_systems(BeginTick, begin)
        .add_systems(EndTick, end);
    let mut order = app.world_mut().resource_mut::<FixedMainScheduleOrder>();
    order.insert_before(FixedUpdate, BeginTick);
    order.insert_after(FixedUpdate, EndTick);
    let settling = spec.burst.map_or(0, plugin::settling_ticks);
    let ticks = settling + spec.run.warmup + spec.run.frames;
    let cell = match spec.cell.as_str() {
        "bare" => bare::add::<EXTRA>(&mut app, model::fly(spec, ticks)),
        name => match name.parse() {
            Ok(strategy) => plugin::add::<EXTRA>(&mut app, spec, strategy),
            Err(_) => baselines::add::<EXTRA>(&mut app, spec),
        },
    };
    choose_executor(&mut app, spec.executor);
    app.finish();
    app.cleanup();
    app.update(); // the first frame has no time to it, and no tick

    let mut samples = Samples::with_capacity(spec.run.frames as usize);
    for tick in 0..ticks {
        let room = if spec.run.events { (cell.room)(app.world()) } else { 0 };
        app.update();
        if tick < ticks - spec.run.frames {
            continue;
        }
        let clock = app.world().resource::<TickClock>();
        if let Some(measured) = clock.measured {
            samples.push(measured);
        }
        samples.generation.push(ns(clock.generation));
        push_phases(&mut samples, app.world(), &cell);
        if spec.run.events {
            samples.growth.push((cell.room)(app.world()) > room);
        }
    }
    let mut output = Output { samples, ..Output::default() };
    output.live = Some((cell.live)(app.world_mut()) as u64);
    output.checksum = Some(app.world().resource::<Sum>().checksum());
    output.figures.extend((cell.bytes)(app.world()).map(|bytes| ("bytes_held".to_owned(), bytes as f64)));
    output
}

fn choose_executor(app: &mut App, executor: Executor) {
    let kind = match executor {
        Executor::Single => ExecutorKind::SingleThreaded,
        Executor::Multi => ExecutorKind::MultiThreaded,
    };
    // The measuring, and the plugin's own schedule, are as they are.
    let own = [BeginTick.intern(), EndTick.intern(), bevy_projectile_pool::ProjectileTick.intern()];
    for (_, schedule) in app.world_mut().resource_mut::<Schedules>().iter_mut() {
        let own = own.contains(&schedule.label());
        schedule.set_executor_kind(if own { ExecutorKind::SingleThreaded } else { kind });
    }
}

fn generate<const EXTRA: usize>(mut feed: ResMut<Feed<EXTRA>>, mut clock: ResMut<TickClock>) {
    let start = Instant::now();
    feed.advance();
    clock.generation = start.elapsed();
}

fn begin(mut clock: ResMut<TickClock>) {
    (clock.spawned, clock.moved, clock.hit) = (None, None, None);
    clock.asking = Duration::ZERO;
    let lap = Lap::start(clock.events);
    clock.started = Some(lap.started());
    clock.lap = Some(lap);
}

/// The system that ends the measured stretch.
pub fn end(mut clock: ResMut<TickClock>) {
    clock.measured = clock.lap.take().map(Lap::end);
    clock.ended = clock.started.zip(clock.measured).map(|(started, measured)| started + measured.wall);
}

fn push_phases(samples: &mut Samples, world: &World, cell: &Cell) {
    let clock = world.resource::<TickClock>();
    if cell.diagnostics {
        let store = world.resource::<DiagnosticsStore>();
        let phase = |name: &str| {
            let path = DiagnosticPath::new(format!("projectile_pool/{}/{name}", plugin::POOL));
            let ms = store.get(&path).and_then(|diagnostic| diagnostic.measurement()).map_or(0.0, |m| m.value);
            Duration::from_secs_f64(ms / 1e3)
        };
        samples.spawn.push(ns(clock.asking + phase("spawn_ms")));
        samples.integrate.push(ns(phase("integrate_ms")));
        samples.retire.push(ns(phase("retire_ms")));
        return;
    }
    let (Some(started), Some(spawned), Some(moved), Some(ended)) =
        (clock.started, clock.spawned, clock.moved, clock.ended)
    else {
        return;
    };
    samples.spawn.push(ns(spawned - started));
    samples.integrate.push(ns(moved - spawned));
    samples.retire.push(ns(ended.saturating_duration_since(clock.hit.unwrap_or(moved))));
}

/// The room of every table of the world together.
pub fn room_of_tables(world: &World) -> usize {
    world.storages().tables.iter().map(|table| table.capacity()).sum()
}

/// Whether early ends are due by iteration, by id, or not at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlyEnds {
    /// None.
    Never,
    /// Asked for while iterating.
    Iterating,
    /// Asked for by id.
    ById,
}

impl EarlyEnds {
    /// Those of a cell.
    pub fn of(spec: &StrategySpec) -> Self {
        match (spec.early_ends > 0.0, spec.by_id) {
            (false, _) => Self::Never,
            (true, false) => Self::Iterating,
            (true, true) => Self::ById,
        }
    }
}

/// What is to be ended early in each tick, by id.
#[derive(Resource)]
pub struct Due<Id> {
    ticks: Vec<Vec<Id>>,
}

impl<Id> Due<Id> {
    /// For a run of so many ticks.
    pub fn new(spec: &StrategySpec) -> Self {
        Self { ticks: (0..=spec.run.warmup + spec.run.frames).map(|_| Vec::new()).collect() }
    }

    /// Notes an end; one after the run is none.
    pub fn note(&mut self, tick: u32, id: Id) {
        if let Some(due) = self.ticks.get_mut(tick as usize) {
            due.push(id);
        }
    }

    /// The ends of a tick, once.
    pub fn take(&mut self, tick: u32) -> Vec<Id> {
        self.ticks.get_mut(tick as usize).map(core::mem::take).unwrap_or_default()
    }
}
