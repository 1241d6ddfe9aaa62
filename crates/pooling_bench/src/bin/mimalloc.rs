//! The bench with an allocator that counts, on mimalloc.

use std::process::ExitCode;

use mimalloc::MiMalloc;
use pooling_bench::counting::Counting;

#[global_allocator]
static ALLOCATOR: Counting<MiMalloc> = Counting(MiMalloc);

fn main() -> ExitCode {
    pooling_bench::main()
}
