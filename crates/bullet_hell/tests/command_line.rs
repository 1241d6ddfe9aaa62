//! The program as its users call it, without a window.

use std::process::{Command, Output};

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

fn agree(line: &str) -> Report {
    let reference = report(&format!("{line} --strategy despawn-respawn"));
    assert_eq!(reference.strategy, "despawn-respawn");
    for variant in [
        "--strategy component-recycling",
        "--strategy parallel-arrays",
        "--switch-every 1",
        "--switch-every 97 --strategy component-recycling",
    ] {
        assert_eq!(essence(&report(&format!("{line} {variant}"))), essence(&reference), "{line} {variant}");
    }
    reference
}

#[test]
fn the_game_is_the_same_in_every_strategy() {
    let first = agree("--headless --autoplay --seed 7 --ticks 400 --report -");
    assert_eq!(first.ticks, 400);
    assert_eq!(first.tick_ms.n, 400);
    assert!(first.spawned > 500, "the pilot shoots and enemies fire: {first:?}");
    assert_eq!(first.spawned, first.live as u64 + first.retired.values().sum::<u64>());
    let other = report("--headless --autoplay --seed 8 --ticks 400 --report -");
    assert_ne!(other.checksum, first.checksum, "another seed is another game");
}

#[test]
fn the_reference_stream_is_the_same_in_every_strategy() {
    let first = agree("--headless --stress 200 --ticks 90 --report -");
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
        ("--headless --ticks 1 --report /nowhere/at/all.json", "not written"),
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
