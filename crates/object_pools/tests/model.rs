//! Any sequence of operations, against a plain model of the pool.
#![cfg(not(loom))]

#[macro_use]
mod common;

use std::{collections::BTreeSet, mem, thread};

use common::*;
use object_pools::{Lease, Lifecycle, LocalPool, Overflow, PoolSettings, SharedPool, TrimPolicy};
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};

/// What is done to a pool. Numbers choose among what is held, round and round.
#[derive(Clone, Debug)]
enum Step {
    Rent,
    TryRent,
    Lease,
    TryLease,
    Return(usize),
    TryReturn(usize),
    /// By a thread that ends then.
    ReturnElsewhere(usize),
    RentElsewhere,
    Detach(usize),
    Forget(usize),
    /// Dropped, and written off.
    WriteOff(usize),
    Scope,
    ScopeWith,
    Panic,
    Adopt,
    Prefill(usize),
    Shrink(usize),
    Trim,
    Release,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => Just(Step::Rent),
        2 => Just(Step::TryRent),
        6 => Just(Step::Lease),
        2 => Just(Step::TryLease),
        14 => any::<usize>().prop_map(Step::Return),
        4 => any::<usize>().prop_map(Step::TryReturn),
        2 => any::<usize>().prop_map(Step::ReturnElsewhere),
        1 => Just(Step::RentElsewhere),
        2 => any::<usize>().prop_map(Step::Detach),
        1 => any::<usize>().prop_map(Step::Forget),
        1 => any::<usize>().prop_map(Step::WriteOff),
        2 => Just(Step::Scope),
        2 => Just(Step::ScopeWith),
        1 => Just(Step::Panic),
        2 => Just(Step::Adopt),
        2 => (0..6usize).prop_map(Step::Prefill),
        1 => (0..8usize).prop_map(Step::Shrink),
        1 => Just(Step::Trim),
        1 => Just(Step::Release),
    ]
}

/// A pool's settings, as far as they matter here.
#[derive(Clone, Debug)]
struct Kind {
    capacity: usize,
    grows: bool,
    magazine: usize,
    maximum: usize,
    per_call: usize,
}

fn kind() -> impl Strategy<Value = Kind> {
    let numbers = (0..12usize, any::<bool>(), 1..5usize, 0..10usize, 1..6usize);
    numbers.prop_map(|(capacity, grows, magazine, maximum, per_call)| Kind {
        capacity,
        grows,
        magazine,
        maximum,
        per_call,
    })
}

/// What the pool should have counted.
#[derive(Default)]
struct Expected {
    rents: u64,
    misses: u64,
    built: u64,
    shrink: u64,
    maximum: u64,
    panic: u64,
    written_off: u64,
}

/// A thread of its own, for pools that know more than one.
trait Elsewhere {
    /// Runs the work on a thread that ends then.
    fn elsewhere(&self, work: impl FnOnce(&Self) + Send);
}

impl<L: Lifecycle<Item>> Elsewhere for LocalPool<Item, L> {
    fn elsewhere(&self, work: impl FnOnce(&Self) + Send) {
        work(self);
    }
}

impl<L: Lifecycle<Item> + Send + Sync + 'static> Elsewhere for SharedPool<Item, L> {
    fn elsewhere(&self, work: impl FnOnce(&Self) + Send) {
        // Joined, so that the thread's items are in the depot.
        thread::scope(|scope| scope.spawn(|| work(self)).join().unwrap());
    }
}

both_pools! {
    type Items<F> = Pool<Item, F>;

    /// An item held, with or without a lease.
    enum Held<'pool, F: Fn() -> Item + 'static> {
        Plain(Item),
        Leased(Lease<'pool, Item, Items<F>>),
    }

    impl<F: Fn() -> Item + 'static> Held<'_, F> {
        fn serial(&self) -> u64 {
            match self {
                Held::Plain(item) => item.serial,
                Held::Leased(lease) => lease.serial,
            }
        }
    }

    /// Runs the steps; asserts that pool and model agree after each.
    fn agree(kind: &Kind, steps: &[Step]) {
        let lives = Lives::default();
        let trim = TrimPolicy { maximum: kind.maximum, per_call: kind.per_call, ..TrimPolicy::NEVER };
        let overflow = if kind.grows { Overflow::Grow } else { Overflow::Dispose };
        let settings = PoolSettings { overflow, magazine: kind.magazine, trim, ..keeping(kind.capacity) };
        let pool = Pool::with_settings(lives.factory(), settings).unwrap();
        let most = if kind.grows { usize::MAX } else { kind.capacity };
        // The idle items: those that came last at the end.
        let mut idle: Vec<u64> = Vec::new();
        let mut held: Vec<Held<'_, _>> = Vec::new();
        let mut lost = BTreeSet::new();
        let mut expected = Expected::default();
        // Whether so many would be kept besides those that are.
        let fits = |idle: &Vec<u64>| idle.len() < most;

        for step in steps {
            let begun = lives.begun();
            let before = (idle.len(), lives.ended());
            // The item that a rent must find, where the order is known; `None` for a new one.
            let next = idle.last().copied();
            let mut rented = None;
            // The held item that a step is about.
            let mut choose = |number: &usize| (!held.is_empty()).then(|| held.swap_remove(number % held.len()));
            match step {
                Step::Rent => rented = Some(Held::Plain(pool.rent())),
                Step::Lease => rented = Some(Held::Leased(pool.lease())),
                Step::TryRent => {
                    rented = pool.try_rent().map(Held::Plain);
                    assert_eq!(rented.is_some(), next.is_some());
                }
                Step::TryLease => {
                    rented = pool.try_lease().map(Held::Leased);
                    assert_eq!(rented.is_some(), next.is_some());
                }
                Step::Return(number) => match choose(number) {
                    Some(item) => {
                        if fits(&idle) {
                            idle.push(item.serial());
                        }
                        match item {
                            Held::Plain(item) => pool.give_back(item),
                            Held::Leased(lease) => drop(lease),
                        }
                    }
                    None => continue,
                },
                Step::TryReturn(number) => match choose(number) {
                    Some(Held::Plain(item)) => {
                        let serial = item.serial;
                        match pool.try_give_back(item) {
                            Ok(()) => idle.push(serial),
                            Err(item) => {
                                assert_eq!(item.serial, serial);
                                assert!(!IS_LOCAL || !fits(&idle));
                                held.push(Held::Plain(item));
                            }
                        }
                        assert_eq!(lives.ended(), before.1, "nothing is disposed of");
                    }
                    Some(leased) => held.push(leased),
                    None => continue,
                },
                Step::ReturnElsewhere(number) => match choose(number) {
                    Some(item) => {
                        if fits(&idle) {
                            idle.push(item.serial());
                        }
                        let item = match item {
                            Held::Plain(item) => item,
                            Held::Leased(lease) => Lease::detach(lease),
                        };
                        pool.elsewhere(|pool| pool.give_back(item));
                    }
                    None => continue,
                },
                Step::RentElsewhere => {
                    if IS_LOCAL {
                        continue;
                    }
                    pool.elsewhere(|pool| drop([pool.lease(), pool.lease()]));
                    expected.rents += 2;
                    let new = lives.begun() - begun;
                    expected.misses += new;
                    expected.built += new;
                }
                Step::Detach(number) => match choose(number) {
                    Some(Held::Leased(lease)) => held.push(Held::Plain(Lease::detach(lease))),
                    Some(plain) => held.push(plain),
                    None => continue,
                },
                Step::Forget(number) => match choose(number) {
                    Some(Held::Leased(lease)) => {
                        lost.insert(lease.serial);
                        mem::forget(lease);
                        pool.write_off(1);
                        lives.one_escaped();
                        expected.written_off += 1;
                    }
                    Some(plain) => held.push(plain),
                    None => continue,
                },
                Step::WriteOff(number) => match choose(number) {
                    Some(Held::Plain(item)) => {
                        drop(item);
                        pool.write_off(1);
                        expected.written_off += 1;
                    }
                    Some(leased) => held.push(leased),
                    None => continue,
                },
                Step::Scope | Step::ScopeWith | Step::Panic => {
                    expected.rents += 1;
                    if next.is_none() {
                        expected.misses += 1;
                        expected.built += 1;
                    }
                    let serial = match step {
                        Step::Scope => pool.scope(|item| item.serial),
                        Step::ScopeWith => pool.scope_with(7, |item, _| item.serial, |_, state| assert_eq!(state, 7)),
                        _ => {
                            let mut serial = 0;
                            must_panic(|| {
                                pool.scope(|item| {
                                    serial = item.serial;
                                    panic_on_purpose()
                                })
                            });
                            expected.panic += 1;
                            serial
                        }
                    };
                    assert!(idle.contains(&serial) || serial == begun);
                    assert!(!IS_LOCAL || serial == next.unwrap_or(begun), "last in, first out");
                    idle.retain(|&idle| idle != serial);
                    if !matches!(step, Step::Panic) && fits(&idle) {
                        idle.push(serial);
                    }
                }
                Step::Adopt => {
                    let item = lives.begin();
                    expected.built += 1;
                    if fits(&idle) {
                        idle.push(item.serial);
                    }
                    pool.adopt(item);
                }
                Step::Prefill(count) => {
                    for serial in begun..begun + *count as u64 {
                        expected.built += 1;
                        if fits(&idle) {
                            idle.push(serial);
                        }
                    }
                    pool.prefill(*count);
                }
                Step::Shrink(keep) => {
                    let gone = pool.shrink_to(*keep);
                    if IS_LOCAL {
                        assert_eq!(gone, idle.len().saturating_sub(*keep));
                    }
                    idle.drain(..if IS_LOCAL { gone } else { 0 });
                    expected.shrink += gone as u64;
                }
                Step::Trim => {
                    let gone = pool.trim(START);
                    if IS_LOCAL {
                        assert_eq!(gone, idle.len().saturating_sub(kind.maximum).min(kind.per_call));
                    }
                    assert!(gone <= kind.per_call);
                    idle.drain(..if IS_LOCAL { gone } else { 0 });
                    expected.maximum += gone as u64;
                }
                Step::Release => settle(&pool),
            }
            if let Some(item) = rented {
                let serial = item.serial();
                expected.rents += 1;
                match next {
                    Some(next) if IS_LOCAL => assert_eq!(serial, next, "last in, first out"),
                    Some(_) => assert!(idle.contains(&serial), "{serial} is none of {idle:?}"),
                    None => {
                        assert_eq!(serial, begun, "a new one");
                        expected.misses += 1;
                        expected.built += 1;
                    }
                }
                idle.retain(|&idle| idle != serial);
                held.push(item);
            }

            // No serial number twice, and all where they should be.
            let holds: BTreeSet<_> = held.iter().map(|held| held.serial()).collect();
            assert_eq!(holds.len(), held.len(), "an item is held twice");
            let there: BTreeSet<_> = lives.serials().into_iter().filter(|serial| !lost.contains(serial)).collect();
            assert!(holds.is_subset(&there), "a held item ended");
            let there: BTreeSet<_> = there.difference(&holds).copied().collect();
            if IS_LOCAL {
                assert_eq!(idle.iter().copied().collect::<BTreeSet<_>>(), there, "idle items, after {step:?}");
            } else {
                // Which of them were disposed of is the pool's business, if it holds to its bounds.
                idle = there.into_iter().collect();
                let magazine = kind.magazine.min(most);
                let own = if magazine == 0 { 0 } else { 2 * magazine + 1 };
                assert!(idle.len() <= most.saturating_add(own), "after {step:?}");
            }
            let stats = pool.stats(START);
            assert_eq!(pool.idle(), idle.len(), "after {step:?}");
            assert_eq!(stats.idle, idle.len());
            assert_eq!((stats.misses, stats.built), (expected.misses, expected.built), "after {step:?}");
            #[cfg(feature = "stats")]
            {
                assert_eq!(stats.rents, expected.rents, "after {step:?}");
                let back = expected.rents - stats.live as u64 - expected.written_off - expected.panic;
                assert_eq!(stats.returns, back, "after {step:?}");
            }
            let purges = stats.purges;
            assert_eq!(
                (purges.shrink, purges.maximum, purges.panic, purges.written_off, purges.idle_timeout),
                (expected.shrink, expected.maximum, expected.panic, expected.written_off, 0),
                "after {step:?}"
            );
            assert!(!kind.grows || purges.overflow == 0);
            assert!(stats.peak >= stats.live);
            assert_adds_up(&stats, &lives, held.len());
        }

        // The end: all items go with the pool, but those that are held, which are written off.
        for item in held {
            match item {
                Held::Plain(item) => pool.give_back(item),
                Held::Leased(lease) => drop(lease),
            }
        }
        assert_adds_up(&pool.stats(START), &lives, 0);
        drop(pool);
        assert_eq!(lives.serials(), lost);
    }

    #[test]
    fn pool_and_model_agree() {
        let config = Config { cases: 600, failure_persistence: None, ..Config::default() };
        let steps = proptest::collection::vec(step(), 1..150);
        let agreed = TestRunner::new(config).run(&(kind(), steps), |(kind, steps)| {
            agree(&kind, &steps);
            Ok(())
        });
        if let Err(error) = agreed {
            panic!("{error}");
        }
    }
}
