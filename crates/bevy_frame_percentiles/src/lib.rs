//! Live frame-time percentiles for any Bevy app: a recorder, an egui overlay, and entries for `iyes_perf_ui`.
//!
//! - [`FramePercentilesPlugin`] records three [`Series`] into a [`FrameRecorder`]; it needs neither window nor renderer.
//! - [`overlay::PercentileOverlayPlugin`] shows them in an egui window (feature `overlay`, on by default).
//! - [`perf_ui`] has rows for `iyes_perf_ui` (feature `perf_ui`, on by default).
//!
//! The README has a quick start and the definitions of all figures.

#![deny(missing_docs)]

pub mod percentile;
pub mod plugin;
pub mod recorder;
#[cfg_attr(not(any(feature = "overlay", feature = "perf_ui")), allow(dead_code))]
mod refresh;
pub mod series;
pub mod stutter;
pub mod summary;

#[cfg(feature = "overlay")]
pub mod overlay;
#[cfg(feature = "perf_ui")]
pub mod perf_ui;

pub use percentile::{LowDefinition, Percentile, Quantile};
pub use plugin::{FrameEnd, FramePercentilesPlugin, FrameRecorderSystems, FrameStart};
pub use recorder::FrameRecorder;
pub use refresh::REFRESH_INTERVAL;
pub use series::{SampleSeries, Series};
pub use summary::Summary;

/// What an app needs most.
pub mod prelude {
    #[cfg(feature = "overlay")]
    pub use crate::overlay::{
        OverlayChoices, OverlayDiagnostics, OverlaySlider, OverlaySliders, PercentileOverlay, PercentileOverlayPlugin,
    };
    #[cfg(feature = "perf_ui")]
    pub use crate::perf_ui::{
        DiagnosticEntry, Figure, PercentileEntry, PerfUiEntryDiagnostic, PerfUiEntryPercentile, PerfUiPercentilesAppExt,
    };
    pub use crate::{FramePercentilesPlugin, FrameRecorder, LowDefinition, Percentile, Quantile, Series, Summary};
}

#[cfg(all(doctest, feature = "overlay", feature = "perf_ui"))]
#[doc = include_str!("../README.md")]
struct ReadmeDoctests;
