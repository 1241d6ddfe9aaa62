use super::*;
use crate::spec::Checksum;

fn spec(cell: &str) -> StrategySpec {
    StrategySpec {
        run: Run { frames: 60, warmup: 30, seed: 12345, events: false },
        cell: cell.to_owned(),
        spawns: 40,
        executor: Executor::Single,
        threads: None,
        extra_bytes: 0,
        early_ends: 0.0,
        by_id: false,
        lifetimes: Lifetimes::Short,
        bounds: false,
        change_detection: true,
        parallel: false,
        burst: None,
        cap: None,
    }
}

/// Every cell has the checksum and the count of the plainest model.
fn all_agree(change: impl Fn(&mut StrategySpec)) -> (Option<Checksum>, Option<u64>) {
    let outputs = CELLS.map(|cell| {
        let mut spec = spec(cell);
        change(&mut spec);
        let output = measure(&spec).unwrap();
        assert_eq!(output.samples.wall.len(), 60, "{cell}");
        assert_eq!(output.samples.integrate.len(), 60, "{cell}");
        (cell, output.checksum, output.live)
    });
    let (_, model, live) = &outputs[7];
    for (cell, checksum, count) in &outputs {
        assert_eq!((checksum, count), (model, live), "{cell}");
    }
    (model.clone(), *live)
}

#[test]
fn every_cell_flies_the_same_projectiles() {
    let (plain, live) = all_agree(|_| ());
    // 40 a tick of a mean life of 29.5 ticks, less those in their last.
    assert!(live.is_some_and(|live| (1100..1180).contains(&live)), "{live:?}");
    let (early, fewer) = all_agree(|spec| spec.early_ends = 50.0);
    assert!(early != plain && fewer < live, "some ended early");
    assert_eq!(all_agree(|spec| (spec.early_ends, spec.by_id) = (50.0, true)), (early, fewer), "by id it is the same");
    let (mixed, more) = all_agree(|spec| spec.lifetimes = Lifetimes::Mixed);
    assert!(mixed != plain && more > live);
    let (bounded, _) = all_agree(|spec| (spec.lifetimes, spec.bounds) = (Lifetimes::None, true));
    assert_ne!(bounded, mixed);
    let others: [fn(&mut StrategySpec); 4] = [
        |spec| spec.executor = Executor::Multi,
        |spec| spec.change_detection = false,
        |spec| (spec.extra_bytes, spec.threads) = (150, Some(2)),
        |spec| (spec.parallel, spec.threads) = (true, Some(4)),
    ];
    for change in others {
        assert_eq!(all_agree(change), (plain.clone(), live), "no way of running changes what flies");
    }
}

#[test]
fn the_checksum_depends_on_the_seed() {
    let with = |seed| {
        let mut spec = spec("parallel-arrays");
        spec.run.seed = seed;
        measure(&spec).unwrap().checksum
    };
    assert_ne!(with(1), with(2));
}

#[test]
fn unknown_cells_and_sizes_are_errors() {
    assert!(measure(&spec("arrays")).unwrap_err().to_string().contains("parallel-arrays"));
    let odd = StrategySpec { extra_bytes: 7, ..spec("bare") };
    assert!(measure(&odd).unwrap_err().to_string().contains("150"));
}

#[test]
fn ratios_are_taken_within_a_repeat() {
    let line = |cell: &str, repeat: u32, tick: f64, spawn: f64, step: f64, end: f64| {
        let mut record = Record::new("strategies", cell);
        record.set("repeat", repeat).set("spawns", 300).set("wall_p50_us", tick).set("spawn_us", spawn);
        record.set("integrate_us", step).set("retire_us", end).set("live", 1000);
        record
    };
    let mut lines = vec![
        line("commands", 1, 80.0, 1.0, 1.0, 1.0),
        line("commands", 2, 90.0, 1.0, 1.0, 1.0),
        line("bare", 1, 3.0, 2.0, 5.0, 0.0),
        line("parallel-arrays", 1, 8.0, 6.0, 6.0, 1.5),
        line("parallel-arrays", 2, 9.0, 6.0, 6.0, 1.5),
    ];
    relate(&mut lines);
    assert_eq!(lines[3].number("ratio_to_naive"), Some(10.0));
    assert_eq!(lines[4].number("ratio_to_naive"), Some(10.0));
    assert_eq!(lines[3].number("ratio_to_bare"), Some(1.5));
    assert_eq!(lines[4].number("ratio_to_bare"), None, "there is no bare loop in its repeat");
    assert_eq!(lines[3].number("spawn_ratio_to_push"), Some(3.0));
    assert_eq!(lines[3].number("ns_per_live"), Some(7.5));
    assert_eq!(lines[2].number("ratio_to_bare"), None);

    let ticks = [("commands", [80.0, 100.0, 120.0]), ("parallel-arrays", [8.0, 20.0, 9.0])];
    let repeats = |(cell, ticks): (&'static str, [f64; 3])| {
        (1..).zip(ticks).map(move |(repeat, tick)| line(cell, repeat, tick, 1.0, 1.0, 1.0))
    };
    let mut lines = with_medians(ticks.into_iter().flat_map(repeats).collect());
    relate(&mut lines);
    let median = lines.iter().find(|line| line.is_median() && line.cell == "parallel-arrays").unwrap();
    assert_eq!(median.number("ratio_to_naive"), Some(100.0 / 9.0), "of the medians, not the median of 10, 5 and 13.3");
}
