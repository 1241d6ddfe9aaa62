//! What a trim lets go, on a clock of the test's: each setting alone, and all together.
#![cfg(not(loom))]

#[macro_use]
mod common;

use common::*;
use object_pools::{PoolSettings, TrimPolicy};

/// Windows of this are forgotten by parts of a second: a value up to two seconds late, and never early.
const MINUTE: u64 = 64;
const LATE: u64 = 2;

both_pools! {
    /// A pool that keeps all that comes back, and lends its items one by one. At the beginning it is looked at once.
    fn pool(trim: TrimPolicy) -> (Pool<Item, impl Fn() -> Item + use<>>, Lives) {
        let lives = Lives::default();
        let settings = PoolSettings { magazine: 1, trim, ..keeping(10_000) };
        let pool = Pool::with_settings(lives.factory(), settings).unwrap();
        assert_eq!(pool.trim(START), 0);
        (pool, lives)
    }

    /// Holds so many at once, and returns them.
    fn hold<F: Fn() -> Item + 'static>(pool: &Pool<Item, F>, count: usize) {
        let leases: Vec<_> = (0..count).map(|_| pool.lease()).collect();
        // A trim looks at what was idle while they were held.
        drop(leases);
        settle(pool);
    }

    #[test]
    fn nothing_goes_by_itself() {
        let (pool, lives) = pool(TrimPolicy::NEVER);
        hold(&pool, 100);
        for hour in 0..1000 {
            assert_eq!(pool.trim(seconds(3600 * hour)), 0);
        }
        assert_eq!(pool.idle(), 100);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// Idle items go after the timeout, not before, and soon after.
    #[test]
    fn the_idle_timeout_alone() {
        let (pool, lives) = pool(TrimPolicy::after(seconds(MINUTE)));
        hold(&pool, 10);
        for second in 0..=MINUTE {
            assert_eq!(pool.trim(seconds(second)), 0, "second {second}");
        }
        assert_eq!(pool.trim(seconds(MINUTE + LATE)), 10);
        assert_eq!((pool.idle(), pool.stats(START).purges.idle_timeout), (0, 10));
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// An owner that seldom looks lets go no earlier than one that looks often.
    #[test]
    fn the_idle_timeout_with_few_looks() {
        let (pool, lives) = pool(TrimPolicy::after(seconds(MINUTE)));
        hold(&pool, 10);
        // They may have been in use until a moment ago, for all that a look knows.
        assert_eq!(pool.trim(seconds(1000)), 0);
        assert_eq!(pool.trim(seconds(1000 + MINUTE)), 0);
        assert_eq!(pool.trim(seconds(1000 + MINUTE + LATE)), 10);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// Those that are used now and then stay; the others go.
    #[test]
    fn items_that_are_used_stay() {
        let (pool, lives) = pool(TrimPolicy::after(seconds(MINUTE)));
        hold(&pool, 10);
        let mut gone = 0;
        for second in 1..500 {
            hold(&pool, 4);
            gone += pool.trim(seconds(second));
            assert!(pool.idle() >= 4, "second {second}");
        }
        assert_eq!((gone, pool.idle()), (6, 4));
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// The same where the trim is called more often than the items are used: each call lets go only of what was idle for
    /// so long, not of what is left after a call before it.
    #[test]
    fn items_that_are_used_less_often_than_the_owner_trims_stay() {
        let (pool, lives) = pool(TrimPolicy::after(seconds(MINUTE)));
        hold(&pool, 10);
        for tenth in 10..5000 {
            if tenth % 50 == 0 {
                hold(&pool, 4);
            }
            pool.trim(std::time::Duration::from_millis(100 * tenth));
            assert!(pool.idle() >= 4, "{} are idle after {tenth} tenths of a second, where 4 are in use", pool.idle());
        }
        assert_eq!(pool.idle(), 4);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// The same after a shrink: what it leaves was used.
    #[test]
    fn items_that_a_shrink_left_stay_while_they_are_used() {
        let (pool, lives) = pool(TrimPolicy::after(seconds(MINUTE)));
        hold(&pool, 10);
        pool.trim(START);
        for second in 1..100 {
            hold(&pool, 5);
            pool.trim(seconds(second).min(seconds(MINUTE)));
        }
        assert_eq!(pool.idle(), 10);
        hold(&pool, 5);
        // Five that nobody used go; the other five were used a moment ago.
        assert_eq!(pool.shrink_to(5), 5);
        assert_eq!(pool.trim(seconds(MINUTE + LATE)), 0);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    #[test]
    fn the_minimum_alone() {
        let (pool, lives) = pool(TrimPolicy { minimum: 3, ..TrimPolicy::after(seconds(MINUTE)) });
        hold(&pool, 10);
        pool.trim(START);
        assert_eq!(pool.trim(seconds(MINUTE + LATE)), 7);
        for minute in 2..10 {
            assert_eq!(pool.trim(seconds(MINUTE * minute)), 0);
        }
        assert_eq!(pool.idle(), 3);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// The maximum holds at once, whatever the items' age.
    #[test]
    fn the_maximum_alone() {
        let (pool, lives) = pool(TrimPolicy { maximum: 6, ..TrimPolicy::NEVER });
        hold(&pool, 10);
        assert_eq!(pool.trim(START), 4);
        assert_eq!(pool.trim(START), 0);
        assert_eq!((pool.idle(), pool.stats(START).purges.maximum), (6, 4));
        let held: Vec<_> = (0..6).map(|_| pool.lease()).collect();
        assert_eq!(pool.trim(seconds(1)), 0, "held ones do not count");
        drop(held);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// A maximum of none leaves none.
    #[test]
    fn a_maximum_of_none() {
        let (pool, lives) = pool(TrimPolicy { maximum: 0, ..TrimPolicy::NEVER });
        hold(&pool, 10);
        assert_eq!(pool.trim(START), 10);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// After a call that let something go, none does for a while.
    #[test]
    fn the_hysteresis_alone() {
        let (pool, lives) = pool(TrimPolicy { maximum: 2, hysteresis: seconds(10), ..TrimPolicy::NEVER });
        hold(&pool, 5);
        assert_eq!(pool.trim(seconds(100)), 3, "the first may go at once");
        for second in 100..110 {
            hold(&pool, 5);
            assert_eq!(pool.trim(seconds(second)), 0, "second {second}");
        }
        assert_eq!(pool.trim(seconds(110)), 3);
        assert_eq!(pool.idle(), 2);
        // A call that lets nothing go does not begin a new while.
        assert_eq!(pool.trim(seconds(125)), 0);
        hold(&pool, 5);
        assert_eq!(pool.trim(seconds(126)), 3);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    #[test]
    fn the_bound_of_a_call_alone() {
        let (pool, lives) = pool(TrimPolicy { maximum: 1, per_call: 4, ..TrimPolicy::NEVER });
        hold(&pool, 12);
        assert_eq!([(); 5].map(|()| pool.trim(START)), [4, 4, 3, 0, 0]);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// The bound is for both causes together, and neither lets a call go on for ever.
    #[test]
    fn the_bound_of_a_call_for_both_causes() {
        let policy = TrimPolicy { maximum: 6, per_call: 5, ..TrimPolicy::after(seconds(MINUTE)) };
        let (pool, lives) = pool(policy);
        hold(&pool, 6);
        pool.trim(START);
        pool.trim(seconds(MINUTE));
        // Three of the old ones were used, and four more than the maximum are there.
        hold(&pool, 3);
        pool.trim(seconds(MINUTE));
        let gone = pool.trim(seconds(MINUTE + LATE));
        assert_eq!(gone, 3, "three that nobody used");
        hold(&pool, 20);
        assert_eq!(pool.trim(seconds(MINUTE + LATE)), 5);
        assert!(pool.idle() >= 6);
        while pool.trim(seconds(MINUTE + LATE)) > 0 {}
        assert_eq!(pool.idle(), 6);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// Trims each second. Returns how many went.
    fn trim_from<F: Fn() -> Item + 'static>(pool: &Pool<Item, F>, from: u64, to: u64) -> usize {
        (from..=to).map(|second| pool.trim(seconds(second))).sum()
    }

    /// Items are kept for a peak that is remembered, and a part more.
    #[test]
    fn the_peak_and_its_buffer_alone() {
        for (buffer, kept) in [(0.0, 0), (0.5, 10), (1.0, 20), (1.25, 25), (1.201, 25), (10.0, 30)] {
            let policy = TrimPolicy {
                peak_window: seconds(10 * MINUTE),
                peak_buffer: buffer,
                ..TrimPolicy::after(seconds(MINUTE))
            };
            let (pool, lives) = pool(policy);
            hold(&pool, 30);
            let mut gone = trim_from(&pool, 1, 499);
            assert!(pool.idle() >= ((30.0 * buffer) as usize).min(30), "times {buffer}");
            hold(&pool, 20);
            // In the end the peak of 30 is forgotten, and that of 20 is not.
            gone += trim_from(&pool, 500, 700);
            let stats = pool.stats(seconds(700));
            assert_eq!(stats.rolling_peak, 20, "times {buffer}");
            assert_eq!((pool.idle(), stats.built - gone as u64), (kept, kept as u64), "times {buffer}");
            // When that is forgotten too, all may go.
            trim_from(&pool, 701, 1139);
            assert_eq!(pool.idle(), kept, "times {buffer}");
            trim_from(&pool, 1140, 1161);
            assert_eq!(pool.idle(), 0, "times {buffer}");
            assert_adds_up(&pool.stats(START), &lives, 0);
        }
    }

    /// Held items are part of what is kept for the peak.
    #[test]
    fn the_peak_counts_held_items() {
        let policy =
            TrimPolicy { peak_window: seconds(100 * MINUTE), peak_buffer: 1.5, ..TrimPolicy::after(seconds(MINUTE)) };
        let (pool, lives) = pool(policy);
        hold(&pool, 80);
        pool.shrink_to(0);
        // The peak of 80 is forgotten; the next is of 40, with as many idle ones besides, as the capacity was refilled.
        trim_from(&pool, 1, 1);
        let second = 104 * MINUTE;
        hold(&pool, 40);
        assert_eq!(trim_from(&pool, second, second), 0);
        let held: Vec<_> = (0..25).map(|_| pool.lease()).collect();
        (0..40).for_each(|_| pool.adopt(lives.begin()));
        settle(&pool);
        let gone = trim_from(&pool, second + 1, second + 3 * MINUTE);
        let peak = pool.stats(seconds(second + 3 * MINUTE)).rolling_peak;
        // Adopted ones were not rented.
        assert!((40..=41).contains(&peak), "{peak}");
        let kept = (1.5 * peak as f64).ceil() as usize;
        assert_eq!((25 + pool.idle(), gone), (kept, 80 - kept));
        drop(held);
        settle(&pool);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// The minimum and the peak: the greater of what both keep.
    #[test]
    fn the_minimum_and_the_peak() {
        for (minimum, kept) in [(0, 12), (11, 12), (12, 12), (13, 13), (15, 15), (100, 20)] {
            let policy = TrimPolicy {
                minimum,
                peak_window: seconds(10 * MINUTE),
                peak_buffer: 1.2,
                ..TrimPolicy::after(seconds(MINUTE))
            };
            let (pool, lives) = pool(policy);
            hold(&pool, 20);
            assert_eq!(trim_from(&pool, 1, 499), 0, "a peak of 20 keeps 20");
            hold(&pool, 10);
            trim_from(&pool, 500, 700);
            assert_eq!(pool.idle(), kept, "a minimum of {minimum}");
            assert_adds_up(&pool.stats(START), &lives, 0);
        }
    }

    /// All together, second by second, against the same rules worked out here.
    #[test]
    fn all_together() {
        let policy = TrimPolicy {
            idle_timeout: seconds(MINUTE),
            peak_window: seconds(2 * MINUTE),
            peak_buffer: 1.25,
            minimum: 4,
            maximum: 100,
            hysteresis: seconds(5),
            per_call: 8,
        };
        let (pool, lives) = pool(policy);
        // A burst of 150, then little, then nothing.
        let load = |second: u64| match second {
            0 => 150,
            1..300 => 16,
            _ => 0,
        };
        let mut last = None;
        for second in 0..1000 {
            hold(&pool, load(second));
            let before = pool.idle();
            let gone = pool.trim(seconds(second));
            assert!(gone <= 8, "second {second}");
            assert!(pool.idle() >= 4 || before < 4, "second {second}");
            if gone > 0 {
                assert!(last.is_none_or(|last| second - last >= 5), "second {second}, after {last:?}");
                last = Some(second);
            }
            let stats = pool.stats(seconds(second));
            let wanted = (1.25 * stats.rolling_peak as f64).ceil() as usize;
            assert!(gone == 0 || pool.idle() >= wanted.min(100), "second {second}: {stats:?}");
            assert_adds_up(&stats, &lives, 0);
            match second {
                // 8 each 5 seconds from the first on, until the idle ones are at the maximum.
                0 => assert_eq!(stats.idle, 142),
                29 => assert_eq!(stats.idle, 102),
                30..128 => assert_eq!(stats.idle, 100),
                // The burst is forgotten, and 20 are kept for a use of 16.
                299 => assert_eq!(stats.idle, 20),
                999 => assert_eq!(stats.idle, 4),
                _ => {}
            }
        }
    }

    /// A trim lets go of those that were idle the longest.
    #[test]
    fn the_oldest_go_first() {
        let (pool, lives) = pool(TrimPolicy { maximum: 4, ..TrimPolicy::NEVER });
        let items: Vec<_> = (0..10).map(|_| pool.rent()).collect();
        for item in items {
            pool.give_back(item);
            settle(&pool);
        }
        assert_eq!(pool.trim(START), 6);
        assert_eq!(lives.serials().into_iter().collect::<Vec<_>>(), [6, 7, 8, 9]);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// A clock that stands still or goes back does no harm; nor does one that comes to the end of time.
    #[test]
    fn strange_clocks() {
        let (pool, lives) = pool(TrimPolicy { hysteresis: seconds(1), ..TrimPolicy::after(seconds(MINUTE)) });
        hold(&pool, 10);
        for second in [5000, 100, 0, 5000, 1] {
            assert_eq!(pool.trim(seconds(second)), 0);
        }
        pool.trim(std::time::Duration::MAX);
        pool.trim(std::time::Duration::MAX);
        hold(&pool, 10);
        pool.trim(START);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// The same for the statistics.
    #[test]
    fn statistics_at_the_end_of_time() {
        let (pool, lives) = pool(TrimPolicy::NEVER);
        for _ in 0..3 {
            hold(&pool, 3);
            assert_adds_up(&pool.stats(std::time::Duration::MAX), &lives, 0);
        }
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// The peak of a window, as the statistics have it.
    #[test]
    fn the_rolling_peak_is_forgotten_and_the_peak_is_not() {
        let (pool, lives) = pool(TrimPolicy { peak_window: seconds(MINUTE), ..TrimPolicy::NEVER });
        hold(&pool, 9);
        let stats = pool.stats(seconds(1));
        assert_eq!((stats.peak, stats.rolling_peak), (9, 9));
        hold(&pool, 3);
        let stats = pool.stats(seconds(MINUTE));
        assert_eq!((stats.peak, stats.rolling_peak), (9, 9));
        let held = [pool.rent(), pool.rent()];
        let stats = pool.stats(seconds(1 + MINUTE + LATE));
        assert_eq!((stats.peak, stats.rolling_peak), (9, 3));
        let stats = pool.stats(seconds(10 * MINUTE));
        assert_eq!((stats.peak, stats.rolling_peak), (9, 2), "those that are held count always");
        held.into_iter().for_each(|item| pool.give_back(item));
        assert_adds_up(&pool.stats(START), &lives, 0);
    }
}
