//! What a pool does with its items.

/// How the items of a pool begin, are made ready for the next renter, and end.
///
/// A closure or function `Fn() -> T` is a lifecycle that only builds. [`Hooks`] adds hooks to one. Implement the trait
/// for a type of your own to be able to name the pool's type without function pointers.
///
/// A pool calls these with nothing locked and nothing borrowed: they may use the same pool. If one panics, the panic goes
/// to the caller of the pool, the item at hand is dropped and counted under [`Purges::panic`](crate::Purges::panic), and
/// the pool stays as it was.
pub trait Lifecycle<T> {
    /// Makes an item: the factory.
    fn build(&self) -> T;

    /// Makes a returned item ready for its next renter, before the pool keeps it. Nothing by default.
    #[inline]
    fn reset(&self, item: &mut T) {
        let _ = item;
    }

    /// Ends an item which the pool does not keep. Drops it by default.
    #[inline]
    fn dispose(&self, item: T) {
        drop(item);
    }
}

impl<T, F: Fn() -> T> Lifecycle<T> for F {
    #[inline]
    fn build(&self) -> T {
        self()
    }
}

/// A factory with a reset hook and a disposer, as closures.
///
/// ```
/// use object_pools::{Hooks, LocalPool};
///
/// let pool = LocalPool::new(Hooks::new(String::new).reset(String::clear));
/// let mut name = pool.rent();
/// name.push_str("stale");
/// pool.give_back(name);
/// assert_eq!(pool.rent(), "");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Hooks<F, R, D> {
    build: F,
    reset: R,
    dispose: D,
}

impl<T, F: Fn() -> T> Hooks<F, fn(&mut T), fn(T)> {
    /// Hooks that only build, until others are added.
    pub fn new(build: F) -> Hooks<F, impl Fn(&mut T) + Copy, impl Fn(T) + Copy> {
        Hooks { build, reset: |_: &mut T| (), dispose: |item: T| drop(item) }
    }
}

impl<F, R, D> Hooks<F, R, D> {
    /// The same with another reset hook: it runs on every return, before the item is kept.
    pub fn reset<T, N: Fn(&mut T)>(self, reset: N) -> Hooks<F, N, D>
    where
        F: Fn() -> T,
    {
        Hooks { build: self.build, reset, dispose: self.dispose }
    }

    /// The same with another disposer: it gets every item that the pool does not keep.
    pub fn dispose<T, N: Fn(T)>(self, dispose: N) -> Hooks<F, R, N>
    where
        F: Fn() -> T,
    {
        Hooks { build: self.build, reset: self.reset, dispose }
    }
}

impl<T, F: Fn() -> T, R: Fn(&mut T), D: Fn(T)> Lifecycle<T> for Hooks<F, R, D> {
    #[inline]
    fn build(&self) -> T {
        (self.build)()
    }

    #[inline]
    fn reset(&self, item: &mut T) {
        (self.reset)(item);
    }

    #[inline]
    fn dispose(&self, item: T) {
        (self.dispose)(item);
    }
}
