//! What a projectile is: its values, its id, and the reasons for which it ends.

use core::{fmt, num::NonZeroU64};

use crate::engine::{Component, Reflect, Vec2};

/// What a pool's projectiles carry besides their motion: any plain value of the user's, such as damage or colour.
///
/// Implemented for every type that meets the bounds. `Default` is what a spawn gets that names no payload.
pub trait Payload: Copy + Default + Send + Sync + 'static {}

impl<T: Copy + Default + Send + Sync + 'static> Payload for T {}

/// A projectile to be spawned. Whatever is not named has its default, whichever storage the pool uses.
///
/// ```
/// # use bevy_projectile_pool::prelude::*;
/// # use bevy_math::Vec2;
/// let shot = Projectile::new(Vec2::ZERO, Vec2::new(300.0, 0.0)).lifetime(120).payload(3_u32);
/// assert!(shot.validate().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projectile<P> {
    /// Where it starts, in world units.
    pub position: Vec2,
    /// How fast it moves, in world units per second.
    pub velocity: Vec2,
    /// How many ticks it lives, from 1; [`ENDLESS`](Self::ENDLESS) never expires.
    ///
    /// A projectile of lifetime `n` makes `n` steps. It can still be hit in the tick of its last step, and is gone
    /// after it.
    pub lifetime: u32,
    /// The user's own values.
    pub payload: P,
}

impl<P: Payload> Projectile<P> {
    /// The lifetime that never expires (`u32::MAX`).
    pub const ENDLESS: u32 = u32::MAX;

    /// A projectile at `position` with `velocity` in units per second, an endless lifetime and the default payload.
    #[must_use]
    pub fn new(position: Vec2, velocity: Vec2) -> Self {
        Self { position, velocity, lifetime: Self::ENDLESS, payload: P::default() }
    }

    /// Sets how many ticks it lives.
    #[must_use]
    pub fn lifetime(mut self, ticks: u32) -> Self {
        self.lifetime = ticks;
        self
    }

    /// Sets the user's own values.
    #[must_use]
    pub fn payload(mut self, payload: P) -> Self {
        self.payload = payload;
        self
    }

    /// Tells whether a pool takes this projectile.
    ///
    /// # Errors
    /// If the position or the velocity is not finite, or the lifetime is zero.
    pub fn validate(&self) -> Result<(), InvalidProjectile> {
        if !self.position.is_finite() {
            Err(InvalidProjectile::Position(self.position))
        } else if !self.velocity.is_finite() {
            Err(InvalidProjectile::Velocity(self.velocity))
        } else if self.lifetime == 0 {
            Err(InvalidProjectile::Lifetime)
        } else {
            Ok(())
        }
    }
}

/// Why a pool does not take a projectile.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum InvalidProjectile {
    /// A coordinate of the position is NaN or infinite.
    #[error("a projectile's position must be finite, not {0}")]
    Position(Vec2),
    /// A coordinate of the velocity is NaN or infinite.
    #[error("a projectile's velocity must be finite, not {0}")]
    Velocity(Vec2),
    /// The lifetime is zero.
    #[error("a projectile's lifetime must be at least 1 tick")]
    Lifetime,
}

/// Names one projectile for the life of the app: never used again, the same in every storage and across switches.
///
/// Ids of a pool rise in the order of spawning, so that comparing them tells which is older. Once a projectile has
/// ended, every look-up of its id answers "gone". In the storages that keep projectiles as entities it is also a
/// component of each entity, where a free row has [`ProjectileId::PLACEHOLDER`].
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Reflect)]
pub struct ProjectileId(NonZeroU64);

impl ProjectileId {
    /// An id that no projectile ever has.
    pub const PLACEHOLDER: Self = Self(NonZeroU64::MAX);
    /// The first id of a pool.
    pub(crate) const FIRST: Self = Self(NonZeroU64::MIN);

    /// The id as a number, for logs and hashes.
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        self.0.get()
    }

    /// The id after this one. The last one stays: it is reached after 2⁶⁴ − 2 spawns, 584 years at a thousand million
    /// a second.
    pub(crate) fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for ProjectileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// Why a projectile ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Reflect)]
#[repr(u8)]
pub enum RetireReason {
    /// Its lifetime was over. Where several reasons hold in one tick, the user's comes first, then this one.
    Expired,
    /// It left [`bounds`](crate::ProjectileSettings::bounds).
    OutOfBounds,
    /// The user said that it hit something.
    Hit,
    /// The user ended it for another cause, such as a bomb.
    Cancelled,
    /// The pool was full and it was the oldest.
    Evicted,
    /// The pool was cleared.
    Cleared,
    /// The user despawned its entity, or removed the pool's components from it.
    Despawned,
}

impl RetireReason {
    /// Every reason, in the order of their numbers.
    pub const ALL: [Self; 7] =
        [Self::Expired, Self::OutOfBounds, Self::Hit, Self::Cancelled, Self::Evicted, Self::Cleared, Self::Despawned];

    /// The reason in lower case with underscores, as reports write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::OutOfBounds => "out_of_bounds",
            Self::Hit => "hit",
            Self::Cancelled => "cancelled",
            Self::Evicted => "evicted",
            Self::Cleared => "cleared",
            Self::Despawned => "despawned",
        }
    }
}

/// A live projectile as the storages hand it to one another.
///
/// `born` is the pool's count of steps when it was spawned: its age is the count now, less that. Lifetimes and ages
/// are therefore never written while it flies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flight<P> {
    pub id: ProjectileId,
    pub position: Vec2,
    pub velocity: Vec2,
    pub born: u32,
    pub lifetime: u32,
    pub payload: P,
}

/// The lifetime that storages write over that of a projectile that has ended.
pub(crate) const ENDED: u32 = 0;

/// Steps made by a projectile born at `born`, when its pool has made `steps`. Counts wrap after 2³² ticks.
#[inline]
pub(crate) fn age(steps: u32, born: u32) -> u32 {
    steps.wrapping_sub(born)
}

/// Ticks left to live, or `None` if endless.
#[inline]
pub(crate) fn remaining(steps: u32, born: u32, lifetime: u32) -> Option<u32> {
    (lifetime != u32::MAX).then(|| lifetime.saturating_sub(age(steps, born)))
}

/// Whether a live projectile's lifetime is over.
#[inline]
pub(crate) fn expired(steps: u32, born: u32, lifetime: u32) -> bool {
    age(steps, born) >= lifetime && lifetime != u32::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_survive_the_wrap_of_the_step_counter() {
        assert_eq!(age(3, u32::MAX - 1), 5);
        assert_eq!(remaining(3, u32::MAX - 1, 7), Some(2));
        assert!(expired(3, u32::MAX - 1, 5));
        assert!(!expired(3, u32::MAX - 1, 6));
        assert!(!expired(5, 6, u32::MAX), "an endless one does not expire at the greatest age");
    }

    #[test]
    fn every_bad_value_is_named() {
        let good = Projectile::<u8>::new(Vec2::ZERO, Vec2::X);
        assert_eq!(good.validate(), Ok(()));
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let position = Projectile { position: Vec2::new(0.0, bad), ..good };
            assert!(matches!(position.validate(), Err(InvalidProjectile::Position(_))));
            let velocity = Projectile { velocity: Vec2::new(bad, 0.0), ..good };
            assert!(matches!(velocity.validate(), Err(InvalidProjectile::Velocity(_))));
        }
        assert_eq!(good.lifetime(0).validate(), Err(InvalidProjectile::Lifetime));
        assert_eq!(good.lifetime(u32::MAX).validate(), Ok(()));
    }

    #[test]
    fn reasons_are_numbered_as_listed() {
        for (number, reason) in RetireReason::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, number);
        }
    }
}
