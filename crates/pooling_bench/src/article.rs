//! The article's workload over the article's storages and ours, in `f64`: which is faster, and do they agree?

mod blocks;
mod boxes;
mod columns;
mod dense;
mod index_arrays;
pub mod suite;

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::{
    Error,
    meter::Lap,
    samples::{Samples, ns},
    spec::{Checksum, Output, Run},
    stream::{DT, GRAVITY, Shot, Stream},
};

pub use blocks::Blocks;
pub use boxes::{BoxPool, Fresh};
pub use dense::{Dense, SwapRemove};
pub use index_arrays::IndexArrays;

/// The cells that run in Rust.
pub const CELLS: [&str; 9] = [
    "fresh",
    "pool-lifo",
    "pool-fifo",
    "index-arrays-lifo",
    "index-arrays-fifo",
    "dense-arrays",
    "swap-remove",
    "plugin-arrays",
    "generation-only",
];

/// One cell of the article.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArticleSpec {
    /// How long.
    pub run: Run,
    /// One of [`CELLS`].
    pub cell: String,
    /// Projectiles a frame.
    pub spawns: u32,
    /// Values of a projectile, 8 bytes each: 6 or 20.
    pub fields: u32,
    /// A cell that is run in the same process before, unmeasured.
    pub after: Option<String>,
}

/// The order in which freed places are used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    /// The last freed first.
    Lifo,
    /// The first freed first.
    Fifo,
}

/// A storage of projectiles.
pub trait Storage {
    /// Stores projectiles.
    fn spawn(&mut self, batch: &[Shot]);
    /// Moves every projectile by one step, retires what is over, and returns the sum of the x of the rest.
    fn update(&mut self) -> f64;
    /// Projectiles alive.
    fn live(&self) -> usize;
    /// Projectiles that it has memory for.
    fn room(&self) -> usize;
    /// Bytes that it holds, in use or not.
    fn bytes(&self) -> usize;
    /// Gives back what the projectiles alive, and a quarter more, do not need; if it can.
    fn trim(&mut self);
}

/// A projectile's values, moved by one step.
#[inline]
fn advance(x: &mut f64, y: &mut f64, vx: f64, vy: &mut f64) {
    *vy += GRAVITY * DT;
    *x += vx * DT;
    *y += *vy * DT;
}

/// A projectile's values, moved by one step. Returns whether it lives on.
#[inline]
fn step(x: &mut f64, y: &mut f64, vx: f64, vy: &mut f64, life: &mut f64) -> bool {
    advance(x, y, vx, vy);
    *life -= 1.0;
    *life > 0.0
}

/// No storage at all: what making the stream costs.
struct Nothing;

impl Storage for Nothing {
    fn spawn(&mut self, batch: &[Shot]) {
        std::hint::black_box(batch);
    }

    fn update(&mut self) -> f64 {
        0.0
    }

    fn live(&self) -> usize {
        0
    }

    fn room(&self) -> usize {
        0
    }

    fn bytes(&self) -> usize {
        0
    }

    fn trim(&mut self) {}
}

/// The storage of a cell, for projectiles of 6 + `EXTRA` values.
///
/// # Errors
/// If there is no such cell.
pub fn storage<const EXTRA: usize>(cell: &str, spawns: u32) -> Result<Box<dyn Storage>, Error> {
    Ok(match cell {
        "fresh" => Box::new(Fresh::<EXTRA>::default()),
        "pool-lifo" => Box::new(BoxPool::<EXTRA>::new(Reuse::Lifo)),
        "pool-fifo" => Box::new(BoxPool::<EXTRA>::new(Reuse::Fifo)),
        "index-arrays-lifo" => Box::new(IndexArrays::new(spawns, EXTRA, Reuse::Lifo)),
        "index-arrays-fifo" => Box::new(IndexArrays::new(spawns, EXTRA, Reuse::Fifo)),
        "dense-arrays" => Box::new(Dense::new(EXTRA)),
        "swap-remove" => Box::new(SwapRemove::new(EXTRA)),
        "plugin-arrays" => Box::new(Blocks::new(EXTRA)),
        "generation-only" => Box::new(Nothing),
        other => {
            let (cell, known) = (other.to_owned(), CELLS.to_vec());
            return Err(Error::UnknownCell { suite: "article", cell, known });
        }
    })
}

/// Measures one cell in this process.
///
/// # Errors
/// If it names no cell, or other than 6 or 20 fields.
pub fn measure(spec: &ArticleSpec) -> Result<Output, Error> {
    if let Some(before) = &spec.after {
        measure(&ArticleSpec { cell: before.clone(), after: None, ..spec.clone() })?;
    }
    let mut storage = match spec.fields {
        6 => storage::<0>(&spec.cell, spec.spawns)?,
        20 => storage::<14>(&spec.cell, spec.spawns)?,
        other => return Err(Error::Option(format!("a projectile has 6 or 20 fields, not {other}"))),
    };
    Ok(run(&mut *storage, spec.spawns, &spec.run))
}

/// Runs a storage on the stream.
pub fn run(storage: &mut dyn Storage, spawns: u32, run: &Run) -> Output {
    let mut stream = Stream::new(run.seed);
    let mut batch = Vec::with_capacity(spawns as usize);
    let mut samples = Samples::with_capacity(run.frames as usize);
    let mut sum = 0.0;
    for frame in 0..run.warmup + run.frames {
        let room = storage.room();
        let lap = Lap::start(run.events);
        stream.fill(&mut batch, spawns as usize);
        let generated = Instant::now();
        storage.spawn(&batch);
        let spawned = Instant::now();
        let frame_sum = storage.update();
        let updated = Instant::now();
        let measured = lap.end();
        if frame >= run.warmup {
            sum += frame_sum;
            samples.push(measured);
            samples.generation.push(ns(generated - lap.started()));
            samples.spawn.push(ns(spawned - generated));
            samples.integrate.push(ns(updated - spawned));
            if run.events {
                samples.growth.push(storage.room() > room);
            }
        }
    }
    let checksum = (storage.room() > 0).then(|| Checksum::Decimal(sum.round() as i64));
    Output { samples, checksum, live: Some(storage.live() as u64), ..Output::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::published;

    fn spec(cell: &str, spawns: u32, fields: u32) -> ArticleSpec {
        let run = Run { frames: 600, warmup: 30, seed: 12345, events: false };
        ArticleSpec { run, cell: cell.to_owned(), spawns, fields, after: None }
    }

    #[test]
    fn every_storage_gives_the_published_checksum() {
        let published = published(12345, 30, 600, 300).map(Checksum::Decimal);
        assert!(published.is_some());
        for cell in &CELLS[..8] {
            for fields in [6, 20] {
                let output = measure(&spec(cell, 300, fields)).unwrap();
                assert_eq!(output.checksum, published, "{cell}, {fields} fields");
                assert_eq!(output.samples.wall.len(), 600);
            }
        }
    }

    #[test]
    fn every_storage_has_the_same_projectiles_at_any_rate() {
        // Below, at and above the size from which blocks are sealed; and one projectile.
        for spawns in [1, 5, 511, 512, 513] {
            let live = |cell: &str| {
                let mut storage = storage::<0>(cell, spawns).unwrap();
                let run = Run { frames: 70, warmup: 0, seed: 7, events: false };
                let output = super::run(&mut *storage, spawns, &run);
                storage.trim();
                assert!(storage.room() >= storage.live(), "{cell}");
                (output.live, output.checksum)
            };
            let expected = live("fresh");
            for cell in &CELLS[1..8] {
                assert_eq!(live(cell), expected, "{cell} at {spawns}");
            }
        }
    }

    #[test]
    fn only_the_stream_itself_has_no_checksum() {
        let mut spec = spec("generation-only", 10, 6);
        spec.run.frames = 20;
        let output = measure(&spec).unwrap();
        assert_eq!((output.checksum, output.live), (None, Some(0)));
    }

    #[test]
    fn unknown_cells_and_fields_are_errors() {
        assert!(measure(&spec("boxes", 10, 6)).unwrap_err().to_string().contains("plugin-arrays"));
        assert!(measure(&spec("fresh", 10, 7)).unwrap_err().to_string().contains("6 or 20"));
    }
}
