//! Measures a group of cells beside each other: in rounds, in an order that rotates by one from round to round.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    PoolSpec, Scenario,
    crew::{Crew, with_crew},
    kind::{Control, Kind, Load, Work},
    registry,
};
use crate::{Error, spec::Output};

/// Rounds, in each of which every cell is measured once.
pub const ROUNDS: usize = 21;
/// Loops before anything is timed.
const WARM: u64 = 64;
/// Objects that are transferred before anything is timed, and in a sample, if samples have their full length.
const WARM_OBJECTS: u64 = 20_000;
const OBJECTS: u64 = 300_000;
/// The full length of a sample in milliseconds.
pub const SAMPLE_MS: u32 = 20;
/// The name of the clock's control.
pub const CONTROL: &str = "control";
/// How often a sample that came out too short is taken again.
const TRIES: u32 = 4;

/// What a cell came to, round by round.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellRounds {
    /// The cell.
    pub cell: String,
    /// Nanoseconds a pair and thread; of the control, nanoseconds of a fixed amount of arithmetic.
    pub ns: Vec<f64>,
    /// The same beside it: in `many-pools` with one pool, of the control with twice the arithmetic. Else empty.
    pub beside: Vec<f64>,
    /// Items built.
    pub built: u64,
    /// The most items held at once.
    pub peak_held: u64,
    /// Touches counted in the warm loops.
    pub checksum: u64,
}

/// One thing to measure: a cell, or what is measured beside it.
struct Entry<'s> {
    cell: &'s str,
    beside: bool,
    kind: Box<dyn Kind>,
    work: Work,
    threads: u64,
}

/// What is known of an entry so far.
#[derive(Clone, Debug, Default)]
struct Progress {
    loops: u64,
    ns: Vec<f64>,
    pairs: u64,
    built: u64,
    checksum: u64,
}

impl Entry<'_> {
    /// Pairs of all threads in so many loops: the checksum that they must come to. In a transfer two threads make a pair.
    fn pairs(&self, loops: u64) -> u64 {
        let threads = if self.work == Work::Transfer { 1 } else { self.threads };
        loops * self.work.pairs() * threads
    }
}

/// Measures a group in this process.
///
/// # Errors
/// If a cell cannot be measured, or its checksum is wrong.
pub fn group<const WORDS: usize>(spec: &PoolSpec) -> Result<Output, Error> {
    let entries = entries::<WORDS>(spec)?;
    let kinds: Vec<&dyn Kind> = entries.iter().map(|entry| &*entry.kind).collect();
    let progress = with_crew(&kinds, spec.threads as usize, |crew| {
        let mut group = Group { crew, entries: &entries, sample: Duration::from_millis(spec.sample_ms.into()) };
        group.measure(spec)
    })?;
    let held = u64::from(spec.threads) * u64::from(spec.held);
    let mut cells: Vec<CellRounds> = Vec::new();
    for (entry, progress) in entries.iter().zip(progress) {
        if let (true, Some(cell)) = (entry.beside, cells.last_mut()) {
            cell.beside = progress.ns;
            continue;
        }
        cells.push(CellRounds {
            cell: entry.cell.to_owned(),
            ns: progress.ns,
            beside: Vec::new(),
            built: progress.built,
            peak_held: entry.kind.peak().unwrap_or(held),
            checksum: progress.checksum,
        });
    }
    Ok(Output { pools: cells, ..Output::default() })
}

/// The cells in their order, what is measured beside them after each, and the clock's control last.
fn entries<const WORDS: usize>(spec: &PoolSpec) -> Result<Vec<Entry<'_>>, Error> {
    let Load { work, threads, .. } = spec.load();
    let entry = |cell, beside, kind, work| Entry { cell, beside, kind, work, threads: threads as u64 };
    let mut entries = Vec::new();
    for cell in &spec.cells {
        entries.push(entry(cell.as_str(), false, registry::kind::<WORDS>(cell, spec.load())?, work));
        if work == Work::Many {
            let one = Load { work: Work::One, ..spec.load() };
            entries.push(entry(cell, true, registry::kind::<WORDS>(cell, one)?, one.work));
        }
    }
    for (beside, times) in [(false, 1), (true, 2)] {
        entries.push(entry(CONTROL, beside, Box::new(Control { threads, times }), Work::Pairs(1)));
    }
    Ok(entries)
}

struct Group<'g, 'o, 'k> {
    crew: &'g mut Crew<'o, 'k>,
    entries: &'g [Entry<'g>],
    sample: Duration,
}

impl Group<'_, '_, '_> {
    fn measure(&mut self, spec: &PoolSpec) -> Result<Vec<Progress>, Error> {
        let mut all = vec![Progress::default(); self.entries.len()];
        let transfer = spec.scenario == Scenario::Transfer;
        let warm = warm_loops(spec);
        for place in 0..all.len() {
            let progress = &mut all[place];
            self.run(place, progress, warm, true)?;
            let entry = &self.entries[place];
            progress.loops = if transfer && entry.cell != CONTROL {
                shortened(spec, OBJECTS)
            } else {
                calibrated(warm, self.sample, |loops| self.run(place, progress, loops, false))?
            };
            // Twice the arithmetic is the same loops: the clock must tell.
            if entry.cell == CONTROL && entry.beside {
                all[place].loops = all[place - 1].loops;
            }
        }
        for round in 0..ROUNDS {
            for place in rotated(all.len(), round) {
                let progress = &mut all[place];
                let loops = progress.loops;
                let timed = long_enough(loops, self.sample, |loops| self.run(place, progress, loops, false))?;
                progress.loops = timed.0;
                let count = timed.0 * self.entries[place].work.pairs();
                progress.ns.push(timed.1.as_secs_f64() * 1e9 / count as f64);
            }
        }
        Ok(all)
    }

    /// Runs so many loops of an entry on all threads, and tests the checksum.
    fn run(&mut self, place: usize, progress: &mut Progress, loops: u64, rehearse: bool) -> Result<Duration, Error> {
        let entries = self.entries;
        let entry = &entries[place];
        let ran = self.crew.run(place, loops, rehearse);
        let ran = ran.map_err(|message| Error::Pool { cell: entry.cell.to_owned(), message })?;
        check(entry.cell, ran.sum, entry.pairs(loops))?;
        if rehearse {
            progress.checksum = ran.sum;
        }
        progress.pairs += entry.pairs(loops);
        progress.built = entry.kind.built().unwrap_or(progress.pairs);
        Ok(ran.wall)
    }
}

/// As many objects for a sample, of one that may be shorter.
fn shortened(spec: &PoolSpec, objects: u64) -> u64 {
    (objects * u64::from(spec.sample_ms) / u64::from(SAMPLE_MS)).max(1)
}

/// Loops of every cell before anything is timed.
#[must_use]
pub fn warm_loops(spec: &PoolSpec) -> u64 {
    if spec.scenario == Scenario::Transfer { shortened(spec, WARM_OBJECTS) } else { WARM }
}

/// Tests a cell's checksum: every touch must be counted once, in an item that nobody else had at the time.
///
/// # Errors
/// If it is wrong.
pub fn check(cell: &str, sum: u64, touches: u64) -> Result<(), Error> {
    if sum == touches {
        return Ok(());
    }
    Err(Error::Checksum(format!("{cell} counts {sum} touches, and there were {touches}")))
}

/// The order of a round: by one further than in the round before.
fn rotated(count: usize, round: usize) -> impl Iterator<Item = usize> {
    (0..count).map(move |place| (place + round) % count)
}

/// How many loops take a sample's time and a little more.
fn calibrated(
    first: u64,
    sample: Duration,
    mut time: impl FnMut(u64) -> Result<Duration, Error>,
) -> Result<u64, Error> {
    let mut loops = first;
    loop {
        let took = time(loops)?;
        if took * 2 >= sample || loops > u64::MAX / 64 {
            return Ok(scaled(loops, took, sample));
        }
        loops = scaled(loops, took, sample).clamp(loops * 2, loops * 16);
    }
}

/// A sample's loops and time. One that is too short is taken again, with more loops.
fn long_enough(
    mut loops: u64,
    sample: Duration,
    mut time: impl FnMut(u64) -> Result<Duration, Error>,
) -> Result<(u64, Duration), Error> {
    let mut took = time(loops)?;
    for _ in 1..TRIES {
        if took >= sample {
            break;
        }
        loops = scaled(loops, took, sample).max(loops + 1);
        took = time(loops)?;
    }
    Ok((loops, took))
}

/// Of loops that took a time, as many as take a sample's time and a fifth more.
fn scaled(loops: u64, took: Duration, sample: Duration) -> u64 {
    let factor = sample.as_secs_f64() * 1.2 / took.as_secs_f64().max(1e-9);
    let factor = factor.min(1000.0);
    ((loops as f64 * factor).ceil() as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_first_once_and_follows_the_same_one() {
        let orders: Vec<Vec<usize>> = (0..4).map(|round| rotated(3, round).collect()).collect();
        assert_eq!(orders, [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 1, 2]]);
        assert_eq!(rotated(0, 5).count(), 0);
    }

    #[test]
    fn loops_are_calibrated_to_a_fifth_more_than_a_sample() {
        let ns = |each: u64| move |loops: u64| Ok(Duration::from_nanos(loops * each));
        let sample = Duration::from_millis(20);
        // 10 ns a loop: 2.4 million are 24 ms.
        assert_eq!(calibrated(64, sample, ns(10)).unwrap(), 2_400_000);
        // 10 ms a loop: the 64 of the start are too many.
        assert_eq!(calibrated(64, sample, ns(10_000_000)).unwrap(), 3);
        assert_eq!(calibrated(64, sample, ns(60_000_000)).unwrap(), 1);
    }

    #[test]
    fn a_short_sample_is_taken_again_and_longer() {
        let sample = Duration::from_millis(20);
        let mut asked = Vec::new();
        let mut time = |loops: u64| {
            asked.push(loops);
            Ok(Duration::from_millis(loops))
        };
        let timed = long_enough(10, sample, &mut time).unwrap();
        assert_eq!(timed, (24, Duration::from_millis(24)));
        assert_eq!(long_enough(30, sample, &mut time).unwrap().0, 30);
        assert_eq!(asked, [10, 24, 30]);
        // A clock that stands still ends it too.
        assert_eq!(long_enough(1, sample, |_| Ok(Duration::ZERO)).unwrap().1, Duration::ZERO);
    }

    #[test]
    fn a_wrong_checksum_is_an_error() {
        assert!(check("vec", 64, 64).is_ok());
        let error = check("vec", 65, 64).unwrap_err();
        assert_eq!(error.to_string(), "wrong checksum: vec counts 65 touches, and there were 64");
        assert_eq!(error.code(), 1);
    }
}
