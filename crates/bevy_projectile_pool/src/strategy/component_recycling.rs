//! Component recycling: an entity for each projectile, whose row the next projectile overwrites.
//!
//! A free row is one whose projectile has ended. Spawning fills free rows in one pass in the order of the table, and
//! makes new ones only when none is left; nothing moves between tables. A row whose entity got further components,
//! children or relations from the app is despawned instead of being reused: nothing of it can reach the next one.

use super::rows::{self, Rows};
use crate::{
    Payload,
    engine::{Mut, World},
    pool::{Pool, Step},
    projectile::Flight,
};

/// The most free rows that one tick gives back.
const TRIM_BATCH: usize = 4096;

pub(crate) fn spawn<P: Payload>(world: &mut World, pool: &mut Pool<P>, flights: &[Flight<P>]) {
    world.resource_scope(|world, mut rows: Mut<Rows<P>>| {
        rows.despawn_foreign(world);
        let filled = rows.fill(world, flights, pool.settings.change_detection);
        rows.add(world, &flights[filled..]);
    });
}

pub(crate) fn integrate<P: Payload>(world: &mut World, pool: &Pool<P>, step: Step) {
    rows::advance(world, pool, step);
}

pub(crate) fn retire<P: Payload>(world: &mut World, pool: &mut Pool<P>) {
    world.resource_scope(|world, mut rows: Mut<Rows<P>>| {
        rows.book_ends(world, pool, true);
        rows.despawn_foreign(world);
        let count = pool.ledger.live + rows.free();
        if let Some(room) = pool.shrink_to(count) {
            rows.despawn_free(world, count.saturating_sub(room).min(TRIM_BATCH));
        }
    });
}
