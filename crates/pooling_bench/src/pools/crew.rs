//! The threads of a group of cells: they live as long as the group, start together, and are the same for every cell.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Barrier, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use super::kind::{Kind, Maker, Worker};
use crate::Error;

/// What is to be run, and how it went.
#[derive(Debug)]
struct Orders {
    /// Everybody is here: run.
    start: Barrier,
    /// Everybody has run.
    end: Barrier,
    kind: AtomicUsize,
    loops: AtomicU64,
    rehearse: AtomicBool,
    over: AtomicBool,
    laps: Vec<Mutex<Option<Lap>>>,
    /// Why the last run failed, on the thread that said so first.
    trouble: Mutex<Option<String>>,
}

/// What one thread did.
#[derive(Clone, Copy, Debug)]
struct Lap {
    start: Instant,
    end: Instant,
    sum: u64,
}

/// What all threads did.
#[derive(Clone, Copy, Debug)]
pub struct Ran {
    /// From the first thread's start to the last one's end.
    pub wall: Duration,
    /// The checksum.
    pub sum: u64,
}

type Workers<'k> = Vec<Option<Box<dyn Worker + 'k>>>;

/// All threads; this one is among them.
pub struct Crew<'o, 'k> {
    orders: &'o Orders,
    mine: Workers<'k>,
}

/// Has threads for these kinds of pools, and calls `lead` on this one.
///
/// # Errors
/// If a thread does not start, or those of `lead`.
pub fn with_crew<R>(
    kinds: &[&dyn Kind],
    threads: usize,
    lead: impl FnOnce(&mut Crew<'_, '_>) -> Result<R, Error>,
) -> Result<R, Error> {
    let orders = Orders {
        start: Barrier::new(threads),
        end: Barrier::new(threads),
        kind: AtomicUsize::new(0),
        loops: AtomicU64::new(0),
        rehearse: AtomicBool::new(false),
        over: AtomicBool::new(false),
        laps: (0..threads).map(|_| Mutex::new(None)).collect(),
        trouble: Mutex::new(None),
    };
    let orders = &orders;
    let mut shifts: Vec<Vec<Maker<'_>>> = (0..threads).map(|_| Vec::new()).collect();
    for kind in kinds {
        for (shift, maker) in shifts.iter_mut().zip(kind.makers()) {
            shift.push(maker);
        }
    }
    let mut shifts = shifts.into_iter();
    let first = shifts.next().unwrap_or_default();
    thread::scope(|scope| {
        let mut starts = Vec::new();
        for (place, makers) in (1..).zip(shifts) {
            // Nobody waits at a barrier before all are there: those who started go if one does not.
            let (start, started) = mpsc::channel::<()>();
            let follow = move || {
                if started.recv().is_ok() {
                    orders.follow(place, makers);
                }
            };
            thread::Builder::new().spawn_scoped(scope, follow).map_err(Error::Thread)?;
            starts.push(start);
        }
        for start in starts {
            // Each waits for this.
            let _ = start.send(());
        }
        let mut crew = Crew { orders, mine: orders.make(first) };
        lead(&mut crew)
    })
}

impl Orders {
    fn make<'k>(&self, makers: Vec<Maker<'k>>) -> Workers<'k> {
        let made = makers.into_iter().map(|maker| match maker() {
            Ok(worker) => Some(worker),
            Err(error) => {
                self.blame(&error.to_string());
                None
            }
        });
        made.collect()
    }

    fn follow(&self, place: usize, makers: Vec<Maker<'_>>) {
        let mut workers = self.make(makers);
        loop {
            self.start.wait();
            if self.over.load(Ordering::Relaxed) {
                break;
            }
            self.run(place, &mut workers);
            self.end.wait();
        }
    }

    /// Runs what is ordered on this thread. A worker that panics is dropped; what others wait for from it is then gone too.
    fn run(&self, place: usize, workers: &mut Workers<'_>) {
        let loops = self.loops.load(Ordering::Relaxed);
        let rehearse = self.rehearse.load(Ordering::Relaxed);
        let Some(slot) = workers.get_mut(self.kind.load(Ordering::Relaxed)) else { return };
        let Some(worker) = slot else { return self.blame("it has ended") };
        let mut work = || if rehearse { worker.rehearse(loops) } else { worker.run(loops) };
        let start = Instant::now();
        let sum = catch_unwind(AssertUnwindSafe(&mut work));
        let end = Instant::now();
        match sum {
            Ok(sum) => *lock(&self.laps[place]) = Some(Lap { start, end, sum }),
            Err(panic) => {
                let text = panic.downcast_ref::<&str>().copied();
                let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
                self.blame(&format!("it panicked: {}", text.unwrap_or("it said nothing")));
                *slot = None;
            }
        }
    }

    fn blame(&self, message: &str) {
        lock(&self.trouble).get_or_insert_with(|| message.to_owned());
    }
}

impl Crew<'_, '_> {
    /// Lets all threads run a kind's loops, and waits for the last.
    ///
    /// # Errors
    /// Why one of them could not.
    pub fn run(&mut self, kind: usize, loops: u64, rehearse: bool) -> Result<Ran, String> {
        let orders = self.orders;
        orders.kind.store(kind, Ordering::Relaxed);
        orders.loops.store(loops, Ordering::Relaxed);
        orders.rehearse.store(rehearse, Ordering::Relaxed);
        orders.laps.iter().for_each(|lap| *lock(lap) = None);
        orders.start.wait();
        orders.run(0, &mut self.mine);
        orders.end.wait();
        if let Some(message) = lock(&orders.trouble).take() {
            return Err(message);
        }
        let laps: Option<Vec<Lap>> = orders.laps.iter().map(|lap| *lock(lap)).collect();
        laps.and_then(|laps| joined(&laps)).ok_or_else(|| "a thread has nothing to run".to_owned())
    }
}

impl Drop for Crew<'_, '_> {
    fn drop(&mut self) {
        self.orders.over.store(true, Ordering::Relaxed);
        self.orders.start.wait();
    }
}

fn joined(laps: &[Lap]) -> Option<Ran> {
    let start = laps.iter().map(|lap| lap.start).min()?;
    let end = laps.iter().map(|lap| lap.end).max()?;
    let sum = laps.iter().fold(0, |sum: u64, lap| sum.wrapping_add(lap.sum));
    Some(Ran { wall: end - start, sum })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Panics on the thread of this number, with more than ten loops.
    struct Fragile(usize);

    struct Part(bool);

    impl Worker for Part {
        fn run(&mut self, loops: u64) -> u64 {
            assert!(!self.0 || loops <= 10, "too many");
            thread::sleep(Duration::from_millis(loops));
            loops
        }
    }

    impl Kind for Fragile {
        fn makers(&self) -> Vec<Maker<'_>> {
            (0..3).map(|place| -> Maker<'_> { Box::new(move || Ok(Box::new(Part(place == self.0)))) }).collect()
        }

        fn built(&self) -> Option<u64> {
            None
        }
    }

    #[test]
    fn all_run_together_and_the_last_one_ends_the_lap() {
        let ran = with_crew(&[&Fragile(9), &Fragile(9)], 3, |crew| {
            let rehearsed = crew.run(0, 1, true);
            assert!(rehearsed.is_ok());
            Ok(crew.run(1, 20, false))
        });
        let ran = ran.unwrap().unwrap();
        assert_eq!(ran.sum, 60);
        assert!(ran.wall >= Duration::from_millis(20));
    }

    #[test]
    fn a_worker_that_panics_ends_nothing_but_its_cell() {
        for place in 0..3 {
            let rans = with_crew(&[&Fragile(place), &Fragile(9)], 3, |crew| {
                Ok([crew.run(0, 11, false), crew.run(0, 1, false), crew.run(1, 1, false)])
            });
            let [first, second, other] = rans.unwrap().map(|ran| ran.map(|ran| ran.sum));
            assert_eq!(first.unwrap_err(), "it panicked: too many");
            assert_eq!(second.unwrap_err(), "it has ended");
            assert_eq!(other, Ok(3));
        }
    }

    #[test]
    fn what_cannot_be_made_says_why() {
        struct Refused;
        impl Kind for Refused {
            fn makers(&self) -> Vec<Maker<'_>> {
                let maker = |_| -> Maker<'_> { Box::new(|| Err(Error::Option("no such pool".to_owned()))) };
                (0..2).map(maker).collect()
            }

            fn built(&self) -> Option<u64> {
                None
            }
        }
        let ran = with_crew(&[&Refused], 2, |crew| Ok(crew.run(0, 1, false).map(|ran| ran.sum)));
        assert_eq!(ran.unwrap().unwrap_err(), "no such pool");
    }
}
