//! Four times a second is as fast as figures can be read.

use std::time::{Duration, Instant};

/// How long a shown figure stays before it is computed anew: 250 ms, four times a second.
pub const REFRESH_INTERVAL: Duration = Duration::from_millis(250);

/// Says when the next refresh is due.
#[derive(Debug, Default)]
pub(crate) struct RefreshTimer {
    last: Option<Instant>,
}

impl RefreshTimer {
    /// Whether a refresh is due at `now`; if so, the next one is due [`REFRESH_INTERVAL`] later.
    pub fn due(&mut self, now: Instant) -> bool {
        let due = self.last.is_none_or(|last| now.saturating_duration_since(last) >= REFRESH_INTERVAL);
        if due {
            self.last = Some(now);
        }
        due
    }

    /// Makes the next call of [`Self::due`] true.
    #[cfg(feature = "overlay")]
    pub fn expire(&mut self) {
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_each_50_ms_makes_every_fifth_due() {
        let start = Instant::now();
        let mut timer = RefreshTimer::default();
        let frames = (0..3600u32).filter(|&i| timer.due(start + Duration::from_millis(50) * i));
        // A frame each 50 ms: every fifth is due.
        assert_eq!(frames.count(), 720);
    }
}
