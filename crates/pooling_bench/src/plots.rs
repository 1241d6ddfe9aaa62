//! Plots, as SVG: lines and histograms on logarithmic axes, stacked and grouped bars.

use std::{fs, ops::Range, path::Path};

use plotters::{
    coord::Shift,
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

use crate::Error;

/// Pixels.
const SIZE: (u32, u32) = (960, 600);
/// Pixels on the right, for the legend.
const LEGEND: i32 = 210;
/// Bins of a histogram.
const BINS: usize = 60;

const TEXT: RGBColor = RGBColor(34, 34, 34);
const GRID: RGBColor = RGBColor(225, 225, 225);
const COLOURS: [RGBColor; 14] = [
    RGBColor(0, 92, 175),
    RGBColor(214, 69, 0),
    RGBColor(0, 128, 64),
    RGBColor(128, 40, 160),
    RGBColor(200, 150, 0),
    RGBColor(0, 160, 180),
    RGBColor(200, 0, 80),
    RGBColor(110, 70, 30),
    RGBColor(110, 110, 110),
    RGBColor(130, 180, 40),
    RGBColor(90, 90, 220),
    RGBColor(240, 120, 150),
    RGBColor(0, 60, 70),
    RGBColor(20, 20, 20),
];

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// Named values: a series, a bar or a group of bars.
pub type Named<T> = (String, Vec<T>);

/// Draws lines through points, both axes logarithmic. Points that have no place on such axes are left out.
///
/// # Errors
/// If no point is left, or the file cannot be written.
pub fn lines(
    path: &Path,
    title: &str,
    x_label: &str,
    y_label: &str,
    series: &[Named<(f64, f64)>],
) -> Result<(), Error> {
    let fits = |value: f64| value.is_finite() && value > 0.0;
    let kept: Vec<Named<(f64, f64)>> = series
        .iter()
        .map(|(name, points)| (name.clone(), points.iter().copied().filter(|(x, y)| fits(*x) && fits(*y)).collect()))
        .collect();
    let points = || kept.iter().flat_map(|(_, points)| points);
    let ranges = range(points().map(|(x, _)| *x)).zip(range(points().map(|(_, y)| *y)));
    let (xs, ys) = ranges.ok_or_else(|| nothing(path, "no point is above 0 on both axes"))?;
    draw(path, |root| {
        let (left, right) = root.split_horizontally(SIZE.0 as i32 - LEGEND);
        legend(&right, kept.iter().map(|(name, _)| name.as_str()))?;
        let (x_ticks, y_ticks) = (log_ticks(&xs), log_ticks(&ys));
        let mut chart = ChartBuilder::on(&left)
            .caption(title, ("sans-serif", 22, &TEXT))
            .margin(12)
            .x_label_area_size(52)
            .y_label_area_size(76)
            .build_cartesian_2d(xs.log_scale().with_key_points(x_ticks), ys.log_scale().with_key_points(y_ticks))?;
        chart
            .configure_mesh()
            .bold_line_style(GRID)
            .axis_style(TEXT)
            .label_style(("sans-serif", 16, &TEXT))
            .axis_desc_style(("sans-serif", 17, &TEXT))
            .x_label_formatter(&|value| number(*value))
            .y_label_formatter(&|value| number(*value))
            .x_desc(x_label)
            .y_desc(y_label)
            .draw()?;
        for (place, (_, points)) in kept.iter().enumerate() {
            let style = ShapeStyle::from(colour(place)).stroke_width(2).filled();
            chart.draw_series(LineSeries::new(points.iter().copied(), style).point_size(4))?;
        }
        Ok(())
    })
}

/// Draws how the times of frames are spread: on x microseconds in logarithmic bins, on y the share of the frames.
/// Samples are in nanoseconds; those of 0 are left out.
///
/// # Errors
/// If no sample is left, or the file cannot be written.
pub fn histogram(path: &Path, title: &str, x_label: &str, series: &[Named<u64>]) -> Result<(), Error> {
    let times: Vec<Named<f64>> = series
        .iter()
        .map(|(name, samples)| {
            let above = samples.iter().filter(|sample| **sample > 0);
            (name.clone(), above.map(|sample| *sample as f64 / 1e3).collect())
        })
        .collect();
    let xs = range(times.iter().flat_map(|(_, times)| times.iter().copied()));
    let xs = xs.ok_or_else(|| nothing(path, "no frame took any time"))?;
    let steps: Vec<Vec<(f64, f64)>> = times.iter().map(|(_, times)| steps(times, &xs)).collect();
    let top = steps.iter().flatten().map(|(_, share)| *share).fold(0.0, f64::max) * 1.05;
    draw(path, |root| {
        let (left, right) = root.split_horizontally(SIZE.0 as i32 - LEGEND);
        legend(&right, times.iter().map(|(name, _)| name.as_str()))?;
        let ticks = log_ticks(&xs);
        let mut chart = ChartBuilder::on(&left)
            .caption(title, ("sans-serif", 22, &TEXT))
            .margin(12)
            .x_label_area_size(52)
            .y_label_area_size(76)
            .build_cartesian_2d(xs.log_scale().with_key_points(ticks), 0.0..top)?;
        chart
            .configure_mesh()
            .bold_line_style(GRID)
            .light_line_style(WHITE)
            .axis_style(TEXT)
            .label_style(("sans-serif", 16, &TEXT))
            .axis_desc_style(("sans-serif", 17, &TEXT))
            .x_label_formatter(&|value| number(*value))
            .y_label_formatter(&|value| format!("{} %", number(*value)))
            .x_desc(x_label)
            .y_desc("share of the frames")
            .draw()?;
        for (place, steps) in steps.iter().enumerate() {
            let style = ShapeStyle::from(colour(place)).stroke_width(2);
            chart.draw_series(LineSeries::new(steps.iter().copied(), style))?;
        }
        Ok(())
    })
}

/// Draws one lying bar for each name, the first at the top, made of the parts that its values are. What is not above 0 is left
/// out.
///
/// # Errors
/// If there is nothing to draw, a bar has other than `parts` values, or the file cannot be written.
pub fn stacked(path: &Path, title: &str, value_label: &str, bars: &[Named<f64>], parts: &[&str]) -> Result<(), Error> {
    let boxes = bars.iter().enumerate().flat_map(|(place, (_, values))| {
        let middle = place as f64 + 0.5;
        values.iter().enumerate().scan(0.0, move |end, (part, value)| {
            let start = *end;
            *end += above_zero(*value);
            Some(Bar { part, start, end: *end, near: middle - 0.35, far: middle + 0.35 })
        })
    });
    horizontal(path, title, value_label, bars, parts, &boxes.collect::<Vec<_>>(), false)
}

/// Draws a group of lying bars for each name, the first at the top, one for each part, with their values. What is not above 0
/// is left out.
///
/// # Errors
/// If there is nothing to draw, a group has other than `parts` values, or the file cannot be written.
pub fn grouped(
    path: &Path,
    title: &str,
    value_label: &str,
    groups: &[Named<f64>],
    parts: &[&str],
) -> Result<(), Error> {
    let thickness = 0.8 / parts.len().max(1) as f64;
    let boxes = groups.iter().enumerate().flat_map(|(place, (_, values))| {
        values.iter().enumerate().map(move |(part, value)| {
            let near = place as f64 + 0.1 + part as f64 * thickness;
            Bar { part, start: 0.0, end: above_zero(*value), near, far: near + thickness }
        })
    });
    horizontal(path, title, value_label, groups, parts, &boxes.collect::<Vec<_>>(), true)
}

/// A bar that lies: from `start` to `end`, and across from `near` to `far`, counted in names from the top.
struct Bar {
    part: usize,
    start: f64,
    end: f64,
    near: f64,
    far: f64,
}

/// Draws bars that lie beside their names.
fn horizontal(
    path: &Path,
    title: &str,
    value_label: &str,
    named: &[Named<f64>],
    parts: &[&str],
    bars: &[Bar],
    with_values: bool,
) -> Result<(), Error> {
    if let Some((name, values)) = named.iter().find(|(_, values)| values.len() != parts.len()) {
        let message = format!("{name} has {} values for {} parts", values.len(), parts.len());
        return Err(Error::Plot { path: path.to_owned(), message });
    }
    let greatest = bars.iter().map(|bar| bar.end).fold(0.0, f64::max);
    if greatest == 0.0 {
        return Err(nothing(path, "no value is above 0"));
    }
    let count = named.len() as f64;
    let longest = named.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0) as u32;
    let room = (longest * 8 + 20).clamp(60, 320);
    draw(path, |root| {
        let (left, right) = root.split_horizontally(SIZE.0 as i32 - LEGEND);
        legend(&right, parts.iter().copied())?;
        let mut chart = ChartBuilder::on(&left)
            .caption(title, ("sans-serif", 22, &TEXT))
            .margin(12)
            .x_label_area_size(52)
            .y_label_area_size(room)
            .build_cartesian_2d(0.0..greatest * if with_values { 1.12 } else { 1.05 }, 0.0..count)?;
        chart
            .configure_mesh()
            .bold_line_style(GRID)
            .light_line_style(WHITE)
            .axis_style(TEXT)
            .label_style(("sans-serif", 16, &TEXT))
            .axis_desc_style(("sans-serif", 17, &TEXT))
            .disable_y_mesh()
            .y_labels(0)
            .x_label_formatter(&|value| number(*value))
            .x_desc(value_label)
            .draw()?;
        // The first name is at the top.
        let rectangle = |bar: &Bar| {
            let corners = [(bar.start, count - bar.near), (bar.end, count - bar.far)];
            Rectangle::new(corners, colour(bar.part).filled())
        };
        let long = || bars.iter().filter(|bar| bar.end > bar.start);
        chart.draw_series(long().map(rectangle))?;
        let name_style = text(16, HPos::Right);
        for (place, (name, _)) in named.iter().enumerate() {
            let (x, y) = chart.backend_coord(&(0.0, count - place as f64 - 0.5));
            left.draw_text(name, &name_style, (x - 8, y))?;
        }
        if with_values {
            let value_style = text(14, HPos::Left);
            for bar in long() {
                let (x, y) = chart.backend_coord(&(bar.end, count - (bar.near + bar.far) / 2.0));
                left.draw_text(&number(bar.end), &value_style, (x + 4, y))?;
            }
        }
        Ok(())
    })
}

/// Draws into memory and writes the file.
fn draw(path: &Path, content: impl FnOnce(&Area<'_>) -> Drawn) -> Result<(), Error> {
    let failed = |message: String| Error::Plot { path: path.to_owned(), message };
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE).map_err(|error| failed(error.to_string()))?;
        content(&root).map_err(|error| failed(error.to_string()))?;
        root.present().map_err(|error| failed(error.to_string()))?;
    }
    fs::write(path, svg).map_err(|error| failed(error.to_string()))
}

/// Writes names below each other, each beside its colour.
fn legend<'a>(area: &Area<'_>, names: impl Iterator<Item = &'a str>) -> Drawn {
    let style = text(16, HPos::Left);
    for (place, name) in names.enumerate() {
        let y = 60 + place as i32 * 22;
        area.draw(&Rectangle::new([(6, y - 6), (22, y + 6)], colour(place).filled()))?;
        area.draw_text(name, &style, (30, y))?;
    }
    Ok(())
}

/// Text anchored at the middle of its height. The file says a size that is smaller by a fifth.
fn text(size: i32, side: HPos) -> TextStyle<'static> {
    TextStyle::from(("sans-serif", size)).color(&TEXT).pos(Pos::new(side, VPos::Center))
}

fn colour(place: usize) -> RGBColor {
    COLOURS[place % COLOURS.len()]
}

fn nothing(path: &Path, why: &str) -> Error {
    Error::Plot { path: path.to_owned(), message: format!("there is nothing to draw: {why}") }
}

fn above_zero(value: f64) -> f64 {
    if value.is_finite() { value.max(0.0) } else { 0.0 }
}

/// From the least to the greatest value, with a little room on either side; `None` without values.
fn range(values: impl Iterator<Item = f64> + Clone) -> Option<Range<f64>> {
    let least = values.clone().reduce(f64::min)?;
    let greatest = values.reduce(f64::max)?;
    Some(least / 1.15..greatest * 1.15)
}

/// Where a logarithmic axis has its ticks: 1, 2 and 5 of each decade; fewer over many decades, more within one.
fn log_ticks(range: &Range<f64>) -> Vec<f64> {
    let decades = range.start.log10().floor() as i32..=range.end.log10().ceil() as i32;
    let ticks = |steps: &[u32]| {
        let all =
            decades.clone().flat_map(|decade| steps.iter().map(move |step| f64::from(*step) * 10_f64.powi(decade)));
        all.filter(|tick| range.contains(tick)).collect::<Vec<f64>>()
    };
    let usual = ticks(&[1, 2, 5]);
    match usual.len() {
        0..=2 => {
            let more = ticks(&[1, 2, 3, 4, 5, 6, 7, 8, 9]);
            let (least, greatest) = (range.start * 1.15, range.end / 1.15);
            match more.len() {
                0 | 1 if greatest > least * 1.01 => vec![least, greatest],
                0 => vec![least],
                _ => more,
            }
        }
        3..=12 => usual,
        _ => ticks(&[1]),
    }
}

/// A number with at most three digits after its leading zeros, and none that says nothing.
fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let decimals = (2 - value.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The outline of a histogram: for each bin its start and its end, each with the bin's per cent of all times.
fn steps(times: &[f64], range: &Range<f64>) -> Vec<(f64, f64)> {
    let width = (range.end / range.start).ln() / BINS as f64;
    let mut counts = [0_u32; BINS];
    for time in times {
        let bin = ((time / range.start).ln() / width) as usize;
        counts[bin.min(BINS - 1)] += 1;
    }
    let edge = |bin: usize| range.start * (width * bin as f64).exp();
    let share = |count: u32| f64::from(count) * 100.0 / times.len().max(1) as f64;
    let bins = counts.iter().enumerate();
    bins.flat_map(|(bin, count)| [(edge(bin), share(*count)), (edge(bin + 1), share(*count))]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named<T: Clone>(names: &[&str], values: &[T]) -> Vec<Named<T>> {
        names.iter().map(|name| ((*name).to_owned(), values.to_vec())).collect()
    }

    /// Draws into a folder of its own and returns the file's text.
    fn drawn(draw: impl Fn(&Path) -> Result<(), Error>) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plot.svg");
        draw(&path).unwrap();
        fs::read_to_string(path).unwrap()
    }

    fn has(svg: &str, texts: &[&str]) {
        assert!(svg.starts_with("<svg"), "{svg:.40}");
        assert!(svg.trim_end().ends_with("</svg>"));
        for text in texts {
            assert!(svg.contains(text), "{text} is missing");
        }
    }

    #[test]
    fn lines_have_title_labels_and_legend() {
        let mut points = vec![(300.0, 12.0), (1000.0, 35.0), (15_000.0, 900.0)];
        points.extend([(0.0, 1.0), (5.0, -1.0), (f64::NAN, 1.0), (7.0, f64::INFINITY)]);
        let names: Vec<String> = (0..15).map(|place| format!("cell-{place}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let svg = drawn(|path| lines(path, "Median frame", "spawns a frame", "frame time", &named(&names, &points)));
        has(&svg, &names);
        has(&svg, &["Median frame", "spawns a frame", "frame time", "10000"]);
        assert_eq!(svg.matches("<circle").count(), 15 * 3, "what has no place is not drawn");
    }

    #[test]
    fn one_point_is_a_plot() {
        let svg = drawn(|path| lines(path, "One", "x", "y", &named(&["only"], &[(1234.0, 0.02)])));
        has(&svg, &["One", "only", "<circle"]);
    }

    #[test]
    fn histograms_have_title_and_legend() {
        let samples: Vec<u64> = (1..=600).map(|frame| frame * 1000).chain([0]).collect();
        let svg =
            drawn(|path| histogram(path, "Frame times", "microseconds", &named(&["fresh", "pool-lifo"], &samples)));
        has(&svg, &["Frame times", "microseconds", "fresh", "pool-lifo", "share of the frames"]);
        let equal = drawn(|path| histogram(path, "Equal", "µs", &named(&["same"], &[5000; 20])));
        has(&equal, &["Equal", "same"]);
    }

    #[test]
    fn the_shares_of_a_histogram_add_up() {
        let times = [1.0, 2.0, 4.0, 1000.0];
        let steps = steps(&times, &(0.9..1100.0));
        assert_eq!(steps.len(), 2 * BINS);
        let sum: f64 = steps.iter().step_by(2).map(|(_, share)| *share).sum();
        assert!((sum - 100.0).abs() < 1e-9, "{sum}");
        assert!((steps[0].0 - 0.9).abs() < 1e-9 && (steps[2 * BINS - 1].0 - 1100.0).abs() < 1e-6);
    }

    #[test]
    fn bars_have_title_names_and_parts() {
        let bars = named(&["despawn-respawn", "parallel-arrays"], &[10.0, 20.0, 0.0]);
        let parts = ["spawn", "integrate", "retire"];
        for kind in [stacked, grouped] {
            let svg = drawn(|path| kind(path, "Phases", "microseconds", &bars, &parts));
            has(
                &svg,
                &["Phases", "microseconds", "despawn-respawn", "parallel-arrays", "spawn", "integrate", "retire"],
            );
            // The background, three of the legend, and two for each name: the third part has no length.
            assert_eq!(svg.matches("<rect").count(), 1 + 3 + 4);
        }
    }

    #[test]
    fn nothing_to_draw_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plot.svg");
        let useless = named(&["a"], &[(0.0, 1.0), (1.0, f64::NAN)]);
        let zero = named(&["a"], &[0.0, f64::NAN, -3.0]);
        let parts = ["x", "y", "z"];
        let errors = [
            lines(&path, "t", "x", "y", &[]),
            lines(&path, "t", "x", "y", &useless),
            histogram(&path, "t", "x", &[]),
            histogram(&path, "t", "x", &named(&["a"], &[0, 0])),
            stacked(&path, "t", "y", &[], &[]),
            stacked(&path, "t", "y", &zero, &parts),
            grouped(&path, "t", "y", &zero, &parts),
        ];
        for error in errors {
            let message = error.unwrap_err().to_string();
            assert!(message.contains("plot.svg") && message.contains("nothing to draw"), "{message}");
        }
        let message = stacked(&path, "t", "y", &zero, &parts[..2]).unwrap_err().to_string();
        assert!(message.contains("3 values for 2 parts"), "{message}");
        assert!(!path.exists());
    }

    #[test]
    fn a_plot_in_no_folder_is_an_error() {
        let path = Path::new("/there/is/no/such/folder/plot.svg");
        let message = stacked(path, "t", "y", &named(&["a"], &[1.0]), &["x"]).unwrap_err().to_string();
        assert!(message.contains("/there/is/no/such/folder"), "{message}");
    }

    #[test]
    fn ticks_and_numbers_are_few_and_short() {
        assert_eq!(log_ticks(&(280.0..16_000.0)), [500.0, 1000.0, 2000.0, 5000.0, 10_000.0]);
        assert_eq!(log_ticks(&(0.5..2e6)).len(), 7);
        assert_eq!(log_ticks(&(21.0..49.0)), [30.0, 40.0]);
        assert_eq!(log_ticks(&(10.1..13.9)).len(), 2);
        let shown = [0.0, 0.02, 1.5, 12.345, 300.0, 10_000.0].map(number);
        assert_eq!(shown, ["0", "0.02", "1.5", "12.3", "300", "10000"]);
    }
}
