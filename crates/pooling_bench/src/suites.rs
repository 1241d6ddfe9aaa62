//! From a command to its suite.

use crate::{
    Error, article,
    cli::{Command, Common, SPAWNS},
    compare, findings, memory, meter, pools, prices,
    report::{self, Report},
    runner,
    spec::Spec,
    stale, strategies, tail, targets,
};

/// The rates of the suites that need few.
pub const FEW_SPAWNS: [u32; 3] = [1000, 3000, 10_000];

/// Runs a command.
///
/// # Errors
/// What went wrong. When the user stops it, what was measured before is printed.
pub fn run(command: Command) -> Result<(), Error> {
    match command {
        Command::Build => report::print(runner::BUILD),
        Command::Cell { spec } => {
            let spec: Spec =
                serde_json::from_str(&spec).map_err(|error| Error::Option(format!("not a cell: {error}")))?;
            meter::settle(spec.is_on_one_thread());
            runner::answer(&spec.measure()?)
        }
        Command::Article { mut common, fields } => {
            start(&mut common, "article", &article::suite::ALL, &SPAWNS)?;
            publish(&article::suite::suite(&common, &fields)?, &common)
        }
        Command::Prices { mut common } => {
            start(&mut common, "prices", &prices::CELLS, &FEW_SPAWNS)?;
            publish(&prices::suite(&common)?, &common)
        }
        Command::Strategies { mut common, mix } => {
            start(&mut common, "strategies", &strategies::CELLS, &strategies::SPAWNS)?;
            publish(&strategies::suite(&common, &mix)?, &common)
        }
        Command::Tail { mut common } => {
            start(&mut common, "tail", &tail::CELLS, &FEW_SPAWNS)?;
            publish(&tail::suite(&common)?, &common)
        }
        Command::Memory { mut common, peak, rest } => {
            start(&mut common, "memory", &memory::CELLS, &FEW_SPAWNS)?;
            publish(&memory::suite(&common, peak, rest)?, &common)
        }
        Command::Stale { mut common } => {
            start(&mut common, "stale", &stale::CELLS, &FEW_SPAWNS)?;
            publish(&stale::suite(&common)?, &common)
        }
        Command::Pools { mut common, filter } => {
            // A repeat has rounds of its own.
            common.repeats.get_or_insert(1);
            start(&mut common, "pools", &pools::CELLS, &FEW_SPAWNS)?;
            publish(&pools::suite(&common, &filter)?, &common)
        }
        Command::Compare { a, b, mut common, mix, accept, worst } => {
            start(&mut common, "compare", &compare::CELLS, &FEW_SPAWNS)?;
            let (report, verdict) = compare::suite(&a, &b, &common, &mix, accept, worst)?;
            publish(&report, &common)?;
            verdict.map_or(Ok(()), Err)
        }
        Command::Targets { mut common, rows } => {
            start(&mut common, "targets", &[], &FEW_SPAWNS)?;
            publish(&targets::suite(&common, &rows)?, &common)
        }
        Command::All { mut common } => {
            let given = !common.spawns.is_empty();
            start(&mut common, "all", &[], &SPAWNS)?;
            findings::all(&common, given)
        }
    }
}

fn start(common: &mut Common, suite: &'static str, cells: &[&'static str], spawns: &[u32]) -> Result<(), Error> {
    common.check(suite, cells, spawns)?;
    runner::stop_at_ctrl_c();
    Ok(())
}

fn publish(report: &Report, common: &Common) -> Result<(), Error> {
    report.publish(common)?;
    if runner::interrupted() { Err(Error::Interrupted) } else { Ok(()) }
}
