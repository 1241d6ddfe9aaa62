//! The bench with an allocator that counts.

use std::{alloc::System, process::ExitCode};

use pooling_bench::counting::Counting;

#[global_allocator]
static ALLOCATOR: Counting<System> = Counting(System);

fn main() -> ExitCode {
    pooling_bench::main()
}
