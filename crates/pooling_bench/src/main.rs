//! The bench: see `pooling_bench --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    pooling_bench::main()
}
