//! The page for a developer who asks whether to pool: every figure in it is computed from the findings.

use super::Found;
use crate::{
    meter,
    record::Record,
    report::{Report, shown},
};

/// The naive baseline, and the plugin's strategies.
const CELLS: [&str; 4] = ["commands", "despawn-respawn", "component-recycling", "parallel-arrays"];
/// Microseconds in a frame at 60 Hz.
const FRAME: f64 = 1e6 / 60.0;

/// The page, as Markdown.
pub fn page(found: &Found) -> String {
    let report = &found.strategies;
    let (one, five) = (
        rate_within(report, "commands", "wall_p50_us", FRAME / 100.0),
        rate_within(report, "commands", "wall_p50_us", FRAME / 20.0),
    );
    let ratio = |cell: &str| {
        let rate = greatest_rate(report);
        let value = median_at(report, cell, rate).and_then(|line| line.number("ratio_to_naive"));
        let value = value.map_or_else(|| "not measured".to_owned(), |value| format!("{}x", shown(&value.into())));
        format!("{value} at {} a tick", rounded(rate))
    };
    let held = |cell: &str, field: &str| {
        let line = found.memory.records.iter().find(|record| record.is_median() && record.cell == cell);
        let ratio = line.and_then(|line| Some(line.number(field)? / line.number("live_bytes")?));
        ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{}x", shown(&ratio.into())))
    };
    let mut text = String::from("# When to pool\n\n");
    text.push_str(&format!(
        "Written by `pooling_bench all` from its [findings](findings/findings.md), on {}. Measure your own machine with \
         `cargo run --release -p pooling_bench -- strategies`, and your own game with the overlay: press 1, 2 and 3.\n\n",
        meter::machine()
    ));
    text.push_str("## Does it matter?\n\n");
    text.push_str(&format!(
        "Spawning and despawning by `Commands` costs one per cent of a frame at 60 Hz at {one}: below that nothing that this \
         project does will be seen. It costs a twentieth of the frame at {five}.\n\n"
    ));
    text.push_str("## A budget of 1 ms\n\nHow many projectiles fit into one millisecond of a tick, with lives of 20 to 39 ticks and one thread:\n\n");
    text.push_str("| strategy | at the median | at p99 |\n|---|---|---|\n");
    for cell in CELLS {
        let (p50, p99) =
            (rate_within(report, cell, "wall_p50_us", 1000.0), rate_within(report, cell, "wall_p99_us", 1000.0));
        text.push_str(&format!("| `{cell}` | {p50} | {p99} |\n"));
    }
    text.push_str(&format!(
        "\n## Which one\n\n\
         - **Parallel arrays** ({}): the default. No entities; everything goes through `Projectiles` and `ProjectilesMut`. \
         Where many projectiles fly, hit and end, this is the fast one.\n\
         - **Component recycling** ({}): when projectiles must be entities that your own queries see. The entity of one that \
         ended stays and is used again. It gives nothing to entities that carry your components besides: those are despawned.\n\
         - **Despawn and respawn** ({}): the plain way, and the honest baseline. When projectiles are few, or when observers \
         and hooks of your own must see each one come and go.\n\n",
        ratio("parallel-arrays"),
        ratio("component-recycling"),
        ratio("despawn-respawn")
    ));
    text.push_str("(Times faster than `Commands`, at the median, in the same run.)\n\n");
    text.push_str(&format!(
        "## What it costs\n\n\
         - **Memory.** After a burst to ten times as many, bytes held / bytes needed by those alive: parallel arrays {} before \
         the pool's trim and {} after it; component recycling {} and {}. Bevy 0.16 never gives the memory of a table back, so \
         the strategies with entities keep the peak.\n\
         - **Queries.** In component recycling the rows of ended projectiles stay in the table with left-over values. \
         `Projectiles` and the filter `Alive` skip them; a raw query sees them, and walks over them.\n\
         - **Change detection.** Each step marks what moved as changed. `ProjectileSettings::change_detection` turns that off.\n\
         - **A switch** carries every live projectile over. It costs about as much as spawning them all again.\n",
        held("parallel-arrays", "bytes_after"),
        held("parallel-arrays", "bytes_trimmed"),
        held("component-recycling", "bytes_after"),
        held("component-recycling", "bytes_trimmed")
    ));
    text
}

fn medians<'a>(report: &'a Report, cell: &'a str) -> impl Iterator<Item = &'a Record> {
    report.records.iter().filter(move |record| record.is_median() && record.cell == cell)
}

fn greatest_rate(report: &Report) -> f64 {
    report.records.iter().filter_map(|record| record.number("spawns")).fold(0.0, f64::max)
}

fn median_at<'a>(report: &'a Report, cell: &'a str, rate: f64) -> Option<&'a Record> {
    medians(report, cell).find(|record| record.number("spawns") == Some(rate))
}

/// The rate up to which a figure of a cell stays within a budget, in words, with the projectiles alive at it.
fn rate_within(report: &Report, cell: &str, field: &str, budget: f64) -> String {
    let point = |record: &Record| Some((record.number("spawns")?, record.number(field)?));
    let mut points: Vec<(f64, f64)> = medians(report, cell).filter_map(point).collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    let alive = |rate: f64| {
        let per_spawn =
            medians(report, cell).find_map(|record| Some(record.number("live")? / record.number("spawns")?));
        rounded(rate * per_spawn.unwrap_or(0.0))
    };
    match within(&points, budget) {
        None => "no rate that was measured".to_owned(),
        Some(Within::All(rate)) => format!("more than {} a tick ({} alive)", rounded(rate), alive(rate)),
        Some(Within::To(rate)) => format!("{} a tick ({} alive)", rounded(rate), alive(rate)),
        Some(Within::Less(rate)) => format!("less than {} a tick ({} alive)", rounded(rate), alive(rate)),
    }
}

/// Up to which rate a budget holds.
#[derive(Debug, PartialEq)]
enum Within {
    /// Even at the greatest measured.
    All(f64),
    /// Up to this one, between two measured ones.
    To(f64),
    /// Not even at the least measured.
    Less(f64),
}

/// Finds where a curve of rising rates crosses a budget: between two points it is a power of the rate.
fn within(points: &[(f64, f64)], budget: f64) -> Option<Within> {
    let (first, last) = (points.first()?, points.last()?);
    if first.1 > budget {
        return Some(Within::Less(first.0));
    }
    let crossing = points.windows(2).find(|pair| pair[1].1 > budget);
    let Some([(x0, y0), (x1, y1)]) = crossing else { return Some(Within::All(last.0)) };
    let share = (budget / y0).ln() / (y1 / y0).ln();
    Some(Within::To(x0 * (x1 / x0).powf(share)))
}

/// A number with two significant digits, as it deserves.
fn rounded(number: f64) -> String {
    let unit = 10_f64.powf((number.abs().max(1.0).log10().floor() - 1.0).max(0.0));
    let digits = format!("{:.0}", (number / unit).round() * unit);
    let places = digits.len();
    let grouped = digits.chars().enumerate().map(|(place, digit)| match place {
        0 => digit.to_string(),
        place if (places - place).is_multiple_of(3) => format!(",{digit}"),
        _ => digit.to_string(),
    });
    grouped.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_crossed_between_two_rates() {
        // Twice the cost for twice the rate: 100 µs at 1,000 and 400 at 4,000 cross 200 at 2,000.
        let points = [(1000.0, 100.0), (4000.0, 400.0), (8000.0, 1600.0)];
        let Some(Within::To(rate)) = within(&points, 200.0) else { panic!() };
        assert!((rate - 2000.0).abs() < 1e-6, "{rate}");
        // Four times the cost for twice the rate: 400 at 4,000 crosses 800 at √2 · 4,000.
        let Some(Within::To(rate)) = within(&points, 800.0) else { panic!() };
        assert!((rate - 4000.0 * 2_f64.sqrt()).abs() < 1e-6, "{rate}");
        assert_eq!(within(&points, 50.0), Some(Within::Less(1000.0)));
        assert_eq!(within(&points, 5000.0), Some(Within::All(8000.0)));
        assert_eq!(within(&[], 1.0), None);
    }

    #[test]
    fn numbers_have_two_digits_and_groups() {
        let shown = [7.4, 12.4, 147.0, 3271.0, 45_678.0, 284_854.0].map(rounded);
        assert_eq!(shown, ["7", "12", "150", "3,300", "46,000", "280,000"]);
    }
}
