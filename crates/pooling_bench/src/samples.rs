//! The samples of one run of a cell, and the figures that are read from them.

use std::time::Duration;

use bevy_frame_percentiles::Percentile;
use serde::{Deserialize, Serialize};

use crate::meter::{Events, Measured};

/// One value for each measured frame, in nanoseconds, in the order of the frames. A column that does not apply is empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// The whole frame, on the wall.
    pub wall: Vec<u64>,
    /// The whole frame, time of the thread on its processor.
    pub cpu: Vec<u64>,
    /// Making the projectiles of the stream.
    pub generation: Vec<u64>,
    /// Storing what is spawned.
    pub spawn: Vec<u64>,
    /// Moving; in `article` also testing and retiring, which its storages do in one loop.
    pub integrate: Vec<u64>,
    /// Ending and releasing.
    pub retire: Vec<u64>,
    /// What happened in the frame, if it was asked for.
    pub events: Vec<Events>,
    /// Whether the storage's tables or blocks grew in the frame, if it was asked for.
    pub growth: Vec<bool>,
}

impl Samples {
    /// Columns with room, so that recording allocates nothing.
    #[must_use]
    pub fn with_capacity(frames: usize) -> Self {
        let room = || Vec::with_capacity(frames);
        Self {
            wall: room(),
            cpu: room(),
            generation: room(),
            spawn: room(),
            integrate: room(),
            retire: room(),
            events: Vec::with_capacity(frames),
            growth: Vec::with_capacity(frames),
        }
    }

    /// Adds a frame.
    pub fn push(&mut self, measured: Measured) {
        self.wall.push(ns(measured.wall));
        self.cpu.extend(measured.cpu.map(ns));
        self.events.extend(measured.events);
    }
}

/// Whole nanoseconds.
#[must_use]
pub fn ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// A percentile of samples by nearest rank, in microseconds; `None` without samples.
#[must_use]
pub fn percentile_us(samples: &[u64], percentile: Percentile) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    let rank = percentile.rank(sorted.len() as u64) as usize;
    rank.checked_sub(1).map(|place| sorted[place] as f64 / 1e3)
}

/// The median of samples by nearest rank, in microseconds; `None` without samples.
#[must_use]
pub fn median_us(samples: &[u64]) -> Option<f64> {
    percentile_us(samples, Percentile::P50)
}

/// The median of values: the middle one, or the mean of the middle two. `None` without values.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_the_nearest_rank_by_hand() {
        // 1 to 600 microseconds, out of order: ranks 300, 570 and 594.
        let samples: Vec<u64> = (0..600).map(|k| (k * 7 % 600 + 1) * 1000).collect();
        assert_eq!(percentile_us(&samples, Percentile::P50), Some(300.0));
        assert_eq!(percentile_us(&samples, Percentile::P95), Some(570.0));
        assert_eq!(percentile_us(&samples, Percentile::P99), Some(594.0));
        assert_eq!(percentile_us(&[], Percentile::P50), None);
        assert_eq!(median_us(&[5000]), Some(5.0));
    }

    #[test]
    fn medians_of_repeats_are_by_hand() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[9.0, 1.0, 2.0, 4.0]), Some(3.0));
    }
}
