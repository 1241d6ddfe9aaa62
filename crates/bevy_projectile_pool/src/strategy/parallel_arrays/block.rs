//! A block of projectiles sorted by when they expire: the dead are always at its end.

use super::columns::Columns;
use crate::{
    Payload, ProjectileId, RetireReason,
    ledger::Ledger,
    pool::Fate,
    projectile::{ENDED, Flight, remaining},
};

/// Remaining lifetimes below this are sorted by counting.
const COUNTED: usize = 1024;

/// Projectiles in columns, in the order of falling remaining lifetime, endless ones first. They do not move while they
/// fly: what expires is cut off at the end, and what ends early stays as a hole until the block is squeezed.
pub(crate) struct Block<P> {
    pub columns: Columns<P>,
    /// The least and the greatest of the ids, at hand for look-ups that pass by.
    first: ProjectileId,
    last: ProjectileId,
    /// Every id that the block was sealed with, rising, and its slot. Those cut off since have a slot past the end.
    ids: Vec<ProjectileId>,
    slots: Vec<u32>,
}

/// Memory for sorting, kept from block to block.
#[derive(Default)]
pub(crate) struct Sorting {
    starts: Vec<u32>,
    keys: Vec<u64>,
}

impl Sorting {
    pub fn bytes(&self) -> usize {
        self.starts.capacity() * size_of::<u32>() + self.keys.capacity() * size_of::<u64>()
    }
}

impl<P> Default for Block<P> {
    fn default() -> Self {
        Self {
            columns: Columns::default(),
            first: ProjectileId::PLACEHOLDER,
            last: ProjectileId::PLACEHOLDER,
            ids: Vec::new(),
            slots: Vec::new(),
        }
    }
}

impl<P: Payload> Block<P> {
    /// Fills an empty block with live projectiles whose ids rise.
    pub fn seal<'a>(
        &mut self,
        flights: impl Iterator<Item = &'a Flight<P>> + Clone,
        count: usize,
        steps: u32,
        sorting: &mut Sorting,
    ) {
        self.columns.resize(count);
        self.ids.clear();
        self.slots.clear();
        self.ids.reserve(count);
        self.slots.reserve(count);
        let left = |flight: &Flight<P>| remaining(steps, flight.born, flight.lifetime).unwrap_or(u32::MAX);
        // Endless ones have the last bucket for themselves.
        let bucket = |left: u32| match left {
            u32::MAX => Some(COUNTED),
            left => Some(left as usize).filter(|&bucket| bucket < COUNTED),
        };
        sorting.starts.clear();
        sorting.starts.resize(COUNTED + 1, 0);
        let mut countable = true;
        for flight in flights.clone() {
            match bucket(left(flight)) {
                Some(bucket) => sorting.starts[bucket] += 1,
                None => countable = false,
            }
        }
        if countable {
            let mut next = 0;
            for number in sorting.starts.iter_mut().rev() {
                next += core::mem::replace(number, next);
            }
            for flight in flights {
                let next = &mut sorting.starts[bucket(left(flight)).unwrap_or(COUNTED)];
                self.place(*next, flight);
                *next += 1;
            }
        } else {
            sorting.keys.clear();
            let keys = flights.clone().zip(0_u64..).map(|(flight, place)| u64::from(!left(flight)) << 32 | place);
            sorting.keys.extend(keys);
            sorting.keys.sort_unstable();
            // From the order of slots to the slot of each.
            sorting.starts.resize(count.max(COUNTED + 1), 0);
            for (slot, key) in (0..).zip(&sorting.keys) {
                sorting.starts[(key & u64::from(u32::MAX)) as usize] = slot;
            }
            for (place, flight) in flights.enumerate() {
                self.place(sorting.starts[place], flight);
            }
        }
        self.note_ends_of_ids();
    }

    fn note_ends_of_ids(&mut self) {
        self.first = self.ids.first().copied().unwrap_or(ProjectileId::PLACEHOLDER);
        self.last = self.ids.last().copied().unwrap_or(ProjectileId::PLACEHOLDER);
    }

    #[inline]
    fn place(&mut self, slot: u32, flight: &Flight<P>) {
        self.columns.set(slot as usize, flight);
        self.ids.push(flight.id);
        self.slots.push(slot);
    }

    /// The slot of a live projectile. O(log n).
    pub fn find(&self, id: ProjectileId) -> Option<usize> {
        if id < self.first || id > self.last {
            return None;
        }
        let slot = self.slots[self.ids.binary_search(&id).ok()?] as usize;
        (slot < self.columns.len() && self.columns.is_alive(slot)).then_some(slot)
    }

    /// Books the ends of all that met their fate, and cuts off the end of the block that is dead.
    pub fn retire(&mut self, fate: Fate, ledger: &mut Ledger<P>) {
        let columns = &mut self.columns;
        let mut length = columns.len();
        while let Some(last) = length.checked_sub(1) {
            if columns.is_alive(last) {
                if !fate.has_expired(columns.born[last], columns.lifetime[last]) {
                    break;
                }
                columns.end(last, RetireReason::Expired, ledger);
            }
            length = last;
        }
        columns.truncate(length);
        if let Some(bounds) = fate.bounds
            && columns.any_outside(bounds)
        {
            for slot in 0..length {
                if columns.is_alive(slot) && !bounds.contains(columns.position(slot)) {
                    columns.end(slot, RetireReason::OutOfBounds, ledger);
                }
            }
        }
    }

    /// How many slots hold a projectile that has ended.
    pub fn holes(&self) -> usize {
        self.columns.lifetime.iter().filter(|&&lifetime| lifetime == ENDED).count()
    }

    /// Closes the holes. The order stays.
    pub fn squeeze(&mut self, places: &mut Vec<(ProjectileId, u32)>) {
        self.columns.squeeze(|_, _| ());
        places.clear();
        places.extend(self.columns.id.iter().copied().zip(0..));
        places.sort_unstable();
        self.ids.clear();
        self.slots.clear();
        self.ids.extend(places.iter().map(|place| place.0));
        self.slots.extend(places.iter().map(|place| place.1));
        self.note_ends_of_ids();
    }

    pub fn clear(&mut self) {
        self.columns.clear();
        self.ids.clear();
        self.slots.clear();
        self.note_ends_of_ids();
    }

    pub fn reserve(&mut self, room: usize) {
        self.columns.reserve(room);
        self.ids.reserve(room);
        self.slots.reserve(room);
    }

    pub fn shrink_to(&mut self, room: usize) {
        self.columns.shrink_to(room);
        self.ids.shrink_to(room);
        self.slots.shrink_to(room);
    }

    pub fn bytes(&self) -> usize {
        self.columns.bytes()
            + self.ids.capacity() * size_of::<ProjectileId>()
            + self.slots.capacity() * size_of::<u32>()
    }
}
