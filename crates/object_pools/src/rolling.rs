//! Extremes and rates over a time that moves on.

use std::time::Duration;

/// A window is cut into as many parts.
const PARTS: u64 = 64;
/// The parts that are kept: those of the window, the one begun, and one more, as the oldest is forgotten whole.
const BUCKETS: usize = PARTS as usize + 2;

/// The greatest value recorded within a window of time. Values are forgotten by whole parts of a 64th of the window, so up
/// to two of them late, and never early. Recording costs O(1) but for the parts that were skipped, reading O(66).
#[derive(Clone, Debug)]
pub(crate) struct RollingMax {
    part: u64,
    /// The part of the last record, counted from the clock's zero.
    last: u64,
    values: [usize; BUCKETS],
}

impl RollingMax {
    pub fn new(window: Duration) -> Self {
        let nanos = u64::try_from(window.as_nanos()).unwrap_or(u64::MAX);
        Self { part: nanos.div_ceil(PARTS).max(1), last: 0, values: [0; BUCKETS] }
    }

    pub fn record(&mut self, now: Duration, value: usize) {
        self.move_to(now);
        let place = (self.last % BUCKETS as u64) as usize;
        self.values[place] = self.values[place].max(value);
    }

    /// Adds to every value that was recorded and is not forgotten.
    pub fn add_to_all(&mut self, more: usize) {
        self.values.iter_mut().filter(|value| **value > 0).for_each(|value| *value = value.saturating_add(more));
    }

    pub fn max(&self) -> usize {
        self.values.iter().copied().max().unwrap_or(0)
    }

    /// Forgets the parts that are over. A clock that goes back stands still.
    fn move_to(&mut self, now: Duration) {
        let part = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX) / self.part;
        let skipped = part.saturating_sub(self.last).min(BUCKETS as u64);
        for step in 1..=skipped {
            self.values[((self.last + step) % BUCKETS as u64) as usize] = 0;
        }
        if skipped == BUCKETS as u64 {
            self.values = [0; BUCKETS];
        }
        self.last = self.last.max(part);
    }
}

/// Events a minute, over the last minute.
#[cfg(feature = "stats")]
#[derive(Clone, Debug, Default)]
pub(crate) struct Rate {
    /// Time and count at the first look of each second, oldest first.
    marks: std::collections::VecDeque<(Duration, u64)>,
}

#[cfg(feature = "stats")]
impl Rate {
    const MINUTE: Duration = Duration::from_secs(60);

    pub fn new() -> Self {
        Self { marks: std::collections::VecDeque::with_capacity(64) }
    }

    /// Looks at the clock and the count, and says how many events a minute there were.
    pub fn look(&mut self, now: Duration, count: u64) -> f64 {
        if self.marks.back().is_none_or(|last| now.saturating_sub(last.0) >= Duration::from_secs(1)) {
            self.marks.push_back((now, count));
        }
        // The oldest mark is the last one from before the minute began.
        while self.marks.len() > 1 && now.saturating_sub(self.marks[1].0) >= Self::MINUTE {
            self.marks.pop_front();
        }
        let (then, before) = self.marks[0];
        let seconds = now.saturating_sub(then).as_secs_f64();
        if seconds > 0.0 { count.saturating_sub(before) as f64 * 60.0 / seconds } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_value_is_forgotten_late_and_never_early() {
        for start in [0, 1, 9, 10, 634, 641, 12_345] {
            let mut rolling = RollingMax::new(ms(640));
            rolling.record(ms(start), 7);
            for later in 0..=640 {
                rolling.record(ms(start + later), 1);
                assert_eq!(rolling.max(), 7, "recorded at {start}, forgotten {later} ms later");
            }
            rolling.record(ms(start + 640 + 21), 1);
            assert_eq!(rolling.max(), 1, "recorded at {start}, still there two parts after the window");
        }
    }

    #[test]
    fn a_long_silence_forgets_everything_and_a_clock_that_goes_back_nothing() {
        let mut rolling = RollingMax::new(ms(640));
        rolling.record(ms(5000), 7);
        rolling.record(ms(100), 3);
        assert_eq!(rolling.max(), 7);
        rolling.record(ms(5_000_000), 2);
        assert_eq!(rolling.max(), 2);
        rolling.record(Duration::MAX, 1);
        assert_eq!(rolling.max(), 1);
    }

    #[test]
    fn windows_of_no_time_and_of_all_time_work() {
        let mut none = RollingMax::new(Duration::ZERO);
        none.record(ms(1), 5);
        none.record(ms(2), 4);
        assert_eq!(none.max(), 4);
        let mut all = RollingMax::new(Duration::MAX);
        all.record(ms(1), 5);
        all.record(Duration::from_secs(1 << 32), 4);
        assert_eq!(all.max(), 5);
    }

    #[cfg(feature = "stats")]
    #[test]
    fn rates_are_of_the_last_minute() {
        let second = Duration::from_secs;
        let mut rate = Rate::new();
        assert_eq!(rate.look(second(100), 0), 0.0);
        assert_eq!(rate.look(second(110), 20), 120.0);
        assert_eq!(rate.look(second(160), 20), 20.0, "20 in 60 seconds");
        assert_eq!(rate.look(second(170), 20), 0.0, "none since second 110");
        assert_eq!(rate.look(second(50), 20), 0.0, "a clock that goes back");
    }
}
