//! Reading, steering and retiring projectiles, alike in every storage.

mod steering;
mod view;

use crate::{
    Payload, ProjectileId, RetireReason,
    alive::Alive,
    engine::{Entity, Query, Res, ResMut, SystemParam},
    pool::Pool,
    strategy::{
        parallel_arrays::{Arrays, ArraysIterMut},
        rows::Rows,
    },
};

use steering::{Place, RowMut};
pub use steering::{ProjectileIterMut, ProjectileMut};
pub use view::{ProjectileIter, ProjectileRef};
use view::{Row, View};

/// Reads the live projectiles of the pool of `P`. Those that ended, also in this tick, are gone from it.
///
/// **The order of iteration is not specified** and differs between storages: where it matters, collect what matters
/// with the ids and sort by id. A look-up by id in the parallel arrays is a glance at the range of ids of each block, a
/// table's entry (or a binary search, where ids are far apart) in those that may hold it, and a look along the few projectiles
/// that are in none; in the entity strategies it is one, but the first look-up after rows changed builds an index in
/// O(n log n).
///
/// While the pool is at work in `Spawn` and `Retire` it cannot be read: an observer of its entities' components that asks
/// for this parameter fails. Let such an observer read the components of its entity, or leave the work to a system.
#[derive(SystemParam)]
pub struct Projectiles<'w, 's, P: Payload> {
    pool: Res<'w, Pool<P>>,
    arrays: Res<'w, Arrays<P>>,
    rows: Res<'w, Rows<P>>,
    query: Query<'w, 's, Row<P>, Alive<P>>,
}

impl<'s, P: Payload> Projectiles<'_, 's, P> {
    fn view(&self) -> View<'_, 's, P> {
        View { pool: &self.pool, arrays: &self.arrays, rows: &self.rows, query: self.query.as_readonly() }
    }

    /// How many are alive. O(1).
    #[must_use]
    pub fn count(&self) -> usize {
        self.pool.ledger.live
    }

    /// Whether none is alive. O(1).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// All that are alive, in no specified order.
    pub fn iter(&self) -> ProjectileIter<'_, 's, P> {
        self.view().iter()
    }

    /// The projectile with this id, or `None` if it is gone or not spawned yet.
    #[must_use]
    pub fn get(&self, id: ProjectileId) -> Option<ProjectileRef<'_, P>> {
        self.view().get(id)
    }

    /// Whether the projectile with this id is alive.
    #[must_use]
    pub fn contains(&self, id: ProjectileId) -> bool {
        self.view().contains(id)
    }

    /// The entity of a live projectile, in the strategies that have entities; `None` in the others. Keep ids, not
    /// entities: an entity may hold another projectile in the next tick.
    #[must_use]
    pub fn entity(&self, id: ProjectileId) -> Option<Entity> {
        self.view().entity(id)
    }
}

impl<'a, 's, P: Payload> IntoIterator for &'a Projectiles<'_, 's, P> {
    type Item = ProjectileRef<'a, P>;
    type IntoIter = ProjectileIter<'a, 's, P>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Reads, steers and retires the live projectiles of the pool of `P`. Order and costs are those of [`Projectiles`].
#[derive(SystemParam)]
pub struct ProjectilesMut<'w, 's, P: Payload> {
    pool: ResMut<'w, Pool<P>>,
    arrays: ResMut<'w, Arrays<P>>,
    rows: Res<'w, Rows<P>>,
    query: Query<'w, 's, RowMut<P>, Alive<P>>,
}

impl<'s, P: Payload> ProjectilesMut<'_, 's, P> {
    fn view(&self) -> View<'_, 's, P> {
        View { pool: &self.pool, arrays: &self.arrays, rows: &self.rows, query: self.query.as_readonly() }
    }

    /// How many are alive. O(1).
    #[must_use]
    pub fn count(&self) -> usize {
        self.pool.ledger.live
    }

    /// Whether none is alive. O(1).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// All that are alive, in no specified order.
    pub fn iter(&self) -> ProjectileIter<'_, 's, P> {
        self.view().iter()
    }

    /// The projectile with this id, or `None` if it is gone or not spawned yet.
    #[must_use]
    pub fn get(&self, id: ProjectileId) -> Option<ProjectileRef<'_, P>> {
        self.view().get(id)
    }

    /// Whether the projectile with this id is alive.
    #[must_use]
    pub fn contains(&self, id: ProjectileId) -> bool {
        self.view().contains(id)
    }

    /// The entity of a live projectile, in the strategies that have entities; `None` in the others. Keep ids, not
    /// entities: an entity may hold another projectile in the next tick.
    #[must_use]
    pub fn entity(&self, id: ProjectileId) -> Option<Entity> {
        self.view().entity(id)
    }

    /// All that are alive, to steer and retire, in no specified order.
    pub fn iter_mut(&mut self) -> ProjectileIterMut<'_, 's, P> {
        let Pool { steps, ledger, .. } = &mut *self.pool;
        ProjectileIterMut {
            steps: *steps,
            ledger: ledger.share(),
            arrays: ArraysIterMut::new(&mut self.arrays),
            query: self.query.iter_mut(),
        }
    }

    /// The projectile with this id, to steer and retire, or `None` if it is gone or not spawned yet.
    #[must_use]
    pub fn get_mut(&mut self, id: ProjectileId) -> Option<ProjectileMut<'_, P>> {
        let place = self.arrays.find(id);
        let entity = if place.is_none() { Some(self.entity(id)?) } else { None };
        let Pool { steps, ledger, .. } = &mut *self.pool;
        let place = match place {
            Some((block, slot)) => Place::Columns(self.arrays.columns_mut(block).slot_mut(slot)),
            None => {
                let (_, &id, motion, life, payload) = self.query.get_mut(entity?).ok()?;
                Place::Row { id, motion, life, payload }
            }
        };
        Some(ProjectileMut { steps: *steps, ledger: ledger.share(), place })
    }

    /// Ends the projectile with this id. Returns whether it was alive; the second time it was not.
    pub fn retire(&mut self, id: ProjectileId, reason: RetireReason) -> bool {
        self.get_mut(id).is_some_and(|mut projectile| projectile.retire(reason))
    }

    /// Ends every live projectile as [`RetireReason::Cleared`], and returns how many there were. Spawns that wait are
    /// not touched. O(n). To empty a pool when a level is left, see [`clear_projectiles`](crate::clear_projectiles).
    pub fn clear(&mut self) -> usize {
        self.iter_mut().map(|mut projectile| usize::from(projectile.retire(RetireReason::Cleared))).sum()
    }
}

impl<'a, 's, P: Payload> IntoIterator for &'a ProjectilesMut<'_, 's, P> {
    type Item = ProjectileRef<'a, P>;
    type IntoIter = ProjectileIter<'a, 's, P>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, 's, P: Payload> IntoIterator for &'a mut ProjectilesMut<'_, 's, P> {
    type Item = ProjectileMut<'a, P>;
    type IntoIter = ProjectileIterMut<'a, 's, P>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}
