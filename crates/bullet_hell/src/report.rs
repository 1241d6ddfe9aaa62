//! The report of a run, as JSON.

use std::{collections::BTreeMap, fs, io, io::Write, path::Path, time::Duration};

use bevy::prelude::World;
use bevy_frame_percentiles::{FrameRecorder, Percentile, Series};
use bevy_projectile_pool::prelude::{ActiveStrategy, PoolChecksum, PoolStats, ProjectileClock};
use serde::{Deserialize, Serialize};

use crate::game::Bullet;

/// What a run came to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The seed of the game, or of the stream.
    pub seed: u64,
    /// The strategy at the end.
    pub strategy: String,
    /// Ticks run.
    pub ticks: u64,
    /// Projectiles spawned.
    pub spawned: u64,
    /// Projectiles ended, by reason.
    pub retired: BTreeMap<String, u64>,
    /// Spawns refused because the pool was full.
    pub rejected: u64,
    /// Projectiles alive at the end.
    pub live: usize,
    /// The most that were alive at once.
    pub peak: usize,
    /// The run's checksum, 16 hexadecimal digits.
    pub checksum: String,
    /// From the start of a frame to the start of the next, milliseconds.
    pub frame_ms: Figures,
    /// From the start of a frame to its end, without waiting for the display, milliseconds.
    pub update_ms: Figures,
    /// One run of the pool's schedule, milliseconds.
    pub tick_ms: Figures,
    /// Bytes that the storage holds at the end.
    pub bytes_held: usize,
}

/// The percentiles of one series by nearest rank; they are null without samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Samples.
    pub n: usize,
    /// The median.
    pub p50: Option<f64>,
    /// 95 % of the samples are at or below it.
    pub p95: Option<f64>,
    /// 99 % of the samples are at or below it.
    pub p99: Option<f64>,
    /// 99.9 % of the samples are at or below it; the maximum if there are fewer than 1,000.
    pub p999: Option<f64>,
    /// The longest.
    pub max: Option<f64>,
}

impl Figures {
    fn of(recorder: &FrameRecorder, series: Series) -> Self {
        let mut samples: Vec<Duration> =
            recorder.labels().flat_map(|label| recorder.samples(series, label).collect::<Vec<_>>()).collect();
        samples.sort_unstable();
        let ms = |sample: Duration| sample.as_secs_f64() * 1e3;
        let nearest = |percentile: Percentile| {
            let rank = percentile.rank(samples.len() as u64) as usize;
            rank.checked_sub(1).and_then(|place| samples.get(place)).copied().map(ms)
        };
        Self {
            n: samples.len(),
            p50: nearest(Percentile::P50),
            p95: nearest(Percentile::P95),
            p99: nearest(Percentile::P99),
            p999: nearest(Percentile::P999),
            max: samples.last().copied().map(ms),
        }
    }
}

impl Report {
    /// Reads the state of an app with a pool of [`Bullet`] and a [`FrameRecorder`].
    #[must_use]
    pub fn of(world: &World, seed: u64) -> Self {
        let stats = world.resource::<PoolStats<Bullet>>();
        let recorder = world.resource::<FrameRecorder>();
        Self {
            seed,
            strategy: world.resource::<ActiveStrategy<Bullet>>().get().name().to_owned(),
            ticks: world.resource::<ProjectileClock>().ticks(),
            spawned: stats.spawned,
            retired: stats.retired.iter().map(|(reason, count)| (reason.name().to_owned(), count)).collect(),
            rejected: stats.rejected,
            live: stats.live,
            peak: stats.peak,
            checksum: format!("{:016x}", world.resource::<PoolChecksum<Bullet>>().run()),
            frame_ms: Figures::of(recorder, Series::Frame),
            update_ms: Figures::of(recorder, Series::Update),
            tick_ms: Figures::of(recorder, Series::Tick),
            bytes_held: stats.bytes_held,
        }
    }

    /// The run in one line, for people.
    #[must_use]
    pub fn summary(&self) -> String {
        let ms = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.4} ms"));
        format!(
            "{}: {} ticks, {} spawned, {} live, checksum {}, tick p50 {}, p99 {} (--report - for all figures)",
            self.strategy,
            self.ticks,
            self.spawned,
            self.live,
            self.checksum,
            ms(self.tick_ms.p50),
            ms(self.tick_ms.p99)
        )
    }

    /// Writes the report to a file, or to standard output if the path is `-`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut text = serde_json::to_string_pretty(self).map_err(io::Error::other)?;
        text.push('\n');
        if path == Path::new("-") { io::stdout().lock().write_all(text.as_bytes()) } else { fs::write(path, text) }
    }
}
