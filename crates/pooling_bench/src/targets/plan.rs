//! What is run for the targets: each scenario serves some rows.

use crate::{
    Error, article,
    cli::{Common, Mix},
    frames,
    memory::MemorySpec,
    node,
    record::Record,
    runner::{Done, Job, Program},
    spec::Spec,
    strategies::{self, Executor, Lifetimes, StrategySpec},
};

/// The plugin's strategies.
pub const STRATEGIES: [&str; 3] = ["despawn-respawn", "component-recycling", "parallel-arrays"];
/// Rates with about 9k, 30k, 90k and 300k alive, of short lives.
pub const RATES: [u32; 4] = [300, 1000, 3000, 10_000];
/// The same, of mixed lives.
pub const MIXED: [u32; 4] = [58, 190, 570, 1900];
/// The same, of endless lives in bounds.
pub const BOUNDED: [u32; 4] = [110, 370, 1100, 3700];
/// Rates whose columns fall on different places of a page.
pub const PLACED: [u32; 5] = [500, 1000, 2000, 3000, 5000];
/// A rate with about 1,000 alive, of short lives.
pub const THOUSAND: u32 = 35;
/// Projectiles evicted in a tick.
pub const EVICTED: u32 = 10_000;
/// The scenarios of full pools, and their caps.
pub const CAPS: [(&str, u32); 3] = [("cap 30k", 30_000), ("cap 100k", 100_000), ("cap 300k", 300_000)];
/// The burst that a pool is to forget.
const BURST: u32 = 1_000_000;

/// The groups of cells that the rows need.
///
/// # Errors
/// Never: every option in it makes sense.
pub fn groups(common: &Common, rows: &[u32]) -> Result<Vec<Vec<Job>>, Error> {
    let plain = Mix::plain(Executor::Single);
    let any = |wanted: &[u32]| rows.iter().any(|row| wanted.contains(row));
    let spec = |mix: &Mix, cell: &str, spawns: u32| mix.spec(common, cell, spawns);
    let mut groups: Vec<Vec<Job>> = Vec::new();

    let mut rates: Vec<u32> = if any(&[1, 6, 8, 9, 10, 11, 16]) { RATES.to_vec() } else { Vec::new() };
    rates.extend(if any(&[7]) { PLACED.to_vec() } else { Vec::new() });
    rates.sort_unstable();
    rates.dedup();
    for spawns in rates {
        let mut group = vec![job("short", spec(&plain, "parallel-arrays", spawns)?)];
        if RATES.contains(&spawns) {
            for cell in ["bare", "component-recycling", "despawn-respawn", "commands", "spawn-batch"] {
                group.push(job("short", spec(&plain, cell, spawns)?));
            }
            let unseen = StrategySpec { change_detection: false, ..spec(&plain, "component-recycling", spawns)? };
            group.push(job("short", unseen));
        }
        groups.push(group);
    }
    let beside_bare = |scenario: &str, mix: &Mix, spawns: u32, warmup: u32| -> Result<Vec<Job>, Error> {
        let cells = ["parallel-arrays", "bare"].into_iter().map(|cell| {
            let mut spec = spec(mix, cell, spawns)?;
            spec.run.warmup = spec.run.warmup.max(warmup);
            Ok(job(scenario, spec))
        });
        cells.collect()
    };
    if any(&[2]) {
        let early = Mix { early_ends: 10.0, ..plain.clone() };
        for spawns in RATES {
            groups.push(beside_bare("early", &early, spawns, 0)?);
        }
    }
    if any(&[3]) {
        for spawns in MIXED {
            groups.push(beside_bare("mixed", &Mix { lifetimes: Lifetimes::Mixed, ..plain.clone() }, spawns, 600)?);
        }
    }
    if any(&[4]) {
        groups.push(beside_bare("few", &Mix { lifetimes: Lifetimes::Long, ..plain.clone() }, 5, 700)?);
    }
    if any(&[5]) {
        let bounds = Mix { lifetimes: Lifetimes::None, bounds: true, ..plain.clone() };
        for spawns in BOUNDED {
            groups.push(beside_bare("bounds", &bounds, spawns, 200)?);
        }
    }
    if any(&[9]) {
        let extra = Mix { extra_bytes: 150, ..plain.clone() };
        for &spawns in &RATES[1..] {
            let cells = ["component-recycling", "commands"].map(|cell| Ok(job("extra", spec(&extra, cell, spawns)?)));
            groups.push(cells.into_iter().collect::<Result<_, Error>>()?);
        }
    }
    if any(&[11, 12]) {
        let cells: Vec<&str> = ["generation-only", "plugin-arrays", "node-typed"].into_iter().collect();
        let here = |cell: &&&str| **cell != "node-typed" || node::available().is_some();
        for &spawns in &RATES[1..] {
            let jobs = cells.iter().filter(here).map(|cell| {
                let mut job = article::suite::job("targets", common, cell, spawns, 6);
                job.record.set("scenario", "article");
                job
            });
            groups.push(jobs.collect());
        }
    }
    if any(&[13]) {
        let early = Mix { early_ends: 10.0, ..plain.clone() };
        let cells = STRATEGIES.iter().map(|cell| {
            let mut spec = spec(&early, cell, 1000)?;
            spec.run.warmup = spec.run.warmup.max(700);
            spec.run.events = true;
            Ok(Job { program: Program::Counting, ..job("allocations", spec) })
        });
        groups.push(cells.collect::<Result<_, Error>>()?);
    }
    if any(&[14]) {
        let cell = "parallel-arrays".to_owned();
        let memory = MemorySpec { cell, peak: 300_000, rest: 30_000, seed: common.seed };
        let mut record = Record::new("targets", "parallel-arrays");
        record.set("scenario", "memory").set("spawns", 0);
        groups.push(vec![Job { program: Program::This, spec: Spec::Memory(memory), record }]);
    }
    if any(&[15]) {
        for spawns in [THOUSAND, 0] {
            let mut group = Vec::new();
            for cell in STRATEGIES {
                let spec = spec(&plain, cell, spawns)?;
                group.push(job("burst", StrategySpec { burst: Some(BURST), ..spec.clone() }));
                if spawns > 0 {
                    group.push(job("no burst", spec));
                }
            }
            groups.push(group);
        }
    }
    if any(&[16]) {
        for (scenario, cap) in CAPS {
            let cells = STRATEGIES.iter().map(|cell| {
                let mut spec = spec(&plain, cell, EVICTED)?;
                spec.lifetimes = Lifetimes::Long;
                spec.cap = Some(cap);
                spec.run.warmup = spec.run.warmup.max(cap / EVICTED + 10);
                // At the cap every tick is alike, and in the entity strategies it is a long one.
                spec.run.frames = spec.run.frames.min(200);
                Ok(job(scenario, spec))
            });
            groups.push(cells.collect::<Result<_, Error>>()?);
        }
    }
    Ok(groups)
}

fn job(scenario: &str, spec: StrategySpec) -> Job {
    let mut job = strategies::job("targets", spec);
    job.record.set("scenario", scenario);
    job
}

/// The line of one repeat.
#[must_use]
pub fn line(done: &Done) -> Record {
    let mut line = frames::record(done);
    let events = &done.output.samples.events;
    line.set("alloc_calls_max", events.iter().map(|event| event.alloc_calls).max());
    line
}
