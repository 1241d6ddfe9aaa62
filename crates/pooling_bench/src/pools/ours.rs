//! The pools of `object_pools`, by hand and by lease.

use object_pools::{Lifecycle, LocalLease, LocalPool, PoolSettings, SettingsError, SharedLease, SharedPool};

use super::{
    hand::Hand,
    item::{Factory, Item},
    kind::{Make, used_by_reference},
};
use crate::Error;

impl<const WORDS: usize> Lifecycle<Item<WORDS>> for Factory<WORDS> {
    fn build(&self) -> Item<WORDS> {
        Factory::build(self)
    }
}

fn settings(capacity: usize) -> PoolSettings {
    PoolSettings { capacity: Some(capacity), ..PoolSettings::default() }
}

fn refused(error: SettingsError) -> Error {
    Error::Option(format!("object_pools refuses its settings: {error}"))
}

used_by_reference!(Own: LocalByHand, LocalByLease);
used_by_reference!(Joint: SharedByHand, SharedByLease);

type Local<const WORDS: usize> = LocalPool<Item<WORDS>, Factory<WORDS>>;
type Shared<const WORDS: usize> = SharedPool<Item<WORDS>, Factory<WORDS>>;

/// A [`LocalPool`], rented from and given back to by hand.
#[derive(Debug)]
pub struct LocalByHand<const WORDS: usize>(Local<WORDS>);

impl<const WORDS: usize> Make<WORDS> for LocalByHand<WORDS> {
    fn make(factory: &Factory<WORDS>, capacity: usize) -> Result<Self, Error> {
        LocalPool::with_settings(factory.clone(), settings(capacity)).map(Self).map_err(refused)
    }
}

impl<const WORDS: usize> Hand for &LocalByHand<WORDS> {
    type Held = Item<WORDS>;

    #[inline(always)]
    fn rent(&mut self) -> Item<WORDS> {
        self.0.rent()
    }

    #[inline(always)]
    fn give_back(&mut self, held: Item<WORDS>) {
        self.0.give_back(held);
    }

    #[inline(always)]
    fn word(held: &mut Item<WORDS>) -> &mut u64 {
        &mut held[0]
    }
}

/// A [`LocalPool`] by leases.
#[derive(Debug)]
pub struct LocalByLease<const WORDS: usize>(Local<WORDS>);

impl<const WORDS: usize> Make<WORDS> for LocalByLease<WORDS> {
    fn make(factory: &Factory<WORDS>, capacity: usize) -> Result<Self, Error> {
        LocalPool::with_settings(factory.clone(), settings(capacity)).map(Self).map_err(refused)
    }
}

impl<'a, const WORDS: usize> Hand for &'a LocalByLease<WORDS> {
    type Held = LocalLease<'a, Item<WORDS>, Factory<WORDS>>;

    #[inline(always)]
    fn rent(&mut self) -> Self::Held {
        self.0.lease()
    }

    #[inline(always)]
    fn give_back(&mut self, held: Self::Held) {
        drop(held);
    }

    #[inline(always)]
    fn word(held: &mut Self::Held) -> &mut u64 {
        &mut held[0]
    }
}

/// A [`SharedPool`], rented from and given back to by hand.
#[derive(Debug)]
pub struct SharedByHand<const WORDS: usize>(Shared<WORDS>);

impl<const WORDS: usize> Make<WORDS> for SharedByHand<WORDS> {
    fn make(factory: &Factory<WORDS>, capacity: usize) -> Result<Self, Error> {
        SharedPool::with_settings(factory.clone(), settings(capacity)).map(Self).map_err(refused)
    }
}

impl<const WORDS: usize> Hand for &SharedByHand<WORDS> {
    type Held = Item<WORDS>;

    #[inline(always)]
    fn rent(&mut self) -> Item<WORDS> {
        self.0.rent()
    }

    #[inline(always)]
    fn give_back(&mut self, held: Item<WORDS>) {
        self.0.give_back(held);
    }

    #[inline(always)]
    fn word(held: &mut Item<WORDS>) -> &mut u64 {
        &mut held[0]
    }
}

/// A [`SharedPool`] by leases.
#[derive(Debug)]
pub struct SharedByLease<const WORDS: usize>(Shared<WORDS>);

impl<const WORDS: usize> Make<WORDS> for SharedByLease<WORDS> {
    fn make(factory: &Factory<WORDS>, capacity: usize) -> Result<Self, Error> {
        SharedPool::with_settings(factory.clone(), settings(capacity)).map(Self).map_err(refused)
    }
}

impl<'a, const WORDS: usize> Hand for &'a SharedByLease<WORDS> {
    type Held = SharedLease<'a, Item<WORDS>, Factory<WORDS>>;

    #[inline(always)]
    fn rent(&mut self) -> Self::Held {
        self.0.lease()
    }

    #[inline(always)]
    fn give_back(&mut self, held: Self::Held) {
        drop(held);
    }

    #[inline(always)]
    fn word(held: &mut Self::Held) -> &mut u64 {
        &mut held[0]
    }
}
