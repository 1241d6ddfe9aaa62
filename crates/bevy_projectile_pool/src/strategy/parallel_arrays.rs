//! Parallel arrays: no entities, one array a field, projectiles placed where their end is already known.
//!
//! What is spawned in one tick is sealed into a block sorted by remaining lifetime: from then on expiry is a matter of
//! cutting off the end of the block, and nothing is tested or moved. Few projectiles wait in an open set of columns, in no
//! order, until there are enough for a block. A block that has become small, and would stay so for long, is dissolved into
//! the open columns again; one with many holes, from early ends, is squeezed. Emptied blocks are used again.

use super::Room;
use crate::{
    Payload, ProjectileId, RetireReason,
    engine::{ComputeTaskPool, Resource, World},
    pool::{Pool, Step},
    projectile::Flight,
};

mod block;
pub(crate) mod columns;
mod cursor;
mod motion;
mod spares;
#[cfg(test)]
mod tests;

use block::{Block, Sorting};
pub(crate) use columns::{Columns, ColumnsIter, Slot};
use cursor::Cursor;
pub(crate) use cursor::SlotMut;
use motion::Stretch;
use spares::Spares;

/// As many open projectiles as make a block, at the least: [`block_size`] has the rule.
const SEALED: usize = 512;
/// As many blocks, about, as large populations lie in. Each is some short stretches of memory for every step, and where
/// these come from beyond the processor's own cache, a start costs as much as some hundred projectiles.
const BLOCKS: usize = 32;
/// Lines of projectiles that one thread takes at a time when several share a step: some microseconds of work.
const TASK: usize = 1024;
/// Slots made ready in each block of a pool with a capacity.
const READY: usize = 1024;

/// As many open projectiles as make a block while so many live. Half as many that are spawned in one tick make one of their
/// own, and a block with a quarter or less may be dissolved.
fn block_size(live: usize) -> usize {
    (live / BLOCKS).max(SEALED)
}

/// The projectiles of one pool.
#[derive(Resource)]
pub(crate) struct Arrays<P: Payload> {
    open: Columns<P>,
    blocks: Vec<Block<P>>,
    /// The least and the greatest id of each block, side by side for look-ups.
    ids: Vec<(ProjectileId, ProjectileId)>,
    /// Slots in use, holes too, as of the last `Spawn` or `Retire`.
    slots: usize,
    /// Room and bytes of the blocks, kept because a look at each in every tick would cost as much as moving some
    /// projectiles.
    room: usize,
    bytes: usize,
    spares: Spares<P>,
    sorting: Sorting,
    /// Memory to work with, kept from tick to tick.
    waiting: Vec<Flight<P>>,
    outside: Vec<u32>,
    oldest: Vec<(ProjectileId, Place)>,
    parts: Vec<Part>,
}

/// A block, or `None` for the open columns, and the least and the greatest of its ids.
type Part = ((ProjectileId, ProjectileId), Option<usize>);

/// Where a projectile is: its block, or `None` for the open columns, and its slot.
type Place = (Option<usize>, usize);

impl<P: Payload> Default for Arrays<P> {
    fn default() -> Self {
        Self {
            open: Columns::default(),
            blocks: Vec::new(),
            ids: Vec::new(),
            slots: 0,
            room: 0,
            bytes: 0,
            spares: Spares::default(),
            sorting: Sorting::default(),
            waiting: Vec::new(),
            outside: Vec::new(),
            oldest: Vec::new(),
            parts: Vec::new(),
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

    /// The place of a live projectile: a glance at each block, O(1) in those between whose ids it is (O(log n) in a block
    /// whose ids are far apart), and a look along the open columns.
    pub fn find(&self, id: ProjectileId) -> Option<Place> {
        let near = self.ids.iter().enumerate().filter(|(_, (first, last))| (first..=last).contains(&&id));
        let sealed = near.filter_map(|(number, _)| Some((Some(number), self.blocks[number].find(id)?))).next();
        sealed.or_else(|| {
            let slot = self.open.id[..self.open.len()].iter().position(|&open| open == id)?;
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

    fn capacity(&self) -> usize {
        self.open.capacity() + self.room + self.spares.slots()
    }

    fn seal(&mut self, flights: &[Flight<P>], steps: u32) {
        let mut block = self.spares.rent(flights.len());
        block.seal(flights, steps, &mut self.sorting);
        self.room += block.columns.capacity();
        self.bytes += block.bytes();
        self.ids.push(block.ids());
        self.blocks.push(block);
    }

    fn seal_open(&mut self, steps: u32) {
        let mut waiting = core::mem::take(&mut self.waiting);
        waiting.clear();
        waiting.extend(self.open.flights());
        self.open.clear();
        self.seal(&waiting, steps);
        self.waiting = waiting;
    }

    /// Dissolves small blocks, and squeezes those with many holes if there are many in all.
    fn tidy(&mut self, live: usize, steps: u32) {
        let block_size = block_size(live);
        let mut number = 0;
        while let Some(block) = self.blocks.get(number) {
            // A block costs about as much in a tick as a few projectiles, and a move costs as much as some ticks.
            let length = block.columns.len();
            let soon_over = || block.ticks_left(steps).is_some_and(|ticks| ticks as usize <= 2 * length);
            if length > block_size / 4 || length > 0 && soon_over() {
                number += 1;
            } else {
                self.dissolve(number);
            }
        }
        if self.slots.saturating_sub(live) * 4 > self.slots {
            for block in &mut self.blocks {
                let length = block.columns.len();
                if block.holes() * 4 > length {
                    block.squeeze();
                    self.slots -= length - block.columns.len();
                }
            }
        }
        if self.open.len() >= block_size {
            self.seal_open(steps);
        }
    }

    fn dissolve(&mut self, number: usize) {
        let block = self.blocks.swap_remove(number);
        self.ids.swap_remove(number);
        self.room -= block.columns.capacity();
        self.bytes -= block.bytes();
        self.slots -= block.columns.len();
        let open = self.open.len();
        for flight in block.columns.flights() {
            self.open.push(&flight);
        }
        self.slots += self.open.len() - open;
        self.spares.give_back(block);
    }

    /// Gives room back that a pool with room for `kept` does not need.
    ///
    /// Blocks in use hold up to twice what lives in them, as they empty from the end, and that is left alone: the next
    /// spawn will want it. Free blocks go as far as they are more than half of `kept` too many; blocks in use are cut
    /// down only when they hold three times what should be kept, as a few survivors of a burst do.
    fn shrink_to(&mut self, kept: usize) {
        self.sorting.shrink_to(kept);
        self.waiting.clear();
        self.waiting.shrink_to(kept);
        self.oldest.clear();
        self.oldest.shrink_to(kept);
        let free = self.spares.slots();
        let used = self.capacity() - free;
        let wanted = kept.saturating_sub(used);
        if free > wanted + kept / 2 {
            self.spares.drop_slots(free - wanted);
        }
        if used > kept.saturating_mul(3) {
            for block in self.blocks.iter_mut().filter(|block| block.columns.len() * 2 < block.columns.capacity()) {
                self.room -= block.columns.capacity();
                self.bytes -= block.bytes();
                block.shrink_to(block.columns.len());
                self.room += block.columns.capacity();
                self.bytes += block.bytes();
            }
            self.open.shrink_to(self.open.len().max(SEALED));
        }
    }
}

pub(crate) fn spawn<P: Payload>(world: &mut World, pool: &mut Pool<P>, flights: &[Flight<P>]) {
    let arrays = &mut *world.resource_mut::<Arrays<P>>();
    arrays.slots += flights.len();
    let block_size = block_size(pool.ledger.live);
    if flights.len() >= block_size / 2 {
        arrays.seal(flights, pool.steps);
        return;
    }
    for flight in flights {
        arrays.open.push(flight);
    }
    if arrays.open.len() >= block_size {
        arrays.seal_open(pool.steps);
    }
}

pub(crate) fn integrate<P: Payload>(world: &mut World, pool: &Pool<P>, step: Step) {
    let shared = pool.ledger.live >= pool.settings.parallel_from as usize;
    let threads = shared.then(ComputeTaskPool::try_get).flatten();
    let arrays = &mut *world.resource_mut::<Arrays<P>>();
    let parts = core::iter::once(&mut arrays.open).chain(arrays.blocks.iter_mut().map(|block| &mut block.columns));
    let Some(threads) = threads else {
        parts.for_each(|columns| columns.advance(step));
        return;
    };
    threads.scope(|scope| {
        let (mut task, mut lines) = (Vec::new(), 0);
        for stretch in parts.flat_map(|columns| columns.stretches(TASK)) {
            lines += stretch.lines();
            task.push(stretch);
            if lines >= TASK {
                let task = core::mem::take(&mut task);
                lines = 0;
                scope.spawn(async move { advance_all(task, step) });
            }
        }
        scope.spawn(async move { advance_all(task, step) });
    });
}

fn advance_all(stretches: Vec<Stretch<'_>>, step: Step) {
    stretches.into_iter().for_each(|stretch| stretch.advance(step));
}

pub(crate) fn retire<P: Payload>(world: &mut World, pool: &mut Pool<P>) {
    let arrays = &mut *world.resource_mut::<Arrays<P>>();
    let fate = pool.fate();
    let holes = arrays.slots > pool.ledger.live;
    let Arrays { open, blocks, slots, outside, .. } = arrays;
    open.retire(fate, outside, &mut pool.ledger);
    *slots = open.len();
    for block in blocks {
        block.retire(fate, holes, outside, &mut pool.ledger);
        *slots += block.columns.len();
    }
    arrays.tidy(pool.ledger.live, pool.steps);
    if let Some(room) = pool.shrink_to(arrays.capacity()) {
        arrays.shrink_to(room);
    }
}

/// Looks only into as many parts as must hold the oldest: those whose least ids are the lowest.
pub(crate) fn evict_oldest<P: Payload>(world: &mut World, pool: &mut Pool<P>, count: usize) {
    let arrays = &mut *world.resource_mut::<Arrays<P>>();
    let mut parts = core::mem::take(&mut arrays.parts);
    let mut oldest = core::mem::take(&mut arrays.oldest);
    parts.clear();
    parts.extend(arrays.ids.iter().zip(0..).map(|(&ids, number)| (ids, Some(number))));
    let open = || arrays.open.id[..arrays.open.len()].iter().copied();
    parts.extend(open().min().zip(open().max()).map(|ids| (ids, None)));
    parts.sort_unstable();
    let (mut found, mut highest) = (0, ProjectileId::FIRST);
    oldest.clear();
    for &((first, last), part) in &parts {
        if found >= count && first > highest {
            break;
        }
        let columns = arrays.columns(part);
        let alive = (0..columns.len()).filter(|&slot| columns.is_alive(slot));
        oldest.extend(alive.map(|slot| (columns.id[slot], (part, slot))));
        if found < count {
            highest = highest.max(last);
        }
        found = oldest.len();
    }
    if count < oldest.len() {
        oldest.select_nth_unstable(count);
        oldest.truncate(count);
    }
    for &(_, (part, slot)) in &oldest {
        arrays.columns_mut(part).end(slot, RetireReason::Evicted, &mut pool.ledger);
    }
    (arrays.parts, arrays.oldest) = (parts, oldest);
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
    debug_assert_eq!(arrays.bytes, arrays.blocks.iter().map(Block::bytes).sum::<usize>());
    let scratch = arrays.waiting.capacity() * size_of::<Flight<P>>()
        + arrays.outside.capacity() * size_of::<u32>()
        + arrays.oldest.capacity() * size_of::<(ProjectileId, Place)>()
        + arrays.parts.capacity() * size_of::<Part>()
        + arrays.ids.capacity() * size_of::<(ProjectileId, ProjectileId)>()
        + arrays.sorting.bytes();
    Room {
        capacity: arrays.capacity(),
        free_rows: 0,
        bytes: arrays.open.bytes() + arrays.bytes + arrays.spares.bytes() + scratch,
    }
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
    current: Cursor<'a, P>,
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
