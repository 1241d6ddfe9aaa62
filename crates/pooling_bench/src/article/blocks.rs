//! The layout of the plugin's parallel arrays, in `f64`: blocks sorted by when they expire.
//!
//! Few projectiles wait in open columns, which are tested one by one. As soon as there are 512, they become a block sorted
//! by falling remaining life: from then on expiry cuts off the end of the block, and nothing is tested or moved. What a
//! block has besides in the plugin, for ids, early ends and look-ups, the article's workload has no use for.

use super::{Storage, advance, columns::Columns};
use crate::stream::Shot;

/// As many projectiles become a block, at the least; the plugin's number.
const SEALED: usize = 512;
/// A block with no more than this is dissolved; the plugin's number.
const DISSOLVED: usize = 128;

/// Open columns and blocks.
#[derive(Debug)]
pub struct Blocks {
    extra: usize,
    open: Columns,
    blocks: Vec<Columns>,
    free: Vec<Columns>,
    waiting: Vec<Shot>,
    starts: Vec<usize>,
    /// Steps so far. What is stored of a life is the step after which it is over: nothing is written for it.
    now: f64,
}

impl Blocks {
    /// Empty arrays for projectiles of 6 values and `extra` more.
    #[must_use]
    pub fn new(extra: usize) -> Self {
        let (blocks, free, waiting, starts) = Default::default();
        Self { extra, open: Columns::new(extra), blocks, free, waiting, starts, now: 0.0 }
    }

    /// Makes a block of the open columns and a batch: a counting sort by falling life.
    fn seal(&mut self, batch: &[Shot]) {
        self.waiting.clear();
        self.waiting.extend((0..self.open.len()).map(|slot| self.open.shot(slot)));
        self.open.resize(0);
        let count = self.waiting.len() + batch.len();
        let now = self.now;
        let shots = || self.waiting.iter().copied().chain(batch.iter().map(|shot| stored(shot, now)));
        self.starts.clear();
        for shot in shots() {
            let life = (shot.life - now) as usize;
            if life >= self.starts.len() {
                self.starts.resize(life + 1, 0);
            }
            self.starts[life] += 1;
        }
        let mut next = 0;
        for start in self.starts.iter_mut().rev() {
            next += core::mem::replace(start, next);
        }
        let mut block = self.free.pop().unwrap_or_else(|| Columns::new(self.extra));
        block.resize(count);
        for shot in shots() {
            let start = &mut self.starts[(shot.life - now) as usize];
            block.set(*start, &shot);
            *start += 1;
        }
        self.blocks.push(block);
    }

    fn update_open(&mut self) -> f64 {
        let count = self.open.len();
        let ([x, y, vx, vy, life, damage], extra) = self.open.parts();
        let (mut sum, mut kept) = (0.0, 0);
        for slot in 0..count {
            advance(&mut x[slot], &mut y[slot], vx[slot], &mut vy[slot]);
            if life[slot] > self.now {
                sum += x[slot];
                for column in [&mut *x, &mut *y, &mut *vx, &mut *vy, &mut *life, &mut *damage] {
                    column[kept] = column[slot];
                }
                for column in &mut *extra {
                    let values = column.values_mut();
                    values[kept] = values[slot];
                }
                kept += 1;
            }
        }
        self.open.resize(kept);
        sum
    }
}

impl Storage for Blocks {
    fn spawn(&mut self, batch: &[Shot]) {
        if self.open.len() + batch.len() >= SEALED {
            self.seal(batch);
        } else {
            self.waiting.clear();
            self.waiting.extend(batch.iter().map(|shot| stored(shot, self.now)));
            self.open.extend(&self.waiting);
        }
    }

    fn update(&mut self) -> f64 {
        self.now += 1.0;
        let mut sum = self.update_open();
        for block in &mut self.blocks {
            sum += update(block, self.now);
        }
        let mut place = 0;
        while place < self.blocks.len() {
            if self.blocks[place].len() > DISSOLVED {
                place += 1;
                continue;
            }
            let mut block = self.blocks.remove(place);
            self.waiting.clear();
            self.waiting.extend((0..block.len()).map(|slot| block.shot(slot)));
            self.open.extend(&self.waiting);
            block.resize(0);
            self.free.push(block);
        }
        if self.open.len() >= SEALED {
            self.seal(&[]);
        }
        sum
    }

    fn live(&self) -> usize {
        self.open.len() + self.blocks.iter().map(Columns::len).sum::<usize>()
    }

    fn room(&self) -> usize {
        self.open.room() + self.blocks.iter().chain(&self.free).map(Columns::room).sum::<usize>()
    }

    fn bytes(&self) -> usize {
        self.open.bytes() + self.blocks.iter().chain(&self.free).map(Columns::bytes).sum::<usize>()
    }

    fn trim(&mut self) {
        self.free.clear();
        for block in &mut self.blocks {
            block.shrink_to(block.len());
        }
        self.open.shrink_to(SEALED);
        self.waiting = Vec::new();
    }
}

/// A shot as it is stored at the step `now`.
fn stored(shot: &Shot, now: f64) -> Shot {
    Shot { life: shot.life + now, ..*shot }
}

/// Partial sums: one sum alone would wait for each addition before the next.
const LANES: usize = 8;

/// Moves a block, cuts off what expired, and returns the sum of the x of the rest.
fn update(block: &mut Columns, now: f64) -> f64 {
    let ([x, y, vx, vy, life, _], _) = block.parts();
    for (((x, y), vx), vy) in x.iter_mut().zip(y).zip(vx).zip(vy) {
        advance(x, y, *vx, vy);
    }
    let kept = life.iter().rposition(|&life| life > now).map_or(0, |last| last + 1);
    let mut lanes = [0.0; LANES];
    let groups = x[..kept].chunks_exact(LANES);
    let rest: f64 = groups.remainder().iter().sum();
    for group in groups {
        for (lane, x) in lanes.iter_mut().zip(group) {
            *lane += x;
        }
    }
    block.resize(kept);
    lanes.iter().sum::<f64>() + rest
}
