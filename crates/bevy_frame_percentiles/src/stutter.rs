//! Stutter: frames far above what the player was used to a moment ago.

use bevy::reflect::Reflect;

/// How many samples before a frame make the median it is compared with.
pub const STUTTER_HISTORY: usize = 120;

/// The first samples of a window are not judged until this many came before them.
pub const STUTTER_MIN_HISTORY: usize = 30;

/// Stutter in a window of samples: frames longer than 2.5 times the median of the [`STUTTER_HISTORY`] before them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
pub struct Stutter {
    /// How many frames stuttered.
    pub frames: usize,
    /// Their share of the window's time, 0 to 1.
    pub share: f64,
}

impl Stutter {
    /// Counts stutter in samples given in the order they were recorded, in nanoseconds.
    ///
    /// A sample is compared with those before it in the slice; a median of zero judges nothing. Cost: one binary
    /// search and a shift of at most 120 numbers a sample; one allocation of that size.
    pub fn of(samples: &[u64]) -> Self {
        let mut recent: Vec<u64> = Vec::with_capacity(STUTTER_HISTORY + 1);
        let (mut frames, mut slow, mut total) = (0, 0u128, 0u128);
        for (i, &ns) in samples.iter().enumerate() {
            total += u128::from(ns);
            if recent.len() >= STUTTER_MIN_HISTORY {
                let median = recent[recent.len().div_ceil(2) - 1];
                if median > 0 && u128::from(ns) * 2 > u128::from(median) * 5 {
                    frames += 1;
                    slow += u128::from(ns);
                }
            }
            recent.insert(recent.partition_point(|&other| other < ns), ns);
            if let Some(oldest) = i.checked_sub(STUTTER_HISTORY) {
                let oldest = samples[oldest];
                recent.remove(recent.partition_point(|&other| other < oldest));
            }
        }
        Self { frames, share: if total == 0 { 0.0 } else { slow as f64 / total as f64 } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_long_frame_among_short_ones() {
        let mut samples = vec![10; 100];
        samples[50] = 100;
        // 1 of 100 frames; 100 of 99 * 10 + 100 = 1090.
        assert_eq!(Stutter::of(&samples), Stutter { frames: 1, share: 100.0 / 1090.0 });
    }

    #[test]
    fn exactly_two_and_a_half_times_is_none() {
        let mut samples = vec![10; 100];
        samples[50] = 25;
        assert_eq!(Stutter::of(&samples).frames, 0);
        samples[50] = 26;
        assert_eq!(Stutter::of(&samples).frames, 1);
    }

    #[test]
    fn a_lasting_slow_down_stops_being_stutter_when_it_is_the_median() {
        // 120 frames of 10, then 200 of 100. The median of the last 120 (the 60th in order) is 10 while at least 60
        // of them are short: that holds for the long frames 0 to 60, and no longer.
        let samples: Vec<u64> = [10; 120].into_iter().chain([100; 200]).collect();
        assert_eq!(Stutter::of(&samples).frames, 61);
    }

    #[test]
    fn the_first_samples_and_zeros_are_not_judged() {
        let mut samples = vec![10; STUTTER_MIN_HISTORY + 1];
        samples[STUTTER_MIN_HISTORY - 1] = 1000;
        assert_eq!(Stutter::of(&samples).frames, 0);
        samples.swap(STUTTER_MIN_HISTORY - 1, STUTTER_MIN_HISTORY);
        assert_eq!(Stutter::of(&samples).frames, 1);
        assert_eq!(Stutter::of(&[]), Stutter::default());
        assert_eq!(Stutter::of(&[0; 200]), Stutter::default());
        let mut zeros = vec![0; 200];
        zeros[150] = 5;
        assert_eq!(Stutter::of(&zeros).frames, 0);
    }
}
