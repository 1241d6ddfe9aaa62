//! One heap object a projectile: allocated afresh, or taken from a pool.

use std::collections::VecDeque;

use super::{Reuse, Storage, step};
use crate::stream::Shot;

/// A projectile as an object of 6 + `EXTRA` values, of which the last are only written, as in a game that reads them elsewhere.
#[expect(dead_code, reason = "what is not read costs memory all the same")]
#[derive(Clone, Copy, Debug)]
struct Body<const EXTRA: usize> {
    x: f64,
    y: f64,
    vx: f64,
    vy: f64,
    life: f64,
    damage: f64,
    extra: [f64; EXTRA],
}

impl<const EXTRA: usize> Body<EXTRA> {
    fn new(shot: &Shot) -> Self {
        let Shot { x, y, vx, vy, life, damage, .. } = *shot;
        Self { x, y, vx, vy, life, damage, extra: [damage; EXTRA] }
    }

    fn step(&mut self) -> bool {
        step(&mut self.x, &mut self.y, self.vx, &mut self.vy, &mut self.life)
    }
}

/// An allocation for each projectile, freed when it ends.
#[derive(Debug, Default)]
pub struct Fresh<const EXTRA: usize> {
    live: Vec<Box<Body<EXTRA>>>,
}

impl<const EXTRA: usize> Storage for Fresh<EXTRA> {
    fn spawn(&mut self, batch: &[Shot]) {
        self.live.extend(batch.iter().map(|shot| Box::new(Body::new(shot))));
    }

    fn update(&mut self) -> f64 {
        let mut sum = 0.0;
        self.live.retain_mut(|body| {
            let lives = body.step();
            if lives {
                sum += body.x;
            }
            lives
        });
        sum
    }

    fn live(&self) -> usize {
        self.live.len()
    }

    fn room(&self) -> usize {
        self.live.capacity()
    }

    fn bytes(&self) -> usize {
        self.live.capacity() * size_of::<Box<Body<EXTRA>>>() + self.live.len() * size_of::<Body<EXTRA>>()
    }

    fn trim(&mut self) {
        self.live.shrink_to(self.live.len() * 5 / 4);
    }
}

/// Objects that wait in a pool when they are not in use, as the article's free list does: taken out, every value
/// overwritten, put back.
#[derive(Debug)]
pub struct BoxPool<const EXTRA: usize> {
    reuse: Reuse,
    live: Vec<Box<Body<EXTRA>>>,
    /// Used as a stack or as a queue.
    free: VecDeque<Box<Body<EXTRA>>>,
}

impl<const EXTRA: usize> BoxPool<EXTRA> {
    /// An empty pool.
    #[must_use]
    pub fn new(reuse: Reuse) -> Self {
        Self { reuse, live: Vec::new(), free: VecDeque::new() }
    }
}

impl<const EXTRA: usize> Storage for BoxPool<EXTRA> {
    fn spawn(&mut self, batch: &[Shot]) {
        for shot in batch {
            let free = match self.reuse {
                Reuse::Lifo => self.free.pop_back(),
                Reuse::Fifo => self.free.pop_front(),
            };
            self.live.push(match free {
                Some(mut body) => {
                    *body = Body::new(shot);
                    body
                }
                None => Box::new(Body::new(shot)),
            });
        }
    }

    fn update(&mut self) -> f64 {
        let Self { live, free, .. } = self;
        let mut sum = 0.0;
        free.extend(live.extract_if(.., |body| {
            let lives = body.step();
            if lives {
                sum += body.x;
            }
            !lives
        }));
        sum
    }

    fn live(&self) -> usize {
        self.live.len()
    }

    fn room(&self) -> usize {
        self.live.len() + self.free.len()
    }

    fn bytes(&self) -> usize {
        let pointers = self.live.capacity() + self.free.capacity();
        let bodies = self.live.len() + self.free.len();
        pointers * size_of::<Box<Body<EXTRA>>>() + bodies * size_of::<Body<EXTRA>>()
    }

    fn trim(&mut self) {
        self.free.truncate(self.live.len() / 4);
        self.free.shrink_to_fit();
        self.live.shrink_to(self.live.len() * 5 / 4);
    }
}
