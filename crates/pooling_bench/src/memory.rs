//! What each storage holds in a burst, after it, and after it was trimmed.

use std::collections::BTreeMap;

use bevy::prelude::{App, IntoScheduleConfigs, ResMut, Resource, Vec2};
use bevy_projectile_pool::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    Error, article,
    cli::Common,
    frames,
    meter::resident_bytes,
    record::{Record, with_medians},
    report::{Report, Table},
    runner::{self, Done, Job, Program},
    spec::{Output, Spec},
    strategies::settling_ticks,
    stream::{PERIOD, Shot, Stream},
};

/// Every cell: the article's storages, and the plugin's strategies.
pub const CELLS: [&str; 11] = [
    "fresh",
    "pool-lifo",
    "pool-fifo",
    "index-arrays-lifo",
    "index-arrays-fifo",
    "dense-arrays",
    "swap-remove",
    "plugin-arrays",
    "despawn-respawn",
    "component-recycling",
    "parallel-arrays",
];

/// Frames a projectile lives, in the mean, rounded down: of so many spawned a frame, one is alive for each.
const MEAN_LIFE: u32 = 29;
/// Frames of the burst, and of the fall: twice the longest life, and two.
const FRAMES: u32 = 80;
/// The figures in bytes that the table shows in MiB.
const BYTES: [&str; 7] =
    ["bytes_peak", "rss_peak", "bytes_after", "rss_after", "bytes_trimmed", "rss_trimmed", "live_bytes"];

/// One cell of a burst.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemorySpec {
    /// One of [`CELLS`].
    pub cell: String,
    /// Projectiles alive at the peak, about.
    pub peak: u32,
    /// Projectiles alive after it, about.
    pub rest: u32,
    /// Of the stream.
    pub seed: u32,
}

/// Spawns a frame of which about `alive` are alive.
fn rate(alive: u32) -> u32 {
    (alive / MEAN_LIFE).max(1)
}

/// Measures one cell in this process.
///
/// # Errors
/// If it names no cell.
pub fn measure(spec: &MemorySpec) -> Result<Output, Error> {
    if !CELLS.contains(&spec.cell.as_str()) {
        return Err(Error::UnknownCell { suite: "memory", cell: spec.cell.clone(), known: CELLS.to_vec() });
    }
    match spec.cell.parse() {
        Ok(strategy) => Ok(through_plugin(strategy, spec)),
        Err(_) => by_hand(spec),
    }
}

/// The figures of a run.
struct Figures {
    figures: BTreeMap<String, f64>,
    /// What was resident before there was a projectile.
    before: Option<u64>,
}

impl Figures {
    /// Of a storage that is there and empty, or that is about to be made.
    fn start() -> Self {
        Self { figures: BTreeMap::new(), before: resident_bytes() }
    }

    /// Takes what a storage holds by its own count and what is resident of it.
    fn held(&mut self, moment: &str, bytes: usize) {
        let resident = resident_bytes().zip(self.before).map(|(now, before)| now.saturating_sub(before));
        self.figures.insert(format!("bytes_{moment}"), bytes as f64);
        self.figures.extend(resident.map(|bytes| (format!("rss_{moment}"), bytes as f64)));
    }

    /// Takes how many are alive.
    fn live(&mut self, moment: &str, live: usize) {
        self.figures.insert(format!("live_{moment}"), live as f64);
    }

    /// What all came to, for projectiles that need `size` bytes each.
    fn output(mut self, size: usize) -> Output {
        let figure = |name: &str| self.figures.get(name).copied().unwrap_or(0.0);
        let (live, trimmed) = (figure("live_after"), figure("bytes_trimmed"));
        let live_bytes = live * size as f64;
        self.figures.insert("live_bytes".to_owned(), live_bytes);
        if live_bytes > 0.0 {
            self.figures.insert("held_ratio".to_owned(), trimmed / live_bytes);
        }
        Output { live: Some(live as u64), figures: self.figures, ..Output::default() }
    }
}

/// Bytes that a projectile of the article needs: its 6 values.
const OBJECT_BYTES: usize = 6 * size_of::<f64>();

fn by_hand(spec: &MemorySpec) -> Result<Output, Error> {
    let burst = rate(spec.peak);
    let mut stream = Stream::new(spec.seed);
    let mut batch = Vec::new();
    // What is fired needs memory too, which is not the storage's.
    let mut ahead = stream;
    ahead.fill(&mut batch, burst as usize);
    let mut figures = Figures::start();
    let mut storage = article::storage::<0>(&spec.cell, burst)?;
    for (moment, spawns) in [("peak", burst), ("after", rate(spec.rest))] {
        for _ in 0..FRAMES {
            stream.fill(&mut batch, spawns as usize);
            storage.spawn(&batch);
            storage.update();
        }
        figures.held(moment, storage.bytes());
        figures.live(moment, storage.live());
    }
    storage.trim();
    figures.held("trimmed", storage.bytes());
    Ok(figures.output(OBJECT_BYTES))
}

/// What the projectiles of the pool carry.
type Load = u64;

/// Bytes that a projectile of the plugin needs: its id, position, velocity, birth, lifetime, and payload.
const PROJECTILE_BYTES: usize =
    size_of::<ProjectileId>() + 2 * size_of::<Vec2>() + 2 * size_of::<u32>() + size_of::<Load>();

/// What is fired in each tick.
#[derive(Resource)]
struct Feed {
    stream: Stream,
    spawns: u32,
}

fn fire(mut feed: ResMut<Feed>, mut spawner: ProjectileSpawner<Load>) {
    let Feed { stream, spawns } = &mut *feed;
    spawner.spawn_batch((0..*spawns).map(|_| projectile(&stream.shoot())));
}

fn projectile(shot: &Shot) -> Projectile<Load> {
    let position = Vec2::new(shot.x as f32, shot.y as f32);
    let velocity = Vec2::new(shot.vx as f32, shot.vy as f32);
    Projectile::new(position, velocity).lifetime(shot.life as u32).payload(shot.damage as Load)
}

fn through_plugin(strategy: PoolingStrategy, spec: &MemorySpec) -> Output {
    let mut app = App::new();
    app.add_plugins(ProjectilePoolPlugin::<Load>::new("loads").by_hand().strategy(strategy))
        .insert_resource(Feed { stream: Stream::new(spec.seed), spawns: 0 })
        .add_systems(ProjectileTick, fire.in_set(ProjectileSystems::Fire));
    // The first tick, without projectiles, builds the schedule: the app itself is not the storage's.
    run_ticks(&mut app, 0, 1);
    let mut figures = Figures::start();
    for (moment, spawns) in [("peak", rate(spec.peak)), ("after", rate(spec.rest))] {
        let (bytes, live) = run_ticks(&mut app, spawns, FRAMES);
        figures.held(moment, bytes);
        figures.live(moment, live);
    }
    let (bytes, _) = run_ticks(&mut app, rate(spec.rest), settling_ticks(spec.peak));
    figures.held("trimmed", bytes);
    figures.output(PROJECTILE_BYTES)
}

/// Ticks, spawning so many in each. Returns the bytes held and the projectiles alive after the last.
fn run_ticks(app: &mut App, spawns: u32, ticks: u32) -> (usize, usize) {
    app.world_mut().resource_mut::<Feed>().spawns = spawns;
    for _ in 0..ticks {
        run_projectile_tick(app.world_mut(), PERIOD);
    }
    let stats = app.world().resource::<PoolStats<Load>>();
    (stats.bytes_held, stats.live)
}

/// Runs every cell through a burst of `peak` projectiles that falls to `rest`.
///
/// # Errors
/// If the burst makes no sense, or a cell cannot be run.
pub fn suite(common: &Common, peak: u32, rest: u32) -> Result<Report, Error> {
    check(peak, rest)?;
    let job = |cell: &str| {
        let mut record = Record::new("memory", cell);
        record.set("peak", peak).set("rest", rest);
        let spec = MemorySpec { cell: cell.to_owned(), peak, rest, seed: common.seed };
        Job { program: Program::This, spec: Spec::Memory(spec), record }
    };
    let group: Vec<Job> = common.chosen(&CELLS).map(job).collect();
    let done = runner::run(&[group], common.repeats())?;
    let records = with_medians(done.iter().map(line).collect());
    let rows: Vec<Record> = records.iter().filter(|record| record.is_median()).cloned().collect();
    let columns = vec![
        ("cell", "cell"),
        ("held at the peak", "bytes_peak_mib"),
        ("RSS", "rss_peak_mib"),
        ("held after it", "bytes_after_mib"),
        ("RSS", "rss_after_mib"),
        ("held when trimmed", "bytes_trimmed_mib"),
        ("RSS", "rss_trimmed_mib"),
        ("needed", "live_bytes_mib"),
        ("held / needed", "held_ratio"),
    ];
    let title = format!("MiB in a burst of {peak} projectiles, after its fall to {rest}, and after trimming");
    let notes = notes(&rows);
    Ok(Report { suite: "memory", records, tables: vec![Table { title, columns, rows }], notes, done })
}

fn check(peak: u32, rest: u32) -> Result<(), Error> {
    let refuse = |message: &str| Err(Error::Option(message.to_owned()));
    if !(MEAN_LIFE..=4_000_000).contains(&peak) {
        return refuse("--peak must be from 29 to 4000000 projectiles");
    }
    if !(MEAN_LIFE..=peak).contains(&rest) {
        return refuse("--rest must be from 29 to --peak projectiles");
    }
    Ok(())
}

/// The line of one repeat, with MiB for the table.
fn line(done: &Done) -> Record {
    let mut record = frames::record(done);
    for field in BYTES {
        let mib = record.number(field).map(|bytes| bytes / f64::from(1 << 20));
        record.set(&format!("{field}_mib"), mib);
    }
    record
}

fn notes(rows: &[Record]) -> Vec<String> {
    let mut notes = vec![
        "Held is what the storage counts itself, and RSS what the process has resident besides the program; an \
         allocator may keep what a storage has given back. Needed is what the values of the projectiles alive take"
            .to_owned(),
        "The article, in JavaScript: after 300000 alive a pool kept 22.9 MiB of heap (39.4 MiB resident) for 30000 \
         that need 2.3 MiB, and parallel arrays 21.1 MiB"
            .to_owned(),
    ];
    if rows.iter().any(|row| ["despawn-respawn", "component-recycling"].contains(&row.cell.as_str())) {
        notes.push(
            "Bevy 0.16 never gives the memory of a World's tables back: the strategies with entities despawn their \
             free rows, but what they hold counts the tables' capacity, used or not"
                .to_owned(),
        );
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(cell: &str) -> BTreeMap<String, f64> {
        let spec = MemorySpec { cell: cell.to_owned(), peak: 29_000, rest: 2900, seed: 12345 };
        measure(&spec).unwrap().figures
    }

    #[test]
    fn a_burst_rises_and_falls_in_every_cell() {
        for cell in CELLS {
            let figures = figures(cell);
            let near = |name: &str, alive: f64| (figures[name] / alive - 1.0).abs() < 0.1;
            assert!(near("live_peak", 29_000.0) && near("live_after", 2900.0), "{cell}: {figures:?}");
            assert!(figures["bytes_peak"] >= figures["live_peak"] * 40.0, "{cell}: {figures:?}");
            // What a pool needs to give rows back is a little itself.
            assert!(figures["bytes_trimmed"] <= figures["bytes_after"] * 1.05, "{cell}: {figures:?}");
            assert!(figures["held_ratio"] >= 1.0, "{cell}: {figures:?}");
        }
    }

    #[test]
    fn arrays_and_trimmed_pools_give_memory_back() {
        for cell in ["fresh", "pool-lifo", "dense-arrays", "parallel-arrays"] {
            let figures = figures(cell);
            assert!(figures["bytes_trimmed"] * 2.0 < figures["bytes_peak"], "{cell}: {figures:?}");
        }
        let kept = figures("index-arrays-lifo");
        assert_eq!(kept["bytes_trimmed"], kept["bytes_peak"], "slots keep their indices");
    }

    #[test]
    fn what_is_needed_is_as_worked_by_hand() {
        assert_eq!((OBJECT_BYTES, PROJECTILE_BYTES), (48, 40));
        let mut figures = Figures { figures: BTreeMap::new(), before: None };
        figures.held("trimmed", 9600);
        figures.live("after", 100);
        let output = figures.output(48);
        assert_eq!((output.figures["live_bytes"], output.figures["held_ratio"]), (4800.0, 2.0));
        assert_eq!(output.live, Some(100));
        assert!(!output.figures.contains_key("rss_trimmed"));
    }

    #[test]
    fn a_line_has_mebibytes_of_what_was_measured() {
        let spec = MemorySpec { cell: "fresh".to_owned(), peak: 29, rest: 29, seed: 1 };
        let job = Job { program: Program::This, spec: Spec::Memory(spec), record: Record::new("memory", "fresh") };
        let output = Output { figures: [("bytes_peak".to_owned(), 3_145_728.0)].into(), ..Output::default() };
        let line = line(&Done { job, repeat: 1, output });
        assert_eq!(line.number("bytes_peak_mib"), Some(3.0));
        assert_eq!(line.get("rss_peak_mib"), None);
    }

    #[test]
    fn bursts_that_make_no_sense_are_refused() {
        assert!(check(300_000, 30_000).is_ok());
        assert!(check(100, 100).is_ok());
        for (peak, rest) in [(28, 28), (4_000_001, 30_000), (100, 101), (100, 0)] {
            assert!(check(peak, rest).is_err(), "{peak} {rest}");
        }
        let spec = MemorySpec { cell: "rented".to_owned(), peak: 29, rest: 29, seed: 1 };
        assert!(measure(&spec).unwrap_err().to_string().contains("plugin-arrays"));
    }
}
