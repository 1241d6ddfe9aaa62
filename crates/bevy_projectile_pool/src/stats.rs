//! The figures of a pool, as a resource and as Bevy diagnostics.

use core::{fmt, marker::PhantomData, ops, time::Duration};

use crate::{
    Payload, RetireReason,
    engine::{App, Diagnostic, DiagnosticPath, Diagnostics, Reflect, RegisterDiagnostic, Res, ResMut, Resource},
    pool::Pool,
};

/// How many projectiles ended, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
pub struct RetireCounts([u64; RetireReason::ALL.len()]);

impl RetireCounts {
    pub(crate) fn new(counts: [u64; RetireReason::ALL.len()]) -> Self {
        Self(counts)
    }

    /// How many ended for `reason`.
    #[must_use]
    pub fn get(&self, reason: RetireReason) -> u64 {
        self.0[reason as usize]
    }

    /// How many ended for any reason.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Every reason with its count, in the order of [`RetireReason::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (RetireReason, u64)> + '_ {
        RetireReason::ALL.into_iter().zip(self.0)
    }
}

/// A pool's figures, as they were at the end of its last `Retire`. `spawned` is always `live + retired.total()` there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
pub struct ProjectileStats {
    /// Projectiles alive.
    pub live: usize,
    /// The most that were ever alive at once, counted after each `Spawn`.
    pub peak: usize,
    /// Projectiles that the storage has room for: slots of the parallel arrays, used, left over in blocks or free, or rows
    /// of the pool's tables.
    pub capacity: usize,
    /// Rows of component recycling that exist and are free; 0 in the other strategies.
    pub free_rows: usize,
    /// Bytes that the storage and the queue of spawns hold, in use or not. In the entity strategies these are the
    /// rows of the pool's table with their change ticks; the entity allocator of the `World` is not counted.
    pub bytes_held: usize,
    /// Projectiles spawned so far.
    pub spawned: u64,
    /// Projectiles ended so far, by reason.
    pub retired: RetireCounts,
    /// Spawns refused because the pool was full.
    pub rejected: u64,
    /// Projectiles ended because the pool was full: `retired.get(RetireReason::Evicted)`.
    pub evicted: u64,
    /// Bad values refused: projectiles that were not valid, and positions or velocities set that were not finite.
    pub invalid: u64,
}

/// The figures of the pool of `P`: read the fields of [`ProjectileStats`] through it.
#[derive(Resource)]
pub struct PoolStats<P: Payload> {
    pub(crate) stats: ProjectileStats,
    pub(crate) pool: PhantomData<fn() -> P>,
}

impl<P: Payload> ops::Deref for PoolStats<P> {
    type Target = ProjectileStats;

    fn deref(&self) -> &ProjectileStats {
        &self.stats
    }
}

impl<P: Payload> fmt::Debug for PoolStats<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stats.fmt(f)
    }
}

/// Time spent in each phase since the last frame's end.
#[derive(Clone, Copy, Default)]
pub(crate) struct PhaseTimes {
    pub spawn: Duration,
    pub integrate: Duration,
    pub retire: Duration,
}

/// The diagnostic paths of one pool.
#[derive(Resource)]
pub(crate) struct PoolDiagnostics<P: Payload> {
    figures: [(DiagnosticPath, fn(&ProjectileStats) -> f64); 9],
    retired: [(DiagnosticPath, RetireReason); RetireReason::ALL.len()],
    phases: [(DiagnosticPath, fn(&PhaseTimes) -> Duration); 3],
    pool: PhantomData<fn() -> P>,
}

impl<P: Payload> PoolDiagnostics<P> {
    /// Registers the diagnostics `projectile_pool/<name>/…`.
    pub fn register(app: &mut App, name: &str) {
        let mut path = |figure: &str, unit: &'static str| {
            let path = DiagnosticPath::new(format!("projectile_pool/{name}/{figure}"));
            app.register_diagnostic(Diagnostic::new(path.clone()).with_suffix(unit));
            path
        };
        let diagnostics = Self {
            figures: [
                (path("live", ""), |stats| stats.live as f64),
                (path("peak", ""), |stats| stats.peak as f64),
                (path("capacity", ""), |stats| stats.capacity as f64),
                (path("free_rows", ""), |stats| stats.free_rows as f64),
                (path("bytes_held", "B"), |stats| stats.bytes_held as f64),
                (path("spawned", ""), |stats| stats.spawned as f64),
                (path("retired", ""), |stats| stats.retired.total() as f64),
                (path("rejected", ""), |stats| stats.rejected as f64),
                (path("invalid", ""), |stats| stats.invalid as f64),
            ],
            retired: RetireReason::ALL.map(|reason| (path(&format!("retired/{}", reason.name()), ""), reason)),
            phases: [
                (path("spawn_ms", "ms"), |times| times.spawn),
                (path("integrate_ms", "ms"), |times| times.integrate),
                (path("retire_ms", "ms"), |times| times.retire),
            ],
            pool: PhantomData,
        };
        app.insert_resource(diagnostics);
    }

    /// Measures every figure once a frame; phase times are the sums over the frame's ticks.
    pub fn measure(
        paths: Res<Self>,
        stats: Res<PoolStats<P>>,
        mut pool: ResMut<Pool<P>>,
        mut diagnostics: Diagnostics,
    ) {
        let times = core::mem::take(&mut pool.times);
        for (path, figure) in &paths.figures {
            diagnostics.add_measurement(path, || figure(&stats));
        }
        for (path, reason) in &paths.retired {
            diagnostics.add_measurement(path, || stats.retired.get(*reason) as f64);
        }
        for (path, phase) in &paths.phases {
            diagnostics.add_measurement(path, || phase(&times).as_secs_f64() * 1e3);
        }
    }
}
