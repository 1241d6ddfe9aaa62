//! What a pool can be told, also while it runs.

use core::{fmt, marker::PhantomData, ops};

use crate::{
    Payload,
    engine::{Rect, Reflect, Resource, Vec2},
};

/// What happens when a spawn meets a full pool. Each case is counted in [`ProjectileStats`](crate::ProjectileStats).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Reflect)]
pub enum FullPolicy {
    /// The pool grows past its capacity, up to `max` live projectiles; what comes beyond is rejected.
    Grow {
        /// The most live projectiles.
        max: u32,
    },
    /// At most `capacity` projectiles live; the newcomer is rejected and its id answers "gone". No live one is touched.
    Reject,
    /// At most `capacity` projectiles live; the oldest, by id, is retired as evicted. A batch larger than the capacity
    /// evicts its own first ones before they fly.
    EvictOldest,
}

impl Default for FullPolicy {
    fn default() -> Self {
        Self::Grow { max: Self::DEFAULT_MAX }
    }
}

impl FullPolicy {
    /// The stated maximum of the default policy: four million projectiles.
    pub const DEFAULT_MAX: u32 = 1 << 22;
}

/// When a pool gives memory back.
///
/// The pool remembers the greatest live count of the last `idle_ticks` ticks, and keeps room for that times `keep`, but
/// no less than for `minimum`. Room beyond one and a half times that is given back.
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
pub struct TrimPolicy {
    /// How long room must be unused before it goes, in ticks; `u32::MAX` keeps everything for ever. Default 600.
    pub idle_ticks: u32,
    /// Room kept, as a multiple of the recent peak; values under 1, or not finite, count as 1. Default 1.25.
    pub keep: f32,
    /// Room kept in any case, in projectiles. Default 1,024.
    pub minimum: u32,
}

impl Default for TrimPolicy {
    fn default() -> Self {
        Self { idle_ticks: 600, keep: 1.25, minimum: 1024 }
    }
}

impl TrimPolicy {
    /// Never gives memory back.
    pub const NEVER: Self = Self { idle_ticks: u32::MAX, keep: 1.0, minimum: 0 };
}

/// A pool's settings. Changes count from the next tick.
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
pub struct ProjectileSettings {
    /// Added to every projectile's velocity, in units per second squared. Default zero; one that is not finite counts
    /// as zero, with an error in the log.
    pub acceleration: Vec2,
    /// Projectiles outside of this rectangle (its edge is inside) are retired at the end of the tick. Default none;
    /// one with a coordinate that is NaN counts as none, with an error in the log.
    pub bounds: Option<Rect>,
    /// Room made ready when the pool is made (for no more than [`FullPolicy::DEFAULT_MAX`] projectiles), and the limit of
    /// the policies that have one. Lowered while the pool runs, it counts from the next spawn on. Default 0.
    pub capacity: u32,
    /// What happens when the pool is full.
    pub when_full: FullPolicy,
    /// When memory is given back.
    pub trim: TrimPolicy,
    /// Whether [`RetiredProjectiles`](crate::RetiredProjectiles) is filled. Default no.
    pub record_retired: bool,
    /// Whether what the pool writes to its entities counts as a change, in the strategies that have entities: with no, the
    /// app's `Changed<ProjectileMotion<P>>`, `Added<ProjectileLife<P>>` and the like see neither steps nor reuse, and a tick
    /// of component recycling takes up to a third less time. With yes, what comes into a row that is used again counts as
    /// added. What the app writes itself always counts. Default yes.
    pub change_detection: bool,
    /// Live projectiles from which on the threads of Bevy's [`ComputeTaskPool`](bevy_tasks::ComputeTaskPool) share a step,
    /// in parallel arrays. What comes out is the same, bit by bit, on any number of threads. Default
    /// [`NEVER`](Self::NEVER): a step of 100,000 projectiles takes some 30 microseconds on one thread, and handing work to a
    /// thread that sleeps, or that something else keeps busy, costs as much and now and then much more.
    pub parallel_from: u32,
}

impl Default for ProjectileSettings {
    fn default() -> Self {
        Self {
            acceleration: Vec2::ZERO,
            bounds: None,
            capacity: 0,
            when_full: FullPolicy::default(),
            trim: TrimPolicy::default(),
            record_retired: false,
            change_detection: true,
            parallel_from: Self::NEVER,
        }
    }
}

impl ProjectileSettings {
    /// For [`parallel_from`](Self::parallel_from): every step on the thread of the tick.
    pub const NEVER: u32 = u32::MAX;

    /// The most projectiles that may live at once.
    #[must_use]
    pub fn limit(&self) -> usize {
        match self.when_full {
            FullPolicy::Grow { max } => max as usize,
            FullPolicy::Reject | FullPolicy::EvictOldest => self.capacity as usize,
        }
    }

    /// These settings with every value that makes no sense replaced, and what was replaced.
    pub(crate) fn sanitised(mut self) -> (Self, Option<&'static str>) {
        let mut complaint = None;
        if !self.acceleration.is_finite() {
            self.acceleration = Vec2::ZERO;
            complaint = Some("the acceleration is not finite and counts as zero");
        }
        if self.bounds.is_some_and(|bounds| bounds.min.is_nan() || bounds.max.is_nan()) {
            self.bounds = None;
            complaint = Some("the bounds have a coordinate that is NaN and count as none");
        }
        if !(self.trim.keep.is_finite() && self.trim.keep >= 1.0) {
            self.trim.keep = 1.0;
        }
        (self, complaint)
    }
}

/// The settings of the pool of `P`, as a resource: read and write the fields of [`ProjectileSettings`] through it.
#[derive(Resource)]
pub struct PoolSettings<P: Payload> {
    settings: ProjectileSettings,
    pool: PhantomData<fn() -> P>,
}

impl<P: Payload> PoolSettings<P> {
    pub(crate) fn new(settings: ProjectileSettings) -> Self {
        Self { settings, pool: PhantomData }
    }
}

impl<P: Payload> ops::Deref for PoolSettings<P> {
    type Target = ProjectileSettings;

    fn deref(&self) -> &ProjectileSettings {
        &self.settings
    }
}

impl<P: Payload> ops::DerefMut for PoolSettings<P> {
    fn deref_mut(&mut self) -> &mut ProjectileSettings {
        &mut self.settings
    }
}

impl<P: Payload> fmt::Debug for PoolSettings<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_make_no_sense_are_replaced() {
        let bad = ProjectileSettings {
            acceleration: Vec2::new(f32::NAN, 0.0),
            bounds: Some(Rect { min: Vec2::ZERO, max: Vec2::new(1.0, f32::NAN) }),
            trim: TrimPolicy { keep: f32::NEG_INFINITY, ..TrimPolicy::default() },
            ..ProjectileSettings::default()
        };
        let (good, complaint) = bad.sanitised();
        assert_eq!(good.acceleration, Vec2::ZERO);
        assert_eq!(good.bounds, None);
        assert_eq!(good.trim.keep, 1.0);
        assert!(complaint.is_some());
        let unbounded = Rect { min: Vec2::NEG_INFINITY, max: Vec2::INFINITY };
        let fine = ProjectileSettings { bounds: Some(unbounded), ..ProjectileSettings::default() };
        assert_eq!(fine.sanitised(), (fine, None));
    }
}
