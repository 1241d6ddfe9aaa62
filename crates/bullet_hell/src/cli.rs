//! The command line.

use std::path::PathBuf;

use bevy_projectile_pool::prelude::{PoolingStrategy, ProjectileSettings};
use clap::Parser;

use crate::game::Density;

/// Play a bullet-hell game, and change how its projectiles are stored while you play.
#[derive(Parser, Clone, Debug)]
#[command(version)]
pub struct Options {
    /// How projectiles are stored at the start: despawn-respawn, component-recycling or parallel-arrays
    #[arg(long, value_name = "STRATEGY", default_value_t)]
    pub strategy: PoolingStrategy,

    /// The seed: the same seed and the same inputs give the same game [default: 1; of --stress: 12345]
    #[arg(long)]
    pub seed: Option<u64>,

    /// Let a simple pilot play; it loses no lives
    #[arg(long, conflicts_with = "stress")]
    pub autoplay: bool,

    /// Multiply the projectiles of every enemy pattern, from 0.25 to 8
    #[arg(long, value_name = "FACTOR", value_parser = density, default_value_t = 1.0, conflicts_with = "stress")]
    pub density: f32,

    /// Replace the game by the reference stream: S projectiles a tick, 20 to 39 ticks each
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub stress: Option<u32>,

    /// Threads of Bevy's task pools; with two or more they share each step of parallel-arrays [default: as many as cores,
    /// and one for the steps]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,

    /// End the run after N ticks, 60 a second
    #[arg(long, value_name = "N")]
    pub ticks: Option<u64>,

    /// Go to the next strategy every N ticks
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub switch_every: Option<u64>,

    /// Run without a window or a graphics driver, as fast as it goes: 3,600 ticks unless --ticks says otherwise. The
    /// pilot plays
    #[arg(long)]
    pub headless: bool,

    /// Save a picture at the last tick (needs --ticks); with --headless it is drawn without a window
    #[arg(long, value_name = "PNG", value_parser = png, requires = "ticks")]
    pub screenshot: Option<PathBuf>,

    /// Open with the overlay shown (F1 shows and hides it)
    #[arg(long)]
    pub overlay: bool,

    /// Fail if there is no display or no graphics driver, rather than run without
    #[arg(long, conflicts_with = "headless")]
    pub windowed: bool,

    /// Ticks of each run where the demo plays by itself in every strategy
    #[arg(long, hide = true, default_value_t = 15_000)]
    pub contest_ticks: u64,

    /// Write a report of the run as JSON to a file, or to standard output with "-"
    #[arg(long, value_name = "PATH|-")]
    pub report: Option<PathBuf>,
}

impl Options {
    /// How many ticks a run without a window makes if nothing else is said: a minute of play.
    pub const HEADLESS_TICKS: u64 = 3600;

    /// The seed in use.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(if self.stress.is_some() { 12345 } else { 1 })
    }

    /// The seed of the reference stream, which takes 32 bits: both halves of the seed count.
    #[must_use]
    pub fn stream_seed(&self) -> u32 {
        let seed = self.seed();
        (seed ^ (seed >> 32)) as u32
    }

    /// From how many projectiles on threads share a step.
    #[must_use]
    pub fn parallel_from(&self) -> u32 {
        if self.threads.is_some_and(|threads| threads > 1) { 0 } else { ProjectileSettings::NEVER }
    }

    /// How many ticks the run makes, or `None` if it ends by hand.
    #[must_use]
    pub fn limit(&self) -> Option<u64> {
        self.ticks.or(self.headless.then_some(Self::HEADLESS_TICKS))
    }

    /// Whether the pilot plays: as told, and where nobody can press keys.
    #[must_use]
    pub fn pilot_plays(&self) -> bool {
        self.autoplay || self.headless
    }

    /// Whether the user asked for one particular run, rather than to play.
    #[must_use]
    pub fn is_a_run(&self) -> bool {
        self.ticks.is_some() || self.report.is_some() || self.switch_every.is_some()
    }
}

fn png(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_png = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"));
    if is_png { Ok(path) } else { Err("its name must end in .png".to_owned()) }
}

fn density(text: &str) -> Result<f32, String> {
    let range = Density::MIN..=Density::MAX;
    match text.parse::<f32>() {
        Ok(factor) if range.contains(&factor) => Ok(factor),
        Ok(_) => Err(format!("it must be from {} to {}", Density::MIN, Density::MAX)),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, clap::Error> {
        Options::try_parse_from(std::iter::once("bullet_hell").chain(line.split_whitespace()))
    }

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        Options::command().debug_assert();
    }

    #[test]
    fn headless_runs_end_and_are_played_by_the_pilot() {
        let options = parse("--headless").unwrap();
        assert_eq!(options.limit(), Some(3600));
        assert!(options.pilot_plays());
        assert_eq!(parse("--headless --ticks 0").unwrap().limit(), Some(0));
        assert_eq!(parse("").unwrap().limit(), None);
        assert!(!parse("").unwrap().pilot_plays());
    }

    #[test]
    fn senseless_options_are_refused_with_a_reason() {
        for (line, part) in [
            ("--strategy arrays", "parallel-arrays"),
            ("--switch-every 0", "switch-every"),
            ("--density 99", "from 0.25 to 8"),
            ("--density nan", "from 0.25 to 8"),
            ("--stress=-1", "stress"),
            ("--threads 0", "threads"),
            ("--headless --windowed", "cannot be used with"),
            ("--screenshot a.png", "--ticks"),
            ("--screenshot a.jpg --ticks 1", ".png"),
            ("--stress 1 --autoplay", "cannot be used with"),
        ] {
            let error = parse(line).expect_err(line).to_string();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
