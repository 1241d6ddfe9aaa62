//! Blocks and open columns against a list of projectiles.

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng, rngs::StdRng};

use super::{
    block::{Block, Sorting},
    columns::Columns,
};
use crate::{
    ProjectileId, RetireReason,
    engine::{Rect, Vec2},
    ledger::Ledger,
    pool::{Fate, Step},
    projectile::{Flight, expired},
};

const BOUNDS: Rect = Rect { min: Vec2::splat(-10.0), max: Vec2::splat(10.0) };
const STEP: Step = Step { dt: 1.0, impulse: Vec2::new(0.0, 0.01) };

/// Projectiles with ids in rising order, `gap` apart at the most.
fn flights(random: &mut StdRng, count: usize, steps: u32, gap: u64, longest: u32) -> Vec<Flight<u32>> {
    let mut id = ProjectileId::FIRST;
    let mut flights = Vec::new();
    for _ in 0..count {
        (0..random.random_range(1..=gap)).for_each(|_| id = id.next());
        let age = random.random_range(0..5);
        let lifetime = if random.random_ratio(1, 10) { u32::MAX } else { random.random_range(age + 1..=longest + age) };
        flights.push(Flight {
            id,
            position: Vec2::new(random.random_range(-9.0..9.0), random.random_range(-9.0..9.0)),
            velocity: Vec2::new(random.random_range(-0.3..0.3), random.random_range(-0.3..0.3)),
            born: steps.wrapping_sub(age),
            lifetime,
            payload: id.to_bits() as u32,
        });
    }
    flights
}

fn ledger(live: usize, recording: bool) -> Ledger<u32> {
    Ledger { live, recording, ..Ledger::default() }
}

/// What should be alive, and how many should have ended for which reason.
struct Expected {
    live: BTreeMap<ProjectileId, Flight<u32>>,
    ended: [u64; RetireReason::ALL.len()],
}

impl Expected {
    fn end(&mut self, id: ProjectileId, reason: RetireReason) {
        assert!(self.live.remove(&id).is_some());
        self.ended[reason as usize] += 1;
    }

    fn tick(&mut self, fate: Fate) {
        for flight in self.live.values_mut() {
            STEP.advance(&mut flight.position, &mut flight.velocity);
        }
        let met = |flight: &Flight<u32>| {
            let outside = fate.bounds.is_some_and(|bounds| !bounds.contains(flight.position));
            let expired = fate.has_expired(flight.born, flight.lifetime);
            if expired { Some(RetireReason::Expired) } else { outside.then_some(RetireReason::OutOfBounds) }
        };
        let ends: Vec<_> = self.live.values().filter_map(|flight| Some((flight.id, met(flight)?))).collect();
        ends.into_iter().for_each(|(id, reason)| self.end(id, reason));
    }

    fn check(&self, columns: &Columns<u32>, ledger: &Ledger<u32>, at: &str) {
        let found: BTreeMap<_, _> = columns.flights().map(|flight| (flight.id, flight)).collect();
        assert!(found.keys().eq(self.live.keys()), "{at}: not the same are alive");
        for (found, expected) in found.values().zip(self.live.values()) {
            let values = |flight: &Flight<u32>| (flight.position, flight.velocity, flight.lifetime, flight.payload);
            assert_eq!(values(found), values(expected), "{at}");
        }
        assert_eq!((ledger.live, ledger.ended), (self.live.len(), self.ended), "{at}");
    }
}

fn expected(flights: &[Flight<u32>]) -> Expected {
    Expected { live: flights.iter().map(|flight| (flight.id, *flight)).collect(), ended: [0; RetireReason::ALL.len()] }
}

#[test]
fn a_block_does_what_a_list_does() {
    let mut sorting = Sorting::default();
    let mut outside = Vec::new();
    let mut block = Block::<u32>::default();
    for seed in 0..120 {
        let mut random = StdRng::seed_from_u64(seed);
        let count = random.random_range(1..600);
        let (gap, longest) = ([1, 2, 50][seed as usize % 3], [40, 300, 3000][seed as usize / 3 % 3]);
        let mut steps = if seed % 2 == 0 { u32::MAX - 20 } else { 7 };
        let flights = flights(&mut random, count, steps, gap, longest);
        let (early, bounded, recording) = (seed % 4 > 1, seed % 5 == 0, seed % 7 == 0);

        block.clear();
        block.seal(&flights, steps, &mut sorting);
        let mut ledger = ledger(count, recording);
        let mut expected = expected(&flights);
        for tick in 0..60 {
            let at = format!("seed {seed}, tick {tick}");
            let fate = Fate { steps: steps.wrapping_add(1), bounds: bounded.then_some(BOUNDS) };
            steps = fate.steps;
            block.columns.advance(STEP);
            if early {
                for slot in 0..block.columns.len() {
                    let due = random.random_ratio(1, 40) || tick == 50 && slot > 2;
                    if due && block.columns.is_alive(slot) {
                        expected.end(block.columns.id[slot], RetireReason::Hit);
                        block.columns.end(slot, RetireReason::Hit, &mut ledger);
                    }
                }
            }
            block.retire(fate, block.columns.len() > ledger.live, &mut outside, &mut ledger);
            expected.tick(fate);
            expected.check(&block.columns, &ledger, &at);
            assert_eq!(block.holes(), block.columns.len() - ledger.live, "{at}");
            if random.random_ratio(1, 8) {
                block.squeeze();
                assert_eq!(block.columns.len(), ledger.live, "{at}");
                expected.check(&block.columns, &ledger, &at);
            }
            if random.random_ratio(1, 16) {
                block.shrink_to(block.columns.len());
            }
            for flight in &flights {
                let slot = block.find(flight.id);
                assert_eq!(slot.is_some(), expected.live.contains_key(&flight.id), "{at}, {}", flight.id);
                assert!(slot.is_none_or(|slot| block.columns.id[slot] == flight.id), "{at}, {}", flight.id);
            }
            let longest = expected.live.values().map(|flight| match flight.lifetime {
                u32::MAX => None,
                lifetime => Some(lifetime - steps.wrapping_sub(flight.born)),
            });
            if let (Some(at_most), Some(longest)) =
                (block.ticks_left(steps), longest.max_by_key(|l| l.unwrap_or(u32::MAX)))
            {
                assert!(longest.is_some_and(|longest| longest <= at_most), "{at}: {longest:?} in {at_most}");
            }
        }
        assert_eq!(ledger.records.len(), if recording { count - ledger.live } else { 0 }, "seed {seed}");
    }
}

#[test]
fn slots_come_in_the_order_of_falling_remaining_lifetime() {
    let mut random = StdRng::seed_from_u64(1);
    for longest in [1, 30, 1000, 5000] {
        let flights = flights(&mut random, 500, 100, 1, longest);
        let mut block = Block::<u32>::default();
        block.seal(&flights, 100, &mut Sorting::default());
        let left = |slot: usize| match block.columns.lifetime[slot] {
            u32::MAX => u32::MAX,
            lifetime => lifetime - (100 - block.columns.born[slot]),
        };
        assert!((1..500).all(|slot| left(slot - 1) >= left(slot)), "longest {longest}");
    }
}

#[test]
fn open_columns_do_what_a_list_does() {
    let mut outside = Vec::new();
    for seed in 0..40 {
        let mut random = StdRng::seed_from_u64(seed);
        let count = random.random_range(1..300);
        let flights = flights(&mut random, count, 1000, 3, 60);
        let mut columns = Columns::<u32>::default();
        flights.iter().for_each(|flight| columns.push(flight));
        let mut ledger = ledger(count, seed % 3 == 0);
        let mut expected = expected(&flights);
        for tick in 0..70 {
            let steps = 1001 + tick;
            let fate = Fate { steps, bounds: (seed % 2 == 0).then_some(BOUNDS) };
            columns.advance(STEP);
            if seed % 4 == 0 && tick % 5 == 0 && columns.len() > 0 {
                let slot = random.random_range(0..columns.len());
                expected.end(columns.id[slot], RetireReason::Cancelled);
                columns.end(slot, RetireReason::Cancelled, &mut ledger);
            }
            columns.retire(fate, &mut outside, &mut ledger);
            expected.tick(fate);
            expected.check(&columns, &ledger, &format!("seed {seed}, tick {tick}"));
            assert_eq!(columns.len(), ledger.live, "no holes stay");
            assert!(columns.flights().all(|flight| !expired(steps, flight.born, flight.lifetime)));
        }
    }
}
