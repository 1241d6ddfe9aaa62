//! Projectiles as entities: the rows that both entity strategies share.

use core::marker::PhantomData;
use std::sync::{PoisonError, RwLock};

use super::Room;
use crate::{
    Payload, ProjectileId, RetireReason, Retired,
    alive::Alive,
    checksum::projectile_mix,
    engine::{
        Component, ComponentCloneBehavior, ComponentHook, DeferredWorld, DetectChangesMut, Disabled, Entity,
        HookContext, Mut, Mutable, Or, QueryState, Resource, StorageType, Vec2, With, Without, World,
    },
    pool::{Pool, Step},
    projectile::{ENDED, Flight},
};

/// Where the projectile of an entity is and how it moves, in the strategies that keep projectiles as entities.
#[derive(Component, Clone, Copy, Debug)]
pub struct ProjectileMotion<P: Payload> {
    /// World units.
    pub position: Vec2,
    /// World units per second.
    pub velocity: Vec2,
    pool: PhantomData<fn() -> P>,
}

/// How long the projectile of an entity lives, in the strategies that keep projectiles as entities.
///
/// Removing it from an entity, or despawning the entity, ends the projectile as
/// [`RetireReason::Despawned`]. A clone of the entity does not get it, and is no projectile: ids are never shared.
#[derive(Clone, Copy, Debug)]
pub struct ProjectileLife<P: Payload> {
    pub(crate) born: u32,
    pub(crate) lifetime: u32,
    pool: PhantomData<fn() -> P>,
}

impl<P: Payload> Component for ProjectileLife<P> {
    const STORAGE_TYPE: StorageType = StorageType::Table;
    type Mutability = Mutable;

    fn on_remove() -> Option<ComponentHook> {
        Some(removed_by_user::<P>)
    }

    fn clone_behavior() -> ComponentCloneBehavior {
        ComponentCloneBehavior::Ignore
    }
}

impl<P: Payload> ProjectileLife<P> {
    /// Whether the row holds a live projectile; otherwise its values are left over from one that has ended.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.lifetime != ENDED
    }
}

/// The user's own values of the projectile of an entity, in the strategies that keep projectiles as entities.
#[derive(Component, Clone, Copy, Debug)]
pub struct ProjectilePayload<P: Payload>(pub P);

type Bundle<P> = (ProjectileId, ProjectileMotion<P>, ProjectileLife<P>, ProjectilePayload<P>);
/// How many components a row has that carries nothing of the user's.
const OWN_COMPONENTS: usize = 4;

type All<P> = (
    Entity,
    &'static mut ProjectileId,
    &'static mut ProjectileMotion<P>,
    &'static mut ProjectileLife<P>,
    &'static mut ProjectilePayload<P>,
);

fn bundle<P: Payload>(flight: &Flight<P>) -> Bundle<P> {
    let Flight { id, position, velocity, born, lifetime, payload } = *flight;
    (
        id,
        ProjectileMotion { position, velocity, pool: PhantomData },
        ProjectileLife { born, lifetime, pool: PhantomData },
        ProjectilePayload(payload),
    )
}

/// Books the end of a projectile whose entity the user takes away. What the pool itself releases has ended before.
fn removed_by_user<P: Payload>(mut world: DeferredWorld, context: HookContext) {
    let entity = world.entity(context.entity);
    let (Some(&id), Some(&motion), Some(&life), Some(&payload)) = (
        entity.get::<ProjectileId>(),
        entity.get::<ProjectileMotion<P>>(),
        entity.get::<ProjectileLife<P>>(),
        entity.get::<ProjectilePayload<P>>(),
    ) else {
        return; // incomplete rows are in no query of the pool: the next recount has booked it, or will
    };
    if !life.is_alive() {
        return;
    }
    let (reason, position, velocity) = (RetireReason::Despawned, motion.position, motion.velocity);
    if let Some(mut pool) = world.get_resource_mut::<Pool<P>>() {
        pool.ledger.end(reason, id, position, velocity, payload.0);
    } else if let Some(mut strays) = world.get_resource_mut::<Strays<P>>() {
        strays.0.push(Retired { id, reason, position, velocity, payload: payload.0 });
    }
}

/// The projectiles whose entities went while the pool was at work on others: their children, or what an observer of
/// their removal despawned. The pool books them when it is done.
#[derive(Resource)]
pub(crate) struct Strays<P: Payload>(pub Vec<Retired<P>>);

/// What the pool keeps about its rows.
#[derive(Resource)]
pub(crate) struct Rows<P: Payload> {
    all: QueryState<All<P>>,
    /// Every entity that has a life of this pool, also those that the app disabled or took other components from.
    every: QueryState<(Entity, &'static mut ProjectileLife<P>), Or<(With<Disabled>, Without<Disabled>)>>,
    moving: QueryState<&'static mut ProjectileMotion<P>, Alive<P>>,
    /// Free rows at the last count.
    free: usize,
    doomed: Vec<Entity>,
    /// What an eviction chooses from, kept for its memory.
    oldest: Vec<(ProjectileId, Entity)>,
    index: RwLock<Index>,
}

/// Entities by id, built by the first look-up after rows changed.
#[derive(Default)]
struct Index {
    built: bool,
    by_id: Vec<(ProjectileId, Entity)>,
}

impl<P: Payload> Rows<P> {
    pub fn new(world: &mut World) -> Self {
        Self {
            all: QueryState::new(world),
            every: QueryState::new(world),
            moving: QueryState::new(world),
            free: 0,
            doomed: Vec::new(),
            oldest: Vec::new(),
            index: RwLock::default(),
        }
    }

    /// Free rows at the last count.
    pub fn free(&self) -> usize {
        self.free
    }

    fn changed(&mut self) {
        self.index.get_mut().unwrap_or_else(PoisonError::into_inner).built = false;
    }

    /// The entity that had this id when rows last changed. `all` lists every live row.
    pub fn find(&self, id: ProjectileId, all: impl Iterator<Item = (ProjectileId, Entity)>) -> Option<Entity> {
        let mut index = self.index.read().unwrap_or_else(PoisonError::into_inner);
        if !index.built {
            drop(index);
            let mut building = self.index.write().unwrap_or_else(PoisonError::into_inner);
            if !building.built {
                building.by_id.clear();
                building.by_id.extend(all);
                building.by_id.sort_unstable();
                building.built = true;
            }
            drop(building);
            index = self.index.read().unwrap_or_else(PoisonError::into_inner);
        }
        let place = index.by_id.binary_search_by_key(&id, |&(id, _)| id).ok()?;
        Some(index.by_id[place].1)
    }

    /// Makes new rows.
    pub fn add(&mut self, world: &mut World, flights: &[Flight<P>]) {
        if flights.is_empty() {
            return;
        }
        self.changed();
        world.spawn_batch(flights.iter().map(bundle));
        self.all.update_archetypes(world); // so that `room` counts a table that is new
    }

    /// Overwrites free rows, in the order of the table, and returns how many projectiles found one. `seen` says whether
    /// that counts as a change.
    pub fn fill(&mut self, world: &mut World, flights: &[Flight<P>], seen: bool) -> usize {
        let goal = self.free.min(flights.len());
        if goal == 0 {
            return 0;
        }
        self.changed();
        let mut filled = 0;
        for (_, mut id, mut motion, mut life, mut payload) in self.all.iter_mut(world) {
            if !life.is_alive() {
                let (new_id, new_motion, new_life, new_payload) = bundle(&flights[filled]);
                write(&mut id, seen, |id| *id = new_id);
                write(&mut motion, seen, |motion| *motion = new_motion);
                write(&mut life, seen, |life| *life = new_life);
                write(&mut payload, seen, |payload| *payload = new_payload);
                filled += 1;
                if filled == goal {
                    break;
                }
            }
        }
        self.free -= filled;
        filled
    }

    /// Books the ends of all that met their fate, frees the rows of all that ended, and counts both kinds of rows.
    pub fn book_ends(&mut self, world: &mut World, pool: &mut Pool<P>) {
        let fate = pool.fate();
        let seen = pool.settings.change_detection;
        let (mut alive, mut ended, mut free) = (0, 0, 0);
        for (_, mut id, motion, mut life, payload) in self.all.iter_mut(world) {
            if life.is_alive() {
                alive += 1;
                let Some(reason) = fate.of(motion.position, life.born, life.lifetime) else { continue };
                pool.ledger.end(reason, *id, motion.position, motion.velocity, payload.0);
                write(&mut life, seen, |life| life.lifetime = ENDED);
                ended += 1;
            }
            if *id != ProjectileId::PLACEHOLDER {
                write(&mut id, seen, |id| *id = ProjectileId::PLACEHOLDER);
            }
            free += 1;
        }
        pool.ledger.recount(alive - ended);
        if ended > 0 || free != self.free {
            self.changed();
        }
        self.free = free;
    }

    /// Despawns free rows, at most `most`.
    pub fn despawn_free(&mut self, world: &mut World, most: usize) {
        if self.free == 0 || most == 0 {
            return;
        }
        let rows = self.all.iter_mut(world);
        let free = rows.filter(|(_, _, _, life, _)| !life.is_alive()).map(|(entity, ..)| entity);
        self.doomed.extend(free.take(most));
        self.despawn_doomed(world);
    }

    /// Despawns the free rows whose entities carry more than the pool's components.
    pub fn despawn_foreign(&mut self, world: &mut World) {
        self.all.update_archetypes(world);
        for archetype in self.all.matched_archetypes().map(|archetype| &world.archetypes()[archetype]) {
            if archetype.component_count() == OWN_COMPONENTS {
                continue;
            }
            let entities = archetype.entities().iter().map(|entity| entity.id());
            let free = entities.filter(|&entity| world.get::<ProjectileLife<P>>(entity).is_some_and(|l| !l.is_alive()));
            self.doomed.extend(free);
        }
        self.despawn_doomed(world);
    }

    fn despawn_doomed(&mut self, world: &mut World) {
        if self.doomed.is_empty() {
            return;
        }
        self.changed();
        self.free = self.free.saturating_sub(self.doomed.len());
        for entity in self.doomed.drain(..) {
            // Children of an earlier one may be gone already.
            let _ = world.try_despawn(entity);
        }
    }
}

/// Writes to a component; `seen` says whether that counts as a change.
#[inline]
fn write<T: Component<Mutability = Mutable>>(component: &mut Mut<T>, seen: bool, work: impl FnOnce(&mut T)) {
    work(if seen { &mut **component } else { component.bypass_change_detection() });
}

/// Moves the projectile of every live row; `seen` says whether that counts as a change.
pub(crate) fn advance<P: Payload>(world: &mut World, step: Step, seen: bool) {
    world.resource_scope(|world, mut rows: Mut<Rows<P>>| {
        rows.moving.iter_mut(world).for_each(|mut motion| {
            write(&mut motion, seen, |ProjectileMotion { position, velocity, .. }| step.advance(position, velocity));
        });
    });
}

pub(crate) fn evict_oldest<P: Payload>(world: &mut World, pool: &mut Pool<P>, count: usize) {
    world.resource_scope(|world, mut rows: Mut<Rows<P>>| {
        let Rows { all, oldest, .. } = &mut *rows;
        let alive = all.iter_mut(world).filter(|(_, _, _, life, _)| life.is_alive());
        oldest.clear();
        oldest.extend(alive.map(|(entity, id, ..)| (*id, entity)));
        if count < oldest.len() {
            oldest.select_nth_unstable(count);
            oldest.truncate(count);
        }
        for &(_, entity) in &*oldest {
            if let Ok((_, id, motion, mut life, payload)) = all.get_mut(world, entity) {
                life.lifetime = ENDED;
                pool.ledger.end(RetireReason::Evicted, *id, motion.position, motion.velocity, payload.0);
            }
        }
    });
}

pub(crate) fn take_all<P: Payload>(world: &mut World) -> Vec<Flight<P>> {
    world.resource_scope(|world, mut rows: Mut<Rows<P>>| {
        let Rows { all, every, doomed, .. } = &mut *rows;
        let mut flights = Vec::new();
        for (_, id, motion, life, payload) in all.iter_mut(world) {
            if life.is_alive() {
                flights.push(Flight {
                    id: *id,
                    position: motion.position,
                    velocity: motion.velocity,
                    born: life.born,
                    lifetime: life.lifetime,
                    payload: payload.0,
                });
            }
        }
        // The disabled ones too, and those that lost another component: none may come back as a ghost.
        for (entity, mut life) in every.iter_mut(world) {
            life.lifetime = ENDED;
            doomed.push(entity);
        }
        rows.despawn_doomed(world);
        rows.free = 0;
        rows.doomed = Vec::new();
        rows.oldest = Vec::new();
        rows.index = RwLock::default();
        flights
    })
}

pub(crate) fn checksum<P: Payload>(world: &mut World, steps: u32, hash: fn(&P) -> u64) -> u64 {
    world.resource_scope(|world, mut rows: Mut<Rows<P>>| {
        let mut sum = 0_u64;
        for (_, &id, motion, life, payload) in rows.all.iter(world) {
            if life.is_alive() {
                let hash = hash(&payload.0);
                let (position, velocity) = (motion.position, motion.velocity);
                sum = sum.wrapping_add(projectile_mix(id, position, velocity, steps, life.born, life.lifetime, hash));
            }
        }
        sum
    })
}

pub(crate) fn room<P: Payload>(world: &World) -> Room {
    let rows = world.resource::<Rows<P>>();
    let index = rows.index.read().unwrap_or_else(PoisonError::into_inner);
    let tables = rows.all.matched_tables().filter_map(|table| world.storages().tables.get(table));
    let capacity = tables.map(|table| table.capacity()).sum();
    let ticks = OWN_COMPONENTS * 2 * size_of::<u32>();
    let row = size_of::<Entity>() + size_of::<Bundle<P>>() + ticks;
    let bytes = capacity * row
        + (index.by_id.capacity() + rows.oldest.capacity()) * size_of::<(ProjectileId, Entity)>()
        + rows.doomed.capacity() * size_of::<Entity>();
    Room { capacity, free_rows: rows.free, bytes }
}
