//! Parallel arrays: no entities, one array a field, projectiles placed where their end is already known.
//!
//! Few projectiles wait in an open set of columns, in no order, which is tested one by one. As soon as there are enough,
//! they are sealed into a block sorted by remaining lifetime: from then on expiry is a matter of cutting off the end of
//! the block, and nothing is tested or moved. A block that has become small is dissolved into the open columns again; one
//! with many holes, from early ends, is squeezed. Emptied blocks are used again.

use super::Room;
use crate::{
    Payload, ProjectileId, RetireReason,
    engine::{Resource, World},
    pool::{Pool, Step},
    projectile::Flight,
};

mod block;
pub(crate) mod columns;
mod motion;
mod spares;

use block::{Block, Sorting};
pub(crate) use columns::{Columns, ColumnsIter, ColumnsIterMut, Slot, SlotMut};
use spares::Spares;

/// As many projectiles as are sealed into a block, at the least.
const SEALED: usize = 512;
/// A block with no more slots than this is dissolved.
const DISSOLVED: usize = 128;
/// Slots made ready in each block of a pool with a capacity.
const READY: usize = 1024;

/// The projectiles of one pool.
#[derive(Resource)]
pub(crate) struct Arrays<P: Payload> {
    open: Columns<P>,
    blocks: Vec<Block<P>>,
    spares: Spares<P>,
    sorting: Sorting,
    survivors: Vec<Flight<P>>,
    places: Vec<(ProjectileId, u32)>,
    oldest: Vec<(ProjectileId, Place)>,
}

/// Where a projectile is: its block, or `None` for the open columns, and its slot.
type Place = (Option<usize>, usize);

impl<P: Payload> Default for Arrays<P> {
    fn default() -> Self {
        Self {
            open: Columns::default(),
            blocks: Vec::new(),
            spares: Spares::default(),
            sorting: Sorting::default(),
            survivors: Vec::new(),
            places: Vec::new(),
            oldest: Vec::new(),
        }
    }
}

impl<P: Payload> Arrays<P> {
    /// Makes room ready.
    pub fn reserve(&mut self, room: usize) {
        self.spares.prefill(room, READY);
    }

    /// The columns that hold projectiles.
    pub fn all(&self) -> impl Iterator<Item = &Columns<P>> {
        core::iter::once(&self.open).chain(self.blocks.iter().map(|block| &block.columns))
    }

    /// The place of a live projectile: a glance at each block, O(log n) in those between whose ids it is, and a look along
    /// the open columns.
    pub fn find(&self, id: ProjectileId) -> Option<Place> {
        // Blocks are in the order of their making: a young id is in one of the last.
        let block = self.blocks.iter().enumerate().rev();
        let sealed = block.filter_map(|(number, block)| Some((Some(number), block.find(id)?))).next();
        sealed.or_else(|| {
            let slot = self.open.id.iter().position(|&open| open == id)?;
            self.open.is_alive(slot).then_some((None, slot))
        })
    }

    /// The columns of a place.
    pub fn columns(&self, block: Option<usize>) -> &Columns<P> {
        block.map_or(&self.open, |block| &self.blocks[block].columns)
    }

    /// The columns of a place.
    pub fn columns_mut(&mut self, block: Option<usize>) -> &mut Columns<P> {
        match block {
            Some(block) => &mut self.blocks[block].columns,
            None => &mut self.open,
        }
    }

    fn slots(&self) -> usize {
        self.all().map(Columns::len).sum()
    }

    fn capacity(&self) -> usize {
        self.all().map(Columns::capacity).sum::<usize>() + self.spares.slots()
    }

    /// Seals the open columns, and `flights` whose ids rise above theirs, into a block.
    fn seal(&mut self, flights: &[Flight<P>], steps: u32) {
        self.survivors.clear();
        self.survivors.extend(self.open.flights());
        self.survivors.sort_unstable_by_key(|flight| flight.id);
        self.open.clear();
        let count = self.survivors.len() + flights.len();
        let mut block = self.spares.rent(count);
        block.seal(self.survivors.iter().chain(flights), count, steps, &mut self.sorting);
        self.blocks.push(block);
    }

    /// Dissolves small blocks, and squeezes those with many holes if there are many in all.
    fn tidy(&mut self, live: usize, steps: u32) {
        let mut number = 0;
        while let Some(block) = self.blocks.get_mut(number) {
            if block.columns.len() > DISSOLVED {
                number += 1;
                continue;
            }
            for flight in block.columns.flights() {
                self.open.push(&flight);
            }
            self.spares.give_back(self.blocks.remove(number));
        }
        let slots = self.slots();
        if slots.saturating_sub(live) * 4 > slots {
            for block in &mut self.blocks {
                if block.holes() * 4 > block.columns.len() {
                    block.squeeze(&mut self.places);
                }
            }
        }
        if self.open.len() >= SEALED {
            self.seal(&[], steps);
        }
    }

    /// Gives room back that a pool with room for `kept` does not need.
    ///
    /// Blocks in use hold up to twice what lives in them, as they empty from the end, and that is left alone: the next
    /// spawn will want it. Free blocks go as far as they are more than half of `kept` too many; blocks in use are cut
    /// down only when they hold three times what should be kept, as a few survivors of a burst do.
    fn shrink_to(&mut self, kept: usize) {
        let free = self.spares.slots();
        let used = self.capacity() - free;
        let wanted = kept.saturating_sub(used);
        if free > wanted + kept / 2 {
            self.spares.drop_slots(free - wanted);
        }
        if used > kept.saturating_mul(3) {
            for block in self.blocks.iter_mut().filter(|block| block.columns.len() * 2 < block.columns.capacity()) {
                block.shrink_to(block.columns.len());
            }
            self.open.shrink_to(self.open.len().max(SEALED));
        }
    }
}

pub(crate) fn spawn<P: Payload>(world: &mut World, pool: &mut Pool<P>, flights: &[Flight<P>]) {
    let arrays = &mut *world.resource_mut::<Arrays<P>>();
    if arrays.open.len() + flights.len() >= SEALED {
        arrays.seal(flights, pool.steps);
    } else {
        for flight in flights {
            arrays.open.push(flight);
        }
    }
}

pub(crate) fn integrate<P: Payload>(world: &mut World, step: Step) {
    let arrays = &mut *world.resource_mut::<Arrays<P>>();
    arrays.open.advance(step);
    for block in &mut arrays.blocks {
        block.columns.advance(step);
    }
}

pub(crate) fn retire<P: Payload>(world: &mut World, pool: &mut Pool<P>) {
    let arrays = &mut *world.resource_mut::<Arrays<P>>();
    let fate = pool.fate();
    arrays.open.retire(fate, &mut pool.ledger);
    for block in &mut arrays.blocks {
        block.retire(fate, &mut pool.ledger);
    }
    arrays.tidy(pool.ledger.live, pool.steps);
    if let Some(room) = pool.shrink_to(arrays.capacity()) {
        arrays.shrink_to(room);
    }
}

pub(crate) fn evict_oldest<P: Payload>(world: &mut World, pool: &mut Pool<P>, count: usize) {
    let arrays = &mut *world.resource_mut::<Arrays<P>>();
    let mut oldest = core::mem::take(&mut arrays.oldest);
    oldest.clear();
    let parts = core::iter::once(None).chain((0..arrays.blocks.len()).map(Some));
    for (block, columns) in parts.zip(arrays.all()) {
        let alive = (0..columns.len()).filter(|&slot| columns.is_alive(slot));
        oldest.extend(alive.map(|slot| (columns.id[slot], (block, slot))));
    }
    if count < oldest.len() {
        oldest.select_nth_unstable(count);
        oldest.truncate(count);
    }
    for &(_, (block, slot)) in &oldest {
        arrays.columns_mut(block).end(slot, RetireReason::Evicted, &mut pool.ledger);
    }
    arrays.oldest = oldest;
}

pub(crate) fn take_all<P: Payload>(world: &mut World) -> Vec<Flight<P>> {
    let arrays = core::mem::take(&mut *world.resource_mut::<Arrays<P>>());
    arrays.all().flat_map(Columns::flights).collect()
}

pub(crate) fn checksum<P: Payload>(world: &World, steps: u32, hash: fn(&P) -> u64) -> u64 {
    let arrays = world.resource::<Arrays<P>>();
    arrays.all().fold(0, |sum: u64, columns| sum.wrapping_add(columns.checksum(steps, hash)))
}

pub(crate) fn room<P: Payload>(world: &World) -> Room {
    let arrays = world.resource::<Arrays<P>>();
    let blocks = arrays.blocks.iter().map(Block::bytes).sum::<usize>() + arrays.spares.bytes();
    let scratch = arrays.survivors.capacity() * size_of::<Flight<P>>()
        + arrays.oldest.capacity() * size_of::<(ProjectileId, Place)>()
        + arrays.places.capacity() * size_of::<(ProjectileId, u32)>()
        + arrays.sorting.bytes();
    Room { capacity: arrays.capacity(), free_rows: 0, bytes: arrays.open.bytes() + blocks + scratch }
}

/// Iterates over the live projectiles of all columns.
pub(crate) struct ArraysIter<'a, P: Payload> {
    current: ColumnsIter<'a, P>,
    blocks: core::slice::Iter<'a, Block<P>>,
}

impl<'a, P: Payload> ArraysIter<'a, P> {
    pub fn new(arrays: &'a Arrays<P>) -> Self {
        Self { current: arrays.open.iter(), blocks: arrays.blocks.iter() }
    }
}

impl<'a, P: Payload> Iterator for ArraysIter<'a, P> {
    type Item = Slot<'a, P>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(slot) = self.current.next() {
                return Some(slot);
            }
            self.current = self.blocks.next()?.columns.iter();
        }
    }
}

/// Iterates over the live projectiles of all columns, to change them.
pub(crate) struct ArraysIterMut<'a, P: Payload> {
    current: ColumnsIterMut<'a, P>,
    blocks: core::slice::IterMut<'a, Block<P>>,
}

impl<'a, P: Payload> ArraysIterMut<'a, P> {
    pub fn new(arrays: &'a mut Arrays<P>) -> Self {
        Self { current: arrays.open.iter_mut(), blocks: arrays.blocks.iter_mut() }
    }
}

impl<'a, P: Payload> Iterator for ArraysIterMut<'a, P> {
    type Item = SlotMut<'a, P>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(slot) = self.current.next() {
                return Some(slot);
            }
            self.current = self.blocks.next()?.columns.iter_mut();
        }
    }
}
