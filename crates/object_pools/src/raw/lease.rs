//! A lease: an item that goes back by itself.

use std::{
    fmt,
    mem::ManuallyDrop,
    ops::{Deref, DerefMut},
};

use crate::leaks::{Leaks, Place};

/// A pool that takes items back. Sealed: only this crate's pools are.
pub trait TakesBack<T> {
    /// Takes an item back.
    #[doc(hidden)]
    fn take_back(&self, item: T);

    /// Where leases are noted down.
    #[doc(hidden)]
    #[allow(private_interfaces)]
    fn leaks(&self) -> &Leaks;
}

/// An item rented from a pool, which goes back when this is dropped: during a panic too, after the reset hook.
///
/// It is as large as the item and a reference. It cannot be copied, so that an item can go back only once.
#[must_use = "an unused lease goes back at once"]
pub struct Lease<'pool, T, P: TakesBack<T>> {
    item: ManuallyDrop<T>,
    pool: &'pool P,
    place: Place,
}

impl<'pool, T, P: TakesBack<T>> Lease<'pool, T, P> {
    #[inline(always)]
    pub(crate) fn new(item: T, pool: &'pool P, place: Place) -> Self {
        pool.leaks().leased(place);
        Self { item: ManuallyDrop::new(item), pool, place }
    }

    /// Takes the item out of the lease. It is then held as after a plain rent: give it back, or write it off.
    #[inline]
    pub fn detach(lease: Self) -> T {
        let mut lease = ManuallyDrop::new(lease);
        lease.pool.leaks().lease_ended(lease.place, true);
        // SAFETY: `lease` is neither dropped nor used any more, so that the item is taken once.
        unsafe { ManuallyDrop::take(&mut lease.item) }
    }

    /// The pool which the item is from.
    pub fn pool(lease: &Self) -> &'pool P {
        lease.pool
    }
}

impl<T, P: TakesBack<T>> Drop for Lease<'_, T, P> {
    #[inline(always)]
    fn drop(&mut self) {
        self.pool.leaks().lease_ended(self.place, false);
        // SAFETY: a lease is dropped once, and nothing looks at the item after this.
        let item = unsafe { ManuallyDrop::take(&mut self.item) };
        self.pool.take_back(item);
    }
}

impl<T, P: TakesBack<T>> Deref for Lease<'_, T, P> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.item
    }
}

impl<T, P: TakesBack<T>> DerefMut for Lease<'_, T, P> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.item
    }
}

impl<T: fmt::Debug, P: TakesBack<T>> fmt::Debug for Lease<'_, T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lease").field(&**self).finish()
    }
}
