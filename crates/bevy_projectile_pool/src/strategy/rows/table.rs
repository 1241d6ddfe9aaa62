//! The columns of a table as plain slices, for passes over all rows.
//!
//! A query's iterator makes a reference with four pointers for each component of each row. Here a pass touches only what it
//! asks for, and compilers can unroll and vectorise it: a tick of recycling takes half the time.
#![allow(unsafe_code)] // Bevy gives the columns of a table as cells, which only the holder of the world may write

use core::{cell::UnsafeCell, slice};

use super::{ProjectileLife, ProjectileMotion, ProjectilePayload};
use crate::{
    Payload, ProjectileId,
    engine::{ComponentId, Entity, Table, TableId, Tick, World},
};

/// The ids of the components of a row.
#[derive(Clone, Copy)]
pub(super) struct Ids {
    pub id: ComponentId,
    pub motion: ComponentId,
    pub life: ComponentId,
    pub payload: ComponentId,
}

impl Ids {
    pub fn new<P: Payload>(world: &mut World) -> Self {
        Self {
            id: world.register_component::<ProjectileId>(),
            motion: world.register_component::<ProjectileMotion<P>>(),
            life: world.register_component::<ProjectileLife<P>>(),
            payload: world.register_component::<ProjectilePayload<P>>(),
        }
    }
}

/// The rows of one table: every slice has the same length.
pub(super) struct Columns<'w, P: Payload> {
    pub entities: &'w [Entity],
    pub id: Column<'w, ProjectileId>,
    pub motion: Column<'w, ProjectileMotion<P>>,
    pub life: Column<'w, ProjectileLife<P>>,
    pub payload: Column<'w, ProjectilePayload<P>>,
}

/// The values of a component, and when each was added and last changed.
pub(super) struct Column<'w, T> {
    pub values: &'w mut [T],
    pub added: &'w mut [Tick],
    pub changed: &'w mut [Tick],
}

/// Rows ahead of the one at work whose memory is asked for. Few rows of many are far from each other, and a processor alone
/// waits for most of them.
const AHEAD: usize = 16;

/// Does `work` to some values of a column.
#[inline]
fn each<T>(column: &mut [T], rows: &[u32], mut work: impl FnMut(usize, &mut T)) {
    for (place, &row) in rows.iter().enumerate() {
        if let Some(value) = rows.get(place + AHEAD).and_then(|&row| column.get(row as usize)) {
            ask_for(value);
        }
        work(place, &mut column[row as usize]);
    }
}

/// Asks the memory for a value that is soon needed.
#[inline(always)]
fn ask_for<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint, which reads nothing and cannot fail.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(value).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

impl<T> Column<'_, T> {
    /// Writes a value; with a tick, that counts as a change.
    #[inline]
    pub fn write(&mut self, row: usize, value: T, tick: Option<Tick>) {
        self.values[row] = value;
        if let Some(tick) = tick {
            self.changed[row] = tick;
        }
    }

    /// Writes the same value to each of `rows`, which does not count as a change.
    pub fn set(&mut self, rows: &[u32], value: T)
    where
        T: Copy,
    {
        each(self.values, rows, |_, old| *old = value);
    }

    /// Marks `rows` as changed.
    pub fn mark(&mut self, rows: &[u32], tick: Tick) {
        each(self.changed, rows, |_, old| *old = tick);
    }

    /// Writes what `value` makes of each of `sources` to one of `rows`; with a tick, that counts as if the component had
    /// been added.
    pub fn renew<S>(&mut self, rows: &[u32], sources: &[S], tick: Option<Tick>, value: impl Fn(&S) -> T) {
        each(self.values, rows, |place, old| *old = value(&sources[place]));
        if let Some(tick) = tick {
            each(self.added, rows, |_, old| *old = tick);
            self.mark(rows, tick);
        }
    }
}

/// The rows of a table, if it exists and has all four components.
pub(super) fn columns<'w, P: Payload>(world: &'w mut World, table: TableId, ids: Ids) -> Option<Columns<'w, P>> {
    // From here on only this function looks at the world, until what it returns is gone.
    let table: &'w Table = world.storages().tables.get(table)?;
    Some(Columns {
        entities: table.entities(),
        // SAFETY: each column is asked for once, as four components have four ids, with the type that its id was made of, and
        // `world` is borrowed mutably for as long as the slices live.
        id: unsafe { column(table, ids.id) }?,
        // SAFETY: as above.
        motion: unsafe { column(table, ids.motion) }?,
        // SAFETY: as above.
        life: unsafe { column(table, ids.life) }?,
        // SAFETY: as above.
        payload: unsafe { column(table, ids.payload) }?,
    })
}

/// # Safety
/// The component is a `T`, and nobody else touches its column while what is returned lives.
unsafe fn column<T>(table: &Table, component: ComponentId) -> Option<Column<'_, T>> {
    // SAFETY: the component is a `T`.
    let values = unsafe { table.get_data_slice_for::<T>(component) }?;
    let added = table.get_added_ticks_slice_for(component)?;
    let changed = table.get_changed_ticks_slice_for(component)?;
    // SAFETY: nobody else touches them.
    unsafe { Some(Column { values: exclusive(values), added: exclusive(added), changed: exclusive(changed) }) }
}

/// # Safety
/// Nobody else touches the cells while what is returned lives.
#[expect(clippy::mut_from_ref, reason = "they are cells")]
unsafe fn exclusive<T>(cells: &[UnsafeCell<T>]) -> &mut [T] {
    // SAFETY: a cell has the layout of its value and may be written through a shared reference; the caller is the only one.
    unsafe { slice::from_raw_parts_mut(UnsafeCell::raw_get(cells.as_ptr()), cells.len()) }
}

#[cfg(test)]
mod tests {
    use bevy_ecs::change_detection::DetectChanges;

    use super::*;
    use crate::{
        engine::{Component, Vec2},
        projectile::Flight,
        strategy::rows::bundle,
    };

    #[derive(Component)]
    struct InTable;

    #[derive(Component)]
    #[component(storage = "SparseSet")]
    struct Sparse;

    fn flight<P: Payload>(number: u32) -> Flight<P> {
        let mut id = ProjectileId::FIRST;
        (0..number).for_each(|_| id = id.next());
        let (position, velocity) = (Vec2::splat(number as f32), Vec2::X);
        Flight { id, position, velocity, born: number, lifetime: number + 1, payload: P::default() }
    }

    fn check<P: Payload + PartialEq + core::fmt::Debug>() {
        let mut world = World::new();
        let ids = Ids::new::<P>(&mut world);
        let mut entities = Vec::new();
        for number in 0..10 {
            let flight = flight::<P>(number);
            let mut entity = world.spawn(bundle(&flight));
            match number % 3 {
                0 => _ = entity.insert(InTable),
                1 => _ = entity.insert(Sparse),
                _ => {}
            }
            entities.push(entity.id());
        }
        world.increment_change_tick();
        let tick = world.change_tick();
        let mut seen = 0;
        let tables: Vec<TableId> =
            world.storages().tables.iter().enumerate().map(|(n, _)| TableId::from_usize(n)).collect();
        for table in tables {
            let Some(mut columns) = columns::<P>(&mut world, table, ids) else { continue };
            let count = columns.entities.len();
            assert_eq!([columns.id.values.len(), columns.motion.values.len(), columns.life.values.len()], [count; 3]);
            assert_eq!([columns.payload.values.len(), columns.life.added.len(), columns.id.changed.len()], [count; 3]);
            for row in 0..count {
                let number = entities.iter().position(|entity| *entity == columns.entities[row]).unwrap() as u32;
                assert_eq!(columns.life.values[row].born, number, "the values are those of the entity");
                assert_eq!(columns.motion.values[row].position.x, number as f32);
                assert_eq!(columns.payload.values[row].0, P::default());
                let life = ProjectileLife { lifetime: 1000 + number, ..columns.life.values[row] };
                columns.life.write(row, life, number.is_multiple_of(2).then_some(tick));
                seen += 1;
            }
        }
        assert_eq!(seen, 10, "rows in other archetypes, in the same table or another one, are there too");
        for (number, &entity) in (0..).zip(&entities) {
            let life = world.entity(entity).get_ref::<ProjectileLife<P>>().unwrap();
            assert_eq!((life.born, life.lifetime), (number, 1000 + number));
            assert_eq!(life.last_changed() == tick, number.is_multiple_of(2));
            assert_eq!(world.get::<ProjectileId>(entity).unwrap().to_bits(), u64::from(number) + 1);
        }
    }

    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    #[repr(align(64))]
    struct Aligned(u8);

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Large([u8; 150]);

    impl Default for Large {
        fn default() -> Self {
            Self([7; 150])
        }
    }

    #[test]
    fn slices_are_the_columns_whatever_the_payload_and_the_archetype() {
        check::<u32>();
        check::<()>();
        check::<Aligned>();
        check::<Large>();
    }
}
