//! The plots of the findings.

use std::path::Path;

use super::Found;
use crate::{Error, plots, plots::Named, record::Record, report::Report, runner::Done};

/// The strategies and the naive baseline.
const STRATEGIES: [&str; 4] = ["commands", "despawn-respawn", "component-recycling", "parallel-arrays"];
/// Storages whose frames and memory are shown.
const STORAGES: [&str; 4] = ["fresh", "pool-lifo", "index-arrays-lifo", "plugin-arrays"];

/// Draws every plot and returns their files and captions.
pub fn draw(folder: &Path, found: &Found) -> Result<Vec<(&'static str, &'static str)>, Error> {
    let mut drawn = Vec::new();
    let frames = "microseconds a frame";
    for (file, caption, field) in [
        ("article-p50.svg", "Median frame of each storage against spawns a frame (6 fields)", "wall_p50_us"),
        ("article-p99.svg", "p99 frame of each storage against spawns a frame (6 fields)", "wall_p99_us"),
    ] {
        plots::lines(&folder.join(file), caption, "spawns a frame", frames, &against_spawns(&found.article, field))?;
        drawn.push((file, caption));
    }
    for (file, caption, field) in [
        ("strategies-p50.svg", "Median tick of each strategy against spawns a tick", "wall_p50_us"),
        ("strategies-p99.svg", "p99 tick of each strategy against spawns a tick", "wall_p99_us"),
    ] {
        let ticks = "microseconds a tick";
        plots::lines(&folder.join(file), caption, "spawns a tick", ticks, &against_spawns(&found.strategies, field))?;
        drawn.push((file, caption));
    }
    let (file, caption) =
        ("ticks-histogram.svg", "How the tick times of each strategy are spread, at the greatest rate");
    plots::histogram(
        &folder.join(file),
        caption,
        "microseconds a tick",
        &samples(&found.strategies.done, &STRATEGIES),
    )?;
    drawn.push((file, caption));
    let (file, caption) =
        ("frames-histogram.svg", "How the frame times of the article's storages are spread, at the greatest rate");
    plots::histogram(&folder.join(file), caption, "microseconds a frame", &samples(&found.article.done, &STORAGES))?;
    drawn.push((file, caption));
    let (file, caption) = ("phases.svg", "Phases of a tick, at the greatest rate");
    let parts = ["spawn", "integrate", "retire"];
    let rate = greatest(&found.strategies);
    let bars = bars(&found.strategies, |record| {
        (record.number("spawns") == Some(rate))
            .then(|| ["spawn_us", "integrate_us", "retire_us"].map(|f| record.number(f)))
    });
    plots::stacked(&folder.join(file), caption, "microseconds a tick", &bars, &parts)?;
    drawn.push((file, caption));
    let (file, caption) = ("memory.svg", "Bytes that each storage holds: at the peak, after the fall, after the trim");
    let parts = ["at the peak", "after the fall", "after the trim"];
    let groups = self::bars(&found.memory, |record| {
        Some(
            ["bytes_peak", "bytes_after", "bytes_trimmed"]
                .map(|f| record.number(f).map(|bytes| bytes / f64::from(1 << 20))),
        )
    });
    plots::grouped(&folder.join(file), caption, "MiB", &groups, &parts)?;
    drawn.push((file, caption));
    Ok(drawn)
}

/// The medians of each cell with 6 fields, over its rates.
fn against_spawns(report: &Report, field: &str) -> Vec<Named<(f64, f64)>> {
    let mut series: Vec<Named<(f64, f64)>> = Vec::new();
    for record in medians(report).filter(|record| record.number("fields").is_none_or(|fields| fields == 6.0)) {
        let Some(point) = record.number("spawns").zip(record.number(field)) else { continue };
        match series.iter_mut().find(|(cell, _)| *cell == record.cell) {
            Some((_, points)) => points.push(point),
            None => series.push((record.cell.clone(), vec![point])),
        }
    }
    for (_, points) in &mut series {
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
    }
    series
}

fn medians(report: &Report) -> impl Iterator<Item = &Record> {
    report.records.iter().filter(|record| record.is_median())
}

fn greatest(report: &Report) -> f64 {
    report.records.iter().filter_map(|record| record.number("spawns")).fold(0.0, f64::max)
}

/// The samples of all repeats of some cells, at the greatest rate, of 6 fields.
fn samples(done: &[Done], cells: &[&str]) -> Vec<Named<u64>> {
    let rate = |one: &Done| one.job.record.number("spawns").unwrap_or(0.0);
    let greatest = done.iter().map(rate).fold(0.0, f64::max);
    let of = |cell: &str| {
        let wanted = done.iter().filter(|one| {
            let fields = one.job.record.number("fields");
            one.job.record.cell == cell && rate(one) == greatest && fields.is_none_or(|fields| fields == 6.0)
        });
        wanted.flat_map(|one| one.output.samples.wall.iter().copied()).collect()
    };
    cells.iter().map(|cell| ((*cell).to_owned(), of(cell))).collect()
}

/// A bar of three parts for each cell that has them.
fn bars(report: &Report, parts: impl Fn(&Record) -> Option<[Option<f64>; 3]>) -> Vec<Named<f64>> {
    let bar = |record: &Record| {
        let values: Option<Vec<f64>> = parts(record)?.into_iter().collect();
        Some((record.cell.clone(), values?))
    };
    medians(report).filter_map(bar).collect()
}
