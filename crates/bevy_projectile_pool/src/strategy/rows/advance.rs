//! The step of projectiles that are entities.

use super::{ProjectileMotion, Rows, table};
use crate::{
    Payload,
    engine::{Mut, Vec2, World},
    pool::{Pool, Step},
};

/// Moves every live projectile.
pub(crate) fn advance<P: Payload>(world: &mut World, pool: &Pool<P>, step: Step) {
    world.resource_scope(|world, mut rows: Mut<Rows<P>>| {
        let count = rows.look(world);
        let tick = pool.settings.change_detection.then(|| world.change_tick());
        // If all that is not free lives, the rows between free ones need not be asked. It may be otherwise where the app has
        // ended some since the last count.
        let all_live = count - rows.free.min(count) == pool.ledger.live;
        let mut free = &*rows.places;
        for (number, &table) in (0..).zip(&rows.tables) {
            let (own, rest) = free.split_at(free.partition_point(|place| place.0 <= number));
            free = rest;
            let Some(columns) = table::columns::<P>(world, table, rows.components) else { continue };
            let lives = &*columns.life.values;
            let mut start = 0;
            let mut advance_until = |end: usize| {
                advance_all(&mut columns.motion.values[start..end], step);
                if let Some(tick) = tick {
                    columns.motion.changed[start..end].fill(tick);
                }
                start = end + 1;
            };
            let is_free = |row: &usize| lives.get(*row).is_some_and(|life| !life.is_alive());
            if all_live {
                own.iter().map(|&(_, row)| row as usize).filter(is_free).for_each(&mut advance_until);
            } else {
                (0..lives.len()).filter(is_free).for_each(&mut advance_until);
            }
            advance_until(lives.len());
        }
    });
}

fn advance_all<P: Payload>(motions: &mut [ProjectileMotion<P>], step: Step) {
    match step.impulse {
        Vec2::ZERO => glide(motions, step.dt),
        impulse if impulse.x == 0.0 => fall(motions, impulse.y, step.dt),
        _ => motions.iter_mut().for_each(|motion| step.advance(&mut motion.position, &mut motion.velocity)),
    }
}

/// The step of all rows without an impulse. (With AVX2 these loops take longer: rows are not columns.)
fn glide<P: Payload>(motions: &mut [ProjectileMotion<P>], dt: f32) {
    for ProjectileMotion { position, velocity, .. } in motions {
        position.x += velocity.x * dt;
        position.y += velocity.y * dt;
    }
}

/// The step of all rows with an impulse along one axis, as gravity has.
fn fall<P: Payload>(motions: &mut [ProjectileMotion<P>], impulse: f32, dt: f32) {
    for ProjectileMotion { position, velocity, .. } in motions {
        velocity.y += impulse;
        position.x += velocity.x * dt;
        position.y += velocity.y * dt;
    }
}
