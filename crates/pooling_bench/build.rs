//! Tells the program which commit it was built from, and which build it is.

use std::{path::Path, process::Command, time::SystemTime};

fn main() {
    let described = Command::new("git").args(["describe", "--always", "--dirty", "--abbrev=12", "--match="]).output();
    let commit = described.ok().filter(|out| out.status.success()).and_then(|out| String::from_utf8(out.stdout).ok());
    println!("cargo::rustc-env=BENCH_COMMIT={}", commit.as_deref().map_or("unknown", str::trim));
    // This runs again when anything below changes: the programs of this package that say the same time belong together.
    let now = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos());
    println!("cargo::rustc-env=BENCH_BUILD={now}");
    let watched =
        ["src", "node", "../bevy_projectile_pool/src", "../bevy_frame_percentiles/src", "../object_pools/src"];
    for watched in watched.into_iter().chain(["../../Cargo.lock", "../../.git/HEAD", "../../.git/index"]) {
        if Path::new(watched).exists() {
            println!("cargo::rerun-if-changed={watched}");
        }
    }
}
