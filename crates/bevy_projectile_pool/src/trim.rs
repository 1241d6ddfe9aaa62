//! How much room a pool should keep, from the recent past.

use crate::TrimPolicy;

const BUCKETS: usize = 8;

/// The greatest live count of the last `idle_ticks` ticks, over a ring of buckets: it forgets late, never early.
///
/// What happened before a pool's first tick is unknown and counts as infinite, so that nothing is given back before a
/// whole idle time has passed.
pub(crate) struct RecentPeak {
    past: [usize; BUCKETS],
    oldest: usize,
    current: usize,
    ticks: u32,
}

impl Default for RecentPeak {
    fn default() -> Self {
        Self { past: [usize::MAX; BUCKETS], oldest: 0, current: 0, ticks: 0 }
    }
}

impl RecentPeak {
    /// Notes one tick's live count.
    pub fn note(&mut self, live: usize, policy: &TrimPolicy) {
        if self.ticks >= policy.idle_ticks.div_ceil(BUCKETS as u32) {
            self.past[self.oldest] = self.current;
            self.oldest = (self.oldest + 1) % BUCKETS;
            self.current = 0;
            self.ticks = 0;
        }
        self.ticks += 1;
        self.current = self.current.max(live);
    }

    /// The room to shrink to, or `None` to leave `room` as it is. `minimum` is kept in any case.
    pub fn shrink_to(&self, room: usize, minimum: usize, policy: &TrimPolicy) -> Option<usize> {
        if policy.idle_ticks == u32::MAX {
            return None;
        }
        let peak = self.past.iter().copied().fold(self.current, usize::max);
        let kept = (peak as f64 * f64::from(policy.keep)).ceil() as usize; // a cast from float saturates
        let kept = kept.max(minimum).max(policy.minimum as usize);
        (room > kept.saturating_add(kept / 2)).then_some(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(peak: &mut RecentPeak, policy: &TrimPolicy, ticks: u32, live: usize) {
        for _ in 0..ticks {
            peak.note(live, policy);
        }
    }

    #[test]
    fn room_is_given_back_after_the_idle_time_and_not_before() {
        let policy = TrimPolicy { idle_ticks: 80, keep: 1.25, minimum: 10 };
        let mut peak = RecentPeak::default();
        after(&mut peak, &policy, 1, 1000);
        after(&mut peak, &policy, 79, 100);
        assert_eq!(peak.shrink_to(5000, 0, &policy), None, "the peak is 79 ticks old");
        after(&mut peak, &policy, 30, 100);
        assert_eq!(peak.shrink_to(5000, 0, &policy), Some(125));
        assert_eq!(peak.shrink_to(187, 0, &policy), None, "within one and a half times the target");
        assert_eq!(peak.shrink_to(188, 0, &policy), Some(125));
        assert_eq!(peak.shrink_to(5000, 400, &policy), Some(400), "the pool's own minimum");
    }

    #[test]
    fn each_limit_holds_alone() {
        let policy = TrimPolicy { idle_ticks: 8, keep: 1.0, minimum: 50 };
        let mut peak = RecentPeak::default();
        after(&mut peak, &policy, 100, 0);
        assert_eq!(peak.shrink_to(1000, 0, &policy), Some(50));
        assert_eq!(peak.shrink_to(1000, 0, &TrimPolicy::NEVER), None);
        let none = TrimPolicy { minimum: 0, ..policy };
        assert_eq!(peak.shrink_to(1000, 0, &none), Some(0));
        assert_eq!(peak.shrink_to(0, 0, &none), None);
    }

    #[test]
    fn an_idle_time_of_zero_forgets_at_once() {
        let policy = TrimPolicy { idle_ticks: 0, keep: 1.0, minimum: 0 };
        let mut peak = RecentPeak::default();
        after(&mut peak, &policy, 9, 7);
        assert_eq!(peak.shrink_to(100, 0, &policy), Some(7));
    }
}
