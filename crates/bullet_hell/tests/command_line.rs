//! The program as its users call it, without a window.

use std::process::{Command, Output};

use bevy_projectile_pool::prelude::PoolingStrategy;
use bullet_hell::report::Report;

fn bullet_hell(line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bullet_hell"));
    command.args(line.split_whitespace()).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    command.output().expect("the program starts")
}

fn report(line: &str) -> Report {
    let output = bullet_hell(line);
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("nothing but the report is on standard output")
}

/// What must be equal whatever the storage.
fn essence(report: &Report) -> impl PartialEq + std::fmt::Debug {
    let Report { ticks, spawned, retired, rejected, live, peak, checksum, .. } = report.clone();
    (ticks, spawned, retired, rejected, live, peak, checksum)
}

fn after_switches(first: &str, switches: u64) -> &'static str {
    let first: PoolingStrategy = first.parse().expect("a strategy");
    (0..switches % 3).fold(first, |strategy, _| strategy.next()).name()
}

fn agree(line: &str, ticks: u64) -> Report {
    let line = &format!("{line} --ticks {ticks}");
    let reference = report(&format!("{line} --strategy despawn-respawn"));
    assert_eq!(reference.strategy, "despawn-respawn");
    // After n ticks with a switch every e there have been (n - 1) / e, as the last tick's request finds no tick after it.
    for (variant, last) in [
        ("--strategy component-recycling", "component-recycling"),
        ("--strategy parallel-arrays", "parallel-arrays"),
        ("--switch-every 1 --strategy component-recycling", after_switches("component-recycling", ticks - 1)),
        ("--switch-every 37 --strategy despawn-respawn", after_switches("despawn-respawn", (ticks - 1) / 37)),
        ("--threads 1 --strategy parallel-arrays", "parallel-arrays"),
        ("--threads 2 --strategy parallel-arrays", "parallel-arrays"),
        ("--threads 8 --strategy parallel-arrays", "parallel-arrays"),
    ] {
        let report = report(&format!("{line} {variant}"));
        assert_eq!(essence(&report), essence(&reference), "{line} {variant}");
        assert_eq!(report.strategy, last, "{line} {variant}");
    }
    reference
}

#[test]
fn the_game_is_the_same_in_every_strategy() {
    let first = agree("--headless --autoplay --seed 7 --report -", 400);
    assert_eq!(first.ticks, 400);
    assert_eq!(first.tick_ms.n, 400);
    assert!(first.spawned > 500, "the pilot shoots and enemies fire: {first:?}");
    assert_eq!(first.spawned, first.live as u64 + first.retired.values().sum::<u64>());
    let other = report("--headless --autoplay --seed 8 --ticks 400 --report -");
    assert_ne!(other.checksum, first.checksum, "another seed is another game");
}

#[test]
fn the_reference_stream_is_the_same_in_every_strategy() {
    let first = agree("--headless --stress 200 --report -", 90);
    assert_eq!(first.spawned, 200 * 90);
    // Lives of 20 to 39 ticks, the last step's end taken off: 28.5 on the mean.
    assert!((5500..5900).contains(&first.live), "{first:?}");
}

#[test]
fn runs_of_no_ticks_and_of_no_projectiles_are_reported() {
    let none = report("--headless --ticks 0 --report -");
    assert_eq!((none.ticks, none.spawned, none.tick_ms.n, none.tick_ms.p50), (0, 0, 0, None));
    let empty = report("--headless --stress 0 --ticks 5 --report -");
    assert_eq!((empty.ticks, empty.spawned, empty.tick_ms.n), (5, 0, 5));
}

#[test]
fn mistakes_end_with_a_sentence_and_a_code() {
    for (line, part) in [
        ("--strategy arrays", "parallel-arrays"),
        ("--headless --ticks 1 --report /nowhere/at/all.json", "/nowhere/at/all.json"),
        #[cfg(target_os = "linux")]
        ("--windowed", "there is no display"),
    ] {
        let output = bullet_hell(line);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{line}");
        assert!(complaint.contains(part), "{line}: {complaint}");
        assert!(!complaint.contains("panicked"), "{line}: {complaint}");
        assert!(output.stdout.is_empty(), "{line}");
    }
}

#[test]
fn a_picture_without_a_driver_is_refused_with_what_to_install() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bullet_hell"));
    let picture = concat!(env!("CARGO_TARGET_TMPDIR"), "/never.png");
    // OpenGL alone is not enough: that no driver is left is true on every machine.
    command.args(["--headless", "--ticks", "2", "--screenshot", picture]).env("WGPU_BACKEND", "gl");
    let output = command.output().expect("the program starts");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(complaint.contains("no graphics driver") && complaint.contains("install"), "{complaint}");
    assert!(!std::path::Path::new(picture).exists());
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_display_it_plays_in_every_strategy_and_prints_a_table() {
    let output = bullet_hell("--contest-ticks 600 --seed 3");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stderr).contains("install"));
    let table = String::from_utf8(output.stdout).expect("text");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows.len(), 5, "a head, a row a strategy, and what was run: {table}");
    assert_eq!(rows[0], ["strategy", "p50", "ms", "p99", "ms", "N", "peak", "checksum"]);
    for (row, strategy) in rows[1..4].iter().zip(PoolingStrategy::ALL) {
        let [name, p50, p99, n, peak, checksum] = row[..] else { panic!("six figures: {row:?}") };
        let number = |text: &str| text.parse::<f64>().expect("a number");
        assert_eq!((name, n), (strategy.name(), "600"));
        assert!(number(p50) <= number(p99) && number(peak) > 100.0, "{row:?}");
        assert_eq!((checksum, checksum.len()), (rows[1][5], 16), "the strategies agree");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_display_a_run_goes_on_without_a_window_and_says_so() {
    for display in ["", ":987"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bullet_hell"));
        command.args(["--ticks", "30", "--report", "-"]).env("DISPLAY", display).env_remove("WAYLAND_DISPLAY");
        let output = command.output().expect("the program starts");
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "DISPLAY={display:?}: {complaint}");
        assert!(complaint.contains("there is no display") && complaint.contains("install"), "{complaint}");
        let report: Report = serde_json::from_slice(&output.stdout).expect("the report");
        assert_eq!(report.ticks, 30);
    }
}
