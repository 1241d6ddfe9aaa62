//! The plugin: one for each pool.

use core::marker::PhantomData;

use crate::{
    ActiveStrategy, FullPolicy, Payload, PoolChecksum, PoolSettings, PoolStats, PoolingStrategy, ProjectileId,
    ProjectileSettings, ProjectileSystems, ProjectileTick, RetireReason, RetiredProjectiles,
    engine::{
        App, Diagnostic, DiagnosticPath, Diagnostics, FixedUpdate, Interned, IntoScheduleConfigs, Last, Plugin,
        RegisterDiagnostic, Res, ScheduleLabel,
    },
    pool::{self, Pool},
    sets::{self, PoolPhase, Pools, ProjectileClock, TickHooks},
    spawner::SpawnQueue,
    stats::PoolDiagnostics,
    strategy::{
        Storage,
        parallel_arrays::Arrays,
        rows::{Rows, Strays},
    },
};

/// The diagnostic of the time that all ticks of a frame took together, in milliseconds.
pub const TICK_MS: DiagnosticPath = DiagnosticPath::const_new("projectile_pool/tick_ms");

/// Adds a pool of projectiles that carry a `P`. An app may have many, of different `P` and with different names.
///
/// ```
/// # use bevy_app::prelude::*; use bevy_ecs::prelude::*; use bevy_math::Vec2; use bevy_projectile_pool::prelude::*;
/// #[derive(Clone, Copy, Default)]
/// struct Shot { damage: u32 }
///
/// fn fire(mut spawner: ProjectileSpawner<Shot>) {
///     spawner.spawn(Projectile::new(Vec2::ZERO, Vec2::X * 300.0).lifetime(120).payload(Shot { damage: 3 }));
/// }
///
/// let mut app = App::new();
/// app.add_plugins(ProjectilePoolPlugin::<Shot>::new("shots"))
///     .add_systems(ProjectileTick, fire.in_set(ProjectileSystems::Fire));
/// ```
#[derive(Clone, Debug)]
pub struct ProjectilePoolPlugin<P: Payload> {
    /// The pool's name, which its diagnostics carry: `projectile_pool/<name>/live`. Letters, digits, `_` and `-`.
    pub name: String,
    /// The schedule in which a tick of all pools runs, by the `Time` of that schedule: `FixedUpdate` unless told
    /// otherwise. With `None` ticks run only by hand, with [`run_projectile_tick`](crate::run_projectile_tick). All pools
    /// of an app name the same.
    pub schedule: Option<Interned<dyn ScheduleLabel>>,
    /// The strategy at the start; [`ActiveStrategy`] changes it later.
    pub strategy: PoolingStrategy,
    /// The settings at the start; [`PoolSettings`] changes them later.
    pub settings: ProjectileSettings,
    /// Whether a [`PoolChecksum`] is folded after each tick. Off unless told otherwise: it costs a few multiplications a live
    /// projectile and tick.
    pub checksum: bool,
    /// What the checksum takes of a payload; nothing if `None`.
    pub payload_hash: Option<fn(&P) -> u64>,
}

impl<P: Payload> ProjectilePoolPlugin<P> {
    /// A pool with this name, in parallel arrays, which ticks in `FixedUpdate`.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            schedule: Some(FixedUpdate.intern()),
            strategy: PoolingStrategy::default(),
            settings: ProjectileSettings::default(),
            checksum: false,
            payload_hash: None,
        }
    }

    /// Sets the strategy at the start.
    #[must_use]
    pub fn strategy(mut self, strategy: PoolingStrategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// Sets the settings at the start.
    #[must_use]
    pub fn settings(mut self, settings: ProjectileSettings) -> Self {
        self.settings = settings;
        self
    }

    /// Sets the schedule in which ticks run.
    #[must_use]
    pub fn schedule(mut self, schedule: impl ScheduleLabel) -> Self {
        self.schedule = Some(schedule.intern());
        self
    }

    /// Lets ticks run only by hand, with [`run_projectile_tick`](crate::run_projectile_tick).
    #[must_use]
    pub fn by_hand(mut self) -> Self {
        self.schedule = None;
        self
    }

    /// Sets whether the checksum is on.
    #[must_use]
    pub fn checksum(mut self, on: bool) -> Self {
        self.checksum = on;
        self
    }

    /// Sets what the checksum takes of a payload.
    #[must_use]
    pub fn payload_hash(mut self, hash: fn(&P) -> u64) -> Self {
        self.payload_hash = Some(hash);
        self
    }

    /// Sets whether [`RetiredProjectiles`] is filled.
    #[must_use]
    pub fn record_retired(mut self, on: bool) -> Self {
        self.settings.record_retired = on;
        self
    }
}

impl<P: Payload> Plugin for ProjectilePoolPlugin<P> {
    /// # Panics
    /// If the name is not made of letters, digits, `_` and `-`, if the app has a pool of this name, or if its other pools
    /// tick in another schedule. (Bevy itself refuses a second pool of the same `P`.)
    fn build(&self, app: &mut App) {
        let name = &self.name;
        let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
        assert!(
            !name.is_empty() && name.chars().all(fits),
            "a projectile pool's name is made of letters, digits, `_` and `-`, not {name:?}"
        );
        if !app.world().contains_resource::<Pools>() {
            sets::add_shared(app, self.schedule);
            app.register_diagnostic(Diagnostic::new(TICK_MS).with_suffix("ms")).add_systems(Last, measure_tick);
            app.register_type::<(ProjectileId, PoolingStrategy, RetireReason)>();
            app.register_type::<(ProjectileSettings, crate::ProjectileStats)>();
        }
        let mut pools = app.world_mut().resource_mut::<Pools>();
        assert!(!pools.names.contains(name), "there are two projectile pools named {name:?}: names must differ");
        assert!(
            pools.host == self.schedule,
            "the projectile pool {name:?} ticks in {:?}, but the pools before it in {:?}: all pools of an app tick together",
            self.schedule,
            pools.host
        );
        let number = pools.names.len();
        pools.names.push(name.clone());
        pools.hooks.push(TickHooks { prepare: pool::prepare::<P>, conclude: pool::conclude::<P> });

        let mut arrays = Arrays::<P>::default();
        if self.strategy == PoolingStrategy::ParallelArrays {
            arrays.reserve(self.settings.capacity.min(FullPolicy::DEFAULT_MAX) as usize);
        }
        let rows = Rows::<P>::new(app.world_mut());
        app.insert_resource(Pool::<P>::new(name.clone(), Storage::of(self.strategy), self.settings))
            .insert_resource(arrays)
            .insert_resource(rows)
            .insert_resource(Strays::<P>(Vec::new()))
            .insert_resource(ActiveStrategy::<P>::new(self.strategy))
            .insert_resource(PoolSettings::<P>::new(self.settings))
            .insert_resource(PoolChecksum::<P>::new(self.checksum, self.payload_hash))
            .insert_resource(SpawnQueue::<P>::default())
            .insert_resource(RetiredProjectiles::<P>::default())
            .insert_resource(PoolStats::<P> { stats: crate::ProjectileStats::default(), pool: PhantomData });
        PoolDiagnostics::<P>::register(app, name);
        app.add_systems(Last, PoolDiagnostics::<P>::measure);

        let mut add = |phase: ProjectileSystems, system: fn(&mut bevy_ecs::world::World)| {
            let own = PoolPhase { pool: number, phase };
            let system = system.in_set(phase).in_set(own);
            let system = match number.checked_sub(1) {
                Some(before) => system.after(PoolPhase { pool: before, phase }),
                None => system,
            };
            app.add_systems(ProjectileTick, system);
        };
        add(ProjectileSystems::Spawn, pool::spawn::<P>);
        add(ProjectileSystems::Integrate, pool::integrate::<P>);
        add(ProjectileSystems::Retire, pool::retire::<P>);
    }
}

/// Measures the ticks of a frame together.
fn measure_tick(clock: Res<ProjectileClock>, mut diagnostics: Diagnostics) {
    diagnostics.add_measurement(&TICK_MS, || clock.tick_times().iter().map(|time| time.as_secs_f64() * 1e3).sum());
}
