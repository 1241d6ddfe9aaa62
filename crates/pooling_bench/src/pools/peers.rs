//! Pools of other crates, and queues that people make pools of.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use crossbeam_queue::{ArrayQueue, SegQueue};
use lockfree_object_pool::{LinearObjectPool, LinearReusable, SpinLockObjectPool, SpinLockReusable};
use object_pool::Reusable;
use opool::{PoolAllocator, RefGuard, RefLocalGuard};
use regex_automata::util::pool::PoolGuard;
use sharded_slab::{
    Clear,
    pool::{OwnedRefMut, RefMut},
};

use super::{
    hand::Hand,
    item::{Factory, Item, allocate},
    kind::{Make, used_by_reference},
};
use crate::Error;

used_by_reference!(Own: OpoolLocal);
used_by_reference!(Joint: ObjectPool, Linear, Spin, Opool, ShardedSlab, ShardedSlabOwned, RegexAutomata, Array, Seg);

/// `object_pool::Pool`, by its guard.
pub struct ObjectPool<const WORDS: usize>(object_pool::Pool<Item<WORDS>>, Factory<WORDS>);

impl<const WORDS: usize> Make<WORDS> for ObjectPool<WORDS> {
    fn make(factory: &Factory<WORDS>, _: usize) -> Result<Self, Error> {
        Ok(Self(object_pool::Pool::from_vec(Vec::new()), factory.clone()))
    }
}

impl<'a, const WORDS: usize> Hand for &'a ObjectPool<WORDS> {
    type Held = Reusable<'a, Item<WORDS>>;

    #[inline(always)]
    fn rent(&mut self) -> Self::Held {
        self.0.pull(|| self.1.build())
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

/// `lockfree_object_pool::LinearObjectPool`, without a reset. It builds 32 items at once.
pub struct Linear<const WORDS: usize>(LinearObjectPool<Item<WORDS>>);

impl<const WORDS: usize> Make<WORDS> for Linear<WORDS> {
    fn make(factory: &Factory<WORDS>, _: usize) -> Result<Self, Error> {
        let factory = factory.clone();
        Ok(Self(LinearObjectPool::new(move || factory.build(), |_| ())))
    }
}

impl<'a, const WORDS: usize> Hand for &'a Linear<WORDS> {
    type Held = LinearReusable<'a, Item<WORDS>>;

    #[inline(always)]
    fn rent(&mut self) -> Self::Held {
        self.0.pull()
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

/// `lockfree_object_pool::SpinLockObjectPool`, without a reset.
pub struct Spin<const WORDS: usize>(SpinLockObjectPool<Item<WORDS>>);

impl<const WORDS: usize> Make<WORDS> for Spin<WORDS> {
    fn make(factory: &Factory<WORDS>, _: usize) -> Result<Self, Error> {
        let factory = factory.clone();
        Ok(Self(SpinLockObjectPool::new(move || factory.build(), |_| ())))
    }
}

impl<'a, const WORDS: usize> Hand for &'a Spin<WORDS> {
    type Held = SpinLockReusable<'a, Item<WORDS>>;

    #[inline(always)]
    fn rent(&mut self) -> Self::Held {
        self.0.pull()
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

impl<const WORDS: usize> PoolAllocator<Item<WORDS>> for Factory<WORDS> {
    fn allocate(&self) -> Item<WORDS> {
        self.build()
    }
}

/// `opool::Pool`, by its guard.
pub struct Opool<const WORDS: usize>(opool::Pool<Factory<WORDS>, Item<WORDS>>);

impl<const WORDS: usize> Make<WORDS> for Opool<WORDS> {
    fn make(factory: &Factory<WORDS>, capacity: usize) -> Result<Self, Error> {
        Ok(Self(opool::Pool::new(capacity, factory.clone())))
    }
}

impl<'a, const WORDS: usize> Hand for &'a Opool<WORDS> {
    type Held = RefGuard<'a, Factory<WORDS>, Item<WORDS>>;

    #[inline(always)]
    fn rent(&mut self) -> Self::Held {
        self.0.get()
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

/// `opool::LocalPool`, by its guard.
pub struct OpoolLocal<const WORDS: usize>(opool::LocalPool<Factory<WORDS>, Item<WORDS>>);

impl<const WORDS: usize> Make<WORDS> for OpoolLocal<WORDS> {
    fn make(factory: &Factory<WORDS>, capacity: usize) -> Result<Self, Error> {
        Ok(Self(opool::LocalPool::new(capacity, factory.clone())))
    }
}

impl<'a, const WORDS: usize> Hand for &'a OpoolLocal<WORDS> {
    type Held = RefLocalGuard<'a, Factory<WORDS>, Item<WORDS>>;

    #[inline(always)]
    fn rent(&mut self) -> Self::Held {
        self.0.get()
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

/// An item as `sharded_slab` wants it: it builds them by `Default`, 32 and more at once, where no factory is at hand.
pub struct Slot<const WORDS: usize>(Item<WORDS>);

/// What [`Slot`]s built since [`Make::settle`] looked last. One cell runs at a time.
static SLOTS: AtomicU64 = AtomicU64::new(0);

impl<const WORDS: usize> Default for Slot<WORDS> {
    fn default() -> Self {
        SLOTS.fetch_add(1, Ordering::Relaxed);
        Self(allocate())
    }
}

impl<const WORDS: usize> Clear for Slot<WORDS> {
    /// The item stays as it is, as in all other pools.
    #[inline(always)]
    fn clear(&mut self) {}
}

/// What a guard is where `sharded_slab` has none: its place for this thread is full. That needs millions of items.
const SLAB_IS_FULL: &str = "sharded-slab has no more room";

/// `sharded_slab::Pool`, by its guard that borrows.
pub struct ShardedSlab<const WORDS: usize>(sharded_slab::Pool<Slot<WORDS>>, Factory<WORDS>);

impl<const WORDS: usize> Make<WORDS> for ShardedSlab<WORDS> {
    fn make(factory: &Factory<WORDS>, _: usize) -> Result<Self, Error> {
        Ok(Self(sharded_slab::Pool::new(), factory.clone()))
    }

    fn settle(&self) {
        self.1.count(SLOTS.swap(0, Ordering::Relaxed));
    }
}

impl<'a, const WORDS: usize> Hand for &'a ShardedSlab<WORDS> {
    type Held = RefMut<'a, Slot<WORDS>>;

    #[inline(always)]
    fn rent(&mut self) -> Self::Held {
        self.0.create().expect(SLAB_IS_FULL)
    }

    #[inline(always)]
    fn give_back(&mut self, held: Self::Held) {
        // The guard alone would leave the item in its place.
        let key = held.key();
        drop(held);
        self.0.clear(key);
    }

    #[inline(always)]
    fn word(held: &mut Self::Held) -> &mut u64 {
        &mut held.0[0]
    }
}

/// The same by the guard that can go to another thread.
pub struct ShardedSlabOwned<const WORDS: usize>(Arc<sharded_slab::Pool<Slot<WORDS>>>, Factory<WORDS>);

impl<const WORDS: usize> Make<WORDS> for ShardedSlabOwned<WORDS> {
    fn make(factory: &Factory<WORDS>, _: usize) -> Result<Self, Error> {
        Ok(Self(Arc::new(sharded_slab::Pool::new()), factory.clone()))
    }

    fn settle(&self) {
        self.1.count(SLOTS.swap(0, Ordering::Relaxed));
    }
}

impl<const WORDS: usize> Hand for &ShardedSlabOwned<WORDS> {
    type Held = OwnedRefMut<Slot<WORDS>>;

    #[inline(always)]
    fn rent(&mut self) -> Self::Held {
        Arc::clone(&self.0).create_owned().expect(SLAB_IS_FULL)
    }

    #[inline(always)]
    fn give_back(&mut self, held: Self::Held) {
        let key = held.key();
        drop(held);
        self.0.clear(key);
    }

    #[inline(always)]
    fn word(held: &mut Self::Held) -> &mut u64 {
        &mut held.0[0]
    }
}

type Build<const WORDS: usize> = Box<dyn Fn() -> Item<WORDS> + Send + Sync>;

/// `regex_automata::util::pool::Pool`, by its guard.
pub struct RegexAutomata<const WORDS: usize>(regex_automata::util::pool::Pool<Item<WORDS>, Build<WORDS>>);

impl<const WORDS: usize> Make<WORDS> for RegexAutomata<WORDS> {
    fn make(factory: &Factory<WORDS>, _: usize) -> Result<Self, Error> {
        let factory = factory.clone();
        Ok(Self(regex_automata::util::pool::Pool::new(Box::new(move || factory.build()))))
    }
}

impl<'a, const WORDS: usize> Hand for &'a RegexAutomata<WORDS> {
    type Held = PoolGuard<'a, Item<WORDS>, Build<WORDS>>;

    #[inline(always)]
    fn rent(&mut self) -> Self::Held {
        self.0.get()
    }

    #[inline(always)]
    fn give_back(&mut self, held: Self::Held) {
        PoolGuard::put(held);
    }

    #[inline(always)]
    fn word(held: &mut Self::Held) -> &mut u64 {
        &mut held[0]
    }
}

/// `crossbeam_queue::ArrayQueue` of the items that are idle; what finds it full is dropped.
#[derive(Debug)]
pub struct Array<const WORDS: usize>(ArrayQueue<Item<WORDS>>, Factory<WORDS>);

impl<const WORDS: usize> Make<WORDS> for Array<WORDS> {
    fn make(factory: &Factory<WORDS>, capacity: usize) -> Result<Self, Error> {
        Ok(Self(ArrayQueue::new(capacity.max(1)), factory.clone()))
    }
}

impl<const WORDS: usize> Hand for &Array<WORDS> {
    type Held = Item<WORDS>;

    #[inline(always)]
    fn rent(&mut self) -> Item<WORDS> {
        match self.0.pop() {
            Some(item) => item,
            None => self.1.build(),
        }
    }

    #[inline(always)]
    fn give_back(&mut self, held: Item<WORDS>) {
        let _ = self.0.push(held);
    }

    #[inline(always)]
    fn word(held: &mut Item<WORDS>) -> &mut u64 {
        &mut held[0]
    }
}

/// `crossbeam_queue::SegQueue` of the items that are idle.
#[derive(Debug)]
pub struct Seg<const WORDS: usize>(SegQueue<Item<WORDS>>, Factory<WORDS>);

impl<const WORDS: usize> Make<WORDS> for Seg<WORDS> {
    fn make(factory: &Factory<WORDS>, _: usize) -> Result<Self, Error> {
        Ok(Self(SegQueue::new(), factory.clone()))
    }
}

impl<const WORDS: usize> Hand for &Seg<WORDS> {
    type Held = Item<WORDS>;

    #[inline(always)]
    fn rent(&mut self) -> Item<WORDS> {
        match self.0.pop() {
            Some(item) => item,
            None => self.1.build(),
        }
    }

    #[inline(always)]
    fn give_back(&mut self, held: Item<WORDS>) {
        self.0.push(held);
    }

    #[inline(always)]
    fn word(held: &mut Item<WORDS>) -> &mut u64 {
        &mut held[0]
    }
}
