//! A kind of pool, made ready for a scenario: it gives each thread its work.

use std::marker::PhantomData;

use crossbeam_utils::CachePadded;

use super::{
    hand::{Hand, batches, in_turn, pairs},
    item::Factory,
};
use crate::Error;

/// Pools that one thread uses in turn, in `many-pools`.
pub const MANY: usize = 64;
/// Operations of a thread-run, in `source`.
pub const OPERATIONS: u64 = 1000;

/// What a thread does with a pool in one loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// So many rents, and as many returns.
    Batch(usize),
    /// So many pairs, one after the other.
    Pairs(u64),
    /// One pair with each of [`MANY`] pools.
    Many,
    /// As many pairs with one pool.
    One,
    /// One object from the first thread to the second.
    Transfer,
}

impl Work {
    /// Pairs of rent and return in a loop.
    #[must_use]
    pub fn pairs(self) -> u64 {
        match self {
            Self::Batch(held) => held as u64,
            Self::Pairs(pairs) => pairs,
            Self::Many | Self::One => MANY as u64,
            Self::Transfer => 1,
        }
    }

    fn pools(self) -> usize {
        if self == Self::Many { MANY } else { 1 }
    }

    /// One thread's work. The first hand is enough, if it is not many pools that are used.
    fn run<H: Hand>(self, mut hands: impl Iterator<Item = H>, loops: u64) -> u64 {
        let turns = |step: usize| (0..MANY).map(|turn| turn * step).collect::<Vec<_>>();
        match self {
            Self::Batch(1) => hands.next().map_or(0, |hand| pairs(hand, loops)),
            Self::Batch(held) => hands.next().map_or(0, |hand| batches(hand, held, loops)),
            Self::Pairs(count) => hands.next().map_or(0, |hand| pairs(hand, loops * count)),
            Self::Many => in_turn(hands.collect(), &turns(1), loops),
            Self::One => in_turn(hands.collect(), &turns(0), loops),
            Self::Transfer => 0,
        }
    }
}

/// What all kinds are made ready with.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// What a thread does.
    pub work: Work,
    /// How many threads.
    pub threads: usize,
    /// Idle items that a pool with a limit keeps.
    pub capacity: usize,
}

/// A pool, or what stands in for one, that can be made.
pub trait Make<const WORDS: usize>: Sized + 'static {
    /// Whether it builds an item for every rent. These are not counted, as that would cost more than some pools do.
    const BUILDS_EACH: bool = false;

    /// A pool without items, if it can be.
    ///
    /// # Errors
    /// If the pool does not take the capacity.
    fn make(factory: &Factory<WORDS>, capacity: usize) -> Result<Self, Error>;

    /// Counts with the factory what was built without it.
    fn settle(&self) {}
}

/// A pool that all threads use together.
pub trait Joint: Sync {
    /// How a thread uses it.
    type Hand<'a>: Hand
    where
        Self: 'a;

    /// For one thread.
    fn hand(&self) -> Self::Hand<'_>;
}

/// A pool that one thread has for itself.
pub trait Own {
    /// How the thread uses it.
    type Hand<'a>: Hand
    where
        Self: 'a;

    /// For the thread.
    fn hand(&mut self) -> Self::Hand<'_>;
}

/// Says of pools that a reference is all that a thread needs.
macro_rules! used_by_reference {
    (Joint: $($pool:ident),+) => {$(
        impl<const WORDS: usize> $crate::pools::kind::Joint for $pool<WORDS> {
            type Hand<'a> = &'a Self;

            #[inline(always)]
            fn hand(&self) -> &Self {
                self
            }
        }
    )+};
    (Own: $($pool:ident),+) => {$(
        impl<const WORDS: usize> $crate::pools::kind::Own for $pool<WORDS> {
            type Hand<'a> = &'a Self;

            #[inline(always)]
            fn hand(&mut self) -> &Self {
                self
            }
        }
    )+};
}

pub(super) use used_by_reference;

/// What one thread does, over and over.
pub trait Worker {
    /// So many loops. Returns its part of the checksum: of all threads together, one for each pair.
    fn run(&mut self, loops: u64) -> u64;

    /// The same before anything is timed: what counts along the way counts here.
    fn rehearse(&mut self, loops: u64) -> u64 {
        self.run(loops)
    }
}

/// Makes a thread's worker, on that thread.
pub type Maker<'a> = Box<dyn FnOnce() -> Result<Box<dyn Worker + 'a>, Error> + Send + 'a>;

/// A kind of pool, made ready.
pub trait Kind: Sync {
    /// What makes the workers: one for each thread.
    fn makers(&self) -> Vec<Maker<'_>>;

    /// Items built until now; `None`: one for each pair.
    fn built(&self) -> Option<u64>;

    /// The most items alive at once, if that was counted.
    fn peak(&self) -> Option<u64> {
        None
    }
}

/// Threads with pools of their own.
pub struct Owned<P, const WORDS: usize> {
    load: Load,
    factory: Factory<WORDS>,
    pool: PhantomData<fn() -> P>,
}

impl<P: Make<WORDS>, const WORDS: usize> Owned<P, WORDS> {
    /// Of a load.
    #[must_use]
    pub fn new(load: Load) -> Self {
        Self { load, factory: Factory::default(), pool: PhantomData }
    }
}

struct OwnWorker<P> {
    /// On cache lines of their own: beside another thread's, each would slow the other down.
    pools: Vec<CachePadded<P>>,
    work: Work,
}

impl<P: Own> Worker for OwnWorker<P> {
    fn run(&mut self, loops: u64) -> u64 {
        self.work.run(self.pools.iter_mut().map(|pool| P::hand(pool)), loops)
    }
}

impl<P: Make<WORDS> + Own, const WORDS: usize> Kind for Owned<P, WORDS> {
    fn makers(&self) -> Vec<Maker<'_>> {
        let Load { work, capacity, threads } = self.load;
        let maker = |_| -> Maker<'_> {
            Box::new(move || {
                let make = |_| P::make(&self.factory, capacity).map(CachePadded::new);
                let pools = (0..work.pools()).map(make).collect::<Result<_, _>>()?;
                Ok(Box::new(OwnWorker::<P> { pools, work }))
            })
        };
        (0..threads).map(maker).collect()
    }

    fn built(&self) -> Option<u64> {
        Some(self.factory.built())
    }
}

/// Pools that all threads share.
pub struct Shared<P, const WORDS: usize> {
    load: Load,
    factory: Factory<WORDS>,
    pub(super) pools: Vec<P>,
}

impl<P: Make<WORDS>, const WORDS: usize> Shared<P, WORDS> {
    /// Of a load.
    ///
    /// # Errors
    /// If the pool does not take the capacity.
    pub fn new(load: Load) -> Result<Self, Error> {
        let factory = Factory::default();
        let pools = (0..load.work.pools()).map(|_| P::make(&factory, load.capacity)).collect::<Result<_, _>>()?;
        Ok(Self { load, factory, pools })
    }

    pub(super) fn count_built(&self) -> Option<u64> {
        self.pools.iter().for_each(P::settle);
        (!P::BUILDS_EACH).then(|| self.factory.built())
    }
}

struct SharedWorker<'a, P> {
    pools: &'a [P],
    work: Work,
}

impl<P: Joint> Worker for SharedWorker<'_, P> {
    fn run(&mut self, loops: u64) -> u64 {
        self.work.run(self.pools.iter().map(P::hand), loops)
    }
}

impl<P: Make<WORDS> + Joint, const WORDS: usize> Kind for Shared<P, WORDS> {
    fn makers(&self) -> Vec<Maker<'_>> {
        let work = self.load.work;
        let maker = |_| -> Maker<'_> { Box::new(move || Ok(Box::new(SharedWorker { pools: &self.pools, work }))) };
        (0..self.load.threads).map(maker).collect()
    }

    fn built(&self) -> Option<u64> {
        self.count_built()
    }
}

/// The positive control of the clock: arithmetic, so many times as much.
#[derive(Clone, Copy, Debug)]
pub struct Control {
    /// On as many threads as the pools.
    pub threads: usize,
    /// How many times as much.
    pub times: u64,
}

/// Steps of arithmetic in a loop of the control.
const STEPS: u64 = 1000;

impl Worker for Control {
    fn run(&mut self, loops: u64) -> u64 {
        let mut state = std::hint::black_box(1_u64);
        for _ in 0..loops * self.times * STEPS {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
        }
        // What was computed has no part in the checksum, and is computed all the same.
        std::hint::black_box(state);
        loops
    }
}

impl Kind for Control {
    fn makers(&self) -> Vec<Maker<'_>> {
        (0..self.threads).map(|_| -> Maker<'_> { Box::new(|| Ok(Box::new(*self))) }).collect()
    }

    fn built(&self) -> Option<u64> {
        Some(0)
    }
}
