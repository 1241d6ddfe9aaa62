use std::time::Instant;

use super::*;
use crate::{cli::Command, runner::Done};

fn parsed(arguments: &[&str]) -> (Common, Filter) {
    use clap::Parser;
    let all = ["pooling_bench", "pools"].into_iter().chain(arguments.iter().copied());
    match crate::cli::Cli::try_parse_from(all).unwrap().command {
        Command::Pools { common, filter } => (common, filter),
        other => panic!("{other:?}"),
    }
}

fn names(arguments: &[&str]) -> Vec<String> {
    let (common, filter) = parsed(arguments);
    groups(&common, &filter).unwrap().into_iter().map(|spec| spec.group).collect()
}

fn spec(scenario: Scenario, threads: u32, item_bytes: u32, held: u32) -> PoolSpec {
    let cells = CELLS.iter().filter(|cell| registry::applies(cell, scenario, threads));
    let cells = cells.map(|cell| (*cell).to_owned()).collect();
    PoolSpec { group: "test".to_owned(), scenario, threads, held, item_bytes, cells, sample_ms: 1 }
}

#[test]
fn all_groups_are_measured_unless_some_are_asked_for() {
    // Of 8 bytes 6 x 3, of the others 2 x 3 each; one transfer, one of many pools, 6 of the source.
    assert_eq!(names(&[]).len(), 18 + 6 + 6 + 1 + 1 + 6);
    assert_eq!(names(&["--scenario", "pair", "--threads", "1", "--held", "1", "--item-bytes", "8"]), ["pair 1x1x8"]);
    assert_eq!(names(&["--threads", "3", "--held", "1", "--item-bytes", "4096"]), ["pair 3x1x4096"]);
    assert_eq!(names(&["--scenario", "transfer,many-pools"]), ["transfer 2x1x8", "many-pools 1x1x8"]);
    assert_eq!(names(&["--scenario", "transfer,many-pools", "--threads", "2"]), ["transfer 2x1x8"]);
    assert_eq!(names(&["--cells", "regex-automata", "--scenario", "transfer,source", "--threads", "2"]).len(), 1);
}

#[test]
fn what_is_not_measured_is_refused() {
    let refused = |arguments: &[&str]| {
        let (common, filter) = parsed(arguments);
        groups(&common, &filter).unwrap_err().to_string()
    };
    assert!(refused(&["--held", "1,2"]).contains("1, 32 or 256, not 2"));
    assert!(refused(&["--item-bytes", "9"]).contains("not 9"));
    assert!(refused(&["--threads", "65"]).contains("1 to 64"));
    assert!(refused(&["--sample-ms", "0"]).contains("1 to 1000"));
    assert!(refused(&["--scenario", "transfer", "--threads", "4"]).contains("transfer is on two threads"));
    assert!(refused(&["--scenario", "transfer", "--cells", "vec"]).contains("nothing fits"));
    for spec in [
        spec(Scenario::Pair, 0, 8, 1),
        spec(Scenario::Transfer, 3, 8, 1),
        spec(Scenario::Pair, 1, 8, 7),
        spec(Scenario::Pair, 1, 16, 1),
        PoolSpec { sample_ms: 0, ..spec(Scenario::Pair, 1, 8, 1) },
        PoolSpec { cells: vec!["boxes".to_owned()], ..spec(Scenario::Pair, 1, 8, 1) },
        PoolSpec { cells: vec!["vec".to_owned()], ..spec(Scenario::Transfer, 2, 8, 1) },
        PoolSpec { cells: vec!["regex-automata".to_owned()], ..spec(Scenario::Transfer, 2, 8, 1) },
    ] {
        assert!(measure(&spec).is_err(), "{spec:?}");
    }
}

#[test]
fn every_pool_works_in_every_scenario_that_it_is_measured_in() {
    let specs = [
        spec(Scenario::Pair, 1, 8, 1),
        spec(Scenario::Pair, 2, 64, 32),
        spec(Scenario::Pair, 3, 4096, 256),
        spec(Scenario::Transfer, 2, 8, 1),
        spec(Scenario::ManyPools, 1, 8, 1),
        spec(Scenario::Source, 4, 256, 1),
    ];
    for spec in specs {
        let start = Instant::now();
        let output = measure(&spec).unwrap();
        let cells: Vec<&str> = output.pools.iter().map(|cell| cell.cell.as_str()).collect();
        let expected: Vec<&str> = spec.cells.iter().map(String::as_str).chain([rounds::CONTROL]).collect();
        assert_eq!(cells, expected);
        for cell in &output.pools {
            assert_eq!(cell.ns.len(), rounds::ROUNDS);
            assert!(cell.ns.iter().all(|ns| ns.is_finite() && *ns > 0.0), "{cell:?}");
            let beside = spec.scenario == Scenario::ManyPools || cell.cell == rounds::CONTROL;
            assert_eq!(cell.beside.len(), if beside { rounds::ROUNDS } else { 0 }, "{}", cell.cell);
        }
        let named = |name: &str| output.pools.iter().find(|cell| cell.cell == name).unwrap();
        let shared = named("object_pools shared");
        assert_eq!(shared.checksum, spec.touches());
        match spec.scenario {
            Scenario::Transfer => {
                assert!((1..=transfer::CHANNEL as u64 + 2).contains(&shared.peak_held), "{}", shared.peak_held);
            }
            Scenario::ManyPools => assert_eq!((named("vec").built, named("sharded-slab").built), (64, 64 * 32)),
            Scenario::Pair => {
                assert_eq!(named("vec").built, u64::from(spec.threads * spec.held), "as many as are held");
                assert!(named("malloc").built > spec.touches(), "one for each pair");
            }
            Scenario::Source => assert_eq!(named("vec").built, u64::from(spec.threads)),
        }
        println!("{}: {:?}", spec.scenario.name(), start.elapsed());
    }
}

fn done(spec: PoolSpec, pools: Vec<rounds::CellRounds>) -> Done {
    Done { job: spec.job(), repeat: 1, output: Output { pools, ..Output::default() } }
}

fn rounds_of(cell: &str, ns: [f64; 3], beside: &[f64]) -> rounds::CellRounds {
    let (cell, ns, beside) = (cell.to_owned(), ns.to_vec(), beside.to_vec());
    rounds::CellRounds { cell, ns, beside, built: 5, peak_held: 1, checksum: 64 }
}

#[test]
fn lines_are_made_of_rounds_by_hand() {
    let pools = vec![
        rounds_of("vec", [1.0, 2.0, 4.0], &[]),
        rounds_of("malloc", [20.0, 10.0, 16.0], &[]),
        rounds_of("control", [100.0, 100.0, 100.0], &[150.0, 199.0, 210.0]),
    ];
    let done = done(spec(Scenario::Pair, 1, 8, 1), pools);
    let lines = figures::records(&done);
    let malloc = &lines[1];
    assert_eq!(malloc.cell, "malloc");
    // 20, 5 and 4 times as long.
    let numbers = ["ns_per_pair", "ns_min", "ns_max", "ratio_to_vec", "ratio_low", "ratio_high", "clock_control"];
    let numbers = numbers.map(|field| malloc.number(field).unwrap());
    assert_eq!(numbers, [16.0, 10.0, 20.0, 5.0, 5.0, 20.0, 1.99]);
    assert_eq!((malloc.get("note"), malloc.get("ratio_to_one")), (None, None));
    assert_eq!(malloc.key(), "pools malloc scenario=\"pair\" threads=1 held=1 item_bytes=8");
    assert_eq!(lines[2].number("ns_per_pair"), None, "the control is no pool");
    let all = with_medians(lines);
    let tables = figures::tables(&all);
    assert_eq!(tables.len(), 1);
    assert_eq!(tables[0].rows.len(), 2);
    assert_eq!(figures::notes(&all).len(), 1);
}

#[test]
fn a_clock_out_of_range_is_told() {
    let pools = vec![rounds_of("vec", [1.0; 3], &[]), rounds_of("control", [100.0; 3], &[150.0; 3])];
    let lines = figures::records(&done(spec(Scenario::Pair, 1, 8, 1), pools));
    assert!(lines.iter().all(|line| line.text("note").is_some() && line.number("clock_control") == Some(1.5)));
    let notes = figures::notes(&with_medians(lines));
    assert!(notes.iter().any(|note| note.contains("1.50 times as long")), "{notes:?}");
}

#[test]
fn a_wrong_checksum_of_a_group_is_an_error() {
    let right = done(spec(Scenario::Pair, 1, 8, 1), vec![rounds_of("vec", [1.0; 3], &[])]);
    assert_eq!(figures::check(std::slice::from_ref(&right)).unwrap().len(), 1);
    let mut wrong = right;
    wrong.output.pools[0].checksum = 63;
    let error = figures::check(&[wrong]).unwrap_err();
    assert_eq!(error.code(), 1);
    assert!(error.to_string().contains("vec of test counts 63"), "{error}");
}
