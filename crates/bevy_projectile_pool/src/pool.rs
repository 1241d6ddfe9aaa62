//! The heart of one pool: its books, its settings as they hold now, and what happens to it in a tick.

use std::time::{Duration, Instant};

use crate::{
    ActiveStrategy, FullPolicy, Payload, PoolChecksum, PoolSettings, PoolStats, ProjectileClock, ProjectileSettings,
    ProjectileStats, RetireCounts, RetireReason, Retired, RetiredProjectiles,
    engine::{Mut, Rect, Resource, Vec2, World},
    ledger::Ledger,
    projectile::{Flight, expired},
    spawner::SpawnQueue,
    stats::PhaseTimes,
    strategy::{Storage, rows::Strays},
    trim::RecentPeak,
};

/// What every storage needs to know of its pool.
#[derive(Resource)]
pub(crate) struct Pool<P: Payload> {
    pub name: String,
    pub storage: Storage,
    /// Runs of `Integrate` so far, wrapping.
    pub steps: u32,
    /// The settings with every senseless value replaced.
    pub settings: ProjectileSettings,
    complaint: Option<&'static str>,
    pub ledger: Ledger<P>,
    pub recent_peak: RecentPeak,
    recent_requests: RecentPeak,
    pub times: PhaseTimes,
    peak: usize,
    spawned: u64,
    rejected: u64,
    incoming: Vec<Flight<P>>,
}

/// One tick's motion.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    /// Seconds.
    pub dt: f32,
    /// Added to every velocity.
    pub impulse: Vec2,
}

impl Step {
    /// Semi-implicit Euler: the velocity first, then the position with the new velocity. Along an axis without impulse the
    /// velocity stays as it is, a negative zero too, in every storage.
    #[inline]
    pub fn advance(self, position: &mut Vec2, velocity: &mut Vec2) {
        if self.impulse.x != 0.0 {
            velocity.x += self.impulse.x;
        }
        if self.impulse.y != 0.0 {
            velocity.y += self.impulse.y;
        }
        *position += *velocity * self.dt;
    }
}

/// What ends a live projectile by itself: the clock and the bounds.
#[derive(Clone, Copy)]
pub(crate) struct Fate {
    pub steps: u32,
    pub bounds: Option<Rect>,
}

impl Fate {
    /// Whether its lifetime is over.
    #[inline]
    pub fn has_expired(self, born: u32, lifetime: u32) -> bool {
        expired(self.steps, born, lifetime)
    }
}

impl<P: Payload> Pool<P> {
    pub fn new(name: String, storage: Storage, settings: ProjectileSettings) -> Self {
        let mut pool = Self {
            name,
            storage,
            steps: 0,
            settings: ProjectileSettings::default(),
            complaint: None,
            ledger: Ledger::default(),
            recent_peak: RecentPeak::default(),
            recent_requests: RecentPeak::default(),
            times: PhaseTimes::default(),
            peak: 0,
            spawned: 0,
            rejected: 0,
            incoming: Vec::new(),
        };
        pool.apply(settings);
        pool
    }

    /// Brings settings into force; those that make no sense are replaced, with an error in the log.
    fn apply(&mut self, settings: ProjectileSettings) {
        let (settings, complaint) = settings.sanitised();
        if complaint != self.complaint
            && let Some(complaint) = complaint
        {
            tracing::error!("projectile pool {}: {complaint}", self.name);
        }
        self.settings = settings;
        self.complaint = complaint;
        self.ledger.recording = settings.record_retired;
    }

    pub fn fate(&self) -> Fate {
        Fate { steps: self.steps, bounds: self.settings.bounds }
    }

    /// The room to shrink a storage to that has room for `room`, if it is time.
    pub fn shrink_to(&self, room: usize) -> Option<usize> {
        self.recent_peak.shrink_to(room, self.settings.capacity as usize, &self.settings.trim)
    }
}

/// Takes the pool out of the world for the time of `work`, so that both can be changed.
fn with_pool<P: Payload>(world: &mut World, work: impl FnOnce(&mut World, &mut Pool<P>)) {
    world.resource_scope(|world, mut pool: Mut<Pool<P>>| {
        work(world, &mut pool);
        book_strays(world, &mut pool);
    });
}

/// Books what went with the entities that the pool despawned itself.
fn book_strays<P: Payload>(world: &mut World, pool: &mut Pool<P>) {
    for Retired { id, reason, position, velocity, payload } in world.resource_mut::<Strays<P>>().0.drain(..) {
        pool.ledger.end(reason, id, position, velocity, payload);
    }
}

fn timed(time: &mut Duration, start: Instant) {
    *time += start.elapsed();
}

/// The phase `Spawn`: takes the queue over, applies the full policy, hands the rest to the storage.
pub(crate) fn spawn<P: Payload>(world: &mut World) {
    with_pool::<P>(world, |world, pool| {
        let start = Instant::now();
        let mut incoming = core::mem::take(&mut pool.incoming);
        world.resource_mut::<SpawnQueue<P>>().take(pool.steps, &mut incoming);
        pool.recent_requests.note(incoming.len(), &pool.settings.trim);
        if !incoming.is_empty() {
            admit(world, pool, &mut incoming);
            pool.ledger.live += incoming.len();
            pool.peak = pool.peak.max(pool.ledger.live);
            if !incoming.is_empty() {
                pool.storage.spawn(world, pool, &incoming);
            }
        }
        // Live counts are highest here: what ends in this tick has had a place in it.
        pool.recent_peak.note(pool.ledger.live, &pool.settings.trim);
        world.resource_mut::<SpawnQueue<P>>().use_again(&mut incoming);
        trim_queue(world, pool, &mut incoming);
        pool.incoming = incoming;
        timed(&mut pool.times.spawn, start);
    });
}

/// Gives back the room of the queue, and of `incoming` that it was emptied into, after a burst.
fn trim_queue<P: Payload>(world: &mut World, pool: &Pool<P>, incoming: &mut Vec<Flight<P>>) {
    if let Some(room) = pool.recent_requests.shrink_to(incoming.capacity(), 0, &pool.settings.trim) {
        incoming.clear();
        incoming.shrink_to(room);
    }
    let mut queue = world.resource_mut::<SpawnQueue<P>>();
    if let Some(room) = pool.recent_requests.shrink_to(queue.room(), 0, &pool.settings.trim) {
        queue.shrink_to(room);
    }
}

/// Makes `incoming` fit: rejects newcomers or evicts the oldest, as the settings say.
fn admit<P: Payload>(world: &mut World, pool: &mut Pool<P>, incoming: &mut Vec<Flight<P>>) {
    let excess = (pool.ledger.live + incoming.len()).saturating_sub(pool.settings.limit());
    if excess > 0 && pool.settings.when_full == FullPolicy::EvictOldest {
        let evicted = excess.min(pool.ledger.live);
        pool.storage.evict_oldest(world, pool, evicted);
        pool.spawned += incoming.len() as u64;
        let unborn = excess - evicted;
        pool.ledger.live += unborn;
        for flight in incoming.drain(..unborn) {
            pool.ledger.end(RetireReason::Evicted, flight.id, flight.position, flight.velocity, flight.payload);
        }
    } else {
        let rejected = excess.min(incoming.len());
        if rejected > 0 && pool.rejected == 0 {
            tracing::warn!(
                "projectile pool {} is full at {} projectiles; what is rejected is counted in `ProjectileStats::rejected`",
                pool.name,
                pool.settings.limit()
            );
        }
        incoming.truncate(incoming.len() - rejected);
        pool.rejected += rejected as u64;
        pool.spawned += incoming.len() as u64;
    }
}

/// The phase `Integrate`: one step for every live projectile.
pub(crate) fn integrate<P: Payload>(world: &mut World) {
    let dt = world.resource::<ProjectileClock>().delta_secs();
    with_pool::<P>(world, |world, pool| {
        let start = Instant::now();
        pool.steps = pool.steps.wrapping_add(1);
        if pool.ledger.live > 0 {
            let step = Step { dt, impulse: pool.settings.acceleration * dt };
            pool.storage.integrate(world, pool, step);
        }
        timed(&mut pool.times.integrate, start);
    });
}

/// The phase `Retire`: ends what expired or left the bounds, releases what ended, publishes records and figures.
pub(crate) fn retire<P: Payload>(world: &mut World) {
    with_pool::<P>(world, |world, pool| {
        let start = Instant::now();
        pool.storage.retire(world, pool);
        book_strays(world, pool);
        let mut retired = world.resource_mut::<RetiredProjectiles<P>>();
        retired.records.clear();
        retired.records.append(&mut pool.ledger.records);
        retired.records.sort_unstable_by_key(|record| record.id);
        publish(world, pool);
        timed(&mut pool.times.retire, start);
    });
}

/// Before a tick, and in `First`: the strategy and the settings that the user asked for come into force.
pub(crate) fn prepare<P: Payload>(world: &mut World) {
    let settings = **world.resource::<PoolSettings<P>>();
    world.resource_mut::<Pool<P>>().apply(settings);
    let wanted = Storage::of(world.resource::<ActiveStrategy<P>>().wanted());
    if wanted == world.resource::<Pool<P>>().storage {
        return;
    }
    with_pool::<P>(world, |world, pool| {
        let mut flights = pool.storage.take_all::<P>(world);
        pool.ledger.recount(flights.len());
        flights.sort_unstable_by_key(|flight| flight.id);
        pool.storage = wanted;
        pool.storage.spawn(world, pool, &flights);
        world.resource_mut::<ActiveStrategy<P>>().now_active(wanted.strategy());
        publish(world, pool);
    });
}

/// After a tick: the checksum, if it is on.
pub(crate) fn conclude<P: Payload>(world: &mut World) {
    let checksum = world.resource::<PoolChecksum<P>>();
    if !checksum.is_on() {
        return;
    }
    let hash = checksum.payload_hash.unwrap_or(|_| 0);
    with_pool::<P>(world, |world, pool| {
        let sum = pool.storage.checksum(world, pool.steps, hash);
        let mut checksum = world.resource_mut::<PoolChecksum<P>>();
        checksum.fold(sum, pool.ledger.live, &pool.ledger.ended);
    });
}

/// Ends every projectile of the pool of `P` at once as [`RetireReason::Cleared`], drops the spawns that wait, and
/// releases the storage. An exclusive system, made for leaving a level:
///
/// ```
/// # use bevy_app::prelude::*; use bevy_ecs::prelude::*; use bevy_projectile_pool::prelude::*;
/// # use bevy_state::prelude::*;
/// # #[derive(States, Default, Debug, Clone, PartialEq, Eq, Hash)] enum GameState { #[default] Playing }
/// # fn add(app: &mut App) {
/// app.add_systems(OnExit(GameState::Playing), clear_projectiles::<u32>);
/// # }
/// ```
///
/// No tick is needed for it. The records, if they are on, are those of the next tick. Without a pool of `P` it does
/// nothing.
pub fn clear_projectiles<P: Payload>(world: &mut World) {
    if !world.contains_resource::<Pool<P>>() {
        return;
    }
    world.resource_mut::<SpawnQueue<P>>().clear();
    with_pool::<P>(world, |world, pool| {
        let flights = pool.storage.take_all::<P>(world);
        pool.ledger.recount(flights.len());
        for flight in flights {
            pool.ledger.end(RetireReason::Cleared, flight.id, flight.position, flight.velocity, flight.payload);
        }
        publish(world, pool);
    });
}

/// Writes the pool's figures to its `PoolStats`.
fn publish<P: Payload>(world: &mut World, pool: &Pool<P>) {
    let queue = world.resource::<SpawnQueue<P>>();
    let invalid = queue.invalid() + pool.ledger.refused;
    let queue_bytes = queue.bytes() + pool.incoming.capacity() * size_of::<Flight<P>>();
    let room = pool.storage.room::<P>(world);
    let retired = RetireCounts::new(pool.ledger.ended);
    world.resource_mut::<PoolStats<P>>().stats = ProjectileStats {
        live: pool.ledger.live,
        peak: pool.peak,
        capacity: room.capacity,
        free_rows: room.free_rows,
        bytes_held: room.bytes + queue_bytes,
        spawned: pool.spawned,
        retired,
        rejected: pool.rejected,
        evicted: retired.get(RetireReason::Evicted),
        invalid,
    };
}
