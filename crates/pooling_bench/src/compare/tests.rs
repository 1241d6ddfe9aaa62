//! Tests of the comparison's arithmetic, by hand.

use clap::Parser;

use super::*;
use crate::{cli, spec::Checksum};

fn options(arguments: &[&str]) -> (Common, Mix) {
    let start = ["pooling_bench", "compare", "a", "b", "--spawns", "1000,3000"];
    match cli::Cli::parse_from(start.iter().chain(arguments)).command {
        cli::Command::Compare { common, mix, .. } => (common, mix),
        other => panic!("{other:?}"),
    }
}

fn all() -> Vec<Subject> {
    let (common, mix) = options(&[]);
    subjects(&common, &mix).unwrap()
}

/// Three pairs for each of [`all`], all of one ratio.
fn even(ratio: f64) -> Vec<Vec<Pair>> {
    vec![vec![Pair { a: 100.0, b: 100.0 * ratio }; 3]; all().len()]
}

#[test]
fn the_geometric_mean_is_by_hand() {
    // 0.5 * 2 * 1 = 1; 0.8 * 0.8 * 1.25 = 0.8, whose third root is 0.9283.
    assert!((geometric_mean(&[0.5, 2.0, 1.0]).unwrap() - 1.0).abs() < 1e-12);
    assert!((geometric_mean(&[0.8, 0.8, 1.25]).unwrap() - 0.928_317_767).abs() < 1e-8);
    assert_eq!(geometric_mean(&[]), None);
}

#[test]
fn faster_pairs_are_accepted() {
    assert_eq!(judge(&[0.90, 0.91, 1.02], &[1.0, 1.05, 0.95], 0.95, 1.10), Verdict::Accepted);
    // Both limits are inclusive.
    assert_eq!(judge(&[1.0], &[], 1.0, 1.0), Verdict::Accepted);
}

#[test]
fn a_high_mean_is_not_accepted() {
    // The product is 0.9025, its root 0.95; the second is a hair above.
    assert_eq!(judge(&[0.9025, 0.9999], &[1.0], 0.95, 1.10), Verdict::Accepted);
    assert_eq!(judge(&[0.9025, 1.0001], &[1.0], 0.95, 1.10), Verdict::NotAccepted);
}

#[test]
fn one_slow_pair_is_not_accepted() {
    assert_eq!(judge(&[0.5, 0.5, 0.5, 1.11], &[1.0], 0.95, 1.10), Verdict::NotAccepted);
    assert_eq!(judge(&[0.5, 0.5, 0.5, 1.09], &[1.0], 0.95, 1.10), Verdict::Accepted);
}

#[test]
fn a_control_that_drifts_either_way_is_inconclusive() {
    for control in [1.11, 0.90] {
        assert_eq!(judge(&[0.5], &[1.0, control], 0.95, 1.10), Verdict::Inconclusive, "{control}");
        assert_eq!(judge(&[2.0], &[control], 0.95, 1.10), Verdict::Inconclusive, "{control}");
    }
    for control in [1.10, 0.91, 1.0] {
        assert_eq!(judge(&[0.5], &[control], 0.95, 1.10), Verdict::Accepted, "{control}");
    }
    assert_eq!(judge(&[0.5], &[f64::NAN], 0.95, 1.10), Verdict::Inconclusive);
    assert_eq!(judge(&[], &[1.0], 0.95, 1.10), Verdict::Inconclusive);
}

#[test]
fn no_regression_is_a_limit_above_one() {
    assert_eq!(judge(&[1.0, 1.04, 1.02], &[1.0], 1.05, 1.10), Verdict::Accepted);
    assert_eq!(judge(&[1.06, 1.06, 1.06], &[1.0], 1.05, 1.10), Verdict::NotAccepted);
}

#[test]
fn repeats_are_rounds_of_three_pairs() {
    assert_eq!([1, 2, 3, 4, 6, 7].map(pairs), [3, 3, 3, 6, 6, 9]);
    let builds: Vec<usize> = (1..=6).flat_map(order).collect();
    assert_eq!(builds, [0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0]);
}

#[test]
fn every_rate_has_its_cells_and_controls() {
    let names = |subjects: &[Subject]| -> Vec<(String, bool)> {
        subjects.iter().map(|subject| (subject.spec.cell().to_owned(), subject.control)).collect()
    };
    let expected = CELLS.map(|cell| (cell.to_owned(), false)).into_iter();
    let expected: Vec<_> = expected.chain(CONTROLS.map(|cell| (cell.to_owned(), true))).collect();
    let subjects = all();
    assert_eq!(names(&subjects[..5]), expected);
    assert_eq!(names(&subjects[5..]), expected);
    let (common, mix) = options(&["--cells", "parallel-arrays"]);
    assert_eq!(names(&super::subjects(&common, &mix).unwrap()).len(), 6, "controls are always run");
}

#[test]
fn the_sentence_says_why() {
    let subjects = all();
    let (good, sentence) = verdict(&subjects, &even(0.92), 0.95, 1.10);
    assert_eq!(good, Verdict::Accepted);
    assert_eq!(
        sentence,
        "B is accepted: the geometric mean of 18 pairs is 0.920 (at most 0.95 was asked for), and the worst is 0.920 \
         (at most 1.1)"
    );
    let (bad, sentence) = verdict(&subjects, &even(1.0), 0.95, 1.10);
    assert_eq!(bad, Verdict::NotAccepted);
    assert!(sentence.starts_with("B is not accepted: the geometric mean of 18 pairs is 1.000"), "{sentence}");
    let mut pairs = even(0.92);
    // One odd pair does not make the control's median; two do.
    pairs[3][0].b = 150.0;
    assert_eq!(verdict(&subjects, &pairs, 0.95, 1.10).0, Verdict::Accepted);
    pairs[3][1].b = 150.0;
    let (unclear, sentence) = verdict(&subjects, &pairs, 0.95, 1.10);
    assert_eq!(unclear, Verdict::Inconclusive);
    assert!(sentence.contains("inconclusive") && sentence.contains("bare at 1000 spawns: 1.500"), "{sentence}");
}

#[test]
fn lines_have_every_pair_and_their_median() {
    let pairs = [Pair { a: 100.0, b: 90.0 }, Pair { a: 100.0, b: 80.0 }, Pair { a: 200.0, b: 190.0 }];
    let records = with_medians(lines(&all()[0], &pairs));
    let ratios: Vec<Option<f64>> = records.iter().map(|record| record.number("ratio")).collect();
    assert_eq!(ratios, [Some(0.9), Some(0.8), Some(0.95), Some(0.9)]);
    assert_eq!(records[1].text("order"), Some("B A"));
    assert_eq!(records[3].get("control"), Some(&false.into()));
    assert!(records[3].is_median());
}

#[test]
fn builds_must_agree_and_take_time() {
    let subject = &all()[0];
    let output = |checksum: u64, wall: Vec<u64>| Output {
        samples: Samples { wall, integrate: vec![7000], ..Samples::default() },
        checksum: Some(Checksum::hex(checksum)),
        ..Output::default()
    };
    let a = output(1, vec![2000]);
    assert_eq!(pair_of(subject, "cell", &a, &output(1, vec![1000])).unwrap(), Pair { a: 2.0, b: 1.0 });
    let error = pair_of(subject, "cell", &a, &output(2, vec![1000])).unwrap_err();
    assert!(matches!(&error, Error::Checksum(text) if text.contains("in A") && text.contains("in B")), "{error}");
    assert!(matches!(pair_of(subject, "cell", &a, &output(1, vec![])), Err(Error::Missing(_))));
    assert_eq!(figure("bare", &a.samples), Some(7.0));
}

#[test]
fn what_is_no_build_of_this_bench_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("text");
    fs::write(&file, "no program").unwrap();
    for path in [folder.path().join("absent"), folder.path().to_owned(), file] {
        let error = program(&path).unwrap_err();
        assert!(matches!(error, Error::Option(_)), "{error}");
    }
    let (common, mix) = options(&[]);
    let absent = folder.path().join("absent");
    let error = suite(&absent, &absent, &common, &mix, f64::NAN, 1.1).unwrap_err();
    assert!(error.to_string().contains("--accept"), "{error}");
}
