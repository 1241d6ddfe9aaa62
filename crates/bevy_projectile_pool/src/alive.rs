//! The query filter that hides free rows.
#![allow(unsafe_code)] // Bevy's filter traits are unsafe to implement; a filter on a value needs them.

use core::marker::PhantomData;

use crate::{
    Payload,
    engine::{
        Archetype, ComponentId, Components, Entity, FilteredAccess, QueryFilter, Table, TableRow, Tick,
        UnsafeWorldCell, World, WorldQuery,
    },
    strategy::rows::ProjectileLife,
};

/// A query filter: only rows that hold a live projectile of the pool of `P`.
///
/// In component recycling the entities of ended projectiles stay, with left-over values, until the next projectile takes
/// them; in both entity strategies those that ended in this tick stay until `Retire`. A raw query sees them, a query with
/// this filter does not. It costs one comparison a row.
///
/// ```
/// # use bevy_ecs::prelude::*; use bevy_projectile_pool::{prelude::*, Alive, ProjectileMotion};
/// fn fastest(shots: Query<&ProjectileMotion<u32>, Alive<u32>>) {
///     let speed = shots.iter().map(|motion| motion.velocity.length()).fold(0.0, f32::max);
/// #   let _ = speed;
/// }
/// # bevy_ecs::system::assert_is_system(fastest);
/// ```
pub struct Alive<P: Payload>(PhantomData<fn() -> P>);

type Life<P> = &'static ProjectileLife<P>;

// SAFETY: every method hands its arguments to the implementation of `&ProjectileLife<P>`, whose access is declared in
// `update_component_access` and whose matching is used in `matches_component_set`.
unsafe impl<P: Payload> WorldQuery for Alive<P> {
    type Fetch<'w> = <&'static ProjectileLife<P> as WorldQuery>::Fetch<'w>;
    type State = ComponentId;

    fn shrink_fetch<'wlong: 'wshort, 'wshort>(fetch: Self::Fetch<'wlong>) -> Self::Fetch<'wshort> {
        <Life<P> as WorldQuery>::shrink_fetch(fetch)
    }

    #[inline]
    unsafe fn init_fetch<'w>(
        world: UnsafeWorldCell<'w>,
        state: &ComponentId,
        last_run: Tick,
        this_run: Tick,
    ) -> Self::Fetch<'w> {
        // SAFETY: the caller keeps the same contract.
        unsafe { <Life<P> as WorldQuery>::init_fetch(world, state, last_run, this_run) }
    }

    const IS_DENSE: bool = <Life<P> as WorldQuery>::IS_DENSE;

    #[inline]
    unsafe fn set_archetype<'w>(
        fetch: &mut Self::Fetch<'w>,
        state: &ComponentId,
        archetype: &'w Archetype,
        table: &'w Table,
    ) {
        // SAFETY: the caller keeps the same contract.
        unsafe { <Life<P> as WorldQuery>::set_archetype(fetch, state, archetype, table) }
    }

    #[inline]
    unsafe fn set_table<'w>(fetch: &mut Self::Fetch<'w>, state: &ComponentId, table: &'w Table) {
        // SAFETY: the caller keeps the same contract.
        unsafe { <Life<P> as WorldQuery>::set_table(fetch, state, table) }
    }

    fn update_component_access(state: &ComponentId, access: &mut FilteredAccess<ComponentId>) {
        <Life<P> as WorldQuery>::update_component_access(state, access);
    }

    fn init_state(world: &mut World) -> ComponentId {
        <Life<P> as WorldQuery>::init_state(world)
    }

    fn get_state(components: &Components) -> Option<ComponentId> {
        <Life<P> as WorldQuery>::get_state(components)
    }

    fn matches_component_set(state: &ComponentId, set_contains_id: &impl Fn(ComponentId) -> bool) -> bool {
        <Life<P> as WorldQuery>::matches_component_set(state, set_contains_id)
    }
}

// SAFETY: only the component declared in `update_component_access` is read, through the implementation that declared it.
unsafe impl<P: Payload> QueryFilter for Alive<P> {
    const IS_ARCHETYPAL: bool = false;

    #[inline(always)]
    unsafe fn filter_fetch(fetch: &mut Self::Fetch<'_>, entity: Entity, row: TableRow) -> bool {
        // SAFETY: the caller keeps the same contract.
        let life: &ProjectileLife<P> = unsafe { <Life<P> as crate::engine::QueryData>::fetch(fetch, entity, row) };
        life.is_alive()
    }
}
