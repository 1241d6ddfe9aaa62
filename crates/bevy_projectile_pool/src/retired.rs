//! The record of what ended: read it in [`ProjectileSystems::React`](crate::ProjectileSystems::React).

use crate::{
    Payload, ProjectileId, RetireReason,
    engine::{Resource, Vec2},
};

/// One projectile's end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retired<P> {
    /// The projectile. It is already gone.
    pub id: ProjectileId,
    /// Why it ended.
    pub reason: RetireReason,
    /// Where it was when it ended, in world units.
    pub position: Vec2,
    /// Its velocity when it ended, in units per second.
    pub velocity: Vec2,
    /// The user's own values when it ended.
    pub payload: P,
}

/// The projectiles that ended since the tick before, in order of their ids: the same in every storage.
///
/// Filled by [`ProjectileSystems::Retire`](crate::ProjectileSystems::Retire) while
/// [`ProjectileSettings::record_retired`](crate::ProjectileSettings::record_retired) is on, else empty. It holds the
/// ends of the last tick only: a frame that runs several ticks shows a system in `Update` the last one's, so read it
/// in [`ProjectileSystems::React`](crate::ProjectileSystems::React).
///
/// Some ends leave no record, only a count at the next `Retire`: those of rows that the app took away without Bevy's
/// hooks, as by `World::clear_entities`, that it disabled, or from which it removed a component of the pool other than
/// [`ProjectileLife`](crate::ProjectileLife).
#[derive(Resource)]
pub struct RetiredProjectiles<P: Payload> {
    pub(crate) records: Vec<Retired<P>>,
}

impl<P: Payload> Default for RetiredProjectiles<P> {
    fn default() -> Self {
        Self { records: Vec::new() }
    }
}

impl<P: Payload> RetiredProjectiles<P> {
    /// The ends, in order of the projectiles' ids.
    pub fn iter(&self) -> core::slice::Iter<'_, Retired<P>> {
        self.records.iter()
    }

    /// How many ended.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether none ended.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

impl<'a, P: Payload> IntoIterator for &'a RetiredProjectiles<P> {
    type Item = &'a Retired<P>;
    type IntoIter = core::slice::Iter<'a, Retired<P>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
