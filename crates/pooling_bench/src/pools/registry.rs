//! From a cell's name to its kind of pool.

use super::{
    Scenario,
    kind::{Joint, Kind, Load, Make, Own, Owned, Shared, Work},
    ours::{LocalByHand, LocalByLease, SharedByHand, SharedByLease},
    peers::{Array, Linear, ObjectPool, Opool, OpoolLocal, RegexAutomata, Seg, ShardedSlab, ShardedSlabOwned, Spin},
    plain::{Malloc, MutexVec, OwnVec, ParkingLotVec, VecOfThread},
    transfer::{HeldOf, Transfer},
};
use crate::Error;

/// What every other cell is compared with.
pub const VEC: &str = "vec";
/// No pool at all.
pub const MALLOC: &str = "malloc";
/// A pool that its crate made for one thread.
const OPOOL_LOCAL: &str = "opool local";
/// Keeps apart what different threads give back, without a bound: in `transfer` it would never rent again what came back.
const REGEX: &str = "regex-automata";

/// Every cell.
pub const CELLS: [&str; 18] = [
    VEC,
    "object_pools local",
    "object_pools local lease",
    "object_pools shared",
    "object_pools shared guard",
    "thread_local",
    "mutex-vec",
    "parking-lot-mutex-vec",
    MALLOC,
    "object-pool",
    "lockfree-object-pool linear",
    "lockfree-object-pool spin",
    "opool",
    OPOOL_LOCAL,
    "sharded-slab",
    REGEX,
    "crossbeam-array-queue",
    "crossbeam-seg-queue",
];

/// Whether a cell is a pool of another crate, or a queue of one.
#[must_use]
pub fn is_peer(cell: &str) -> bool {
    CELLS.iter().skip_while(|&&other| other != MALLOC).skip(1).any(|&other| other == cell)
}

/// Whether a cell is for one thread, or for threads each for itself.
fn is_of_a_thread(cell: &str) -> bool {
    [VEC, "object_pools local", "object_pools local lease", OPOOL_LOCAL].contains(&cell)
}

/// Whether a cell is measured in a scenario on so many threads.
#[must_use]
pub fn applies(cell: &str, scenario: Scenario, threads: u32) -> bool {
    match scenario {
        Scenario::Pair | Scenario::Source => cell != OPOOL_LOCAL || threads == 1,
        Scenario::Transfer => !is_of_a_thread(cell) && cell != REGEX,
        Scenario::ManyPools => cell != MALLOC,
    }
}

/// The kind of pool of a cell.
///
/// # Errors
/// If there is no such cell, or it cannot do such work.
pub fn kind<const WORDS: usize>(cell: &str, load: Load) -> Result<Box<dyn Kind>, Error> {
    match cell {
        VEC => own::<OwnVec<WORDS>, WORDS>(cell, load),
        "object_pools local" => own::<LocalByHand<WORDS>, WORDS>(cell, load),
        "object_pools local lease" => own::<LocalByLease<WORDS>, WORDS>(cell, load),
        "object_pools shared" => joint::<SharedByHand<WORDS>, WORDS>(load),
        "object_pools shared guard" => joint::<SharedByLease<WORDS>, WORDS>(load),
        "thread_local" => joint::<VecOfThread<WORDS>, WORDS>(load),
        "mutex-vec" => joint::<MutexVec<WORDS>, WORDS>(load),
        "parking-lot-mutex-vec" => joint::<ParkingLotVec<WORDS>, WORDS>(load),
        MALLOC => joint::<Malloc<WORDS>, WORDS>(load),
        "object-pool" => joint::<ObjectPool<WORDS>, WORDS>(load),
        "lockfree-object-pool linear" => joint::<Linear<WORDS>, WORDS>(load),
        "lockfree-object-pool spin" => joint::<Spin<WORDS>, WORDS>(load),
        "opool" => joint::<Opool<WORDS>, WORDS>(load),
        OPOOL_LOCAL => own::<OpoolLocal<WORDS>, WORDS>(cell, load),
        "sharded-slab" if load.work == Work::Transfer => joint::<ShardedSlabOwned<WORDS>, WORDS>(load),
        "sharded-slab" => staying::<ShardedSlab<WORDS>, WORDS>(cell, load),
        REGEX => staying::<RegexAutomata<WORDS>, WORDS>(cell, load),
        "crossbeam-array-queue" => joint::<Array<WORDS>, WORDS>(load),
        "crossbeam-seg-queue" => joint::<Seg<WORDS>, WORDS>(load),
        other => Err(Error::UnknownCell { suite: "pools", cell: other.to_owned(), known: CELLS.to_vec() }),
    }
}

fn own<P: Make<WORDS> + Own, const WORDS: usize>(cell: &str, load: Load) -> Result<Box<dyn Kind>, Error> {
    match load.work {
        Work::Transfer => Err(no_transfer(cell)),
        _ => Ok(Box::new(Owned::<P, WORDS>::new(load))),
    }
}

/// A pool whose guards stay on their thread.
fn staying<P: Make<WORDS> + Joint, const WORDS: usize>(cell: &str, load: Load) -> Result<Box<dyn Kind>, Error> {
    match load.work {
        Work::Transfer => Err(no_transfer(cell)),
        _ => Ok(Box::new(Shared::<P, WORDS>::new(load)?)),
    }
}

/// A pool whose items, or guards, can go to another thread.
fn joint<P: Make<WORDS> + Joint, const WORDS: usize>(load: Load) -> Result<Box<dyn Kind>, Error>
where
    for<'a> HeldOf<'a, P>: Send,
{
    match load.work {
        Work::Transfer => Ok(Box::new(Transfer::<P, WORDS>::new(load)?)),
        _ => Ok(Box::new(Shared::<P, WORDS>::new(load)?)),
    }
}

fn no_transfer(cell: &str) -> Error {
    Error::Option(format!("{cell} has no part in transfer: its items do not go from thread to thread"))
}
