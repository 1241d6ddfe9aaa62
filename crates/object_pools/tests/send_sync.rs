//! Which pools and leases may go to, and be shared by, which threads: not one more than is sound, and not one less.
//! (That a `SharedPool` of items that are not `Send` does not compile is a test of the documentation.)
#![cfg(not(loom))]

use std::{cell::Cell, marker::PhantomData, rc::Rc, sync::MutexGuard};

use object_pools::{Hooks, Lifecycle, LocalLease, LocalPool, SharedLease, SharedPool};
use static_assertions::{assert_impl_all, assert_not_impl_any};

/// `Send` and not `Sync`.
type OfOneAtATime = Cell<u8>;
/// `Sync` and not `Send`.
type OfOneThread = MutexGuard<'static, u8>;
/// Neither.
type Neither = Rc<u8>;

/// A lifecycle that is `Send` and `Sync` as `M` is.
struct As<M>(PhantomData<M>);

impl<T, M> Lifecycle<T> for As<M> {
    fn build(&self) -> T {
        unreachable!("only types are tested here")
    }
}

assert_impl_all!(As<u8>: Send, Sync);
assert_impl_all!(As<OfOneAtATime>: Send);
assert_not_impl_any!(As<OfOneAtATime>: Sync);
assert_impl_all!(As<OfOneThread>: Sync);
assert_not_impl_any!(As<OfOneThread>: Send);
assert_not_impl_any!(As<Neither>: Send, Sync);

/// A local pool is `Send` if its items and its lifecycle are.
mod local_pools {
    use super::*;

    assert_impl_all!(LocalPool<u8>: Send);
    assert_impl_all!(LocalPool<u8, As<u8>>: Send);
    assert_impl_all!(LocalPool<OfOneAtATime, As<u8>>: Send);
    assert_impl_all!(LocalPool<u8, As<OfOneAtATime>>: Send);
    assert_not_impl_any!(LocalPool<OfOneThread, As<u8>>: Send);
    assert_not_impl_any!(LocalPool<Neither, As<u8>>: Send);
    assert_not_impl_any!(LocalPool<u8, As<OfOneThread>>: Send);
    assert_not_impl_any!(LocalPool<u8, As<Neither>>: Send);
}

/// A local pool is never `Sync`.
mod local_pools_for_one {
    use super::*;

    assert_not_impl_any!(LocalPool<u8>: Sync);
    assert_not_impl_any!(LocalPool<u8, As<u8>>: Sync);
    assert_not_impl_any!(LocalPool<OfOneThread, As<OfOneThread>>: Sync);
    assert_not_impl_any!(LocalPool<(), As<()>>: Sync);
}

/// As it is not `Sync`, its leases stay where they are.
mod local_leases {
    use super::*;

    assert_not_impl_any!(LocalLease<'static, u8>: Send, Sync);
    assert_not_impl_any!(LocalLease<'static, u8, As<u8>>: Send, Sync);
    assert_not_impl_any!(LocalLease<'static, OfOneAtATime, As<u8>>: Send, Sync);
    assert_not_impl_any!(LocalLease<'static, OfOneThread, As<u8>>: Send, Sync);
}

/// A shared pool is `Send` and `Sync` if its lifecycle, which all threads use at once, is both.
mod shared_pools {
    use super::*;

    assert_impl_all!(SharedPool<u8>: Send, Sync);
    assert_impl_all!(SharedPool<u8, As<u8>>: Send, Sync);
    // Items have one holder at a time.
    assert_impl_all!(SharedPool<OfOneAtATime, As<u8>>: Send, Sync);
    assert_not_impl_any!(SharedPool<u8, As<OfOneAtATime>>: Send, Sync);
    assert_not_impl_any!(SharedPool<u8, As<OfOneThread>>: Send, Sync);
    assert_not_impl_any!(SharedPool<u8, As<Neither>>: Send, Sync);
}

/// A lease of a shared pool is as its item, if the pool may be shared.
mod shared_leases {
    use super::*;

    assert_impl_all!(SharedLease<'static, u8>: Send, Sync);
    assert_impl_all!(SharedLease<'static, u8, As<u8>>: Send, Sync);
    assert_impl_all!(SharedLease<'static, OfOneAtATime, As<u8>>: Send);
    assert_not_impl_any!(SharedLease<'static, OfOneAtATime, As<u8>>: Sync);
    assert_not_impl_any!(SharedLease<'static, u8, As<OfOneAtATime>>: Send, Sync);
    assert_not_impl_any!(SharedLease<'static, u8, As<OfOneThread>>: Send, Sync);
    assert_not_impl_any!(SharedLease<'static, u8, As<Neither>>: Send, Sync);
}

/// Each hook counts: the factory, the reset hook and the disposer.
mod hooks {
    use super::*;

    type Build = fn() -> u8;
    type Reset = fn(&mut u8);
    type Dispose = fn(u8);
    type Both<F> = SharedPool<u8, F>;

    assert_impl_all!(Both<Hooks<Build, Reset, Dispose>>: Send, Sync);
    assert_impl_all!(Both<Hooks<Box<dyn Fn() -> u8 + Send + Sync>, Reset, Dispose>>: Send, Sync);
    assert_not_impl_any!(Both<Box<dyn Fn() -> u8 + Send>>: Send, Sync);
    assert_not_impl_any!(Both<Hooks<Box<dyn Fn() -> u8 + Send>, Reset, Dispose>>: Send, Sync);
    assert_not_impl_any!(Both<Hooks<Build, Box<dyn Fn(&mut u8) + Send>, Dispose>>: Send, Sync);
    assert_not_impl_any!(Both<Hooks<Build, Reset, Box<dyn Fn(u8) + Send>>>: Send, Sync);
    assert_not_impl_any!(Both<Hooks<Build, Box<dyn Fn(&mut u8) + Sync>, Dispose>>: Send, Sync);
    assert_not_impl_any!(Both<Hooks<Build, Reset, Box<dyn Fn(u8)>>>: Send, Sync);

    assert_impl_all!(LocalPool<u8, Hooks<Build, Reset, Box<dyn Fn(u8) + Send>>>: Send);
    assert_not_impl_any!(LocalPool<u8, Hooks<Box<dyn Fn() -> u8>, Reset, Dispose>>: Send);
    assert_not_impl_any!(LocalPool<u8, Hooks<Build, Box<dyn Fn(&mut u8)>, Dispose>>: Send);
    assert_not_impl_any!(LocalPool<u8, Hooks<Build, Reset, Box<dyn Fn(u8)>>>: Send);
}

/// What the types allow works: a local pool moves with its items.
#[test]
fn a_local_pool_moves_to_another_thread_and_back() {
    let pool = LocalPool::new(|| Cell::new(0));
    drop(pool.lease());
    let pool = std::thread::spawn(move || {
        pool.lease().set(7);
        pool
    });
    let pool = pool.join().unwrap();
    assert_eq!(pool.rent().get(), 7);
    pool.write_off(1);
}

/// What the types allow works: a lease of a shared pool ends on another thread.
#[test]
fn a_lease_of_a_shared_pool_ends_on_another_thread() {
    let pool = SharedPool::new(|| Cell::new(0));
    let lease = pool.lease();
    std::thread::scope(|scope| {
        let thread = scope.spawn(move || lease.set(7));
        thread.join().unwrap();
    });
    assert_eq!(pool.idle(), 1);
    assert_eq!(pool.lease().get(), 7);
}
