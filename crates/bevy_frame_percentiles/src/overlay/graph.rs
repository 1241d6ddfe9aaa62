//! The graph of the window's samples.

use bevy_egui::egui::{Align2, Color32, Rangef, RichText, Ui};
use egui_plot::{HLine, Line, LineStyle, Plot, PlotBounds, PlotPoint, PlotPoints, Text, VLine};

use super::{
    format::ms,
    table::{CURRENT, FAINT},
};
use crate::{SampleSeries, percentile::to_ms};

const HEIGHT: f32 = 110.0;
const CLIPPED: Color32 = Color32::from_rgb(255, 90, 80);
const TARGET: Color32 = Color32::from_rgb(110, 190, 110);

/// The graph's points. The buffers are kept, so that drawing it anew each frame does not allocate them anew.
#[derive(Default)]
pub(super) struct Graph {
    columns: Vec<u64>,
    points: Vec<PlotPoint>,
}

impl Graph {
    /// Draws the samples of a series as a line, each point the longest sample of a pixel column.
    ///
    /// Samples above the scale are drawn over its whole height in red, and their number and the longest are written
    /// beside: a spike may leave the scale, but never the picture.
    pub(super) fn draw(&mut self, ui: &mut Ui, series: &SampleSeries, median_ms: Option<f64>, targets_ms: &[f64]) {
        // One column a point of width: the whole window fits.
        let width = (ui.available_width() as usize).saturating_sub(60).max(100);
        let per_column = series.window().div_ceil(width).max(1);
        let first = series.recorded() - series.len() as u64;
        fill_columns(series.samples(), first, per_column as u64, &mut self.columns);

        let longest = self.columns.iter().copied().max().map_or(0.0, to_ms);
        let top = scale_top(longest, median_ms, targets_ms);
        let newest = self.columns.len() as f64 - 1.0;
        self.points.clear();
        let points = self.columns.iter().enumerate();
        self.points.extend(points.map(|(i, &ns)| PlotPoint::new(i as f64 - newest, to_ms(ns).min(top))));
        let clipped = self.columns.iter().filter(|&&ns| to_ms(ns) > top).count();

        let span = series.window().div_ceil(per_column) as f64;
        Plot::new("frame graph")
            .height(HEIGHT)
            .show_axes([false, true])
            .show_grid([false, true])
            .show_x(false)
            .y_axis_min_width(34.0)
            .grid_spacing(Rangef::new(4.0, 40.0))
            .allow_drag(false)
            .allow_zoom(false)
            .allow_scroll(false)
            .allow_boxed_zoom(false)
            .allow_double_click_reset(false)
            .set_margin_fraction([0.0, 0.0].into())
            .show(ui, |plot| {
                plot.set_plot_bounds(PlotBounds::from_min_max([-span, 0.0], [0.0, top]));
                for (i, &target) in targets_ms.iter().enumerate().filter(|&(_, &target)| target > 0.0 && target < top) {
                    let fps = format!("{:.0} fps", 1000.0 / target);
                    plot.hline(
                        HLine::new(fps.clone(), target).color(TARGET).style(LineStyle::dashed_loose()).width(1.0),
                    );
                    // Side by side, because lines may lie closer than the text is high.
                    let at = PlotPoint::new(-span * (0.99 - 0.13 * i as f64), target);
                    let text = RichText::new(fps.as_str()).color(TARGET).small();
                    plot.text(Text::new(fps, at, text).anchor(Align2::LEFT_BOTTOM));
                }
                plot.line(Line::new("longest in column", PlotPoints::Borrowed(&self.points)).color(CURRENT).width(1.0));
                for (i, _) in self.columns.iter().enumerate().filter(|&(_, &ns)| to_ms(ns) > top) {
                    plot.vline(VLine::new("above the scale", i as f64 - newest).color(CLIPPED).width(1.0));
                }
            });
        let window = format!("last {} samples, longest of each {per_column}; max {} ms", series.len(), ms(longest));
        ui.horizontal(|ui| {
            ui.label(RichText::new(window).color(FAINT).small());
            if clipped > 0 {
                ui.label(RichText::new(format!("{clipped} above {} ms", ms(top))).color(CLIPPED).small());
            }
        });
    }
}

/// The longest sample of each column, oldest first. A sample stays in its column while the window moves on: columns
/// are cut at multiples of `per_column` of the sample's number in the run, so the graph does not flicker.
fn fill_columns(samples: impl Iterator<Item = u64>, first: u64, per_column: u64, columns: &mut Vec<u64>) {
    columns.clear();
    let mut open = None;
    for (number, ns) in (first..).zip(samples) {
        let column = number / per_column;
        match columns.last_mut() {
            Some(longest) if open == Some(column) => *longest = ns.max(*longest),
            _ => columns.push(ns),
        }
        open = Some(column);
    }
}

/// The upper end of the scale in milliseconds: what the longest sample needs, but no more than what keeps the median
/// readable, that is three times the median or the next target line above it.
fn scale_top(longest: f64, median_ms: Option<f64>, targets_ms: &[f64]) -> f64 {
    const ROOM: f64 = 1.15;
    let median = median_ms.unwrap_or(longest);
    // A target far above the samples is no help: the line would lie flat at the bottom.
    let next_target = targets_ms.iter().copied().filter(|&target| target > median && target < median * 12.0);
    let readable = next_target.fold(f64::INFINITY, f64::min);
    let limit = if readable.is_finite() { readable.max(median * 3.0) } else { median * 3.0 };
    let wanted = if readable.is_finite() { longest.max(readable) } else { longest };
    (wanted.min(limit) * ROOM).max(0.001)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spike_is_in_its_column_wherever_it_lies() {
        let mut columns = Vec::new();
        for spike in 0..2000u64 {
            for first in [0, 1, 7] {
                let samples = (0..2000).map(|i| if i == spike { 200 } else { 8 });
                fill_columns(samples, first, 6, &mut columns);
                assert_eq!(columns.iter().filter(|&&ns| ns == 200).count(), 1, "spike at {spike}");
                assert_eq!(columns[((first + spike) / 6 - first / 6) as usize], 200);
            }
        }
    }

    #[test]
    fn columns_stay_while_the_window_moves() {
        let run: Vec<u64> = (0..100).map(|i| i * 7919 % 101).collect();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        fill_columns(run[0..60].iter().copied(), 0, 10, &mut before);
        fill_columns(run[3..63].iter().copied(), 3, 10, &mut after);
        assert_eq!(before[1..6], after[1..6]);
        fill_columns(std::iter::empty(), 0, 10, &mut after);
        assert!(after.is_empty());
    }

    #[test]
    fn the_scale() {
        let targets = [1000.0 / 60.0, 1000.0 / 120.0];
        let near = |a: f64, b: f64| assert!((a - b).abs() < 0.01, "{a} is not {b}");
        // Calm at 8 ms: up to the 120 line. With a spike of 200: up to three medians, the spike is clipped.
        near(scale_top(8.1, Some(8.0), &targets), 8.333 * 1.15);
        near(scale_top(200.0, Some(8.0), &targets), 24.0 * 1.15);
        // Far below any target: by the samples alone.
        near(scale_top(0.5, Some(0.3), &targets), 0.5 * 1.15);
        // Nothing yet, or no time: a scale all the same.
        assert!(scale_top(0.0, None, &targets) > 0.0);
        assert!(scale_top(0.0, Some(0.0), &[]) > 0.0);
        near(scale_top(10.0, None, &[]), 11.5);
    }
}
