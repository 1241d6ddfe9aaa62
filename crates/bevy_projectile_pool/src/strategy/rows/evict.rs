//! Ending the oldest of the projectiles that are entities.

use super::{ProjectileLife, ProjectileMotion, Rows, table};
use crate::{
    Payload, ProjectileId, RetireReason,
    engine::{Mut, Tick, World},
    pool::Pool,
    projectile::ENDED,
};

/// Ids are counted in so many classes to find out up to which one the oldest are.
const CLASSES: usize = 1024;

/// One pass counts ids by class, one ends all of the lowest classes; the last of these is looked at one by one.
pub(crate) fn evict_oldest<P: Payload>(world: &mut World, pool: &mut Pool<P>, count: usize) {
    world.resource_scope(|world, mut rows: Mut<Rows<P>>| {
        let all_live = rows.look(world) - rows.free.min(rows.rows) == pool.ledger.live;
        let tick = pool.settings.change_detection.then(|| world.change_tick());
        let Rows { tables, components, oldest, evicted_below, .. } = &mut *rows;
        let least = *evicted_below;
        // Free rows have the highest of all ids. Only rows that were ended since the last count must be asked.
        let alive = |columns: &table::Columns<'_, P>, row: usize| all_live || columns.life.values[row].is_alive();
        let width = 2 * pool.ledger.live as u64 / CLASSES as u64 + 1;
        let class_of = |id: ProjectileId| (id.to_bits().saturating_sub(least) / width).min(CLASSES as u64 - 1);
        let mut classes = [0; CLASSES];
        for &table in &*tables {
            let Some(columns) = table::columns::<P>(world, table, *components) else { continue };
            for (row, &id) in columns.id.values.iter().enumerate() {
                if id != ProjectileId::PLACEHOLDER && alive(&columns, row) {
                    classes[class_of(id) as usize] += 1;
                }
            }
        }
        let (mut class, mut before) = (0, 0);
        while class < CLASSES - 1 && before + classes[class] < count {
            before += classes[class];
            class += 1;
        }
        oldest.clear();
        for (number, &table) in (0..).zip(&*tables) {
            let Some(mut columns) = table::columns::<P>(world, table, *components) else { continue };
            for row in 0..columns.entities.len() {
                let id = columns.id.values[row];
                let own = class_of(id) as usize;
                if own > class || id == ProjectileId::PLACEHOLDER || !alive(&columns, row) {
                    continue;
                }
                if own < class {
                    end_evicted(&mut columns, row, tick, pool);
                } else {
                    oldest.push((id.to_bits(), number, row as u32));
                }
            }
        }
        let rest = count.saturating_sub(before);
        if rest < oldest.len() {
            oldest.select_nth_unstable(rest);
            oldest.truncate(rest);
        }
        for &(_, number, row) in &*oldest {
            let table = tables.get(number as usize);
            if let Some(mut columns) = table.and_then(|&table| table::columns::<P>(world, table, *components)) {
                end_evicted(&mut columns, row as usize, tick, pool);
            }
        }
        *evicted_below = least.saturating_add(class as u64 * width);
    });
}

fn end_evicted<P: Payload>(columns: &mut table::Columns<'_, P>, row: usize, tick: Option<Tick>, pool: &mut Pool<P>) {
    let ProjectileMotion { position, velocity, .. } = columns.motion.values[row];
    let (id, payload) = (columns.id.values[row], columns.payload.values[row].0);
    columns.life.write(row, ProjectileLife { lifetime: ENDED, ..columns.life.values[row] }, tick);
    pool.ledger.end(RetireReason::Evicted, id, position, velocity, payload);
}
