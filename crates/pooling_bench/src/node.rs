//! The article's workload in JavaScript, for those who have Node.

use std::process::{Command, Stdio};

use crate::{Error, spec::Spec};

/// The cells that run in Node: objects that the collector takes, a free list of objects, and typed arrays.
pub const CELLS: [&str; 3] = ["node-fresh", "node-pool", "node-typed"];

const SCRIPT: &str = include_str!("../node/workload.js");

/// The version of Node that there is; `None` if there is none.
#[must_use]
pub fn available() -> Option<String> {
    let answer = Command::new("node").arg("--version").stdin(Stdio::null()).output().ok()?;
    let version = String::from_utf8_lossy(&answer.stdout).trim().to_owned();
    (answer.status.success() && !version.is_empty()).then_some(version)
}

/// The command that runs a cell and answers as a cell of this program does.
///
/// # Errors
/// If it is no cell that runs in Node.
pub fn command(spec: &Spec) -> Result<Command, Error> {
    let Spec::Article(spec) = spec else {
        return Err(Error::Option(format!("{} does not run in Node", spec.cell())));
    };
    if !CELLS.contains(&spec.cell.as_str()) {
        return Err(Error::UnknownCell { suite: "article", cell: spec.cell.clone(), known: CELLS.to_vec() });
    }
    if ![6, 20].contains(&spec.fields) {
        return Err(Error::Option(format!("a projectile has 6 or 20 fields, not {}", spec.fields)));
    }
    let run = spec.run;
    let numbers = [spec.spawns, run.frames, run.warmup, run.seed, spec.fields];
    let mut command = Command::new("node");
    command.arg("-e").arg(SCRIPT).arg(&spec.cell).args(numbers.map(|number| number.to_string()));
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        article::ArticleSpec,
        prices::PriceSpec,
        spec::{Checksum, Output, Run},
        stream::published,
    };

    fn spec(cell: &str, fields: u32) -> Spec {
        let run = Run { frames: 600, warmup: 30, seed: 12345, events: false };
        Spec::Article(ArticleSpec { run, cell: cell.to_owned(), spawns: 300, fields, after: None })
    }

    #[test]
    fn every_cell_gives_the_published_checksum() {
        if available().is_none() {
            return; // nothing to run them with
        }
        for cell in CELLS {
            for fields in [6, 20] {
                let answer = command(&spec(cell, fields)).unwrap().output().unwrap();
                assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
                let output: Output = serde_json::from_slice(&answer.stdout).unwrap();
                assert_eq!(output.checksum, published(12345, 30, 600, 300).map(Checksum::Decimal), "{cell}");
                let samples = &output.samples;
                let lengths = [&samples.wall, &samples.generation, &samples.spawn, &samples.integrate].map(Vec::len);
                assert_eq!(lengths, [600; 4]);
            }
        }
    }

    #[test]
    fn nothing_else_runs_in_node() {
        assert!(command(&spec("fresh", 6)).unwrap_err().to_string().contains("node-typed"));
        assert!(command(&spec("node-fresh", 7)).unwrap_err().to_string().contains("6 or 20"));
        let price = Spec::Price(PriceSpec { cell: "fresh".to_owned(), count: 1, fields: 6 });
        assert!(command(&price).is_err());
    }
}
