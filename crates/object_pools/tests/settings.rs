//! Settings that make no sense are refused, with an error that says which; their limits are accepted.
#![cfg(not(loom))]

#[macro_use]
mod common;

use std::{
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
};

use common::*;
use object_pools::{Overflow, PoolSettings, SettingsError, TrimPolicy};

fn trim(trim: TrimPolicy) -> PoolSettings {
    PoolSettings { trim, ..PoolSettings::default() }
}

both_pools! {
    /// What a pool with these says, and that nothing was built before it said so.
    fn refusal(settings: PoolSettings) -> Option<SettingsError> {
        let built = Arc::new(AtomicUsize::new(0));
        let (counter, prefill) = (built.clone(), settings.prefill);
        let pool = Pool::with_settings(move || _ = counter.fetch_add(1, SeqCst), settings);
        assert_eq!(built.load(SeqCst), if pool.is_ok() { prefill } else { 0 });
        pool.err()
    }

    #[test]
    fn the_default_settings_are_accepted() {
        assert_eq!(refusal(PoolSettings::default()), None);
    }

    #[test]
    fn more_built_ahead_than_is_kept() {
        let settings = |prefill, overflow| PoolSettings { prefill, overflow, ..keeping(3) };
        let error = refusal(settings(4, Overflow::Dispose)).unwrap();
        assert_eq!(error, SettingsError::Prefill { prefill: 4, capacity: 3 });
        assert_eq!(error.to_string(), "a pool that keeps 3 items cannot be filled with 4");
        assert_eq!(refusal(settings(3, Overflow::Dispose)), None);
        assert_eq!(refusal(settings(4, Overflow::Grow)), None, "a pool that grows has room");
        assert_eq!(
            refusal(PoolSettings { prefill: 1, ..keeping(0) }),
            Some(SettingsError::Prefill { prefill: 1, capacity: 0 })
        );
    }

    #[test]
    fn magazines_of_none_or_of_too_many() {
        let settings = |magazine| PoolSettings { magazine, ..PoolSettings::default() };
        for magazine in [0, PoolSettings::MOST_MAGAZINE + 1, usize::MAX] {
            let error = refusal(settings(magazine)).unwrap();
            assert_eq!(error, SettingsError::Magazine(magazine));
            assert_eq!(error.to_string(), format!("a magazine holds 1 to 4096 items, not {magazine}"));
        }
        for magazine in [1, 2, PoolSettings::MOST_MAGAZINE] {
            assert_eq!(refusal(settings(magazine)), None);
        }
    }

    #[test]
    fn a_peak_buffer_that_is_no_amount() {
        let settings = |peak_buffer| trim(TrimPolicy { peak_buffer, ..TrimPolicy::NEVER });
        for buffer in [-1.0, -f64::MIN_POSITIVE, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(refusal(settings(buffer)), Some(SettingsError::PeakBuffer(buffer)));
        }
        let error = refusal(settings(f64::NAN)).unwrap();
        assert!(matches!(error, SettingsError::PeakBuffer(buffer) if buffer.is_nan()));
        assert_eq!(error.to_string(), "the peak buffer must be a finite number of at least 0, not NaN");
        for buffer in [0.0, 1.0, f64::MAX] {
            assert_eq!(refusal(settings(buffer)), None);
        }
    }

    #[test]
    fn a_minimum_above_the_maximum() {
        let settings = |minimum, maximum| trim(TrimPolicy { minimum, maximum, ..TrimPolicy::NEVER });
        let error = refusal(settings(3, 2)).unwrap();
        assert_eq!(error, SettingsError::Bounds { minimum: 3, maximum: 2 });
        assert_eq!(error.to_string(), "at least 3 idle items cannot stay where at most 2 may");
        assert_eq!(refusal(settings(3, 3)), None);
        assert_eq!(refusal(settings(0, 0)), None);
    }

    #[test]
    fn a_trim_that_may_do_nothing() {
        let settings = |per_call| trim(TrimPolicy { per_call, ..TrimPolicy::NEVER });
        assert_eq!(refusal(settings(0)), Some(SettingsError::PerCall));
        assert_eq!(refusal(settings(1)), None);
        assert!(SettingsError::PerCall.to_string().contains("`TrimPolicy::NEVER`"));
        assert!(SettingsError::PerCall.source().is_none());
    }

    /// A pool without settings, and its printed form.
    #[test]
    fn a_default_pool() {
        let pool = Pool::<Vec<u8>>::default();
        drop(pool.lease());
        let (capacity, name) = (pool.capacity(), if IS_LOCAL { "LocalPool" } else { "SharedPool" });
        assert_eq!(format!("{pool:?}"), format!("{name} {{ idle: 1, capacity: {capacity}, .. }}"));
        assert_eq!(format!("{:?}", pool.lease()), "Lease([])");
    }
}

#[test]
fn the_policies_are_what_their_names_say() {
    assert_eq!(TrimPolicy::default(), TrimPolicy::NEVER);
    let after = TrimPolicy::after(seconds(5));
    assert_eq!(after, TrimPolicy { idle_timeout: seconds(5), ..TrimPolicy::NEVER });
    assert_eq!(Overflow::default(), Overflow::Dispose);
    let settings = PoolSettings::default();
    assert_eq!((settings.capacity, settings.prefill, settings.magazine), (None, 0, 64));
    assert_eq!((settings.overflow, settings.trim), (Overflow::Dispose, TrimPolicy::NEVER));
}
