//! Everything in one run: the tables, a verdict on each claim of the article, and plots.

mod advice;
mod claims;
mod pictures;

use std::path::{Path, PathBuf};

use crate::{
    Error, article,
    cli::{Common, Format, Mix},
    frames, memory, meter, prices,
    record::{Record, with_medians},
    report::{Column, Report, Table, write},
    runner::{self, Done},
    spec::Spec,
    stale, strategies,
    strategies::Executor,
    suites::FEW_SPAWNS,
    tail, targets,
};

/// Where findings go if no folder is named.
const FOLDER: &str = "findings";

/// The files that `all` writes, besides the plots: the findings, and every line that they are made of.
pub const FILES: [&str; 2] = ["findings.md", "findings.jsonl"];

/// What every suite found.
struct Found {
    article: Report,
    prices: Report,
    order: Report,
    strategies: Report,
    multi: Report,
    tail: Report,
    memory: Report,
    stale: Report,
    targets: Report,
}

impl Found {
    fn reports(&self) -> [&Report; 9] {
        let Self { article, prices, order, strategies, multi, tail, memory, stale, targets } = self;
        [article, prices, order, strategies, multi, tail, memory, stale, targets]
    }

    /// Every line of every suite.
    fn records(&self) -> impl Iterator<Item = &Record> {
        self.reports().into_iter().flat_map(|report| &report.records)
    }
}

/// Runs every suite and writes the findings. `given` says whether the rates were asked for, and not each suite's own.
///
/// # Errors
/// If anything cannot be measured or written, or a checksum is wrong.
pub fn all(common: &Common, given: bool) -> Result<(), Error> {
    let folder = common.out.clone().unwrap_or_else(|| PathBuf::from(FOLDER));
    let with = |spawns: &[u32]| {
        let spawns = if given { common.spawns.clone() } else { spawns.to_vec() };
        Common { spawns, out: None, format: Format::Json, ..common.clone() }
    };
    let (few, mix) = (with(&FEW_SPAWNS), Mix::plain(Executor::Single));
    let (peak, rest) = if given { (30_000, 3000) } else { (300_000, 30_000) };
    let found = Found {
        article: article_of_both_sizes(common, given)?,
        prices: prices::suite(&few)?,
        order: order(&few)?,
        strategies: strategies::suite(&with(&strategies::SPAWNS), &mix)?,
        multi: strategies::suite(&few, &Mix::plain(Executor::Multi))?,
        tail: tail::suite(&few)?,
        memory: memory::suite(&few, peak, rest)?,
        stale: stale::suite(&few)?,
        targets: targets::suite(&few, &[])?,
    };
    if runner::interrupted() {
        return Err(Error::Interrupted);
    }
    std::fs::create_dir_all(&folder).map_err(|error| Error::Write { path: folder.clone(), error })?;
    let plots = pictures::draw(&folder, &found)?;
    let text = markdown(common, &found, &plots);
    write(&folder.join(FILES[0]), &text)?;
    write(&page_beside(&folder), &advice::page(&found))?;
    let lines = Report { records: found.records().cloned().collect(), ..Report::default() };
    write(&folder.join(FILES[1]), &lines.json())?;
    let shown = match common.format {
        Format::Md => text,
        Format::Json => lines.json(),
        Format::Csv => lines.csv()?,
    };
    crate::report::print(&shown)
}

/// The page for developers lies beside the folder of the findings, to which it refers.
fn page_beside(folder: &Path) -> PathBuf {
    folder.parent().unwrap_or(Path::new("")).join("when-to-pool.md")
}

/// The article's cells: with 6 fields at every rate, with 20, unless rates are given, at two.
fn article_of_both_sizes(common: &Common, given: bool) -> Result<Report, Error> {
    let large = Common { spawns: if given { common.spawns.clone() } else { vec![1000, 3000] }, ..common.clone() };
    let mut report = article::suite::suite(common, &[6])?;
    let Report { records, tables, notes, done, .. } = article::suite::suite(&large, &[20])?;
    report.records.extend(records);
    report.tables.extend(tables);
    report.done.extend(done);
    report.notes.extend(notes.into_iter().filter(|note| !report.notes.contains(note)).collect::<Vec<_>>());
    Ok(report)
}

/// Two storages, each in a process of its own, and each after the other in one process.
const ORDER: [(&str, &str, Option<&str>); 4] = [
    ("fresh, alone", "fresh", None),
    ("fresh, after pool-lifo", "fresh", Some("pool-lifo")),
    ("pool-lifo, alone", "pool-lifo", None),
    ("pool-lifo, after fresh", "pool-lifo", Some("fresh")),
];

/// Does it matter what ran before in the same process?
fn order(common: &Common) -> Result<Report, Error> {
    let group = |&spawns: &u32| {
        let jobs = ORDER.iter().map(|(name, cell, after)| {
            let mut job = article::suite::job("order", common, cell, spawns, 6);
            if let Spec::Article(spec) = &mut job.spec {
                spec.after = after.map(str::to_owned);
            }
            job.record.cell = (*name).to_owned();
            job
        });
        jobs.collect()
    };
    let groups: Vec<_> = common.spawns.iter().map(group).collect();
    let done: Vec<Done> = runner::run(&groups, common.repeats())?;
    frames::check(&done)?;
    let records = with_medians(done.iter().map(frames::record).collect());
    let columns: Vec<Column> =
        vec![("cell", "cell"), ("spawns", "spawns"), ("frame p50 µs", "wall_p50_us"), ("p99", "wall_p99_us")];
    let rows = records.iter().filter(|record| record.is_median()).cloned().collect();
    let title = "Alone, and after another storage in the same process".to_owned();
    Ok(Report { suite: "order", records, tables: vec![Table { title, columns, rows }], notes: Vec::new(), done })
}

fn markdown(common: &Common, found: &Found, plots: &[(&'static str, &'static str)]) -> String {
    let mut text = String::from("# Findings\n\n");
    text.push_str(
        "Written by `pooling_bench all`: every figure here was measured in one run, and none is typed by hand. The lines \
         behind them are in `findings.jsonl`; their fields are described in [bench-format.md](../bench-format.md).\n\n",
    );
    text.push_str(&format!(
        "Machine: {}. Commit {}, {} build. Seed {}, {} + {} frames. Each cell ran {}, in a process of its own, \
         interleaved with the others. All figures are of this machine and this run: the ratios carry over, the microseconds do not.\n\n",
        meter::machine(),
        frames::COMMIT,
        frames::PROFILE,
        common.seed,
        common.warmup,
        common.frames,
        if common.repeats() == 1 { "once".to_owned() } else { format!("{} times", common.repeats()) }
    ));
    text.push_str("## The article's nine claims\n\n");
    text.push_str(
        "The article is \"Does object pooling actually make anything faster?\" (JavaScript on V8, Apple M3). `holds`: in \
         Rust too. `only in that runtime`: in Node on this machine, and not in Rust. `does not hold`: in neither, or it \
         could not be measured in Node.\n\n",
    );
    text.push_str(&claims::table(found));
    let sections: [(&str, &Report); 9] = [
        ("The article's workload (f64)", &found.article),
        ("What an operation costs", &found.prices),
        ("Does the order matter?", &found.order),
        ("The strategies in a Bevy app, on one thread", &found.strategies),
        ("The strategies in a Bevy app, with Bevy's default executor", &found.multi),
        ("The slowest frames", &found.tail),
        ("Memory after a burst", &found.memory),
        ("The stale-field bug", &found.stale),
        ("Targets", &found.targets),
    ];
    text.push_str("\n## Pictures\n\n");
    for (file, caption) in plots {
        text.push_str(&format!("![{caption}]({file})\n\n"));
    }
    for (title, report) in sections {
        text.push_str(&format!("## {title}\n\n{}\n", report.markdown()));
    }
    text.trim_end().to_owned() + "\n"
}
