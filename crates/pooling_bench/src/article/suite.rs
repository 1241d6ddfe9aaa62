//! The command `article`: its cells, their lines and tables.

use super::{ArticleSpec, CELLS};
use crate::{
    Error,
    cli::Common,
    frames, node,
    record::{Record, with_medians},
    report::{Column, Report, Table},
    runner::{self, Job, Program},
    spec::Spec,
};

/// Every cell: the Rust storages, and those in Node.
pub const ALL: [&str; 12] = {
    let [a, b, c, d, e, f, g, h, i] = CELLS;
    let [j, k, l] = node::CELLS;
    [a, b, c, d, e, f, g, h, i, j, k, l]
};

/// A cell to be run, by Rust or by Node.
#[must_use]
pub fn job(suite: &str, common: &Common, cell: &str, spawns: u32, fields: u32) -> Job {
    let spec = ArticleSpec { run: common.run(), cell: cell.to_owned(), spawns, fields, after: None };
    let program = if node::CELLS.contains(&cell) { Program::Node } else { Program::This };
    let mut record = Record::new(suite, cell);
    record.set("spawns", spawns).set("fields", fields);
    Job { program, spec: Spec::Article(spec), record }
}

/// Runs the cells of each rate and size, interleaved.
///
/// # Errors
/// If a cell cannot be run, or a checksum is wrong.
pub fn suite(common: &Common, fields: &[u32]) -> Result<Report, Error> {
    if let Some(other) = fields.iter().find(|fields| ![6, 20].contains(fields)) {
        return Err(Error::Option(format!("--fields must be 6 or 20, not {other}")));
    }
    let node = node::available();
    let (mut groups, mut missing) = (Vec::new(), Vec::new());
    for &fields in fields {
        for &spawns in &common.spawns {
            let cells = common.chosen(&ALL);
            let (here, absent): (Vec<_>, Vec<_>) =
                cells.partition(|cell| node.is_some() || !node::CELLS.contains(cell));
            groups.push(here.iter().map(|cell| job("article", common, cell, spawns, fields)).collect());
            missing.extend(absent.iter().map(|cell| not_measured(cell, spawns, fields)));
        }
    }
    let done = runner::run(&groups, common.repeats())?;
    let mut notes = frames::check(&done)?;
    notes.push(match node {
        Some(version) => format!("node is {version}"),
        None => "node-fresh, node-pool and node-typed are not measured: there is no node on this machine".to_owned(),
    });
    let mut records = with_medians(done.iter().map(frames::record).collect());
    records.append(&mut missing);
    let tables = fields.iter().flat_map(|&fields| common.spawns.iter().map(move |&spawns| (fields, spawns)));
    let tables = tables.map(|(fields, spawns)| table(&records, fields, spawns)).collect();
    Ok(Report { suite: "article", records, tables, notes, done })
}

fn not_measured(cell: &str, spawns: u32, fields: u32) -> Record {
    let mut record = Record::new("article", cell);
    record.set("spawns", spawns).set("fields", fields).set("repeat", "median").set("not_measured", "there is no node");
    record
}

const COLUMNS: [Column; 11] = [
    ("cell", "cell"),
    ("frame p50 µs", "wall_p50_us"),
    ("p95", "wall_p95_us"),
    ("p99", "wall_p99_us"),
    ("max", "wall_max_us"),
    ("CPU p50", "cpu_p50_us"),
    ("CPU p99", "cpu_p99_us"),
    ("generation", "generation_us"),
    ("spawn", "spawn_us"),
    ("update", "integrate_us"),
    ("checksum", "checksum"),
];

fn table(records: &[Record], fields: u32, spawns: u32) -> Table {
    let wanted = |record: &&Record| {
        record.is_median()
            && record.number("spawns") == Some(f64::from(spawns))
            && record.number("fields") == Some(f64::from(fields))
    };
    let rows: Vec<Record> = records.iter().filter(wanted).cloned().collect();
    let beyond = rows.first().and_then(|row| row.number("wall_p99_beyond")).unwrap_or(0.0);
    let title =
        format!("{spawns} spawns a frame, {fields} fields: microseconds a frame ({beyond} frames lie beyond p99)");
    Table { title, columns: COLUMNS.to_vec(), rows }
}
