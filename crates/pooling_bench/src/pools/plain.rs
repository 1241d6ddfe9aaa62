//! What people write by hand, and the allocator.

use std::{
    cell::RefCell,
    sync::{Mutex, PoisonError},
};

use thread_local::ThreadLocal;

use super::{
    hand::Hand,
    item::{Factory, Item, allocate},
    kind::{Make, Own, used_by_reference},
};
use crate::Error;

used_by_reference!(Joint: VecOfThread, MutexVec, ParkingLotVec, Malloc);

/// A `Vec` that a thread has for itself: what every other pool is compared with.
#[derive(Debug)]
pub struct OwnVec<const WORDS: usize> {
    idle: Vec<Item<WORDS>>,
    factory: Factory<WORDS>,
}

impl<const WORDS: usize> Make<WORDS> for OwnVec<WORDS> {
    fn make(factory: &Factory<WORDS>, _: usize) -> Result<Self, Error> {
        Ok(Self { idle: Vec::new(), factory: factory.clone() })
    }
}

impl<const WORDS: usize> Own for OwnVec<WORDS> {
    type Hand<'a> = &'a mut Self;

    fn hand(&mut self) -> &mut Self {
        self
    }
}

impl<const WORDS: usize> Hand for &mut OwnVec<WORDS> {
    type Held = Item<WORDS>;

    #[inline(always)]
    fn rent(&mut self) -> Item<WORDS> {
        match self.idle.pop() {
            Some(item) => item,
            None => self.factory.build(),
        }
    }

    #[inline(always)]
    fn give_back(&mut self, held: Item<WORDS>) {
        self.idle.push(held);
    }

    #[inline(always)]
    fn word(held: &mut Item<WORDS>) -> &mut u64 {
        &mut held[0]
    }
}

/// A `Vec` for each thread, in a [`ThreadLocal`]. Each keeps at most as many as asked for, so that a thread which only
/// gives back does not collect without end; elsewhere it is never so many.
#[derive(Debug)]
pub struct VecOfThread<const WORDS: usize> {
    idle: ThreadLocal<RefCell<Vec<Item<WORDS>>>>,
    capacity: usize,
    factory: Factory<WORDS>,
}

impl<const WORDS: usize> Make<WORDS> for VecOfThread<WORDS> {
    fn make(factory: &Factory<WORDS>, capacity: usize) -> Result<Self, Error> {
        Ok(Self { idle: ThreadLocal::new(), capacity, factory: factory.clone() })
    }
}

impl<const WORDS: usize> Hand for &VecOfThread<WORDS> {
    type Held = Item<WORDS>;

    #[inline(always)]
    fn rent(&mut self) -> Item<WORDS> {
        let idle = self.idle.get_or_default().borrow_mut().pop();
        match idle {
            Some(item) => item,
            None => self.factory.build(),
        }
    }

    #[inline(always)]
    fn give_back(&mut self, held: Item<WORDS>) {
        let mut idle = self.idle.get_or_default().borrow_mut();
        if idle.len() < self.capacity {
            idle.push(held);
        }
    }

    #[inline(always)]
    fn word(held: &mut Item<WORDS>) -> &mut u64 {
        &mut held[0]
    }
}

/// A `Vec` behind the standard library's mutex.
#[derive(Debug)]
pub struct MutexVec<const WORDS: usize> {
    idle: Mutex<Vec<Item<WORDS>>>,
    factory: Factory<WORDS>,
}

impl<const WORDS: usize> Make<WORDS> for MutexVec<WORDS> {
    fn make(factory: &Factory<WORDS>, _: usize) -> Result<Self, Error> {
        Ok(Self { idle: Mutex::default(), factory: factory.clone() })
    }
}

impl<const WORDS: usize> Hand for &MutexVec<WORDS> {
    type Held = Item<WORDS>;

    #[inline(always)]
    fn rent(&mut self) -> Item<WORDS> {
        // Building is not in the lock.
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match idle {
            Some(item) => item,
            None => self.factory.build(),
        }
    }

    #[inline(always)]
    fn give_back(&mut self, held: Item<WORDS>) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(held);
    }

    #[inline(always)]
    fn word(held: &mut Item<WORDS>) -> &mut u64 {
        &mut held[0]
    }
}

/// A `Vec` behind the mutex of `parking_lot`.
#[derive(Debug)]
pub struct ParkingLotVec<const WORDS: usize> {
    idle: parking_lot::Mutex<Vec<Item<WORDS>>>,
    factory: Factory<WORDS>,
}

impl<const WORDS: usize> Make<WORDS> for ParkingLotVec<WORDS> {
    fn make(factory: &Factory<WORDS>, _: usize) -> Result<Self, Error> {
        Ok(Self { idle: parking_lot::Mutex::default(), factory: factory.clone() })
    }
}

impl<const WORDS: usize> Hand for &ParkingLotVec<WORDS> {
    type Held = Item<WORDS>;

    #[inline(always)]
    fn rent(&mut self) -> Item<WORDS> {
        let idle = self.idle.lock().pop();
        match idle {
            Some(item) => item,
            None => self.factory.build(),
        }
    }

    #[inline(always)]
    fn give_back(&mut self, held: Item<WORDS>) {
        self.idle.lock().push(held);
    }

    #[inline(always)]
    fn word(held: &mut Item<WORDS>) -> &mut u64 {
        &mut held[0]
    }
}

/// No pool: an allocation for every rent, and its release. It builds one item for each pair, and counts none.
#[derive(Debug)]
pub struct Malloc<const WORDS: usize>;

impl<const WORDS: usize> Make<WORDS> for Malloc<WORDS> {
    const BUILDS_EACH: bool = true;

    fn make(_: &Factory<WORDS>, _: usize) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl<const WORDS: usize> Hand for &Malloc<WORDS> {
    type Held = Item<WORDS>;

    #[inline(always)]
    fn rent(&mut self) -> Item<WORDS> {
        allocate()
    }

    #[inline(always)]
    fn give_back(&mut self, held: Item<WORDS>) {
        drop(held);
    }

    #[inline(always)]
    fn word(held: &mut Item<WORDS>) -> &mut u64 {
        &mut held[0]
    }
}
