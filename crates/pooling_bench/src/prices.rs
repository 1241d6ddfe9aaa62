//! What one allocation, overwrite, push and pop cost, and the difference a frame that they predict.

use std::{collections::VecDeque, hint::black_box, mem, time::Instant};

use serde::{Deserialize, Serialize};

use crate::{
    Error,
    article::ArticleSpec,
    cli::Common,
    frames,
    record::{Record, with_medians},
    report::{Report, Table},
    runner::{self, Job, Program},
    samples::median,
    spec::{Output, Spec},
    stream::{SEED, Shot, Stream},
};

/// Every cell. A round trip takes one out of a free list and gives it back.
pub const CELLS: [&str; 7] =
    ["fresh", "overwrite", "pointer-lifo", "pointer-fifo", "index-lifo", "index-fifo", "control"];

/// The article's storages that the prediction is compared with, and what their cells are called here.
const MEASURED: [(&str, &str); 2] = [("fresh", "measured-fresh"), ("pool-lifo", "measured-pool")];
/// Values of a projectile for which prices are taken.
const FIELDS: [u32; 2] = [6, 20];
/// Values of a projectile in the prediction.
const PREDICTED_FIELDS: u32 = 6;
/// Operations in a row, as in a frame of the article's accounting.
const COUNT: u32 = 3000;
/// Measured rounds: enough for a steady median.
const ROUNDS: usize = 301;
/// Rounds before them.
const WARMUP: usize = 50;

/// One price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PriceSpec {
    /// One of [`CELLS`].
    pub cell: String,
    /// Operations in a row.
    pub count: u32,
    /// Values of a projectile, 8 bytes each: 6 or 20.
    pub fields: u32,
}

/// A projectile of 6 + `EXTRA` values.
type Body<const EXTRA: usize> = ([f64; 6], [f64; EXTRA]);

#[inline]
fn body_of<const EXTRA: usize>(shot: &Shot) -> Body<EXTRA> {
    let Shot { x, y, vx, vy, life, damage, .. } = *shot;
    ([x, y, vx, vy, life, damage], [damage; EXTRA])
}

/// Objects in the order of their allocation.
fn boxes<const EXTRA: usize>(shots: &[Shot]) -> Vec<Box<Body<EXTRA>>> {
    shots.iter().map(|shot| Box::new(body_of(shot))).collect()
}

/// Measures one cell in this process.
///
/// # Errors
/// If it names no cell, other than 6 or 20 fields, or no operations.
pub fn measure(spec: &PriceSpec) -> Result<Output, Error> {
    if !(1..=10_000_000).contains(&spec.count) {
        return Err(Error::Option(format!("prices are taken of 1 to 10000000 operations, not {}", spec.count)));
    }
    let mut shots = Vec::new();
    Stream::new(SEED).fill(&mut shots, spec.count as usize);
    match spec.fields {
        6 => price::<0>(&spec.cell, &shots),
        20 => price::<14>(&spec.cell, &shots),
        other => Err(Error::Option(format!("a projectile has 6 or 20 fields, not {other}"))),
    }
}

fn price<const EXTRA: usize>(cell: &str, shots: &[Shot]) -> Result<Output, Error> {
    let count = shots.len();
    let rounds = match cell {
        "fresh" => return Ok(fresh::<EXTRA>(shots)),
        "overwrite" => overwrite::<EXTRA>(shots),
        "pointer-lifo" => exchange(boxes::<EXTRA>(shots), count),
        "pointer-fifo" => exchange(VecDeque::from(boxes::<EXTRA>(shots)), count),
        "index-lifo" => exchange((0_i32..).take(count).collect::<Vec<_>>(), count),
        "index-fifo" => exchange((0_i32..).take(count).collect::<VecDeque<_>>(), count),
        "control" => control(count),
        other => return Err(Error::UnknownCell { suite: "prices", cell: other.to_owned(), known: CELLS.to_vec() }),
    };
    let mut output = Output::default();
    figure(&mut output, "ns", &rounds);
    Ok(output)
}

fn figure(output: &mut Output, name: &str, rounds: &[f64]) {
    output.figures.extend(median(rounds).map(|median| (name.to_owned(), median)));
}

/// Nanoseconds of one of `count` operations that took from `start` to `end`.
fn each(start: Instant, end: Instant, count: usize) -> f64 {
    (end - start).as_nanos() as f64 / count as f64
}

/// Nanoseconds of one of the `count` operations of a round, for every measured round.
fn rounds(count: usize, mut round: impl FnMut()) -> Vec<f64> {
    (0..WARMUP).for_each(|_| round());
    let mut timed = || {
        let start = Instant::now();
        round();
        each(start, Instant::now(), count)
    };
    (0..ROUNDS).map(|_| timed()).collect()
}

/// New objects, and the end of as many that are older. So many are alive all the time.
fn fresh<const EXTRA: usize>(shots: &[Shot]) -> Output {
    let count = shots.len();
    let mut old = boxes::<EXTRA>(shots);
    let mut young = Vec::with_capacity(count);
    let (mut alloc, mut free, mut both) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..WARMUP + ROUNDS {
        let start = Instant::now();
        for shot in shots {
            young.push(black_box(Box::new(body_of::<EXTRA>(shot))));
        }
        let made = Instant::now();
        for body in old.drain(..) {
            drop(black_box(body));
        }
        let freed = Instant::now();
        mem::swap(&mut old, &mut young);
        if round >= WARMUP {
            alloc.push(each(start, made, count));
            free.push(each(made, freed, count));
            both.push(each(start, freed, count));
        }
    }
    let mut output = Output::default();
    figure(&mut output, "alloc_ns", &alloc);
    figure(&mut output, "free_ns", &free);
    figure(&mut output, "ns", &both);
    output
}

/// Every value of objects that are there, in the order of their allocation.
fn overwrite<const EXTRA: usize>(shots: &[Shot]) -> Vec<f64> {
    let mut bodies = boxes::<EXTRA>(shots);
    rounds(shots.len(), || {
        for (body, shot) in bodies.iter_mut().zip(shots) {
            **body = body_of(shot);
            black_box(&mut **body);
        }
    })
}

/// What is not in use.
trait FreeList<T> {
    fn take(&mut self) -> Option<T>;
    fn give(&mut self, item: T);
}

/// The last given first.
impl<T> FreeList<T> for Vec<T> {
    #[inline]
    fn take(&mut self) -> Option<T> {
        self.pop()
    }

    #[inline]
    fn give(&mut self, item: T) {
        self.push(item);
    }
}

/// The first given first.
impl<T> FreeList<T> for VecDeque<T> {
    #[inline]
    fn take(&mut self) -> Option<T> {
        self.pop_front()
    }

    #[inline]
    fn give(&mut self, item: T) {
        self.push_back(item);
    }
}

/// Takes so many in a row, then gives them back: one operation is both.
fn exchange<T>(mut free: impl FreeList<T>, count: usize) -> Vec<f64> {
    let mut taken = Vec::with_capacity(count);
    rounds(count, || {
        for _ in 0..count {
            if let Some(item) = free.take() {
                taken.push(black_box(item));
            }
        }
        for item in taken.drain(..) {
            free.give(black_box(item));
        }
    })
}

/// What the loop costs around nothing.
fn control(count: usize) -> Vec<f64> {
    rounds(count, || {
        for place in 0..count {
            black_box(place);
        }
    })
}

/// Runs the prices and, for each rate, the two storages whose difference they predict.
///
/// # Errors
/// If a cell cannot be run, or a checksum is wrong.
pub fn suite(common: &Common) -> Result<Report, Error> {
    let done = runner::run(&groups(common), common.repeats())?;
    let mut notes = frames::check(&done)?;
    let mut records = with_medians(done.iter().map(frames::record).collect());
    let differences: Vec<Record> = common.spawns.iter().filter_map(|&spawns| difference(&records, spawns)).collect();
    notes.extend(order(&records));
    let prices = records.iter().filter(|record| record.is_median() && CELLS.contains(&record.cell.as_str()));
    let prices = Table {
        title: format!("Nanoseconds an operation, {COUNT} in a row"),
        columns: vec![
            ("cell", "cell"),
            ("fields", "fields"),
            ("ns", "ns"),
            ("allocation", "alloc_ns"),
            ("release", "free_ns"),
        ],
        rows: prices.cloned().collect(),
    };
    let compared = Table {
        title: "Predicted and measured: the frame of the pool less the frame of fresh objects, in µs".to_owned(),
        columns: vec![("spawns", "spawns"), ("predicted µs", "predicted_us"), ("measured µs", "measured_us")],
        rows: differences.clone(),
    };
    records.extend(differences);
    let tables = [prices, compared].into_iter().filter(|table| !table.rows.is_empty()).collect();
    Ok(Report { suite: "prices", records, tables, notes, done })
}

/// The prices, interleaved, and for each rate the storages, interleaved; these only if there is a prediction for them.
fn groups(common: &Common) -> Vec<Vec<Job>> {
    let price = |cell: &str, fields: u32| {
        let mut record = Record::new("prices", cell);
        record.set("fields", fields).set("count", COUNT);
        let spec = Spec::Price(PriceSpec { cell: cell.to_owned(), count: COUNT, fields });
        Job { program: Program::This, spec, record }
    };
    let prices = FIELDS.iter().flat_map(|&fields| common.chosen(&CELLS).map(move |cell| price(cell, fields)));
    let mut groups: Vec<Vec<Job>> = vec![prices.collect()];
    let chosen: Vec<&str> = common.chosen(&CELLS).collect();
    if ["fresh", "overwrite", "pointer-lifo"].iter().all(|cell| chosen.contains(cell)) {
        groups.extend(common.spawns.iter().map(|&spawns| MEASURED.map(|cell| storage(common, cell, spawns)).to_vec()));
    }
    groups
}

fn storage(common: &Common, (cell, name): (&str, &str), spawns: u32) -> Job {
    let mut record = Record::new("prices", name);
    record.set("spawns", spawns).set("fields", PREDICTED_FIELDS);
    let spec = ArticleSpec { run: common.run(), cell: cell.to_owned(), spawns, fields: PREDICTED_FIELDS, after: None };
    Job { program: Program::This, spec: Spec::Article(spec), record }
}

/// The prices of which the difference is made, in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Prices {
    overwrite: f64,
    round_trip: f64,
    alloc: f64,
    free: f64,
}

/// By how much a frame of the pool takes longer than one of fresh objects, in microseconds, if nothing but the prices
/// differs: as many objects end in a frame as begin.
fn predicted_us(spawns: u32, prices: Prices) -> f64 {
    let Prices { overwrite, round_trip, alloc, free } = prices;
    f64::from(spawns) * (overwrite + round_trip - alloc - free) / 1e3
}

/// A figure of a price's median.
fn price_of(records: &[Record], cell: &str, figure: &str) -> Option<f64> {
    let fits = |record: &&Record| {
        let fields = record.number("fields") == Some(f64::from(PREDICTED_FIELDS));
        record.is_median() && record.cell == cell && fields
    };
    records.iter().find(fits)?.number(figure)
}

/// The line of one rate's prediction and measurement, if both are there.
fn difference(records: &[Record], spawns: u32) -> Option<Record> {
    let prices = Prices {
        overwrite: price_of(records, "overwrite", "ns")?,
        round_trip: price_of(records, "pointer-lifo", "ns")?,
        alloc: price_of(records, "fresh", "alloc_ns")?,
        free: price_of(records, "fresh", "free_ns")?,
    };
    let wall = |cell: &str| {
        let of_rate = |record: &&Record| record.number("spawns") == Some(f64::from(spawns));
        let mut medians = records.iter().filter(|record| record.is_median() && record.cell == cell);
        medians.find(of_rate)?.number("wall_p50_us")
    };
    let [(_, fresh), (_, pool)] = MEASURED;
    let measured = wall(pool)? - wall(fresh)?;
    let mut record = Record::new("prices", "difference");
    record
        .set("repeat", "median")
        .set("commit", frames::COMMIT)
        .set("profile", frames::PROFILE)
        .set("spawns", spawns)
        .set("fields", PREDICTED_FIELDS)
        .set("predicted_us", predicted_us(spawns, prices))
        .set("measured_us", measured);
    Some(record)
}

/// What the article found, in nanoseconds, the cheapest first.
const ARTICLE: [(&str, f64); 4] = [("overwrite", 1.17), ("fresh", 4.72), ("index-lifo", 7.04), ("pointer-lifo", 7.86)];

/// Whether prices rank here as they do in the article.
fn order(records: &[Record]) -> Option<String> {
    let found = ARTICLE.iter().map(|(cell, _)| Some((*cell, price_of(records, cell, "ns")?)));
    let mut here = found.collect::<Option<Vec<_>>>()?;
    let same = here.is_sorted_by(|one, next| one.1 <= next.1);
    here.sort_by(|one, other| one.1.total_cmp(&other.1));
    let list = |prices: &[(&str, f64)]| {
        let prices = prices.iter().map(|(cell, ns)| format!("{cell} {ns:.2} ns"));
        prices.collect::<Vec<_>>().join(", ")
    };
    Some(format!(
        "The article found, in JavaScript: {}; it predicted a difference of 0.969 ms at 3,000 spawns a frame and \
         measured 0.995. The order of the prices {} the same here: {}",
        list(&ARTICLE),
        if same { "is" } else { "is not" },
        list(&here)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(cell: &str, ns: f64) -> Record {
        let mut record = Record::new("prices", cell);
        record
            .set("repeat", "median")
            .set("fields", 6)
            .set("ns", ns)
            .set("alloc_ns", ns / 4.0)
            .set("free_ns", ns / 2.0);
        record
    }

    fn wall(cell: &str, us: f64) -> Record {
        let mut record = Record::new("prices", cell);
        record.set("repeat", "median").set("fields", 6).set("spawns", 3000).set("wall_p50_us", us);
        record
    }

    #[test]
    fn the_prediction_is_as_worked_by_hand() {
        // 1 + 8 - 3 - 2 = 4 ns for each of 3000.
        let prices = Prices { overwrite: 1.0, round_trip: 8.0, alloc: 3.0, free: 2.0 };
        assert_eq!(predicted_us(3000, prices), 12.0);
        let prices = Prices { overwrite: 1.0, round_trip: 1.0, alloc: 5.0, free: 7.0 };
        assert_eq!(predicted_us(1000, prices), -10.0, "a pool that is faster");
    }

    #[test]
    fn a_difference_needs_every_figure() {
        let mut records = vec![price("overwrite", 1.0), price("pointer-lifo", 8.0), price("fresh", 8.0)];
        assert_eq!(difference(&records, 3000), None);
        records.extend([wall("measured-fresh", 700.0), wall("measured-pool", 715.0)]);
        let line = difference(&records, 3000).unwrap();
        // 1 + 8 - 2 - 4 = 3 ns.
        assert_eq!((line.number("predicted_us"), line.number("measured_us")), (Some(9.0), Some(15.0)));
        assert!(line.is_median());
        assert_eq!(difference(&records, 1000), None, "another rate");
    }

    #[test]
    fn the_order_is_read_from_the_figures() {
        let records = |fresh: f64| {
            [("overwrite", 1.0), ("fresh", fresh), ("index-lifo", 3.0), ("pointer-lifo", 4.0)]
                .map(|(c, ns)| price(c, ns))
        };
        let same = order(&records(2.0)).unwrap();
        assert!(same.contains("is the same here: overwrite 1.00 ns, fresh 2.00 ns"), "{same}");
        let other = order(&records(9.0)).unwrap();
        assert!(other.contains("is not the same here: overwrite 1.00 ns, index-lifo 3.00 ns"), "{other}");
        assert!(other.ends_with("fresh 9.00 ns"), "{other}");
        assert_eq!(order(&records(2.0)[..3]), None);
    }

    #[test]
    fn every_cell_has_a_price() {
        for cell in CELLS {
            for fields in FIELDS {
                let output = measure(&PriceSpec { cell: cell.to_owned(), count: 100, fields }).unwrap();
                let names: Vec<&str> = output.figures.keys().map(String::as_str).collect();
                assert_eq!(names, if cell == "fresh" { vec!["alloc_ns", "free_ns", "ns"] } else { vec!["ns"] });
                assert!(output.figures.values().all(|ns| ns.is_finite() && *ns >= 0.0), "{cell}: {output:?}");
            }
        }
    }

    #[test]
    fn cells_that_do_not_exist_are_errors() {
        let spec = |cell: &str, count, fields| PriceSpec { cell: cell.to_owned(), count, fields };
        assert!(measure(&spec("rented", 10, 6)).unwrap_err().to_string().contains("pointer-lifo"));
        assert!(measure(&spec("fresh", 10, 7)).unwrap_err().to_string().contains("6 or 20"));
        assert!(measure(&spec("fresh", 0, 6)).is_err());
    }

    #[test]
    fn free_lists_give_back_in_their_order() {
        let (mut stack, mut queue) = (vec![1, 2], VecDeque::from([1, 2]));
        stack.give(3);
        queue.give(3);
        assert_eq!((stack.take(), queue.take()), (Some(3), Some(1)));
    }
}
