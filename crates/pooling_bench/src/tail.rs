//! What happens in the slowest frames: page faults, calls of the allocator, growth, other threads?

mod attribution;

use crate::{
    Error,
    article::ArticleSpec,
    cli::{Common, Mix, strategy_record},
    frames, prices,
    record::{Record, with_medians},
    report::{Column, Report, Table, shown},
    runner::{self, Done, Job, Program},
    spec::{Run, Spec},
    strategies::Executor,
};

pub use attribution::{Attribution, Event, Tail};

/// Every cell: four storages of the article, and four strategies in an app.
pub const CELLS: [&str; 8] = [
    "fresh",
    "pool-lifo",
    "index-arrays-lifo",
    "plugin-arrays",
    "despawn-respawn",
    "component-recycling",
    "parallel-arrays",
    "commands",
];

/// How many of [`CELLS`] are the article's.
const STORAGES: usize = 4;
/// Values of a projectile in the article's cells.
const FIELDS: u32 = 6;
/// The cells that tell what counting costs, without and with it.
const PRICES: [&str; 2] = ["fresh-uncounted", "fresh-counted"];

/// Runs the cells of each rate on both allocators, interleaved, and says what their slowest frames hold.
///
/// # Errors
/// If a cell cannot be run, or a checksum is wrong.
pub fn suite(common: &Common) -> Result<Report, Error> {
    let mut groups = Vec::new();
    for &spawns in &common.spawns {
        let mut group = Vec::new();
        for (program, allocator) in [(Program::Counting, "system"), (Program::Mimalloc, "mimalloc")] {
            for cell in common.chosen(&CELLS) {
                let (spec, mut record) = cell_of(common, cell, spawns)?;
                record.set("allocator", allocator);
                group.push(Job { program: program.clone(), spec, record });
            }
        }
        groups.push(group);
    }
    groups.push(price_jobs());
    let done = runner::run(&groups, common.repeats())?;
    let mut notes = frames::check(&done)?;
    let records = with_medians(done.iter().map(line).collect());
    let mut tables = Vec::new();
    for &spawns in &common.spawns {
        tables.extend([rates(&records, spawns), holders(&records, spawns)]);
    }
    tables.retain(|table| !table.rows.is_empty());
    notes.push(which_frames(common.frames));
    notes.push(
        "A frame holds an event if it has more of it than the median frame (of growth: any). Frames hold several \
         events at once, so the shares of different events overlap and do not add up to 100 %"
            .to_owned(),
    );
    notes.extend(price_of_counting(&records));
    notes.extend(answers(&records));
    Ok(Report { suite: "tail", records, tables, notes, done })
}

/// What a cell is told, and the start of its line.
fn cell_of(common: &Common, cell: &str, spawns: u32) -> Result<(Spec, Record), Error> {
    if CELLS[..STORAGES].contains(&cell) {
        let run = Run { events: true, ..common.run() };
        let mut record = Record::new("tail", cell);
        record.set("spawns", spawns).set("fields", FIELDS);
        let spec = ArticleSpec { run, cell: cell.to_owned(), spawns, fields: FIELDS, after: None };
        return Ok((Spec::Article(spec), record));
    }
    let mut spec = Mix::plain(Executor::Single).spec(common, cell, spawns)?;
    spec.run.events = true;
    let record = strategy_record("tail", &spec);
    Ok((Spec::Strategy(spec), record))
}

/// The price of an allocation, without and with counting.
fn price_jobs() -> Vec<Job> {
    let job = |(program, name): (Program, &str)| {
        let spec = Spec::Price(prices::PriceSpec { cell: "fresh".into(), count: 3000, fields: FIELDS });
        Job { program, spec, record: Record::new("tail", name) }
    };
    [Program::This, Program::Counting].into_iter().zip(PRICES).map(job).collect()
}

/// The line of one repeat, with what its slowest frames hold.
fn line(done: &Done) -> Record {
    let mut record = frames::record(done);
    let samples = &done.output.samples;
    let Some(tail) = Tail::of(&samples.wall) else { return record };
    record.set("frames_in_tail", tail.frames());
    for event in Event::ALL {
        let Some(found) = tail.attribute(event, samples) else { continue };
        let field = event.field();
        record
            .set(&format!("tail_{field}"), found.tail)
            .set(&format!("other_{field}"), found.others)
            .set(&format!("tail_frames_{field}"), found.tail_frames)
            .set(&format!("other_frames_{field}"), found.other_frames)
            .set(&format!("excess_{field}"), found.excess)
            .set(&format!("mean_{field}"), found.mean);
    }
    record
}

/// The columns of both tables.
fn columns() -> Vec<Column> {
    let first = [
        ("cell", "cell"),
        ("allocator", "allocator"),
        ("p50 µs", "wall_p50_us"),
        ("p99 µs", "wall_p99_us"),
        ("p99 / p50", "p99_to_p50"),
    ];
    first.into_iter().chain(Event::ALL.map(|event| (event.title(), event.field()))).collect()
}

/// The medians of one rate, each with a text for every event.
fn rows(records: &[Record], spawns: u32, text: impl Fn(&Record, Event) -> Option<String>) -> Vec<Record> {
    let of_rate = |record: &&Record| record.is_median() && record.number("spawns") == Some(f64::from(spawns));
    let row = |median: &Record| {
        let mut row = median.clone();
        let ratio = median.number("wall_p99_us").zip(median.number("wall_p50_us")).map(|(p99, p50)| p99 / p50);
        row.set("p99_to_p50", ratio);
        for event in Event::ALL {
            row.set(event.field(), text(median, event));
        }
        row
    };
    records.iter().filter(of_rate).map(row).collect()
}

/// How often each event is in the tail and elsewhere, and how much of the tail's excess it holds.
fn rates(records: &[Record], spawns: u32) -> Table {
    let text = |median: &Record, event: Event| {
        let rate = |place: &str| {
            let rate = median.number(&format!("{place}_{}", event.field()));
            rate.map_or_else(|| "–".to_owned(), |rate| shown(&(rate / event.unit()).into()))
        };
        median.number(&format!("tail_{}", event.field()))?;
        let share = percent(median.number(&format!("excess_{}", event.field())));
        Some(format!("{} / {} ({share})", rate("tail"), rate("other")))
    };
    let title = format!(
        "{spawns} spawns a frame: each event a frame in the tail / in the other frames (share of the tail's excess \
         over the median)"
    );
    Table { title, columns: columns(), rows: rows(records, spawns, text) }
}

/// Which share of the frames holds each event, and how much of all time that is.
fn holders(records: &[Record], spawns: u32) -> Table {
    let text = |median: &Record, event: Event| {
        let share = |place: &str| percent(median.number(&format!("{place}_{}", event.field())));
        median.number(&format!("tail_frames_{}", event.field()))?;
        Some(format!("{} / {} ({})", share("tail_frames"), share("other_frames"), share("mean")))
    };
    let title = format!(
        "{spawns} spawns a frame: share of the tail's frames / of the other frames that hold each event (what these \
         are above the median, as a share of the mean)"
    );
    Table { title, columns: columns(), rows: rows(records, spawns, text) }
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", share * 100.0))
}

/// How many frames the tail is.
fn which_frames(frames: u32) -> String {
    let count = attribution::frames_in_tail(u64::from(frames));
    let more = if frames < 5000 { "; --frames 5000 gives 51 and steadier shares" } else { "" };
    format!("The tail is every frame at or above p99: {count} of {frames} (more if some are equal){more}")
}

/// What counting costs, from the medians of both prices.
fn price_of_counting(records: &[Record]) -> Option<String> {
    let price = |cell: &str| records.iter().find(|line| line.is_median() && line.cell == cell)?.number("ns");
    let (without, with) = (price(PRICES[0])?, price(PRICES[1])?);
    Some(format!(
        "Counting costs {:.2} ns an allocation ({with:.2} ns counted, {without:.2} ns not): the frames here are longer \
         by as much than those of other commands",
        with - without
    ))
}

/// For each cell and allocator: which event holds the most of the tail's excess, at each rate.
fn answers(records: &[Record]) -> Vec<String> {
    let medians = records.iter().filter(|record| record.is_median() && record.number("frames_in_tail").is_some());
    let mut cells: Vec<(String, Vec<String>)> = Vec::new();
    for median in medians {
        let name = format!("{} ({})", median.cell, median.text("allocator").unwrap_or("system"));
        let answer = format!("at {:.0} {}", median.number("spawns").unwrap_or_default(), largest(median));
        match cells.iter_mut().find(|(other, _)| *other == name) {
            Some((_, answers)) => answers.push(answer),
            None => cells.push((name, vec![answer])),
        }
    }
    let sentence = |(name, answers): (String, Vec<String>)| {
        format!("{name}: the most of the tail's excess is held {}", answers.join(", "))
    };
    cells.into_iter().map(sentence).collect()
}

/// The events with the largest share of the tail's excess, in words.
fn largest(median: &Record) -> String {
    let shares = Event::ALL.map(|event| (event, median.number(&format!("excess_{}", event.field())).unwrap_or(0.0)));
    let most = shares.iter().map(|(_, share)| *share).fold(0.0, f64::max);
    if most < 0.005 {
        return "by none of the events".to_owned();
    }
    let names: Vec<&str> = shares.iter().filter(|(_, share)| *share == most).map(|(event, _)| event.name()).collect();
    let holder = if names == [Event::OffCpu.name()] { "as measured" } else { "in frames that hold it" };
    format!("by {} ({} {holder})", names.join(" and "), percent(Some(most)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{meter::Events, spec::Output};

    fn common() -> Common {
        let arguments = ["pooling_bench", "tail", "--spawns", "1000"];
        match <crate::cli::Cli as clap::Parser>::parse_from(arguments).command {
            crate::cli::Command::Tail { common } => common,
            other => panic!("{other:?}"),
        }
    }

    /// 100 frames of 10 microseconds; the last two take 20 and 30, and the last has all the page faults.
    fn done(cell: &str) -> Done {
        let (spec, mut record) = cell_of(&common(), cell, 1000).unwrap();
        record.set("allocator", "system");
        let mut output = Output::default();
        output.samples.wall = vec![10_000; 100];
        output.samples.wall[98] = 20_000;
        output.samples.wall[99] = 30_000;
        output.samples.events = vec![Events::default(); 100];
        output.samples.events[99].page_faults = 5;
        Done { job: Job { program: Program::Counting, spec, record }, repeat: 1, output }
    }

    #[test]
    fn a_line_says_what_the_tail_holds() {
        let line = line(&done("fresh"));
        // p99 of 100 frames is the 99th: 20 microseconds. The excess is 10 + 20, of which the faults hold 20.
        assert_eq!(line.number("frames_in_tail"), Some(2.0));
        assert_eq!(line.number("tail_page_faults"), Some(2.5));
        assert_eq!(line.number("other_page_faults"), Some(0.0));
        assert_eq!(line.number("tail_frames_page_faults"), Some(0.5));
        assert_eq!(line.number("excess_page_faults"), Some(20.0 / 30.0));
        assert_eq!(line.number("mean_page_faults"), Some(20.0 / 1030.0));
        assert_eq!(line.number("excess_preemptions"), Some(0.0));
        assert_eq!(line.get("tail_growth"), None, "it was not sampled");
    }

    #[test]
    fn tables_and_answers_are_of_the_medians() {
        let records = with_medians(vec![line(&done("fresh"))]);
        let table = rates(&records, 1000);
        assert_eq!(table.rows.len(), 1);
        assert_eq!(table.rows[0].text("page_faults"), Some("2.50 / 0 (67 %)"));
        assert_eq!(table.rows[0].get("growth"), None);
        assert_eq!(holders(&records, 1000).rows[0].text("page_faults"), Some("50 % / 0 % (2 %)"));
        assert!(rates(&records, 3000).rows.is_empty());
        let answer = "fresh (system): the most of the tail's excess is held at 1000 by page faults \
                      (67 % in frames that hold it)";
        assert_eq!(answers(&records), [answer]);
    }

    #[test]
    fn every_cell_has_a_spec_that_reads_events() {
        for cell in CELLS {
            let (spec, record) = cell_of(&common(), cell, 1000).unwrap();
            assert_eq!((spec.cell(), record.cell.as_str()), (cell, cell));
            let events = match spec {
                Spec::Article(spec) => spec.run.events,
                Spec::Strategy(spec) => spec.run.events,
                other => panic!("{other:?}"),
            };
            assert!(events, "{cell}");
        }
    }

    #[test]
    fn counting_has_its_price() {
        let price = |cell: &str, ns: f64| {
            let mut record = Record::new("tail", cell);
            record.set("repeat", "median").set("ns", ns);
            record
        };
        let note = price_of_counting(&[price(PRICES[0], 12.0), price(PRICES[1], 15.5)]).unwrap();
        assert!(note.contains("3.50 ns") && note.contains("15.50 ns"), "{note}");
        assert_eq!(price_of_counting(&[price(PRICES[0], 12.0)]), None);
    }

    #[test]
    fn the_tail_of_600_frames_is_7() {
        let note = which_frames(600);
        assert!(note.contains("7 of 600") && note.contains("--frames 5000 gives 51"), "{note}");
        assert!(!which_frames(5000).contains("--frames"));
    }
}
