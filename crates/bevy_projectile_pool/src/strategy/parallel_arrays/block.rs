//! A block of projectiles sorted by when they expire: the dead are always at its end.

use super::columns::Columns;
use crate::{
    Payload, ProjectileId, RetireReason,
    ledger::Ledger,
    pool::Fate,
    projectile::{Flight, age, remaining},
};

/// Remaining lifetimes below this are sorted by counting; endless projectiles count as this long.
const COUNTED: usize = 1024;

/// Projectiles in columns, in the order of falling remaining lifetime, endless ones first. They do not move while they
/// fly: what expires is cut off at the end, and what ends early stays as a hole until the block is squeezed.
pub(crate) struct Block<P> {
    pub columns: Columns<P>,
    /// The pool's count of steps when the block was sealed.
    sealed: u32,
    /// Neighbours that expire in the same step, in the order of their slots. The last run is the next to expire, and what
    /// it holds is cut off with one look at it.
    runs: Vec<Run>,
    index: Index,
}

/// Where projectiles begin that expire together; they reach to the next run.
struct Run {
    /// Steps from the sealing to their end.
    after: u32,
    start: u32,
}

/// Where each projectile is.
struct Index {
    /// The least and the greatest of the ids that the block was sealed with.
    first: ProjectileId,
    last: ProjectileId,
    /// Whether all these ids, and those between them, are as few as there is room for.
    dense: bool,
    /// If dense, the slot of each id from `first` on; an entry is a claim, and whoever follows it looks at the id in the
    /// slot. Otherwise the slots in the order of their ids.
    slots: Vec<u32>,
}

/// Memory for sorting, kept from block to block.
#[derive(Default)]
pub(crate) struct Sorting {
    /// Of each remaining lifetime how many there are, then where the next one goes; all zero in between.
    counts: Vec<u32>,
    keys: Vec<u64>,
    /// Which projectile goes to each slot.
    order: Vec<u32>,
}

impl Sorting {
    /// Gives back what more than so many projectiles at a time needed.
    pub fn shrink_to(&mut self, room: usize) {
        self.keys.clear();
        self.keys.shrink_to(room);
        self.order.clear();
        self.order.shrink_to(room);
    }

    pub fn bytes(&self) -> usize {
        (self.counts.capacity() + self.order.capacity()) * size_of::<u32>() + self.keys.capacity() * size_of::<u64>()
    }
}

impl<P> Default for Block<P> {
    fn default() -> Self {
        let index =
            Index { first: ProjectileId::PLACEHOLDER, last: ProjectileId::PLACEHOLDER, dense: true, slots: Vec::new() };
        Self { columns: Columns::default(), sealed: 0, runs: Vec::new(), index }
    }
}

impl<P: Payload> Block<P> {
    /// Fills the block with live projectiles.
    pub fn seal(&mut self, flights: &[Flight<P>], steps: u32, sorting: &mut Sorting) {
        self.sealed = steps;
        self.runs.clear();
        let left = |flight: &Flight<P>| remaining(steps, flight.born, flight.lifetime);
        let bucket = |flight: &Flight<P>| left(flight).map_or(COUNTED, |left| left as usize);
        let Sorting { counts, keys, order } = sorting;
        counts.resize(COUNTED + 1, 0);
        let (mut first, mut last) = (ProjectileId::PLACEHOLDER, ProjectileId::FIRST);
        let (mut least, mut most, mut longest) = (COUNTED, 0, 0);
        for flight in flights {
            (first, last) = (first.min(flight.id), last.max(flight.id));
            longest = longest.max(left(flight).unwrap_or(0) as usize);
            let bucket = bucket(flight).min(COUNTED);
            (least, most) = (least.min(bucket), most.max(bucket));
            counts[bucket] += 1;
        }
        self.index.start(first, last, self.columns.start(flights.len()));
        order.resize(flights.len(), 0);
        if longest < COUNTED {
            self.order_by_counting(flights, bucket, least, &mut counts[..=most], order);
        } else {
            self.order_by_sorting(flights, left, keys, order);
        }
        counts[least.min(most)..=most].fill(0);
        self.columns.fill(flights, order);
        self.index.finish(&self.columns);
    }

    /// Finds the slot of each projectile from how many come before it, and for each slot which projectile goes there.
    fn order_by_counting(
        &mut self,
        flights: &[Flight<P>],
        bucket: impl Fn(&Flight<P>) -> usize,
        least: usize,
        counts: &mut [u32],
        order: &mut [u32],
    ) {
        let mut start = 0;
        for left in (least..counts.len()).rev() {
            if counts[left] == 0 {
                continue;
            }
            if left < COUNTED {
                self.runs.push(Run { after: left as u32, start });
            }
            start += core::mem::replace(&mut counts[left], start);
        }
        for (place, flight) in (0..).zip(flights) {
            let slot = &mut counts[bucket(flight)];
            order[*slot as usize] = place;
            self.index.note(flight.id, *slot);
            *slot += 1;
        }
    }

    /// The same by a sort of the remaining lifetimes.
    fn order_by_sorting(
        &mut self,
        flights: &[Flight<P>],
        left: impl Fn(&Flight<P>) -> Option<u32>,
        keys: &mut Vec<u64>,
        order: &mut [u32],
    ) {
        keys.clear();
        let falling = |flight| u64::from(!left(flight).unwrap_or(u32::MAX)) << 32;
        keys.extend(flights.iter().zip(0_u64..).map(|(flight, place)| falling(flight) | place));
        keys.sort_unstable();
        for (slot, (key, order)) in (0..).zip(keys.iter().zip(order)) {
            *order = *key as u32;
            let flight = &flights[*order as usize];
            self.index.note(flight.id, slot);
            if let Some(left) = left(flight)
                && self.runs.last().is_none_or(|run| run.after != left)
            {
                self.runs.push(Run { after: left, start: slot });
            }
        }
    }

    /// The slot of a live projectile. O(1) if the ids of the block lie close together, otherwise O(log n).
    pub fn find(&self, id: ProjectileId) -> Option<usize> {
        let columns = &self.columns;
        let slot = self.index.find(id, columns)?;
        (slot < columns.len() && columns.id[slot] == id && columns.is_alive(slot)).then_some(slot)
    }

    /// The least and the greatest of the ids that the block was sealed with.
    pub fn ids(&self) -> (ProjectileId, ProjectileId) {
        (self.index.first, self.index.last)
    }

    /// Ticks until the last projectile has expired; `None` if one is endless.
    pub fn ticks_left(&self, steps: u32) -> Option<u32> {
        let first = self.runs.first().filter(|run| run.start == 0)?;
        Some(first.after.saturating_sub(age(steps, self.sealed)))
    }

    /// Books the ends of all that met their fate, and cuts off the end of the block that is dead. `holes` says whether
    /// there may be any in the block.
    pub fn retire(&mut self, fate: Fate, holes: bool, outside: &mut Vec<u32>, ledger: &mut Ledger<P>) {
        let mut length = self.columns.len();
        while let Some(run) = self.runs.pop_if(|run| age(fate.steps, self.sealed) >= run.after) {
            length = length.min(run.start as usize);
        }
        if length < self.columns.len() {
            self.expire_from(length, holes, ledger);
        }
        if holes {
            while length > 0 && !self.columns.is_alive(length - 1) {
                length -= 1;
            }
            while self.runs.pop_if(|run| run.start as usize >= length).is_some() {}
            self.columns.truncate(length);
        }
        if let Some(bounds) = fate.bounds {
            self.columns.end_outside(bounds, outside, ledger);
        }
    }

    fn expire_from(&mut self, start: usize, holes: bool, ledger: &mut Ledger<P>) {
        if ledger.recording {
            for slot in start..self.columns.len() {
                if self.columns.is_alive(slot) {
                    self.columns.end(slot, RetireReason::Expired, ledger);
                }
            }
        } else {
            // One count for all; their values need not be read.
            let count = if holes { self.columns.alive_from(start) } else { self.columns.len() - start };
            ledger.end_unrecorded(RetireReason::Expired, count);
        }
        self.columns.truncate(start);
    }

    /// How many slots hold a projectile that has ended.
    pub fn holes(&self) -> usize {
        self.columns.len() - self.columns.alive_from(0)
    }

    /// Closes the holes. The order stays.
    pub fn squeeze(&mut self) {
        let Self { columns, runs, index, .. } = self;
        let mut runs = runs.iter_mut().peekable();
        let mut slot = 0;
        columns.squeeze(|kept, id| {
            while let Some(run) = runs.next_if(|run| run.start <= slot) {
                run.start = kept as u32;
            }
            if let Some(id) = id {
                index.note(id, kept as u32);
            }
            slot += 1;
        });
        index.finish(columns);
    }

    pub fn clear(&mut self) {
        self.columns.clear();
        self.runs.clear();
        self.index.clear();
    }

    /// Makes room for so many in all.
    pub fn reserve(&mut self, room: usize) {
        self.columns.reserve(room);
        self.index.slots.resize(room.max(self.index.slots.len()), 0);
    }

    pub fn shrink_to(&mut self, room: usize) {
        self.columns.shrink_to(room);
        self.runs.shrink_to_fit();
        // Slots in the order of ids are as many as there are projectiles; a table of all ids may be much longer.
        self.index.dense = false;
        self.index.finish(&self.columns);
        self.index.slots.shrink_to(self.columns.capacity());
    }

    pub fn bytes(&self) -> usize {
        self.columns.bytes() + self.runs.capacity() * size_of::<Run>() + self.index.slots.capacity() * size_of::<u32>()
    }
}

impl Index {
    /// Begins anew for ids from `first` to `last`, which may come in any order.
    fn start(&mut self, first: ProjectileId, last: ProjectileId, room: usize) {
        (self.first, self.last) = (first, last);
        let span = last.to_bits().saturating_sub(first.to_bits()).saturating_add(1);
        self.dense = span <= room as u64;
        if self.dense {
            // What was there before, and stays in between, is no more than a wrong claim.
            self.slots.resize(span as usize, 0);
        }
    }

    #[inline]
    fn note(&mut self, id: ProjectileId, slot: u32) {
        if self.dense {
            self.slots[(id.to_bits() - self.first.to_bits()) as usize] = slot;
        }
    }

    /// Completes the index after the last note.
    fn finish<P: Payload>(&mut self, columns: &Columns<P>) {
        if !self.dense {
            self.slots.clear();
            self.slots.extend(0..columns.len() as u32);
            self.slots.sort_unstable_by_key(|&slot| columns.id[slot as usize]);
        }
    }

    #[inline]
    fn find<P: Payload>(&self, id: ProjectileId, columns: &Columns<P>) -> Option<usize> {
        if id < self.first || id > self.last {
            return None;
        }
        let place = if self.dense {
            (id.to_bits() - self.first.to_bits()) as usize
        } else {
            // Those cut off since keep their ids, past the length.
            self.slots.binary_search_by_key(&id, |&slot| columns.id[slot as usize]).ok()?
        };
        self.slots.get(place).map(|&slot| slot as usize)
    }

    fn clear(&mut self) {
        (self.first, self.last) = (ProjectileId::PLACEHOLDER, ProjectileId::PLACEHOLDER);
    }
}
