//! Object pools: [`LocalPool`] for one owner, and [`SharedPool`] for many threads.
//!
//! ```
//! use object_pools::LocalPool;
//!
//! let pool = LocalPool::new(|| Vec::<u8>::with_capacity(1024));
//! let mut buffer = pool.lease();      // an idle one, or a new one
//! buffer.extend_from_slice(b"hello");
//! drop(buffer);                       // goes back by itself
//! ```
//!
//! * Rent and give back by hand ([`rent`](LocalPool::rent), [`give_back`](LocalPool::give_back)), by a guard
//!   ([`lease`](LocalPool::lease)), or for the time of a call ([`scope`](LocalPool::scope)).
//! * A [`Lifecycle`] says how items are built, reset and disposed of: a closure that builds is one, [`Hooks`] adds the
//!   others, [`Cleared`] is the one for collections.
//! * [`PoolSettings`] bound what is kept; a [`TrimPolicy`] lets go of what is not needed any more, on the caller's clock.
//! * [`PoolStats`] count; debug builds tell where items were rented that did not come back.
//!
//! # What cannot happen
//! An item cannot be used after it was given back, and cannot be given back twice: it is moved.
//! ```
//! let pool = object_pools::LocalPool::new(String::new);
//! let name = pool.rent();
//! pool.give_back(name);
//! ```
//! ```compile_fail,E0382
//! let pool = object_pools::LocalPool::new(String::new);
//! let name = pool.rent();
//! pool.give_back(name);
//! assert_eq!(name, ""); // used after it was given back
//! ```
//! ```compile_fail,E0382
//! let pool = object_pools::LocalPool::new(String::new);
//! let name = pool.rent();
//! pool.give_back(name);
//! pool.give_back(name); // given back twice
//! ```
//! Nor can a lease be used after its end, be copied, or outlive its pool; the same holds for a shared pool's.
//! ```compile_fail,E0382
//! let pool = object_pools::LocalPool::new(String::new);
//! let lease = pool.lease();
//! drop(lease);
//! assert_eq!(*lease, ""); // used after its end
//! ```
//! ```compile_fail,E0505
//! let pool = object_pools::SharedPool::new(String::new);
//! let lease = pool.lease();
//! drop(pool);
//! assert_eq!(*lease, ""); // outlives its pool
//! ```
//! ```compile_fail,E0308
//! let pool = object_pools::SharedPool::new(String::new);
//! let lease = pool.lease();
//! let copy: object_pools::SharedLease<'_, String, _> = lease.clone(); // a `String`, not a lease
//! ```
//!
//! # When not to use a pool
//! An allocator is a pool. What is small and needs no preparation comes from a modern allocator in some 20 ns, and a pool
//! saves a part of that. A pool pays where building is dear (large buffers, files, tables, compiled patterns), where a
//! steady frame must not allocate at all, or where what is kept has to be bounded and counted.
#![deny(missing_docs)]

mod collections;
mod leaks;
mod lifecycle;
mod local;
mod raw;
mod rolling;
mod settings;
mod shared;
mod stats;
mod sync;
mod trimmer;
mod watch;

pub use collections::{
    Cleared, LocalHashMapPool, LocalHashSetPool, LocalVecPool, SharedHashMapPool, SharedHashSetPool, SharedVecPool,
};
pub use lifecycle::{Hooks, Lifecycle};
pub use local::{LocalLease, LocalPool};
pub use raw::lease::{Lease, TakesBack};
pub use settings::{HeldAt, LeakReport, Overflow, PoolSettings, SettingsError, TrimPolicy};
pub use shared::{SharedLease, SharedPool};
pub use stats::{PoolStats, Purges};

/// Runs the code of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
