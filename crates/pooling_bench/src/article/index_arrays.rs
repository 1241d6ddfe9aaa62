//! The article's parallel arrays: slots of fixed arrays, a list of free indices, and a dense list of those in use.

use std::collections::VecDeque;

use super::{Reuse, Storage, columns::Columns, step};
use crate::stream::Shot;

/// Slots for each projectile that a frame spawns, as in the article: the longest life is 39 frames.
const SLOTS: usize = 45;

/// Arrays that are never moved in, and indices of slots.
#[derive(Debug)]
pub struct IndexArrays {
    reuse: Reuse,
    slots: Columns,
    /// Used as a stack or as a queue.
    free: VecDeque<i32>,
    active: Vec<i32>,
}

impl IndexArrays {
    /// Room for 45 projectiles for each that a frame spawns, of 6 values and `extra` more.
    #[must_use]
    pub fn new(spawns: u32, extra: usize, reuse: Reuse) -> Self {
        let count = SLOTS * spawns as usize;
        let mut slots = Columns::new(extra);
        slots.resize(count);
        let all = 0..i32::try_from(count).unwrap_or(i32::MAX);
        // The lowest index first, either way.
        let free = match reuse {
            Reuse::Lifo => all.rev().collect(),
            Reuse::Fifo => all.collect(),
        };
        Self { reuse, slots, free, active: Vec::with_capacity(count) }
    }
}

impl Storage for IndexArrays {
    fn spawn(&mut self, batch: &[Shot]) {
        for shot in batch {
            let free = match self.reuse {
                Reuse::Lifo => self.free.pop_back(),
                Reuse::Fifo => self.free.pop_front(),
            };
            let slot = free.unwrap_or_else(|| {
                let slot = self.slots.len();
                self.slots.resize(slot + 1);
                i32::try_from(slot).unwrap_or(i32::MAX)
            });
            self.slots.set(slot as usize, shot);
            self.active.push(slot);
        }
    }

    fn update(&mut self) -> f64 {
        let Self { slots, free, active, .. } = self;
        let ([x, y, vx, vy, life, _], _) = slots.parts();
        let mut sum = 0.0;
        active.retain(|&index| {
            let slot = index as usize;
            let lives = step(&mut x[slot], &mut y[slot], vx[slot], &mut vy[slot], &mut life[slot]);
            if lives {
                sum += x[slot];
            } else {
                free.push_back(index);
            }
            lives
        });
        sum
    }

    fn live(&self) -> usize {
        self.active.len()
    }

    fn room(&self) -> usize {
        self.slots.len()
    }

    fn bytes(&self) -> usize {
        self.slots.bytes() + (self.free.capacity() + self.active.capacity()) * size_of::<i32>()
    }

    /// Slots keep their indices: nothing can be given back.
    fn trim(&mut self) {}
}
