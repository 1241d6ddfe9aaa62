//! The program as its users run it: a tiny run of everything, refusals, and the committed findings.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::{Command, Output},
};

use serde_json::Value;

fn bench(arguments: &[&str]) -> Output {
    // The others are built beside it, as `cargo test` builds every program.
    assert!(Path::new(env!("CARGO_BIN_EXE_pooling_bench_counting")).exists());
    assert!(Path::new(env!("CARGO_BIN_EXE_pooling_bench_mimalloc")).exists());
    Command::new(env!("CARGO_BIN_EXE_pooling_bench")).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The fields of the lines of each suite.
fn schema(lines: &[Value]) -> BTreeSet<(String, String)> {
    let fields = lines.iter().flat_map(|line| {
        let suite = line["suite"].as_str().unwrap().to_owned();
        line.as_object().unwrap().keys().map(move |key| (suite.clone(), key.clone()))
    });
    fields.collect()
}

#[test]
fn a_tiny_run_of_everything_writes_the_findings_and_fits_the_committed_ones() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("findings");
    let out = out.to_str().unwrap();
    // Long enough for the stale-field bug to show.
    let output = bench(&["all", "--spawns", "30", "--frames", "60", "--repeats", "1", "--out", out]);
    let markdown = stdout(&output);
    let claims = markdown.lines().filter(|line| line.ends_with("** |")).count();
    assert_eq!(claims, 9, "each claim has a verdict");
    for plot in ["article-p50", "article-p99", "strategies-p50", "strategies-p99", "phases", "memory"] {
        let svg = fs::read_to_string(folder.path().join(format!("findings/{plot}.svg"))).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{plot}");
        assert!(markdown.contains(&format!("({plot}.svg)")), "{plot} is in the findings");
    }
    assert_eq!(fs::read_to_string(folder.path().join("findings/findings.md")).unwrap(), markdown);
    let page = fs::read_to_string(folder.path().join("when-to-pool.md")).unwrap();
    let tiny = lines(&fs::read_to_string(folder.path().join("findings/findings.jsonl")).unwrap());
    assert!(tiny.iter().all(|line| line["suite"].is_string() && line["cell"].is_string() && !line["repeat"].is_null()));

    // What is committed was written by a program that writes the same fields. (Those that Node gives may be absent here.)
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/findings");
    let other = lines(&fs::read_to_string(committed.join("findings.jsonl")).unwrap());
    let (tiny, other) = (schema(&tiny), schema(&other));
    let optional = |field: &&(String, String)| !["not_measured"].contains(&field.1.as_str());
    let differing: Vec<_> = tiny.symmetric_difference(&other).filter(optional).collect();
    assert!(differing.is_empty(), "run `pooling_bench all --out docs/findings` again: {differing:?}");
    let written = fs::read_to_string(committed.join("findings.md")).unwrap();
    let headings =
        |text: &str| text.lines().filter(|line| line.starts_with('#')).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(headings(&written), headings(&markdown));
    assert_eq!(headings(&fs::read_to_string(committed.join("../when-to-pool.md")).unwrap()), headings(&page));
    assert!(!written.contains("-dirty"), "the findings name a commit that anyone can build");
}

#[test]
fn every_field_of_a_line_is_documented() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let format = fs::read_to_string(docs.join("bench-format.md")).unwrap();
    let lines = lines(&fs::read_to_string(docs.join("findings/findings.jsonl")).unwrap());
    let missing: Vec<_> = schema(&lines)
        .into_iter()
        .map(|(_, field)| field)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .filter(|field| !is_documented(field, &format))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// By its name, or by the pattern of the fields of an event: `tail_<event>`.
fn is_documented(field: &str, format: &str) -> bool {
    let events = ["alloc_calls", "alloc_bytes", "page_faults", "preemptions", "growth", "off_cpu"];
    let pattern = events.iter().find_map(|event| Some(format!("{}<event>", field.strip_suffix(event)?)));
    format.contains(&format!("`{field}`")) || pattern.is_some_and(|pattern| format.contains(&format!("`{pattern}`")))
}

#[test]
fn the_article_is_reproduced_from_the_command_line() {
    let arguments = ["article", "--spawns", "300", "--fields", "6", "--repeats", "2", "--format", "json"];
    let lines = lines(&stdout(&bench(&arguments)));
    let cell = |name: &str| lines.iter().filter(|line| line["cell"] == name).collect::<Vec<_>>();
    for name in ["fresh", "pool-lifo", "pool-fifo", "index-arrays-lifo", "dense-arrays", "swap-remove", "plugin-arrays"]
    {
        let lines = cell(name);
        assert_eq!(lines.len(), 3, "two repeats and their median of {name}");
        assert!(lines.iter().all(|line| line["checksum"] == 2_050_992_545_i64), "{name}");
        assert_eq!(lines[2]["repeat"], "median");
        assert_eq!((&lines[0]["frames"], &lines[0]["wall_p99_beyond"]), (&600.into(), &6.into()));
    }
    let node = cell("node-typed");
    assert!(!node.is_empty(), "measured or not, it is reported");
    assert!(node.iter().all(|line| line["checksum"] == 2_050_992_545_i64 || line["not_measured"].is_string()));
}

#[test]
fn strategies_agree_and_are_related_to_the_baselines() {
    let arguments = ["strategies", "--spawns", "40", "--frames", "30", "--repeats", "1", "--format", "csv"];
    let text = stdout(&bench(&arguments));
    let mut reader = text.lines();
    let header: Vec<&str> = reader.next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|field| *field == name).unwrap();
    let rows: Vec<Vec<&str>> = reader.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 16, "eight cells, each with a repeat and a median");
    let sums: BTreeSet<&str> = rows.iter().map(|row| row[column("checksum")]).collect();
    assert_eq!(sums.len(), 1);
    assert_eq!(sums.first().unwrap().len(), 16);
    assert!(rows.iter().all(|row| row[column("ratio_to_naive")].parse::<f64>().unwrap() > 0.0));
}

#[test]
fn results_go_to_a_folder_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("new/folder");
    let arguments = ["stale", "--repeats", "1", "--out", out.to_str().unwrap()];
    let printed = stdout(&bench(&arguments));
    assert_eq!(fs::read_to_string(out.join("stale.md")).unwrap(), printed);
    assert_eq!(lines(&fs::read_to_string(out.join("stale.jsonl")).unwrap()).len(), 12);
    assert!(fs::read_to_string(out.join("stale.csv")).unwrap().starts_with("suite,cell,"));
    assert_eq!(lines(&fs::read_to_string(out.join("stale-samples.jsonl")).unwrap()).len(), 6);
}

#[test]
fn pools_are_measured_side_by_side_and_their_fields_are_documented() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let cells = "vec,object_pools local,object_pools shared guard,malloc,opool";
    let arguments = [
        ["pools", "--scenario", "pair,transfer,many-pools,source", "--held", "1", "--sample-ms", "1"].as_slice(),
        &["--item-bytes", "8", "--cells", cells, "--threads", "1", "--format", "json", "--out", out],
    ];
    let lines = lines(&stdout(&bench(&arguments.concat())));
    // Of one thread and 8 bytes: a pair, and many pools. Each line once, and once as the median.
    assert_eq!(lines.len(), 2 * (6 + 5));
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/bench-format.md");
    let format = fs::read_to_string(docs).unwrap();
    for (_, field) in schema(&lines) {
        assert!(is_documented(&field, &format), "{field}");
    }
    for line in lines.iter().filter(|line| line["cell"] != "control") {
        assert!(line["ns_per_pair"].as_f64().unwrap() > 0.0, "{line}");
        assert_eq!((&line["suite"], &line["threads"], &line["held"]), (&"pools".into(), &1.into(), &1.into()));
        assert_eq!((&line["peak_held"], &line["rounds"]), (&1.into(), &21.into()));
        assert!(line["ratio_to_vec"].as_f64().unwrap() > 0.0);
        assert_eq!(line["ratio_to_one"].is_number(), line["scenario"] == "many-pools");
    }
    assert!(lines.iter().filter(|line| line["cell"] == "vec").all(|line| line["ratio_to_vec"] == 1.0));
    let samples = fs::read_to_string(folder.path().join("pools-samples.jsonl")).unwrap();
    assert_eq!(samples.lines().count(), 6 + 5);
    assert!(fs::read_to_string(folder.path().join("pools.md")).unwrap().contains("| ratio to vec |"));
}

#[test]
fn a_build_compared_with_itself_has_a_verdict_or_an_unsteady_control() {
    let this = env!("CARGO_BIN_EXE_pooling_bench");
    let arguments = ["compare", this, this, "--spawns", "30", "--frames", "30", "--accept", "1000", "--worst", "1000"];
    let output = bench(&arguments);
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("B is accepted") || text.contains("inconclusive"), "{text}");
    assert_eq!(output.status.success(), !text.contains("inconclusive"), "{text}");
}

#[test]
fn what_makes_no_sense_is_refused_in_one_sentence() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let below_a_file = file.path().join("folder");
    let below_a_file = below_a_file.to_str().unwrap();
    let cases: [(&[&str], &str); 19] = [
        (&["article", "--spawns", "0"], "--spawns"),
        (&["article", "--spawns", "1000000"], "100000"),
        (&["article", "--cells", "boxes"], "plugin-arrays"),
        (&["strategies", "--cells", "arrays"], "parallel-arrays"),
        (&["article", "--fields", "7"], "6 or 20"),
        (&["article", "--frames", "1"], "--frames"),
        (&["article", "--repeats", "0"], "--repeats"),
        (&["article", "--out", below_a_file], "cannot be written"),
        (&["strategies", "--extra-bytes", "7"], "150"),
        (&["strategies", "--early-ends", "101"], "100 per cent"),
        (&["strategies", "--lifetimes", "long", "--spawns", "10000"], "4 million"),
        (&["targets", "--rows", "17"], "1 to 16"),
        (&["compare", "/nonexistent/a", "/nonexistent/b"], "/nonexistent/a"),
        (&["pools", "--scenario", "pairs"], "--scenario"),
        (&["pools", "--cells", "boxes"], "sharded-slab"),
        (&["pools", "--held", "2"], "1, 32 or 256"),
        (&["pools", "--item-bytes", "7"], "4096"),
        (&["pools", "--scenario", "transfer", "--threads", "3"], "two threads"),
        (&["article", "--spawn", "3"], "--spawn"),
    ];
    for (arguments, part) in cases {
        let output = bench(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{arguments:?}");
        assert!(said.contains(part), "{arguments:?}: {said}");
        assert_eq!(said.trim_end().lines().count(), 1, "{arguments:?}: {said}");
        assert!(output.stdout.is_empty(), "{arguments:?} prints no results");
    }
}
