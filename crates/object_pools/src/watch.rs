//! What a pool remembers of its use from call to call: peaks, and what trimming needs to know.

use std::time::Duration;

use crate::{
    PoolStats, TrimPolicy,
    trimmer::{Seen, Trimmer, Verdict},
};

#[derive(Debug)]
pub(crate) struct Watch {
    trimmer: Trimmer,
    /// The most that were outside at once, ever.
    peak: usize,
    /// The same since the clock was last looked at.
    recent_peak: usize,
    /// The fewest that were idle since then.
    recent_low: usize,
    #[cfg(feature = "stats")]
    rate: crate::rolling::Rate,
}

impl Watch {
    pub fn new(policy: TrimPolicy) -> Self {
        Self {
            trimmer: Trimmer::new(policy),
            peak: 0,
            recent_peak: 0,
            recent_low: 0,
            #[cfg(feature = "stats")]
            rate: crate::rolling::Rate::new(),
        }
    }

    /// There were `total` items in all, and at the lowest point so few of them idle.
    pub fn note(&mut self, total: usize, least_idle: usize) {
        let used = total.saturating_sub(least_idle);
        self.peak = self.peak.max(used);
        self.recent_peak = self.recent_peak.max(used);
        self.recent_low = self.recent_low.min(least_idle);
    }

    /// So many idle items were let go, those that were idle the longest.
    pub fn let_go(&mut self, count: usize) {
        self.recent_low = self.recent_low.saturating_sub(count);
        self.trimmer.let_go(count);
    }

    fn seen(&mut self, idle: usize, total: usize) -> Seen {
        let used = total.saturating_sub(idle);
        self.note(total, idle);
        let seen = Seen { idle, least_idle: self.recent_low, used, most_used: self.recent_peak };
        self.recent_low = idle;
        self.recent_peak = used;
        seen
    }

    /// How many of the idle items go now.
    pub fn decide(&mut self, now: Duration, idle: usize, total: usize) -> Verdict {
        let seen = self.seen(idle, total);
        self.trimmer.decide(now, seen)
    }

    /// Adds to a snapshot what needs the clock and the past.
    /// `idle` are the items that trimming may take.
    pub fn complete(&mut self, now: Duration, mut stats: PoolStats, idle: usize) -> PoolStats {
        let seen = self.seen(idle, stats.idle + stats.live);
        self.trimmer.look(now, seen);
        stats.peak = self.peak;
        stats.rolling_peak = self.trimmer.rolling_peak();
        #[cfg(feature = "stats")]
        {
            stats.rents_per_minute = self.rate.look(now, stats.rents);
        }
        stats
    }
}
