//! The storages of projectiles, swappable while the app runs. Each keeps the same doors: spawn, integrate, retire, and
//! the few by which the pool looks in.

use core::{fmt, marker::PhantomData, str::FromStr};

use crate::{
    Payload,
    engine::{Reflect, Resource, World},
    pool::{Pool, Step},
    projectile::Flight,
};

pub(crate) mod component_recycling;
pub(crate) mod despawn_respawn;
pub(crate) mod parallel_arrays;
pub(crate) mod rows;

/// How a pool stores its projectiles. What the app sees of them is the same in each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
pub enum PoolingStrategy {
    /// One entity a projectile, spawned when it starts and despawned when it ends: no pooling, the baseline.
    DespawnRespawn,
    /// One entity a projectile, whose row is overwritten by the next one after it ends.
    ComponentRecycling,
    /// No entities: one array for each field.
    #[default]
    ParallelArrays,
}

impl PoolingStrategy {
    /// Every strategy, in the order of the keys 1, 2, 3 of the demo.
    pub const ALL: [Self; 3] = [Self::DespawnRespawn, Self::ComponentRecycling, Self::ParallelArrays];

    /// The name on command lines and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DespawnRespawn => "despawn-respawn",
            Self::ComponentRecycling => "component-recycling",
            Self::ParallelArrays => "parallel-arrays",
        }
    }

    /// The strategy after this one in [`ALL`](Self::ALL), and the first after the last.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::DespawnRespawn => Self::ComponentRecycling,
            Self::ComponentRecycling => Self::ParallelArrays,
            Self::ParallelArrays => Self::DespawnRespawn,
        }
    }
}

impl fmt::Display for PoolingStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no strategy's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no pooling strategy \"{0}\": it is one of despawn-respawn, component-recycling, parallel-arrays")]
pub struct UnknownStrategy(pub String);

impl FromStr for PoolingStrategy {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, UnknownStrategy> {
        let found = Self::ALL.into_iter().find(|strategy| strategy.name() == name);
        found.ok_or_else(|| UnknownStrategy(name.to_owned()))
    }
}

/// Which strategy the pool of `P` uses, and how to change it while the app runs.
///
/// A change carries every live projectile over with its id, age, remaining lifetime, position, velocity and payload; ends
/// already asked for stay ends, statistics go on. Components that the app added to a projectile's entity go with the
/// entity. It comes into force before the next tick, or in the next frame's `First` if none runs before.
#[derive(Resource)]
pub struct ActiveStrategy<P: Payload> {
    active: PoolingStrategy,
    wanted: PoolingStrategy,
    pool: PhantomData<fn() -> P>,
}

impl<P: Payload> ActiveStrategy<P> {
    pub(crate) fn new(strategy: PoolingStrategy) -> Self {
        Self { active: strategy, wanted: strategy, pool: PhantomData }
    }

    /// The strategy in use.
    #[must_use]
    pub fn get(&self) -> PoolingStrategy {
        self.active
    }

    /// The strategy that comes into force next: the last one set.
    #[must_use]
    pub fn wanted(&self) -> PoolingStrategy {
        self.wanted
    }

    /// Asks for a strategy. The last request before the change counts; asking for the one in use is no change.
    pub fn set(&mut self, strategy: PoolingStrategy) {
        self.wanted = strategy;
    }

    pub(crate) fn now_active(&mut self, strategy: PoolingStrategy) {
        self.active = strategy;
    }
}

impl<P: Payload> fmt::Debug for ActiveStrategy<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActiveStrategy").field("active", &self.active).field("wanted", &self.wanted).finish()
    }
}

/// What a storage holds.
#[derive(Clone, Copy, Default)]
pub(crate) struct Room {
    pub capacity: usize,
    pub free_rows: usize,
    pub bytes: usize,
}

/// The storage in use: each door leads to the module of the strategy.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Storage(PoolingStrategy);

impl Storage {
    pub fn of(strategy: PoolingStrategy) -> Self {
        Self(strategy)
    }

    pub fn strategy(self) -> PoolingStrategy {
        self.0
    }

    /// Whether each projectile is an entity.
    pub fn has_entities(self) -> bool {
        self.0 != PoolingStrategy::ParallelArrays
    }

    /// Stores live projectiles, whose ids rise and are above all stored ones. They are already booked.
    pub fn spawn<P: Payload>(self, world: &mut World, pool: &mut Pool<P>, flights: &[Flight<P>]) {
        match self.0 {
            PoolingStrategy::DespawnRespawn => despawn_respawn::spawn(world, pool, flights),
            PoolingStrategy::ComponentRecycling => component_recycling::spawn(world, pool, flights),
            PoolingStrategy::ParallelArrays => parallel_arrays::spawn(world, pool, flights),
        }
    }

    /// Moves every live projectile by one step.
    pub fn integrate<P: Payload>(self, world: &mut World, pool: &Pool<P>, step: Step) {
        match self.0 {
            PoolingStrategy::DespawnRespawn => despawn_respawn::integrate(world, pool, step),
            PoolingStrategy::ComponentRecycling => component_recycling::integrate(world, pool, step),
            PoolingStrategy::ParallelArrays => parallel_arrays::integrate(world, pool, step),
        }
    }

    /// Books the ends of what met its [`Fate`](crate::pool::Fate), releases the storage of all that ended, and gives
    /// room back if it is time.
    pub fn retire<P: Payload>(self, world: &mut World, pool: &mut Pool<P>) {
        match self.0 {
            PoolingStrategy::DespawnRespawn => despawn_respawn::retire(world, pool),
            PoolingStrategy::ComponentRecycling => component_recycling::retire(world, pool),
            PoolingStrategy::ParallelArrays => parallel_arrays::retire(world, pool),
        }
    }

    /// Books the `count` live projectiles with the lowest ids as evicted.
    pub fn evict_oldest<P: Payload>(self, world: &mut World, pool: &mut Pool<P>, count: usize) {
        match self.0 {
            PoolingStrategy::DespawnRespawn | PoolingStrategy::ComponentRecycling => {
                rows::evict_oldest(world, pool, count);
            }
            PoolingStrategy::ParallelArrays => parallel_arrays::evict_oldest(world, pool, count),
        }
    }

    /// Empties the storage, gives its memory back, and returns what was alive, in any order.
    pub fn take_all<P: Payload>(self, world: &mut World) -> Vec<Flight<P>> {
        match self.0 {
            PoolingStrategy::DespawnRespawn | PoolingStrategy::ComponentRecycling => rows::take_all(world),
            PoolingStrategy::ParallelArrays => parallel_arrays::take_all(world),
        }
    }

    /// The sum of [`projectile_mix`](crate::checksum::projectile_mix) over the live projectiles.
    pub fn checksum<P: Payload>(self, world: &mut World, steps: u32, hash: fn(&P) -> u64) -> u64 {
        match self.0 {
            PoolingStrategy::DespawnRespawn | PoolingStrategy::ComponentRecycling => rows::checksum(world, steps, hash),
            PoolingStrategy::ParallelArrays => parallel_arrays::checksum(world, steps, hash),
        }
    }

    /// What the storage holds.
    pub fn room<P: Payload>(self, world: &World) -> Room {
        match self.0 {
            PoolingStrategy::DespawnRespawn | PoolingStrategy::ComponentRecycling => rows::room::<P>(world),
            PoolingStrategy::ParallelArrays => parallel_arrays::room::<P>(world),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for strategy in PoolingStrategy::ALL {
            assert_eq!(strategy.name().parse(), Ok(strategy));
        }
        let error = "arrays".parse::<PoolingStrategy>().unwrap_err();
        assert!(error.to_string().contains("parallel-arrays"), "{error}");
    }

    #[test]
    fn next_goes_round() {
        let [first, second, third] = PoolingStrategy::ALL;
        assert_eq!([first.next(), second.next(), third.next()], [second, third, first]);
    }
}
