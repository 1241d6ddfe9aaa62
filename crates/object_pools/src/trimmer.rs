//! Decides how many idle items go. It owns no item and calls nobody, so that it can be tested with any clock.

use std::time::Duration;

use crate::{TrimPolicy, rolling::RollingMax};

/// What a pool saw since the last look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// Items idle now.
    pub idle: usize,
    /// The fewest that were idle.
    pub least_idle: usize,
    /// Items outside now.
    pub used: usize,
    /// The most that were outside.
    pub most_used: usize,
}

/// How many items go, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub idle_timeout: usize,
    pub maximum: usize,
}

#[derive(Debug)]
pub(crate) struct Trimmer {
    policy: TrimPolicy,
    peaks: RollingMax,
    /// The complements of the fewest idle items: a minimum, as the maximum of complements.
    lows: RollingMax,
    began: Option<Duration>,
    last_purge: Option<Duration>,
}

impl Trimmer {
    pub fn new(policy: TrimPolicy) -> Self {
        Self {
            policy,
            peaks: RollingMax::new(policy.peak_window),
            lows: RollingMax::new(policy.idle_timeout),
            began: None,
            last_purge: None,
        }
    }

    /// Takes note of what was seen until now.
    pub fn look(&mut self, now: Duration, seen: Seen) {
        self.began.get_or_insert(now);
        self.peaks.record(now, seen.most_used);
        self.lows.record(now, !seen.least_idle);
    }

    /// So many idle items were let go: those below the others, of which as many fewer were left untouched.
    pub fn let_go(&mut self, count: usize) {
        self.lows.add_to_all(count);
    }

    pub fn rolling_peak(&self) -> usize {
        self.peaks.max()
    }

    /// Takes note of what was seen until now, and decides.
    pub fn decide(&mut self, now: Duration, seen: Seen) -> Verdict {
        self.look(now, seen);
        let policy = &self.policy;
        if self.last_purge.is_some_and(|last| now.saturating_sub(last) < policy.hysteresis) {
            return Verdict::default();
        }
        let watched = self.began.map_or(Duration::ZERO, |began| now.saturating_sub(began));
        // In a stack, the items that nobody took within the timeout are those below its lowest point.
        let untouched = if watched >= policy.idle_timeout { !self.lows.max() } else { 0 };
        // A float to an integer saturates, so a great buffer keeps all.
        let for_the_peak = (self.peaks.max() as f64 * policy.peak_buffer).ceil() as usize;
        let floor = policy.minimum.max(for_the_peak.saturating_sub(seen.used));
        let idle_timeout = untouched.min(seen.idle.saturating_sub(floor)).min(policy.per_call);
        let left = seen.idle - idle_timeout;
        let maximum = left.saturating_sub(policy.maximum).min(policy.per_call - idle_timeout);
        if idle_timeout + maximum > 0 {
            self.last_purge = Some(now);
        }
        Verdict { idle_timeout, maximum }
    }
}
