//! What the project aims at, and how far it is: one row for each target, with the aim, the floor, the figure and its
//! spread. An aim is the limit that is thought possible; a floor is what must be reached.

mod plan;

use crate::{
    Error,
    cli::Common,
    frames, node,
    record::{Record, with_medians},
    report::{Column, Report, Table, shown},
    runner, samples, strategies,
};

/// One target.
struct Row {
    /// Its number, and a letter if it has parts.
    name: &'static str,
    /// What is measured.
    figure: &'static str,
    aim: f64,
    floor: f64,
    /// Whether more is better.
    more: bool,
    /// The figure of one repeat.
    value: fn(&Lines<'_>) -> Option<f64>,
}

/// The lines of one repeat.
struct Lines<'a> {
    records: &'a [Record],
    repeat: u32,
}

impl Lines<'_> {
    /// A field of the line of a cell.
    fn get(&self, scenario: &str, cell: &str, spawns: u32, field: &str) -> Option<f64> {
        self.line(scenario, cell, spawns, |_| true)?.number(field)
    }

    fn line(&self, scenario: &str, cell: &str, spawns: u32, more: impl Fn(&Record) -> bool) -> Option<&Record> {
        self.records.iter().find(|line| {
            line.text("scenario") == Some(scenario)
                && line.cell == cell
                && line.number("spawns") == Some(f64::from(spawns))
                && line.number("repeat") == Some(f64::from(self.repeat))
                && more(line)
        })
    }

    /// The greatest of a field over some rates; `None` if one is missing.
    fn worst(&self, scenario: &str, cell: &str, spawns: &[u32], field: &str) -> Option<f64> {
        let values = spawns.iter().map(|&spawns| self.get(scenario, cell, spawns, field));
        values.collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::max)
    }

    /// How many times faster than the naive baseline recycling is.
    fn recycling(&self, scenario: &str, spawns: u32, seen: bool) -> Option<f64> {
        let own = self
            .line(scenario, "component-recycling", spawns, |line| line.get("change_detection") == Some(&seen.into()))?;
        Some(self.get(scenario, "commands", spawns, "wall_p50_us")? / own.number("wall_p50_us")?)
    }

    fn tail(&self, scenario: &str, cell: &str, spawns: u32) -> Option<f64> {
        Some(self.get(scenario, cell, spawns, "wall_p99_us")? / self.get(scenario, cell, spawns, "wall_p50_us")?)
    }

    /// How many times faster the plugin's layout is than typed arrays in Node.
    fn node(&self, spawns: u32) -> Option<f64> {
        let typed = self.get("article", "node-typed", spawns, "wall_p50_us")?;
        Some(typed / self.get("article", "plugin-arrays", spawns, "wall_p50_us")?)
    }

    /// What all phases of a tick take together.
    fn phases(&self, scenario: &str, cell: &str, spawns: u32) -> Option<f64> {
        let phase = |field| self.get(scenario, cell, spawns, field);
        Some(phase("spawn_us")? + phase("integrate_us")? + phase("retire_us")?)
    }

    /// The greatest over the plugin's strategies; `None` if one is missing.
    fn worst_strategy(&self, value: impl Fn(&'static str) -> Option<f64>) -> Option<f64> {
        let values: Option<Vec<f64>> = plan::STRATEGIES.iter().map(|strategy| value(strategy)).collect();
        values?.into_iter().reduce(f64::max)
    }

    /// Nanoseconds for each eviction: what a spawn that evicts takes more than one that does not.
    fn eviction(&self, scenario: &str, cell: &str) -> Option<f64> {
        let spawns = plan::EVICTED;
        let plain = self.get("short", cell, spawns, "spawn_us")?;
        Some((self.get(scenario, cell, spawns, "spawn_us")? - plain).max(0.0) * 1e3 / f64::from(spawns))
    }
}

const ARRAYS: &str = "parallel-arrays";
const FEW: [u32; 3] = [300, 1000, 3000];

/// Every target.
const ROWS: [Row; 31] = [
    less("1a", "arrays: (integrate + retire) / bare loop, short lives, 9k to 90k live", 1.1, 1.4, |lines| {
        lines.worst("short", ARRAYS, &FEW, "ratio_to_bare")
    }),
    less("1b", "the same at 300k live", 1.3, 2.3, |lines| lines.get("short", ARRAYS, 10_000, "ratio_to_bare")),
    less("2a", "the same, 10 % a second ended early, 9k to 90k", 1.2, 1.5, |lines| {
        lines.worst("early", ARRAYS, &FEW, "ratio_to_bare")
    }),
    less("2b", "the same at 300k", 1.5, 3.0, |lines| lines.get("early", ARRAYS, 10_000, "ratio_to_bare")),
    less("3a", "the same, mixed lives, 9k to 90k", 1.2, 1.5, |lines| {
        lines.worst("mixed", ARRAYS, &plan::MIXED[..3], "ratio_to_bare")
    }),
    less("3b", "the same at 300k", 1.4, 2.0, |lines| lines.get("mixed", ARRAYS, plan::MIXED[3], "ratio_to_bare")),
    less("4", "the same, five a tick with lives of 600 ticks", 1.1, 1.3, |lines| {
        lines.get("few", ARRAYS, 5, "ratio_to_bare")
    }),
    less("5a", "the same, bounds and no lifetime, 9k to 90k", 1.3, 3.0, |lines| {
        lines.worst("bounds", ARRAYS, &plan::BOUNDED[..3], "ratio_to_bare")
    }),
    less("5b", "the same at 300k", 1.5, 3.6, |lines| lines.get("bounds", ARRAYS, plan::BOUNDED[3], "ratio_to_bare")),
    less("6", "arrays: spawn / plain push of the same columns, the worst of 300 to 10,000 a tick", 1.5, 4.0, |lines| {
        lines.worst("short", ARRAYS, &plan::RATES, "spawn_ratio_to_push")
    }),
    less("7", "arrays: ns per live projectile, the worst / the best of 500 to 5,000 a tick", 1.2, 1.5, |lines| {
        let values = plan::PLACED.iter().map(|&spawns| lines.get("short", ARRAYS, spawns, "ns_per_live"));
        let values = values.collect::<Option<Vec<f64>>>()?;
        Some(values.iter().copied().reduce(f64::max)? / values.iter().copied().reduce(f64::min)?)
    }),
    more("8a", "arrays: times faster than `commands`, 1,000 a tick", 30.0, 15.0, |lines| {
        lines.get("short", ARRAYS, 1000, "ratio_to_naive")
    }),
    more("8b", "the same at 3,000", 60.0, 30.0, |lines| lines.get("short", ARRAYS, 3000, "ratio_to_naive")),
    more("8c", "the same at 10,000", 60.0, 25.0, |lines| lines.get("short", ARRAYS, 10_000, "ratio_to_naive")),
    more("9a", "recycling: times faster than `commands`, 1,000 a tick", 7.0, 5.0, |lines| {
        lines.recycling("short", 1000, true)
    }),
    more("9b", "the same at 3,000", 9.0, 7.0, |lines| lines.recycling("short", 3000, true)),
    more("9c", "the same at 10,000", 12.0, 10.0, |lines| lines.recycling("short", 10_000, true)),
    more("9d", "the same without change detection, 1,000", 8.0, 6.0, |lines| lines.recycling("short", 1000, false)),
    more("9e", "the same at 3,000", 17.0, 12.0, |lines| lines.recycling("short", 3000, false)),
    more("9f", "the same at 10,000", 19.0, 15.0, |lines| lines.recycling("short", 10_000, false)),
    more("9g", "recycling with 150 more bytes each, the least of 1,000 to 10,000", 8.0, 5.0, |lines| {
        let values = plan::RATES[1..].iter().map(|&spawns| lines.recycling("extra", spawns, true));
        values.collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::min)
    }),
    less("10", "despawn and respawn / the best written by hand, the worst of 300 to 10,000", 1.0, 1.1, |lines| {
        let ratio = |spawns| {
            let tick = |cell| lines.get("short", cell, spawns, "wall_p50_us");
            Some(tick("despawn-respawn")? / tick("commands")?.min(tick("spawn-batch")?))
        };
        plan::RATES.iter().map(|&spawns| ratio(spawns)).collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::max)
    }),
    less("11", "arrays: p99/p50, against that of making the stream, the worst of 1,000 to 10,000", 1.2, 1.5, |lines| {
        let ratio =
            |spawns| Some(lines.tail("short", ARRAYS, spawns)? / lines.tail("article", "generation-only", spawns)?);
        plan::RATES[1..].iter().map(|&spawns| ratio(spawns)).collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::max)
    }),
    more("12a", "the article's workload against typed arrays in Node, 1,000", 5.0, 3.0, |lines| lines.node(1000)),
    more("12b", "the same at 3,000", 9.0, 5.0, |lines| lines.node(3000)),
    more("12c", "the same at 10,000", 13.0, 6.0, |lines| lines.node(10_000)),
    less("13", "allocator calls in any steady tick of any strategy, early ends included", 0.0, 0.0, |lines| {
        lines.worst_strategy(|cell| lines.get("allocations", cell, 1000, "alloc_calls_max"))
    }),
    less("14", "arrays: bytes held / live bytes after a burst of 300,000 fell to 30,000", 1.25, 1.5, |lines| {
        lines.get("memory", ARRAYS, 0, "held_ratio")
    }),
    less(
        "15a",
        "1,000 live in a pool that once held 1,000,000 / one that did not, the worst strategy",
        1.1,
        2.0,
        |lines| {
            lines.worst_strategy(|cell| {
                Some(lines.phases("burst", cell, plan::THOUSAND)? / lines.phases("no burst", cell, plan::THOUSAND)?)
            })
        },
    ),
    less("15b", "the same with none live, microseconds a tick", 0.1, 1.0, |lines| {
        lines.worst_strategy(|cell| lines.phases("burst", cell, 0))
    }),
    less("16", "evicting 10,000 at the cap, ns each, the worst strategy at any of 30k to 300k", 20.0, 100.0, |lines| {
        let worst = |cell| {
            let values = plan::CAPS.iter().map(|(scenario, _)| lines.eviction(scenario, cell));
            values.collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::max)
        };
        lines.worst_strategy(worst)
    }),
];

const fn less(
    name: &'static str,
    figure: &'static str,
    aim: f64,
    floor: f64,
    value: fn(&Lines<'_>) -> Option<f64>,
) -> Row {
    Row { name, figure, aim, floor, more: false, value }
}

const fn more(
    name: &'static str,
    figure: &'static str,
    aim: f64,
    floor: f64,
    value: fn(&Lines<'_>) -> Option<f64>,
) -> Row {
    Row { name, figure, aim, floor, more: true, value }
}

impl Row {
    fn number(&self) -> u32 {
        self.name.trim_end_matches(char::is_alphabetic).parse().unwrap_or(0)
    }

    /// What a value comes to.
    fn verdict(&self, value: Option<f64>) -> &'static str {
        let reaches = |value: f64, goal: f64| if self.more { value >= goal } else { value <= goal };
        match value {
            None => "not measured",
            Some(value) if reaches(value, self.aim) => "aim met",
            Some(value) if reaches(value, self.floor) => "floor met",
            Some(_) => "not yet",
        }
    }

    fn record(&self, lines: &[Record], repeats: u32) -> Record {
        let values = (1..=repeats).filter_map(|repeat| (self.value)(&Lines { records: lines, repeat }));
        let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        let value = samples::median(&values);
        let least = values.iter().copied().reduce(f64::min);
        let greatest = values.iter().copied().reduce(f64::max);
        let mut record = Record::new("targets", self.name);
        record
            .set("repeat", "median")
            .set("figure", self.figure)
            .set("aim", self.aim)
            .set("floor", self.floor)
            .set("value", value)
            .set("value_min", least)
            .set("value_max", greatest)
            .set("verdict", self.verdict(value))
            .set("commit", frames::COMMIT)
            .set("profile", frames::PROFILE);
        let range = least.zip(greatest).map(|(a, b)| format!("{} to {}", shown(&a.into()), shown(&b.into())));
        record.set("spread", range);
        record
    }
}

const COLUMNS: [Column; 7] = [
    ("#", "cell"),
    ("figure", "figure"),
    ("aim", "aim"),
    ("floor", "floor"),
    ("measured", "value"),
    ("spread", "spread"),
    ("", "verdict"),
];

/// Measures the rows asked for, or all.
///
/// # Errors
/// If a row does not exist, a cell cannot be run, or checksums disagree.
pub fn suite(common: &Common, wanted: &[u32]) -> Result<Report, Error> {
    let rows = || ROWS.iter().filter(|row| wanted.is_empty() || wanted.contains(&row.number()));
    if let Some(other) = wanted.iter().find(|&&row| !(1..=16).contains(&row)) {
        return Err(Error::Option(format!("there is no target {other}: they are 1 to 16")));
    }
    let numbers: Vec<u32> = rows().map(Row::number).collect();
    let done = runner::run(&plan::groups(common, &numbers)?, common.repeats())?;
    frames::check(&done)?;
    let mut lines: Vec<Record> = done.iter().map(plan::line).collect();
    strategies::relate(&mut lines);
    let results: Vec<Record> = rows().map(|row| row.record(&lines, common.repeats())).collect();
    let title = "Targets: medians of the repeats, all cells of a row in one run".to_owned();
    let tables = vec![Table { title, columns: COLUMNS.to_vec(), rows: results.clone() }];
    let mut notes = vec!["less is better, but for rows 8, 9 and 12".to_owned()];
    if node::available().is_none() {
        notes.push("row 12 is not measured: there is no node on this machine".to_owned());
    }
    let mut records = results;
    records.extend(with_medians(lines));
    Ok(Report { suite: "targets", records, tables, notes, done })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(scenario: &str, cell: &str, spawns: u32, repeat: u32) -> Record {
        let mut record = Record::new("targets", cell);
        record.set("scenario", scenario).set("spawns", spawns).set("repeat", repeat);
        record
    }

    fn row(name: &str) -> &'static Row {
        ROWS.iter().find(|row| row.name == name).unwrap()
    }

    #[test]
    fn rows_are_judged_by_their_direction() {
        let (bare, naive) = (row("1a"), row("8a"));
        assert_eq!(
            [1.0, 1.1, 1.2, 1.5].map(|value| bare.verdict(Some(value)))[..3],
            ["aim met", "aim met", "floor met"]
        );
        assert_eq!(bare.verdict(Some(1.41)), "not yet");
        assert_eq!([31.0, 15.0, 14.9].map(|value| naive.verdict(Some(value))), ["aim met", "floor met", "not yet"]);
        assert_eq!(naive.verdict(None), "not measured");
    }

    #[test]
    fn a_row_takes_the_worst_rate_of_each_repeat_and_the_median_of_the_repeats() {
        let mut lines = Vec::new();
        for (repeat, ratios) in [(1, [1.0, 1.3, 1.2]), (2, [1.0, 1.1, 1.5]), (3, [1.2, 1.1, 1.0])] {
            for (spawns, ratio) in FEW.into_iter().zip(ratios) {
                let mut line = line("short", ARRAYS, spawns, repeat);
                line.set("ratio_to_bare", ratio);
                lines.push(line);
            }
        }
        let record = row("1a").record(&lines, 3);
        assert_eq!(record.number("value"), Some(1.3));
        assert_eq!((record.number("value_min"), record.number("value_max")), (Some(1.2), Some(1.5)));
        assert_eq!(record.text("verdict"), Some("floor met"));
        lines.retain(|line| line.number("spawns") != Some(3000.0));
        assert_eq!(row("1a").record(&lines, 3).text("verdict"), Some("not measured"), "a rate is missing");
    }

    #[test]
    fn an_eviction_costs_what_a_spawn_takes_more() {
        let mut lines = Vec::new();
        for cell in plan::STRATEGIES {
            let mut plain = line("short", cell, plan::EVICTED, 1);
            plain.set("spawn_us", 100.0);
            lines.push(plain);
            for (place, (scenario, _)) in plan::CAPS.iter().enumerate() {
                let mut full = line(scenario, cell, plan::EVICTED, 1);
                full.set("spawn_us", 200.0 + 100.0 * place as f64);
                lines.push(full);
            }
        }
        // 300 microseconds more for 10,000 at the largest cap.
        assert_eq!(row("16").record(&lines, 1).number("value"), Some(30.0));
    }

    #[test]
    fn every_row_has_its_own_name_and_a_floor_no_better_than_its_aim() {
        let mut names: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ROWS.len());
        for row in ROWS.iter() {
            assert!(if row.more { row.floor <= row.aim } else { row.floor >= row.aim }, "{}", row.name);
            assert!((1..=16).contains(&row.number()), "{}", row.name);
        }
    }
}
