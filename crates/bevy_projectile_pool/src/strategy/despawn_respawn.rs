//! Despawn and respawn: an entity for each projectile, made when it starts and despawned when it ends.
//!
//! The best honest version of what people write without a pool: one batched spawn and one despawn pass a tick.

use super::rows::{self, Rows};
use crate::{
    Payload,
    engine::{Mut, World},
    pool::{Pool, Step},
    projectile::Flight,
};

pub(crate) fn spawn<P: Payload>(world: &mut World, _: &mut Pool<P>, flights: &[Flight<P>]) {
    world.resource_scope(|world, mut rows: Mut<Rows<P>>| rows.add(world, flights));
}

pub(crate) fn integrate<P: Payload>(world: &mut World, pool: &Pool<P>, step: Step) {
    rows::advance(world, pool, step);
}

pub(crate) fn retire<P: Payload>(world: &mut World, pool: &mut Pool<P>) {
    world.resource_scope(|world, mut rows: Mut<Rows<P>>| {
        rows.book_ends(world, pool, false);
        rows.despawn_free(world, usize::MAX);
    });
}
