//! Rows for `iyes_perf_ui`: any Bevy diagnostic, and percentiles.
//!
//! A row is a marker type that says what to show. Values are computed four times a second at most, and not while
//! every Perf UI with that row is hidden.

use std::{marker::PhantomData, time::Instant};

use bevy::{
    app::App,
    color::Color,
    diagnostic::{DiagnosticPath, DiagnosticsStore},
    ecs::{
        bundle::Bundle,
        component::Component,
        query::With,
        system::{
            Local, SystemParam,
            lifetimeless::{SQuery, SRes},
        },
    },
    render::view::{InheritedVisibility, Visibility},
    ui::{Display, Node},
};
use iyes_perf_ui::{PerfUiAppExt, entry::PerfUiEntry, prelude::PerfUiRoot, utils::next_sort_key};

use crate::{FrameRecorder, LowDefinition, Percentile, Quantile, Series, Summary, refresh::RefreshTimer};

/// Says which Bevy diagnostic a row shows, and how.
pub trait DiagnosticEntry: Send + Sync + 'static {
    /// The diagnostic's path, such as `fps`.
    const PATH: &'static str;
    /// What stands before the value.
    const LABEL: &'static str;
    /// What stands after the value. Default nothing.
    const UNIT: &'static str = "";
    /// How many digits follow the decimal point. Default 0.
    const DIGITS: usize = 0;

    /// The value's colour; `None`, the default, for the Perf UI's own.
    fn colour(_value: f64) -> Option<Color> {
        None
    }
}

/// Says which figure of the [`FrameRecorder`]'s current label a row shows, and how.
pub trait PercentileEntry: Send + Sync + 'static {
    /// Of which series. Default [`Series::Frame`].
    const SERIES: Series = Series::Frame;
    /// Which figure.
    const FIGURE: Figure;
    /// What stands before the value.
    const LABEL: &'static str;
    /// How many digits follow the decimal point. Default 2.
    const DIGITS: usize = 2;

    /// The value's colour; `None`, the default, for the Perf UI's own.
    fn colour(_value: f64) -> Option<Color> {
        None
    }
}

/// A figure of a [`Summary`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// A percentile, in milliseconds.
    Percentile(Percentile),
    /// The longest sample in the window, in milliseconds.
    Max,
    /// Samples over time, a second.
    Fps,
    /// A "1 % low", a second.
    Low(LowDefinition),
}

impl Figure {
    /// Reads the figure.
    pub fn of(self, summary: &Summary) -> Option<PerfUiReading> {
        let of_option = |value: Option<f64>| value.map(PerfUiReading::Value);
        match self {
            Self::Percentile(percentile) => match summary.percentile(percentile) {
                Quantile::NoSamples => None,
                Quantile::TooFew { .. } => Some(PerfUiReading::TooFewFrames),
                measured @ Quantile::Measured { .. } => of_option(measured.measured_ms()),
            },
            Self::Max => of_option(summary.max_ms),
            Self::Fps => of_option(summary.fps),
            Self::Low(_) if summary.n == 0 => None,
            Self::Low(definition) => {
                Some(summary.lows.get(definition).map_or(PerfUiReading::TooFewFrames, PerfUiReading::Value))
            }
        }
    }

    const fn unit(self) -> &'static str {
        match self {
            Self::Percentile(_) | Self::Max => "ms",
            Self::Fps | Self::Low(_) => "fps",
        }
    }
}

/// What a row shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PerfUiReading {
    /// A value.
    Value(f64),
    /// Not enough frames for a value.
    TooFewFrames,
}

/// A row that shows the diagnostic `E` names: its last value. Register it with
/// [`PerfUiPercentilesAppExt::add_perf_ui_diagnostic`].
#[derive(Component)]
#[require(PerfUiRoot)]
pub struct PerfUiEntryDiagnostic<E: DiagnosticEntry> {
    /// Rows stand in the order of their keys; by default in the order they were made.
    pub sort_key: i32,
    marker: PhantomData<E>,
}

/// A row that shows the figure `E` names. Register it with [`PerfUiPercentilesAppExt::add_perf_ui_percentile`].
#[derive(Component)]
#[require(PerfUiRoot)]
pub struct PerfUiEntryPercentile<E: PercentileEntry> {
    /// Rows stand in the order of their keys; by default in the order they were made.
    pub sort_key: i32,
    marker: PhantomData<E>,
}

impl<E: DiagnosticEntry> Default for PerfUiEntryDiagnostic<E> {
    fn default() -> Self {
        Self { sort_key: next_sort_key(), marker: PhantomData }
    }
}

impl<E: PercentileEntry> Default for PerfUiEntryPercentile<E> {
    fn default() -> Self {
        Self { sort_key: next_sort_key(), marker: PhantomData }
    }
}

/// The Perf UIs that have a row of type `T`, with what may hide them.
type Roots<T> =
    SQuery<(Option<&'static Visibility>, Option<&'static InheritedVisibility>, Option<&'static Node>), With<T>>;

/// The value of a row and when it is to be computed again.
#[doc(hidden)]
#[derive(Default)]
pub struct Cached {
    timer: RefreshTimer,
    reading: Option<PerfUiReading>,
}

impl Cached {
    /// The reading to show at `now`: computed if it is due, kept if not, none while hidden.
    fn reading(
        &mut self,
        now: Instant,
        visible: bool,
        compute: impl FnOnce() -> Option<PerfUiReading>,
    ) -> Option<PerfUiReading> {
        if !visible {
            return None;
        }
        if self.timer.due(now) {
            self.reading = compute();
        }
        self.reading
    }
}

fn any_visible<'a>(
    mut roots: impl Iterator<Item = (Option<&'a Visibility>, Option<&'a InheritedVisibility>, Option<&'a Node>)>,
) -> bool {
    roots.any(|(visibility, inherited, node)| {
        let visible = match visibility {
            Some(Visibility::Hidden) => false,
            Some(Visibility::Inherited) => inherited.is_none_or(|inherited| inherited.get()),
            Some(Visibility::Visible) | None => true,
        };
        visible && node.is_none_or(|node| node.display != Display::None)
    })
}

fn text(reading: &PerfUiReading, digits: usize, unit: &str) -> String {
    match reading {
        PerfUiReading::Value(value) if unit.is_empty() => format!("{value:.digits$}"),
        PerfUiReading::Value(value) => format!("{value:.digits$} {unit}"),
        PerfUiReading::TooFewFrames => "too few frames".to_owned(),
    }
}

fn colour_of(reading: &PerfUiReading, of_value: fn(f64) -> Option<Color>) -> Option<Color> {
    match reading {
        PerfUiReading::Value(value) => of_value(*value),
        PerfUiReading::TooFewFrames => Some(Color::srgb(0.5, 0.5, 0.5)),
    }
}

impl<E: DiagnosticEntry> PerfUiEntry for PerfUiEntryDiagnostic<E> {
    type SystemParam = (Option<SRes<DiagnosticsStore>>, Roots<Self>, Local<'static, Cached>);
    type Value = PerfUiReading;

    fn label(&self) -> &str {
        E::LABEL
    }

    fn sort_key(&self) -> i32 {
        self.sort_key
    }

    fn update_value(
        &self,
        (store, roots, cached): &mut <Self::SystemParam as SystemParam>::Item<'_, '_>,
    ) -> Option<PerfUiReading> {
        cached.reading(Instant::now(), any_visible(roots.iter()), || {
            let measurement = store.as_ref()?.get_measurement(&DiagnosticPath::const_new(E::PATH))?;
            Some(PerfUiReading::Value(measurement.value))
        })
    }

    fn format_value(&self, value: &PerfUiReading) -> String {
        text(value, E::DIGITS, E::UNIT)
    }

    fn value_color(&self, value: &PerfUiReading) -> Option<Color> {
        colour_of(value, E::colour)
    }
}

impl<E: PercentileEntry> PerfUiEntry for PerfUiEntryPercentile<E> {
    type SystemParam = (Option<SRes<FrameRecorder>>, Roots<Self>, Local<'static, Cached>);
    type Value = PerfUiReading;

    fn label(&self) -> &str {
        E::LABEL
    }

    fn sort_key(&self) -> i32 {
        self.sort_key
    }

    fn update_value(
        &self,
        (recorder, roots, cached): &mut <Self::SystemParam as SystemParam>::Item<'_, '_>,
    ) -> Option<PerfUiReading> {
        cached.reading(Instant::now(), any_visible(roots.iter()), || {
            let recorder = recorder.as_ref()?;
            E::FIGURE.of(&recorder.summary(E::SERIES, recorder.label()))
        })
    }

    fn format_value(&self, value: &PerfUiReading) -> String {
        text(value, E::DIGITS, E::FIGURE.unit())
    }

    fn value_color(&self, value: &PerfUiReading) -> Option<Color> {
        colour_of(value, E::colour)
    }
}

macro_rules! percentile_markers {
    ($($(#[$doc:meta])* $name:ident = $figure:expr, $label:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}

        impl PercentileEntry for $name {
            const FIGURE: Figure = $figure;
            const LABEL: &'static str = $label;
        }
    )*};
}

percentile_markers! {
    /// The median frame time.
    FrameP50 = Figure::Percentile(Percentile::P50), "Frame p50";
    /// The 95th percentile of the frame time.
    FrameP95 = Figure::Percentile(Percentile::P95), "Frame p95";
    /// The 99th percentile of the frame time.
    FrameP99 = Figure::Percentile(Percentile::P99), "Frame p99";
}

/// The rows of the frame series' p50, p95 and p99. Register them with
/// [`PerfUiPercentilesAppExt::add_perf_ui_frame_percentiles`].
#[derive(Bundle, Default)]
pub struct PerfUiFramePercentiles {
    /// The median.
    pub p50: PerfUiEntryPercentile<FrameP50>,
    /// The 95th percentile.
    pub p95: PerfUiEntryPercentile<FrameP95>,
    /// The 99th percentile.
    pub p99: PerfUiEntryPercentile<FrameP99>,
}

/// Registers rows. The app adds `PerfUiPlugin` itself.
pub trait PerfUiPercentilesAppExt {
    /// Registers [`PerfUiEntryDiagnostic<E>`]. Once for each `E`.
    fn add_perf_ui_diagnostic<E: DiagnosticEntry>(&mut self) -> &mut Self;
    /// Registers [`PerfUiEntryPercentile<E>`]. Once for each `E`.
    fn add_perf_ui_percentile<E: PercentileEntry>(&mut self) -> &mut Self;
    /// Registers the rows of [`PerfUiFramePercentiles`]. Once.
    fn add_perf_ui_frame_percentiles(&mut self) -> &mut Self;
}

impl PerfUiPercentilesAppExt for App {
    fn add_perf_ui_diagnostic<E: DiagnosticEntry>(&mut self) -> &mut Self {
        self.add_perf_ui_simple_entry::<PerfUiEntryDiagnostic<E>>()
    }

    fn add_perf_ui_percentile<E: PercentileEntry>(&mut self) -> &mut Self {
        self.add_perf_ui_simple_entry::<PerfUiEntryPercentile<E>>()
    }

    fn add_perf_ui_frame_percentiles(&mut self) -> &mut Self {
        self.add_perf_ui_percentile::<FrameP50>()
            .add_perf_ui_percentile::<FrameP95>()
            .add_perf_ui_percentile::<FrameP99>()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_reading_is_computed_when_due_and_never_while_hidden() {
        let start = Instant::now();
        let mut cached = Cached::default();
        let mut computed = 0;
        for i in 0..100u32 {
            let reading = cached.reading(start + Duration::from_millis(10) * i, true, || {
                computed += 1;
                Some(PerfUiReading::Value(f64::from(computed)))
            });
            assert_eq!(reading, Some(PerfUiReading::Value(f64::from(i / 25 + 1))));
        }
        let hidden = cached.reading(start + Duration::from_secs(9), false, || panic!("computed while hidden"));
        assert_eq!(hidden, None);
    }

    #[test]
    fn what_hides_a_root() {
        let none = Node { display: Display::None, ..Node::default() };
        for (visible, root) in [
            (true, (None, None, None)),
            (true, (Some(&Visibility::Visible), Some(&InheritedVisibility::HIDDEN), None)),
            (false, (Some(&Visibility::Hidden), None, None)),
            (false, (Some(&Visibility::Inherited), Some(&InheritedVisibility::HIDDEN), None)),
            (true, (Some(&Visibility::Inherited), Some(&InheritedVisibility::VISIBLE), None)),
            (false, (None, None, Some(&none))),
        ] {
            assert_eq!(any_visible([root].into_iter()), visible, "{root:?}");
        }
        assert!(!any_visible(std::iter::empty()));
    }

    #[test]
    fn too_few_frames_are_said_in_words() {
        let few = Summary::of(&[8_000_000; 100]);
        assert_eq!(Figure::Percentile(Percentile::P50).of(&few), Some(PerfUiReading::Value(8.0)));
        assert_eq!(Figure::Percentile(Percentile::P99).of(&few), Some(PerfUiReading::TooFewFrames));
        assert_eq!(Figure::Low(LowDefinition::TimeIntegral).of(&few), Some(PerfUiReading::TooFewFrames));
        assert_eq!(Figure::Fps.of(&few), Some(PerfUiReading::Value(125.0)));
        assert_eq!(Figure::Max.of(&Summary::default()), None);
        assert_eq!(text(&PerfUiReading::TooFewFrames, 2, "ms"), "too few frames");
        assert_eq!(text(&PerfUiReading::Value(8.0), 2, "ms"), "8.00 ms");
    }
}
