//! The percentile table: one column a label.

use bevy_egui::egui::{Color32, Grid, RichText, Ui};

use super::format::{figure, grouped, lines, ms};
use crate::{FrameRecorder, LowDefinition, Percentile, Quantile, Series, Summary};

/// Characters in a column; a monospace font lines them up.
const COLUMN: usize = 12;

/// The table as text, made at each refresh.
#[derive(Default)]
pub(super) struct Table {
    header: Vec<Header>,
    rows: Vec<Row>,
    /// Whether any cell says "too few".
    any_too_few: bool,
    /// The figures of the current label.
    pub(super) current: Summary,
}

struct Header {
    text: String,
    current: bool,
}

struct Row {
    name: String,
    explanation: &'static str,
    cells: Vec<Cell>,
}

#[derive(Debug, PartialEq)]
enum Cell {
    Value(String),
    /// "Not enough frames"; the nearest rank is known all the same.
    TooFew(Option<String>),
    Nothing,
}

impl Table {
    /// Summarises the labels under which anything was recorded, and the current one.
    pub(super) fn new(recorder: &FrameRecorder, series: Series, low: LowDefinition) -> Self {
        let current = recorder.label();
        let seen = |label: &str| recorder.series(series, label).is_some_and(|series| series.recorded() > 0);
        let labels: Vec<&str> = recorder.labels().filter(|&label| label == current || seen(label)).collect();
        let summaries: Vec<Summary> = labels.iter().map(|label| recorder.summary(series, label)).collect();

        let tallest = labels.iter().map(|label| lines(label, COLUMN).len()).max().unwrap_or(1);
        let header = labels
            .iter()
            .map(|label| {
                let mut text = lines(label, COLUMN);
                while text.len() < tallest {
                    text.insert(0, String::new());
                }
                let text: Vec<String> = text.iter().map(|line| format!("{line:>COLUMN$}")).collect();
                Header { text: text.join("\n"), current: *label == current }
            })
            .collect();
        let rows = rows(&summaries, series, low);
        let any_too_few = rows.iter().flat_map(|row| &row.cells).any(|cell| matches!(cell, Cell::TooFew(_)));
        let current = labels.iter().position(|&label| label == current).map(|i| summaries[i]).unwrap_or_default();
        Self { header, rows, any_too_few, current }
    }

    pub(super) fn draw(&self, ui: &mut Ui) {
        Grid::new("percentile table").num_columns(self.header.len() + 1).spacing([4.0, 2.0]).striped(true).show(
            ui,
            |ui| {
                ui.label("");
                for header in &self.header {
                    let text = RichText::new(&header.text).strong();
                    ui.label(if header.current { text.color(CURRENT) } else { text });
                }
                ui.end_row();
                for row in &self.rows {
                    ui.label(&row.name).on_hover_text(row.explanation);
                    for cell in &row.cells {
                        cell.draw(ui);
                    }
                    ui.end_row();
                }
            },
        );
        if self.any_too_few {
            ui.label(RichText::new("too few: not enough frames, fewer than 10 beyond").color(FAINT).small());
        }
    }

    /// The cell of a row by name, for tests.
    #[cfg(test)]
    fn cell(&self, name: &str, column: usize) -> &Cell {
        &self.rows.iter().find(|row| row.name == name).expect("a row of that name").cells[column]
    }
}

pub(super) const CURRENT: Color32 = Color32::from_rgb(120, 220, 255);
pub(super) const FAINT: Color32 = Color32::from_rgb(170, 170, 180);

impl Cell {
    fn draw(&self, ui: &mut Ui) {
        match self {
            Self::Value(text) => {
                ui.label(format!("{text:>COLUMN$}"));
            }
            Self::TooFew(nearest) => {
                let response = ui.label(RichText::new(format!("{:>COLUMN$}", "too few")).color(FAINT));
                if let Some(nearest) = nearest {
                    response.on_hover_text(format!("not enough frames; the nearest rank is {nearest}"));
                }
            }
            Self::Nothing => {
                ui.label(RichText::new(format!("{:>COLUMN$}", "-")).color(FAINT));
            }
        }
    }
}

fn rows(summaries: &[Summary], series: Series, low: LowDefinition) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut row = |name: String, explanation: &'static str, cell: &dyn Fn(&Summary) -> Cell| {
        rows.push(Row { name, explanation, cells: summaries.iter().map(cell).collect() });
    };
    for percentile in Percentile::ALL {
        let (name, explanation) = match percentile {
            Percentile::P999 => ("p99.9 ms run".to_owned(), "of the whole run"),
            _ => (format!("{} ms", percentile.name()), "of the window, by nearest rank"),
        };
        row(name, explanation, &|summary| quantile(summary.percentile(percentile)));
    }
    row("max ms".to_owned(), "of the window", &|summary| option(summary.max_ms.map(ms)));
    row("max ms run".to_owned(), "of the whole run", &|summary| option(summary.run.max_ms().map(ms)));
    let rate = if series == Series::Frame { "FPS" } else { "1/mean per s" };
    row(rate.to_owned(), "samples over time, in the window", &|summary| {
        option(summary.fps.map(|fps| format!("{fps:.1}")))
    });
    let short = match low {
        LowDefinition::Percentile => "p99",
        LowDefinition::MeanOfSlowest => "mean",
        LowDefinition::TimeIntegral => "integral",
    };
    row(format!("1 % low {short}"), low.name(), &|summary| match summary.lows.get(low) {
        Some(fps) => Cell::Value(format!("{fps:.1}")),
        None if summary.n == 0 => Cell::Nothing,
        None => Cell::TooFew(None),
    });
    row(
        "stutters".to_owned(),
        "samples above 2.5 times the median of the 120 before; their share of the time",
        &|summary| Cell::Value(format!("{}, {:.1} %", summary.stutter.frames, summary.stutter.share * 100.0)),
    );
    row("N window".to_owned(), "samples in the window", &|summary| Cell::Value(grouped(summary.n as i64)));
    row("N run".to_owned(), "samples in the whole run", &|summary| Cell::Value(figure(summary.run.n as f64)));
    row("seconds".to_owned(), "time in the window", &|summary| Cell::Value(format!("{:.2}", summary.seconds)));
    row("dropped".to_owned(), "samples dropped as warm-up", &|summary| Cell::Value(figure(summary.run.dropped as f64)));
    rows
}

fn quantile(quantile: Quantile) -> Cell {
    match quantile {
        Quantile::NoSamples => Cell::Nothing,
        Quantile::TooFew { .. } => Cell::TooFew(quantile.nearest_ms().map(|value| format!("{} ms", ms(value)))),
        Quantile::Measured { .. } => option(quantile.measured_ms().map(ms)),
    }
}

fn option(text: Option<String>) -> Cell {
    text.map_or(Cell::Nothing, Cell::Value)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn value(text: &str) -> Cell {
        Cell::Value(text.to_owned())
    }

    #[test]
    fn labels_stand_side_by_side_and_say_when_frames_are_too_few() {
        let mut recorder = FrameRecorder::new(2000, 0, "never-used");
        recorder.set_label("long");
        for i in 0..1000 {
            recorder.record(Series::Frame, Duration::from_millis(if i == 500 { 200 } else { 8 }));
        }
        recorder.set_label("short");
        (0..100).for_each(|_| recorder.record(Series::Frame, Duration::from_millis(4)));

        let table = Table::new(&recorder, Series::Frame, LowDefinition::TimeIntegral);
        let headers: Vec<_> = table.header.iter().map(|header| (header.text.trim(), header.current)).collect();
        assert_eq!(headers, [("long", false), ("short", true)]);
        assert_eq!([table.cell("p50 ms", 0), table.cell("p50 ms", 1)], [&value("8.00"), &value("4.00")]);
        assert_eq!(table.cell("p99 ms", 0), &value("8.00"));
        assert_eq!(table.cell("p99 ms", 1), &Cell::TooFew(Some("4.00 ms".into())));
        assert_eq!(table.cell("p99.9 ms run", 0), &Cell::TooFew(Some("8.00 ms".into())));
        assert_eq!(table.cell("max ms", 0), &value("200.0"));
        assert_eq!(table.cell("FPS", 0), &value("122.1"));
        assert_eq!(
            [table.cell("1 % low integral", 0), table.cell("1 % low integral", 1)],
            [&value("5.0"), &Cell::TooFew(None)]
        );
        assert_eq!(table.cell("stutters", 0), &value("1, 2.4 %"));
        assert_eq!(table.cell("seconds", 0), &value("8.19"));
        assert!(table.any_too_few);
        assert_eq!(table.current.n, 100);
    }

    #[test]
    fn a_series_without_samples_shows_no_numbers() {
        let recorder = FrameRecorder::new(2000, 0, "run");
        let table = Table::new(&recorder, Series::Tick, LowDefinition::Percentile);
        for row in ["p50 ms", "p99.9 ms run", "max ms", "1/mean per s", "1 % low p99"] {
            assert_eq!(table.cell(row, 0), &Cell::Nothing, "{row}");
        }
    }
}
