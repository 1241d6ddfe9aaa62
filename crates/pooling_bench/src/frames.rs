//! From the samples of a cell to its line of results.

use bevy_frame_percentiles::Percentile;

use crate::{
    Error,
    record::Record,
    runner::Done,
    samples::{median_us, percentile_us},
    spec::{Checksum, Spec},
    stream::published,
};

/// The commit that the program was built from.
pub const COMMIT: &str = env!("BENCH_COMMIT");
/// How the program was built.
pub const PROFILE: &str = if cfg!(debug_assertions) { "debug" } else { "release" };

/// The line of one repeat.
#[must_use]
pub fn record(done: &Done) -> Record {
    let mut record = done.job.record.clone();
    let samples = &done.output.samples;
    record.set("repeat", done.repeat).set("commit", COMMIT).set("profile", PROFILE);
    if !samples.wall.is_empty() {
        record
            .set("frames", samples.wall.len())
            .set("wall_p50_us", median_us(&samples.wall))
            .set("wall_p95_us", percentile_us(&samples.wall, Percentile::P95))
            .set("wall_p99_us", percentile_us(&samples.wall, Percentile::P99))
            .set("wall_p99_beyond", Percentile::P99.beyond(samples.wall.len() as u64))
            .set("wall_max_us", samples.wall.iter().max().map(|max| *max as f64 / 1e3))
            .set("cpu_p50_us", median_us(&samples.cpu))
            .set("cpu_p99_us", percentile_us(&samples.cpu, Percentile::P99))
            .set("generation_us", median_us(&samples.generation))
            .set("spawn_us", median_us(&samples.spawn))
            .set("integrate_us", median_us(&samples.integrate))
            .set("retire_us", median_us(&samples.retire));
    }
    record.set("live", done.output.live).set("checksum", &done.output.checksum);
    for (figure, value) in &done.output.figures {
        record.set(figure, value);
    }
    record
}

/// Tests the checksums of cells: each must be the published one, or, where none is published, all that saw the same stream
/// must agree. Returns what to tell the user.
///
/// # Errors
/// Which cells are wrong.
pub fn check(done: &[Done]) -> Result<Vec<String>, Error> {
    check_by(done, |one| match &one.job.spec {
        Spec::Article(spec) => {
            let run = &spec.run;
            let published = published(run.seed, run.warmup, run.frames, spec.spawns);
            (format!("{} spawns a frame", spec.spawns), published)
        }
        Spec::Strategy(spec) => (spec.stream_name(), None),
        _ => (one.job.record.key(), None),
    })
}

/// The same for cells whose stream, and the checksum published for it, `same` tells.
///
/// # Errors
/// Which cells are wrong.
pub fn check_by(done: &[Done], same: impl Fn(&Done) -> (String, Option<i64>)) -> Result<Vec<String>, Error> {
    let mut notes = Vec::new();
    let mut seen: Vec<(String, Checksum, String)> = Vec::new();
    for one in done {
        let Some(checksum) = &one.output.checksum else { continue };
        let (stream, published) = same(one);
        let cell = one.job.record.key();
        if let Some(published) = published
            && *checksum != Checksum::Decimal(published)
        {
            return Err(Error::Checksum(format!("{cell} gives {checksum}, and the published one is {published}")));
        }
        match seen.iter().find(|(other, ..)| *other == stream) {
            Some((_, agreed, other)) if agreed != checksum => {
                return Err(Error::Checksum(format!("{cell} gives {checksum}, but {other} gave {agreed}")));
            }
            Some(_) => {}
            None => {
                notes.push(match published {
                    Some(_) => format!("{stream}: checksum {checksum}, as published"),
                    None => format!("{stream}: checksum {checksum} in every cell (no published value)"),
                });
                seen.push((stream, checksum.clone(), cell));
            }
        }
    }
    Ok(notes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        article::ArticleSpec,
        runner::{Job, Program},
        spec::{Output, Run},
    };

    fn done(cell: &str, checksum: i64) -> Done {
        let run = Run { frames: 600, warmup: 30, seed: 12345, events: false };
        let spec = Spec::Article(ArticleSpec { run, cell: cell.to_owned(), spawns: 300, fields: 6, after: None });
        let job = Job { program: Program::This, spec, record: Record::new("article", cell) };
        Done { job, repeat: 1, output: Output { checksum: Some(Checksum::Decimal(checksum)), ..Output::default() } }
    }

    #[test]
    fn a_published_checksum_is_required() {
        let stream = |_: &Done| ("300 spawns".to_owned(), Some(7));
        assert!(check_by(&[done("fresh", 7)], stream).is_ok());
        let error = check_by(&[done("fresh", 7), done("pool-lifo", 8)], stream).unwrap_err().to_string();
        assert!(error.contains("pool-lifo") && error.contains('7') && error.contains('8'), "{error}");
    }

    #[test]
    fn without_a_published_one_all_must_agree() {
        let stream = |_: &Done| ("300 spawns".to_owned(), None);
        let notes = check_by(&[done("fresh", 3), done("pool-lifo", 3)], stream).unwrap();
        assert_eq!(notes, ["300 spawns: checksum 3 in every cell (no published value)"]);
        assert!(check_by(&[done("fresh", 3), done("pool-lifo", 4)], stream).is_err());
    }

    #[test]
    fn a_line_has_what_was_sampled_and_nothing_else() {
        let mut done = done("fresh", 7);
        done.output.samples.wall = (1..=600).map(|k| k * 1000).collect();
        let record = record(&done);
        assert_eq!(record.number("wall_p50_us"), Some(300.0));
        assert_eq!(record.number("wall_p99_us"), Some(594.0));
        assert_eq!(record.number("wall_p99_beyond"), Some(6.0));
        assert_eq!(record.number("wall_max_us"), Some(600.0));
        assert_eq!(record.number("cpu_p50_us"), None);
        assert_eq!(record.number("retire_us"), None);
    }
}
