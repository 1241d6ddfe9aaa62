//! From the rounds of a group to the lines and tables of its cells.

use std::ops::RangeInclusive;

use super::{
    Scenario,
    registry::{VEC, is_peer},
    rounds::{self, CONTROL, CellRounds},
};
use crate::{
    Error, frames,
    record::Record,
    report::{Column, Table},
    runner::Done,
    samples::median,
    spec::Spec,
};

/// What the clock's control must come to, if twice the arithmetic is twice the time.
const CLOCK: RangeInclusive<f64> = 1.8..=2.2;
/// What a line says if it does not.
const CLOCK_NOTE: &str = "the control of the clock is out of range";

/// The lines of one repeat of a group: one for each cell, and one for the clock's control.
#[must_use]
pub fn records(done: &Done) -> Vec<Record> {
    let Spec::Pools(spec) = &done.job.spec else { return Vec::new() };
    let cells = &done.output.pools;
    let named = |name: &str| cells.iter().find(|cell| cell.cell == name);
    let clock = named(CONTROL).and_then(|control| median(&ratios(&control.beside, &control.ns)));
    let note = clock.is_some_and(|clock| !CLOCK.contains(&clock)).then_some(CLOCK_NOTE);
    let vec = named(VEC);
    let peer = (spec.scenario == Scenario::Transfer).then(|| best_peer(cells)).flatten();
    let record = |cell: &CellRounds| {
        let mut record = done.job.record.clone();
        record.cell.clone_from(&cell.cell);
        record
            .set("repeat", done.repeat)
            .set("commit", frames::COMMIT)
            .set("profile", frames::PROFILE)
            .set("rounds", cell.ns.len())
            .set("clock_control", clock)
            .set("note", note);
        if cell.cell == CONTROL {
            return record;
        }
        let to_vec = vec.map(|vec| ratios(&cell.ns, &vec.ns)).unwrap_or_default();
        let to_peer = peer.map(|peer| ratios(&cell.ns, &peer.ns)).unwrap_or_default();
        let to_one = ratios(&cell.ns, &cell.beside);
        let spread = match spec.scenario {
            Scenario::Pair | Scenario::Source => &to_vec,
            Scenario::Transfer => &to_peer,
            Scenario::ManyPools => &to_one,
        };
        record
            .set("ns_per_pair", median(&cell.ns))
            .set("ns_min", cell.ns.iter().copied().reduce(f64::min))
            .set("ns_max", cell.ns.iter().copied().reduce(f64::max))
            .set("ratio_to_vec", median(&to_vec))
            .set("ratio_to_best_peer", median(&to_peer))
            .set("ratio_to_one", median(&to_one))
            .set("ratio_low", quartile(spread, 1))
            .set("ratio_high", quartile(spread, 3))
            .set("built", cell.built)
            .set("peak_held", cell.peak_held)
            .set("checksum", cell.checksum);
        if spec.scenario == Scenario::Source {
            record.set("run_us", median(&cell.ns).map(|ns| ns * spec.load().work.pairs() as f64 / 1e3));
        }
        record
    };
    cells.iter().map(record).collect()
}

/// One value over another, of the same round. Empty if either has no rounds.
fn ratios(values: &[f64], others: &[f64]) -> Vec<f64> {
    values.iter().zip(others).map(|(value, other)| value / other).collect()
}

/// The first or third quartile of values: the one of 21 that has 5 below it, or above. `None` without values.
fn quartile(values: &[f64], which: usize) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    sorted.get((last * which + 2) / 4).copied()
}

/// The other crates' fastest pool, by its median.
fn best_peer(cells: &[CellRounds]) -> Option<&CellRounds> {
    let peers = cells.iter().filter(|cell| is_peer(&cell.cell));
    let timed = peers.filter_map(|cell| Some((cell, median(&cell.ns)?)));
    timed.min_by(|one, other| one.1.total_cmp(&other.1)).map(|(cell, _)| cell)
}

/// Tests the checksums of all cells: each must count the touches that its warm loops made. Returns what to tell the user.
///
/// # Errors
/// The first that is wrong.
pub fn check(done: &[Done]) -> Result<Vec<String>, Error> {
    let mut checked = 0;
    for one in done {
        let Spec::Pools(spec) = &one.job.spec else { continue };
        for cell in one.output.pools.iter().filter(|cell| cell.cell != CONTROL) {
            rounds::check(&format!("{} of {}", cell.cell, spec.group), cell.checksum, spec.touches())?;
            checked += 1;
        }
    }
    let said = format!("checksums: every touch was counted once, in an item that nobody else had ({checked} cells)");
    Ok((checked > 0).then_some(said).into_iter().collect())
}

const SCENARIOS: [(Scenario, &str, &[Column]); 4] = [
    (
        Scenario::Pair,
        "nanoseconds a pair of rent and return, and thread",
        &[
            ("cell", "cell"),
            ("threads", "threads"),
            ("held", "held"),
            ("ns a pair", "ns_per_pair"),
            ("least", "ns_min"),
            ("most", "ns_max"),
            ("ratio to vec", "ratio_to_vec"),
            ("1st quartile", "ratio_low"),
            ("3rd quartile", "ratio_high"),
            ("built", "built"),
            ("clock", "clock_control"),
        ],
    ),
    (
        Scenario::Transfer,
        "nanoseconds an object from a thread that rents to one that gives back",
        &[
            ("cell", "cell"),
            ("ns an object", "ns_per_pair"),
            ("least", "ns_min"),
            ("most", "ns_max"),
            ("ratio to the best peer", "ratio_to_best_peer"),
            ("1st quartile", "ratio_low"),
            ("3rd quartile", "ratio_high"),
            ("built", "built"),
            ("most alive", "peak_held"),
            ("clock", "clock_control"),
        ],
    ),
    (
        Scenario::ManyPools,
        "nanoseconds a pair in 64 pools in turn, and beside it in one",
        &[
            ("cell", "cell"),
            ("ns a pair", "ns_per_pair"),
            ("least", "ns_min"),
            ("most", "ns_max"),
            ("ratio to one pool", "ratio_to_one"),
            ("1st quartile", "ratio_low"),
            ("3rd quartile", "ratio_high"),
            ("ratio to vec", "ratio_to_vec"),
            ("built", "built"),
            ("clock", "clock_control"),
        ],
    ),
    (
        Scenario::Source,
        "microseconds a run of 1,000 pairs a thread, from a pool that keeps 64",
        &[
            ("cell", "cell"),
            ("threads", "threads"),
            ("µs a run", "run_us"),
            ("ns a pair", "ns_per_pair"),
            ("ratio to vec", "ratio_to_vec"),
            ("1st quartile", "ratio_low"),
            ("3rd quartile", "ratio_high"),
            ("built", "built"),
            ("clock", "clock_control"),
        ],
    ),
];

/// A table for each scenario and size of items.
#[must_use]
pub fn tables(records: &[Record]) -> Vec<Table> {
    let mut tables = Vec::new();
    for (scenario, title, columns) in SCENARIOS {
        for &item_bytes in scenario.item_bytes() {
            let fits = |record: &&Record| {
                let this = record.text("scenario") == Some(scenario.name());
                let size = record.number("item_bytes") == Some(f64::from(item_bytes));
                this && size && record.is_median() && record.cell != CONTROL
            };
            let rows: Vec<Record> = records.iter().filter(fits).cloned().collect();
            if !rows.is_empty() {
                let title = format!("{}, items of {item_bytes} bytes: {title}", scenario.name());
                tables.push(Table { title, columns: columns.to_vec(), rows });
            }
        }
    }
    tables
}

/// What the tables need to be read: and the groups in which the clock is not to be trusted.
#[must_use]
pub fn notes(records: &[Record]) -> Vec<String> {
    let out = records.iter().filter(|record| record.cell == CONTROL && record.text("note").is_some());
    let out: Vec<String> = out
        .map(|record| {
            let clock = record.number("clock_control").unwrap_or(f64::NAN);
            format!("{CLOCK_NOTE}: twice the arithmetic took {clock:.2} times as long in {}", record.key())
        })
        .collect();
    let told = "medians of the rounds; a ratio is of the same round. \"vec\" is a plain Vec that a thread has for itself; \
                \"clock\" is how long twice the arithmetic took, and should be 2";
    [told.to_owned()].into_iter().chain(out).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_by_hand() {
        let values: Vec<f64> = (0..21).map(|k| f64::from(k * 8 % 21)).collect();
        assert_eq!((quartile(&values, 1), quartile(&values, 3)), (Some(5.0), Some(15.0)));
        assert_eq!((quartile(&[7.0], 1), quartile(&[], 3)), (Some(7.0), None));
    }

    #[test]
    fn ratios_are_of_the_same_round() {
        assert_eq!(ratios(&[2.0, 9.0], &[1.0, 3.0]), [2.0, 3.0]);
        assert!(ratios(&[2.0], &[]).is_empty());
    }

    #[test]
    fn the_best_peer_is_no_pool_of_ours_and_no_baseline() {
        let cell = |name: &str, ns: &[f64]| CellRounds { cell: name.to_owned(), ns: ns.to_vec(), ..Default::default() };
        let cells = [
            cell("object_pools shared", &[1.0]),
            cell("mutex-vec", &[2.0]),
            cell("opool", &[9.0, 5.0, 1.0]),
            cell("sharded-slab", &[4.0, 6.0, 4.0]),
        ];
        assert_eq!(best_peer(&cells).map(|peer| peer.cell.as_str()), Some("sharded-slab"));
        assert!(best_peer(&cells[..2]).is_none());
    }
}
