//! The article's nine claims, each judged by a stated rule from what was measured here.

use super::Found;
use crate::{
    record::Record,
    report::{Report, shown},
};

/// One claim: what the article said, what was measured here, and what follows.
struct Claim {
    said: &'static str,
    measured: String,
    verdict: &'static str,
}

const HOLDS: &str = "holds";
const NOT: &str = "does not hold";
const ELSEWHERE: &str = "only in that runtime";
const UNKNOWN: &str = "not measured";

/// The verdict of a rule in Rust, and in Node where it was measured.
fn verdict(rust: Option<bool>, node: Option<bool>) -> &'static str {
    match (rust, node) {
        (None, _) => UNKNOWN,
        (Some(true), _) => HOLDS,
        (Some(false), Some(true)) => ELSEWHERE,
        (Some(false), _) => NOT,
    }
}

/// The table of all claims, as Markdown.
pub fn table(found: &Found) -> String {
    let claims = [
        median(found),
        price(found),
        tail(found),
        cause(found),
        order_of_memory(found),
        peak(found),
        fat(found),
        stale(found),
        process(found),
    ];
    let mut text = String::from("| # | the article says | measured here | verdict |\n|---|---|---|---|\n");
    for (number, claim) in (1..).zip(claims) {
        text.push_str(&format!("| {number} | {} | {} | **{}** |\n", claim.said, claim.measured, claim.verdict));
    }
    text
}

/// The median of a field of a cell of the article.
fn of(report: &Report, cell: &str, spawns: f64, fields: f64, field: &str) -> Option<f64> {
    let wanted = |record: &&Record| {
        record.is_median()
            && record.cell == cell
            && record.number("spawns") == Some(spawns)
            && record.number("fields").is_none_or(|own| own == fields)
    };
    report.records.iter().find(wanted)?.number(field)
}

/// Rates of a report, rising.
fn rates(report: &Report) -> Vec<f64> {
    let mut rates: Vec<f64> = report.records.iter().filter_map(|record| record.number("spawns")).collect();
    rates.sort_by(f64::total_cmp);
    rates.dedup();
    rates
}

/// One cell's figure over another's, at each rate where both were measured.
fn ratios(report: &Report, own: &str, other: &str, fields: f64, field: &str) -> Vec<(f64, f64)> {
    let ratio =
        |rate: f64| Some((rate, of(report, own, rate, fields, field)? / of(report, other, rate, fields, field)?));
    rates(report).into_iter().filter_map(ratio).collect()
}

fn listed(ratios: &[(f64, f64)]) -> String {
    if ratios.is_empty() {
        return "not measured".to_owned();
    }
    let one = |(rate, ratio): &(f64, f64)| format!("{} at {rate}", times(*ratio));
    ratios.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn times(ratio: f64) -> String {
    format!("{}x", shown(&ratio.into()))
}

/// Whether a rule holds for every ratio; `None` if there is none.
fn all(ratios: &[(f64, f64)], rule: impl Fn(f64) -> bool) -> Option<bool> {
    (!ratios.is_empty()).then(|| ratios.iter().all(|(_, ratio)| rule(*ratio)))
}

fn median(found: &Found) -> Claim {
    let rust = ratios(&found.article, "pool-lifo", "fresh", 6.0, "wall_p50_us");
    let fat = ratios(&found.article, "pool-lifo", "fresh", 20.0, "wall_p50_us");
    let node = ratios(&found.article, "node-pool", "node-fresh", 6.0, "wall_p50_us");
    let never = |ratios: &[(f64, f64)]| {
        let above: Vec<_> = ratios.iter().copied().filter(|(rate, _)| *rate > 300.0).collect();
        all(&above, |ratio| ratio >= 0.95)
    };
    Claim {
        said: "Pooling never improves the median above 300 spawns a frame (1.5x slower at 1,000, 2.5x at 3,000, 4.8x at 10,000); with 20 fields it depends",
        measured: format!(
            "Median frame, free-list pool / fresh: Rust, 6 fields: {}; 20 fields: {}; Node, 6 fields: {}. Rule: never below 0.95x",
            listed(&rust),
            listed(&fat),
            listed(&node)
        ),
        verdict: verdict(never(&rust), never(&node)),
    }
}

fn price(found: &Found) -> Claim {
    let ns = |cell: &str, field: &str| {
        let wanted =
            |record: &&Record| record.is_median() && record.cell == cell && record.number("fields") == Some(6.0);
        found.prices.records.iter().find(wanted)?.number(field)
    };
    let saved = ns("fresh", "ns").zip(ns("overwrite", "ns")).map(|(fresh, overwrite)| fresh - overwrite);
    let trip = ns("pointer-lifo", "ns");
    let index = ns("index-lifo", "ns");
    let text =
        |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{} ns", shown(&value.into())));
    Claim {
        said: "A fresh object costs 3.55 ns more than an overwrite, and a free-list round trip 7.86 ns (7.04 on an index stack): the trip costs more than it saves",
        measured: format!(
            "A fresh object (allocated and freed) costs {} more than an overwrite, a round trip on a pointer stack {}, on an index stack {}. Rule: the trip is dearer",
            text(saved),
            text(trip),
            text(index)
        ),
        verdict: verdict(saved.zip(trip).map(|(saved, trip)| trip > saved), None),
    }
}

fn tail(found: &Found) -> Claim {
    let rust = ratios(&found.article, "index-arrays-lifo", "fresh", 6.0, "wall_p99_us");
    let ours = ratios(&found.article, "plugin-arrays", "fresh", 6.0, "wall_p99_us");
    let node = ratios(&found.article, "node-typed", "node-fresh", 6.0, "wall_p99_us");
    let window = |ratios: &[(f64, f64)]| {
        let inside: Vec<_> = ratios.iter().copied().filter(|(rate, _)| (2000.0..=12_000.0).contains(rate)).collect();
        all(&inside, |ratio| ratio < 0.9)
    };
    Claim {
        said: "What pooling improves is p99: index-pooled arrays cut it from 2.183 to 1.031 ms at 2,000 and from 13.9 to 7.6 at 10,000; at 15,000 it is worse",
        measured: format!(
            "p99, index-pooled arrays / fresh: Rust: {}; Node: {}. The plugin's layout / fresh in Rust: {}. Rule: below 0.9x from 2,000 to 12,000",
            listed(&rust),
            listed(&node),
            listed(&ours)
        ),
        verdict: verdict(window(&rust), window(&node)),
    }
}

fn cause(found: &Found) -> Claim {
    let at = 3000.0;
    let tail = |cell: &str| {
        let p = |field| of(&found.article, cell, at, 6.0, field);
        Some(p("wall_p99_us")? / p("wall_p50_us")?)
    };
    let line = found.tail.records.iter().find(|record| {
        record.is_median()
            && record.cell == "fresh"
            && record.number("spawns") == Some(at)
            && record.text("allocator") == Some("system")
    });
    let share = |field: &str| {
        let value = line.and_then(|line| line.number(field));
        value.map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", share * 100.0))
    };
    let (rust, node) = (tail("fresh"), tail("node-fresh"));
    let text = |value: Option<f64>| value.map_or_else(|| "not measured".to_owned(), times);
    let is_runtimes = rust.zip(node).map(|(rust, node)| node > 1.5 * rust);
    Claim {
        said: "The tail is the collector: all frames at or above p99 held a collection, 86 % of their excess over the median",
        measured: format!(
            "Fresh objects at 3,000, p99/p50: Rust {}, Node {}. Rust has no collector; of its tail's excess, frames with more page faults than the median hold {}, with more allocator calls {}, and {} was time off the processor. Rule: the collector's if Node's tail is more than 1.5 times Rust's",
            text(rust),
            text(node),
            share("excess_page_faults"),
            share("excess_alloc_calls"),
            share("excess_off_cpu")
        ),
        verdict: match (rust, is_runtimes) {
            (None, _) => UNKNOWN,
            (_, Some(true)) => ELSEWHERE,
            _ => NOT,
        },
    }
}

fn order_of_memory(found: &Found) -> Claim {
    let rate = rates(&found.article).into_iter().rfind(|rate| *rate <= 10_000.0).unwrap_or(0.0);
    let ratio = |own: &str, other: &str, field: &str| {
        Some(of(&found.article, own, rate, 6.0, field)? / of(&found.article, other, rate, 6.0, field)?)
    };
    let update = ratio("pool-lifo", "fresh", "integrate_us");
    let spawn = ratio("pool-lifo", "fresh", "spawn_us");
    let fifo = ratio("pool-fifo", "pool-lifo", "wall_p50_us");
    let node = ratio("node-pool", "node-fresh", "integrate_us");
    let text = |value: Option<f64>| value.map_or_else(|| "not measured".to_owned(), times);
    Claim {
        said: "A pool comes to be read in a random order: at 10,000 the spawn phase is the same (1.285 and 1.295 ms), the update phase 4.7x (2.104 and 9.884); FIFO instead of LIFO cuts the median by 23 %",
        measured: format!(
            "At {rate}, pool / fresh in Rust: spawn {}, update {}; in Node: update {}; FIFO / LIFO in Rust: {}. Rule: the pool's update is above 1.5x",
            text(spawn),
            text(update),
            text(node),
            text(fifo)
        ),
        verdict: verdict(update.map(|ratio| ratio > 1.5), node.map(|ratio| ratio > 1.5)),
    }
}

fn peak(found: &Found) -> Claim {
    let line = |cell: &str| found.memory.records.iter().find(|record| record.is_median() && record.cell == cell);
    let held = |cell: &str, field: &str| {
        let line = line(cell)?;
        Some(line.number(field)? / line.number("live_bytes")?)
    };
    let kept = held("pool-lifo", "bytes_after").zip(held("index-arrays-lifo", "bytes_after"));
    let text = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), times);
    Claim {
        said: "A pool sized for the peak keeps the peak: after a burst of 300,000, 22.9 MiB stayed against 2.3 for the 30,000 alive",
        measured: format!(
            "Bytes held / bytes of those alive after the fall: free-list pool {}, index-pooled arrays {}, fresh {}; the plugin before its trim: recycling {}, parallel arrays {}; after it: {} and {}. Rule: pool and arrays above 3x",
            text(held("pool-lifo", "bytes_after")),
            text(held("index-arrays-lifo", "bytes_after")),
            text(held("fresh", "bytes_after")),
            text(held("component-recycling", "bytes_after")),
            text(held("parallel-arrays", "bytes_after")),
            text(held("component-recycling", "bytes_trimmed")),
            text(held("parallel-arrays", "bytes_trimmed"))
        ),
        verdict: verdict(kept.map(|(pool, arrays)| pool > 3.0 && arrays > 3.0), None),
    }
}

fn fat(found: &Found) -> Claim {
    let cut = |fresh: &str, arrays: &str, fields: f64| {
        let p99 = |cell| of(&found.article, cell, 3000.0, fields, "wall_p99_us");
        Some(p99(fresh)? / p99(arrays)?)
    };
    let rust = cut("fresh", "index-arrays-lifo", 6.0).zip(cut("fresh", "index-arrays-lifo", 20.0));
    let node = cut("node-fresh", "node-typed", 6.0).zip(cut("node-fresh", "node-typed", 20.0));
    let ours = cut("fresh", "plugin-arrays", 6.0).zip(cut("fresh", "plugin-arrays", 20.0));
    let text = |pair: Option<(f64, f64)>| {
        pair.map_or_else(|| "not measured".to_owned(), |(thin, fat)| format!("{} and {}", times(thin), times(fat)))
    };
    let more = |pair: Option<(f64, f64)>| pair.map(|(thin, fat)| fat > thin && fat > 1.0);
    Claim {
        said: "Fat objects amplify it: with 20 fields at 3,000 arrays cut p99 from 7.071 to 1.680 ms",
        measured: format!(
            "By how much arrays cut fresh objects' p99 at 3,000, with 6 and with 20 fields: index-pooled arrays in Rust {}, in Node {}; the plugin's layout in Rust {}. Rule: they cut it, and more with 20",
            text(rust),
            text(node),
            text(ours)
        ),
        verdict: verdict(more(rust), more(node)),
    }
}

fn stale(found: &Found) -> Claim {
    let damage = |cell: &str| {
        let line = found.stale.records.iter().find(|record| record.is_median() && record.cell == cell);
        line.and_then(|line| line.number("damage_ratio"))
    };
    let wrong = damage("forgotten-branch");
    let plugin = ["plugin-despawn-respawn", "plugin-component-recycling", "plugin-parallel-arrays"].map(damage);
    let text = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), times);
    Claim {
        said: "The stale-field bug: a reset that forgets a branch doubled the damage dealt; it does not throw, and a checksum catches it",
        measured: format!(
            "Damage against that of fresh objects: with the forgotten branch {}, and another checksum; through the plugin {}, {} and {}, and the same checksum. Rule: it differs, and not in the plugin",
            text(wrong),
            text(plugin[0]),
            text(plugin[1]),
            text(plugin[2])
        ),
        verdict: verdict(
            wrong.map(|ratio| (ratio - 1.0).abs() > 0.1 && plugin.iter().all(|own| *own == Some(1.0))),
            None,
        ),
    }
}

fn process(found: &Found) -> Claim {
    let pair = |cell: &'static str, after: &'static str| ratios(&found.order, after, cell, 6.0, "wall_p50_us");
    let fresh = pair("fresh, alone", "fresh, after pool-lifo");
    let pool = pair("pool-lifo, alone", "pool-lifo, after fresh");
    let both: Vec<(f64, f64)> = fresh.iter().chain(&pool).copied().collect();
    let differs = (!both.is_empty()).then(|| both.iter().any(|(_, ratio)| (ratio - 1.0).abs() > 0.1));
    Claim {
        said: "Measure each storage in its own process: the first one run subsidises the next",
        measured: format!(
            "Median frame after the other storage in the same process / alone: fresh {}; free-list pool {}. Rule: any differs by more than a tenth",
            listed(&fresh),
            listed(&pool)
        ),
        verdict: verdict(differs, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_that_fails_in_rust_and_holds_in_node_is_the_runtimes() {
        assert_eq!(verdict(Some(true), Some(false)), HOLDS);
        assert_eq!(verdict(Some(false), Some(true)), ELSEWHERE);
        assert_eq!(verdict(Some(false), Some(false)), NOT);
        assert_eq!(verdict(Some(false), None), NOT);
        assert_eq!(verdict(None, Some(true)), UNKNOWN);
    }

    #[test]
    fn ratios_are_of_medians_at_the_same_rate_and_size() {
        let mut records = Vec::new();
        for (cell, spawns, fields, p50) in
            [("pool-lifo", 300, 6, 3.0), ("fresh", 300, 6, 2.0), ("fresh", 300, 20, 9.0), ("pool-lifo", 1000, 6, 1.0)]
        {
            let mut record = Record::new("article", cell);
            record.set("spawns", spawns).set("fields", fields).set("wall_p50_us", p50).set("repeat", "median");
            records.push(record);
        }
        let report = Report { records, ..Report::default() };
        assert_eq!(ratios(&report, "pool-lifo", "fresh", 6.0, "wall_p50_us"), [(300.0, 1.5)]);
        assert!(ratios(&report, "pool-lifo", "fresh", 20.0, "wall_p50_us").is_empty());
        assert_eq!(listed(&[(300.0, 1.5)]), "1.50x at 300");
        assert_eq!(all(&[], |_| true), None);
    }
}
