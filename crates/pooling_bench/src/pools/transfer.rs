//! One thread rents, another gives back.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
    mpsc::{Receiver, SyncSender, sync_channel},
};

use super::{
    hand::{Hand, give_back, touch},
    kind::{Joint, Kind, Load, Make, Maker, Shared, Worker},
};
use crate::Error;

/// Objects between the two threads of `transfer`.
pub const CHANNEL: usize = 256;

/// A pool from which one thread rents, and to which another gives back.
pub struct Transfer<P, const WORDS: usize> {
    shared: Shared<P, WORDS>,
    alive: Arc<Alive>,
}

impl<P: Make<WORDS>, const WORDS: usize> Transfer<P, WORDS> {
    /// Of a load.
    ///
    /// # Errors
    /// If the pool does not take the capacity.
    pub fn new(load: Load) -> Result<Self, Error> {
        Ok(Self { shared: Shared::new(load)?, alive: Arc::default() })
    }
}

/// How many items are rented, and were at most.
#[derive(Debug, Default)]
struct Alive {
    now: AtomicU64,
    peak: AtomicU64,
}

/// What a thread holds of a pool.
pub type HeldOf<'a, P> = <<P as Joint>::Hand<'a> as Hand>::Held;

struct Sender<'a, P: Joint + 'a> {
    pool: &'a P,
    channel: SyncSender<HeldOf<'a, P>>,
    alive: Arc<Alive>,
}

impl<P: Joint> Sender<'_, P> {
    /// Stops if the other thread is gone, which the checksum then shows.
    #[inline(always)]
    fn send(&mut self, loops: u64, rented: impl Fn(&Alive)) -> u64 {
        let mut hand = self.pool.hand();
        let mut sum = 0_u64;
        for _ in 0..loops {
            let mut held = hand.rent();
            rented(&self.alive);
            sum = sum.wrapping_add(touch::<P::Hand<'_>>(&mut held));
            if self.channel.send(held).is_err() {
                break;
            }
        }
        sum
    }
}

impl<P: Joint> Worker for Sender<'_, P> {
    fn run(&mut self, loops: u64) -> u64 {
        self.send(loops, |_| ())
    }

    fn rehearse(&mut self, loops: u64) -> u64 {
        self.send(loops, |alive| {
            let now = alive.now.fetch_add(1, Ordering::Relaxed) + 1;
            alive.peak.fetch_max(now, Ordering::Relaxed);
        })
    }
}

struct Returner<'a, P: Joint + 'a> {
    pool: &'a P,
    channel: Receiver<HeldOf<'a, P>>,
    alive: Arc<Alive>,
}

impl<P: Joint> Returner<'_, P> {
    #[inline(always)]
    fn receive(&mut self, loops: u64, returned: impl Fn(&Alive)) -> u64 {
        let mut hand = self.pool.hand();
        let mut sum = 0_u64;
        for _ in 0..loops {
            let Ok(held) = self.channel.recv() else { break };
            sum = sum.wrapping_sub(give_back(&mut hand, held));
            returned(&self.alive);
        }
        sum
    }
}

impl<P: Joint> Worker for Returner<'_, P> {
    fn run(&mut self, loops: u64) -> u64 {
        self.receive(loops, |_| ())
    }

    fn rehearse(&mut self, loops: u64) -> u64 {
        self.receive(loops, |alive| {
            alive.now.fetch_sub(1, Ordering::Relaxed);
        })
    }
}

impl<P: Make<WORDS> + Joint, const WORDS: usize> Kind for Transfer<P, WORDS>
where
    for<'a> HeldOf<'a, P>: Send,
{
    fn makers(&self) -> Vec<Maker<'_>> {
        let [pool] = &self.shared.pools[..] else { return Vec::new() };
        let (sender, receiver) = sync_channel(CHANNEL);
        let [first, second] = [0, 1].map(|_| Arc::clone(&self.alive));
        vec![
            Box::new(move || Ok(Box::new(Sender { pool, channel: sender, alive: first }))),
            Box::new(move || Ok(Box::new(Returner { pool, channel: receiver, alive: second }))),
        ]
    }

    fn built(&self) -> Option<u64> {
        self.shared.count_built()
    }

    fn peak(&self) -> Option<u64> {
        Some(self.alive.peak.load(Ordering::Relaxed))
    }
}
