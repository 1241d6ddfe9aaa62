//! Two builds of this bench, side by side: is B faster than A?
//!
//! Each cell runs in neighbouring pairs whose order alternates: A B, B A, A B, then B A, A B, B A, and so on.
//! `--repeats` is rounded up to whole rounds of three pairs, so that `--repeats 3` gives A B B A A B. A pair's ratio is
//! B / A, of the median frame (of the bare loop: of its median step). What drifts slowly on the machine is in both runs
//! of a pair alike.
//!
//! B is accepted if the geometric mean of the ratios of all pairs of the judged cells is low enough and none of them is
//! too high. The controls do not depend on what is compared. If the median ratio of one is far from 1, the machine was
//! not steady, or the builds differ in more than they should: then there is no verdict.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{
    Error,
    article::ArticleSpec,
    cli::{Common, Mix, strategy_record},
    record::{Record, with_medians},
    report::{Column, Report, Table},
    runner::{self, Done, Job, Program},
    samples::{Samples, median, median_us},
    spec::{Output, Spec},
};

/// The cells that decide: the plugin's strategies.
pub const CELLS: [&str; 3] = ["despawn-respawn", "component-recycling", "parallel-arrays"];
/// The cells that should not differ: the bare loop, and making the stream of the article.
pub const CONTROLS: [&str; 2] = ["bare", "generation-only"];

/// A control's median ratio may be from 1 / this to this.
const DRIFT: f64 = 1.10;

/// A cell at one rate.
struct Subject {
    spec: Spec,
    record: Record,
    control: bool,
}

/// Two neighbouring runs of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    /// Microseconds.
    a: f64,
    /// Microseconds.
    b: f64,
}

impl Pair {
    fn ratio(self) -> f64 {
        self.b / self.a
    }
}

/// What came of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// B is as fast as demanded.
    Accepted,
    /// It is not.
    NotAccepted,
    /// A control says that this cannot be told.
    Inconclusive,
}

/// Compares the programs `a` and `b`: B is accepted if the geometric mean of all pairs is at most `accept`, and the
/// worst pair at most `worst`. Any other verdict is the error beside the report. If the user stops it, there is none.
///
/// # Errors
/// If a program is not there or is not this bench, a cell fails, or A and B do not agree on a checksum.
pub fn suite(
    a: &Path,
    b: &Path,
    common: &Common,
    mix: &Mix,
    accept: f64,
    worst: f64,
) -> Result<(Report, Option<Error>), Error> {
    for (option, limit) in [("--accept", accept), ("--worst", worst)] {
        if !(limit.is_finite() && limit > 0.0) {
            return Err(Error::Option(format!("{option} must be a ratio above 0, not {limit}")));
        }
    }
    let builds = [("a", program(a)?), ("b", program(b)?)];
    let subjects = subjects(common, mix)?;
    let each = pairs(common.repeats());
    let (pairs, done) = run(&builds, &subjects, each)?;

    let whole = pairs.iter().map(Vec::len).sum::<usize>() == subjects.len() * each as usize;
    let records =
        with_medians(subjects.iter().zip(&pairs).flat_map(|(subject, pairs)| lines(subject, pairs)).collect());
    let title = "Ratios B / A of neighbouring runs, and the median of each cell".to_owned();
    let tables = vec![Table { title, columns: COLUMNS.to_vec(), rows: records.clone() }];
    let mut notes = vec![
        format!("A is {}, B is {}", builds[0].1.display(), builds[1].1.display()),
        format!("Each cell ran in {each} neighbouring pairs, in the order A B B A A B; then mirrored, and so on"),
    ];
    let mut error = None;
    if whole {
        let (verdict, sentence) = verdict(&subjects, &pairs, accept, worst);
        notes.push(sentence.clone());
        error = (verdict != Verdict::Accepted).then_some(Error::Verdict(sentence));
    } else {
        notes.push("It was stopped before every pair was run: there is no verdict".to_owned());
    }
    Ok((Report { suite: "compare", records, tables, notes, done }, error))
}

const COLUMNS: [Column; 8] = [
    ("cell", "cell"),
    ("spawns", "spawns"),
    ("pair", "repeat"),
    ("order", "order"),
    ("A µs", "a_us"),
    ("B µs", "b_us"),
    ("B / A", "ratio"),
    ("control", "control"),
];

/// The path of a build of this bench that runs.
fn program(path: &Path) -> Result<PathBuf, Error> {
    let refuse = |why: String| Error::Option(format!("{} is no build of this bench: {why}", path.display()));
    // A bare name is a file here, and not a program somewhere on the search path.
    let path = fs::canonicalize(path).map_err(|error| refuse(error.to_string()))?;
    let mut command = Command::new(&path);
    let answer = command.arg("--version").stdin(Stdio::null()).output().map_err(|error| refuse(error.to_string()))?;
    if answer.status.success() && String::from_utf8_lossy(&answer.stdout).starts_with(env!("CARGO_PKG_NAME")) {
        Ok(path)
    } else {
        Err(refuse("it does not answer --version as one does".to_owned()))
    }
}

/// The cells at each rate: the judged ones that are chosen, and all controls.
fn subjects(common: &Common, mix: &Mix) -> Result<Vec<Subject>, Error> {
    let mut subjects = Vec::new();
    for &spawns in &common.spawns {
        for cell in common.chosen(&CELLS).chain([CONTROLS[0]]) {
            let spec = mix.spec(common, cell, spawns)?;
            let record = strategy_record("compare", &spec);
            subjects.push(Subject { spec: Spec::Strategy(spec), record, control: CONTROLS.contains(&cell) });
        }
        let cell = CONTROLS[1];
        let spec = ArticleSpec { run: common.run(), cell: cell.to_owned(), spawns, fields: 6, after: None };
        let mut record = Record::new("compare", cell);
        record.set("spawns", spawns).set("fields", spec.fields);
        subjects.push(Subject { spec: Spec::Article(spec), record, control: true });
    }
    Ok(subjects)
}

/// The pairs of each cell: whole rounds of three.
fn pairs(repeats: u32) -> u32 {
    repeats.div_ceil(3) * 3
}

/// Which build runs first in a pair, and which second; pairs count from 1.
fn order(pair: u32) -> [usize; 2] {
    if pair % 2 == 1 { [0, 1] } else { [1, 0] }
}

/// Runs every pair, until the user stops it. Returns the whole pairs of each cell, and every run.
fn run(builds: &[(&str, PathBuf); 2], subjects: &[Subject], each: u32) -> Result<(Vec<Vec<Pair>>, Vec<Done>), Error> {
    let mut pairs = vec![Vec::new(); subjects.len()];
    let mut done: Vec<Done> = Vec::new();
    let progress = runner::progress_bar(subjects.len() as u64 * u64::from(each) * 2);
    'subjects: for (subject, pairs) in subjects.iter().zip(&mut pairs) {
        let key = subject.record.key();
        progress.set_message(key.clone());
        for pair in 1..=each {
            let mut outputs = [None, None];
            for build in order(pair) {
                if runner::interrupted() {
                    break 'subjects;
                }
                let (name, path) = &builds[build];
                let mut record = subject.record.clone();
                record.set("build", name);
                let job = Job { program: Program::Path(path.clone()), spec: subject.spec.clone(), record };
                let output = match runner::run_one(&job) {
                    Ok(output) => output,
                    Err(_) if runner::interrupted() => break 'subjects,
                    Err(error) => return Err(error),
                };
                outputs[build] = Some(output.clone());
                done.push(Done { job, repeat: pair, output });
                progress.inc(1);
            }
            if let [Some(a), Some(b)] = &outputs {
                pairs.push(pair_of(subject, &key, a, b)?);
            }
        }
    }
    progress.finish_and_clear();
    Ok((pairs, done))
}

/// The pair of two runs, which must agree on their checksum.
fn pair_of(subject: &Subject, key: &str, a: &Output, b: &Output) -> Result<Pair, Error> {
    if a.checksum != b.checksum {
        let shown = |output: &Output| output.checksum.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string);
        return Err(Error::Checksum(format!("{key} gives {} in A and {} in B", shown(a), shown(b))));
    }
    let figure = |output: &Output| figure(subject.spec.cell(), &output.samples).filter(|us| *us > 0.0);
    let missing = || Error::Missing(format!("{key} took no time that can be compared"));
    Ok(Pair { a: figure(a).ok_or_else(missing)?, b: figure(b).ok_or_else(missing)? })
}

/// What is compared, in microseconds: the median frame; of the bare loop its median step, the rest being the app.
fn figure(cell: &str, samples: &Samples) -> Option<f64> {
    median_us(if cell == "bare" { &samples.integrate } else { &samples.wall })
}

/// The lines of a cell's pairs.
fn lines(subject: &Subject, pairs: &[Pair]) -> Vec<Record> {
    let line = |(number, pair): (u32, &Pair)| {
        let mut record = subject.record.clone();
        record
            .set("repeat", number)
            .set("control", subject.control)
            .set("order", if order(number) == [0, 1] { "A B" } else { "B A" })
            .set("a_us", pair.a)
            .set("b_us", pair.b)
            .set("ratio", pair.ratio());
        record
    };
    (1..).zip(pairs).map(line).collect()
}

/// The verdict on all pairs, and the sentence that says why.
fn verdict(subjects: &[Subject], pairs: &[Vec<Pair>], accept: f64, worst: f64) -> (Verdict, String) {
    let mut judged = Vec::new();
    let mut controls = Vec::new();
    for (subject, pairs) in subjects.iter().zip(pairs) {
        let ratios: Vec<f64> = pairs.iter().map(|pair| pair.ratio()).collect();
        if !subject.control {
            judged.extend(ratios);
        } else if let Some(ratio) = median(&ratios) {
            let spawns = subject.record.number("spawns").unwrap_or_default();
            controls.push((format!("{} at {spawns} spawns", subject.record.cell), ratio));
        }
    }
    let ratios: Vec<f64> = controls.iter().map(|(_, ratio)| *ratio).collect();
    let verdict = judge(&judged, &ratios, accept, worst);
    let drifted =
        controls.iter().filter(|(_, ratio)| drifts(*ratio)).map(|(name, ratio)| format!("{name}: {ratio:.3}"));
    let sentence = match (verdict, geometric_mean(&judged), highest(&judged)) {
        (Verdict::Inconclusive, Some(_), _) => format!(
            "The comparison is inconclusive: a control should be within {:.3} to {DRIFT:.3}, but {}",
            1.0 / DRIFT,
            drifted.collect::<Vec<_>>().join(", ")
        ),
        (verdict, Some(mean), Some(highest)) => format!(
            "B is {}: the geometric mean of {} pairs is {mean:.3} (at most {accept} was asked for), and the worst is \
             {highest:.3} (at most {worst})",
            if verdict == Verdict::Accepted { "accepted" } else { "not accepted" },
            judged.len()
        ),
        _ => "The comparison is inconclusive: no judged cell was run".to_owned(),
    };
    (verdict, sentence)
}

/// The verdict on the ratios of all pairs of the judged cells, and on the median ratio of each control.
#[must_use]
pub fn judge(judged: &[f64], controls: &[f64], accept: f64, worst: f64) -> Verdict {
    match (geometric_mean(judged), highest(judged)) {
        _ if controls.iter().any(|ratio| drifts(*ratio)) => Verdict::Inconclusive,
        (Some(mean), Some(highest)) if mean <= accept && highest <= worst => Verdict::Accepted,
        (Some(_), Some(_)) => Verdict::NotAccepted,
        _ => Verdict::Inconclusive,
    }
}

/// Whether a control is too far from 1.
fn drifts(ratio: f64) -> bool {
    !(1.0 / DRIFT..=DRIFT).contains(&ratio)
}

/// The geometric mean; `None` of nothing.
#[must_use]
pub fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (logarithms / ratios.len() as f64).exp())
}

fn highest(ratios: &[f64]) -> Option<f64> {
    ratios.iter().copied().reduce(f64::max)
}

#[cfg(test)]
mod tests;
