//! Projectiles as entities: the rows that both entity strategies share.

mod advance;
mod evict;
mod table;

use core::marker::PhantomData;
use std::sync::{PoisonError, RwLock};

pub(crate) use advance::advance;
pub(crate) use evict::evict_oldest;

use super::Room;
use crate::{
    Payload, ProjectileId, RetireReason, Retired,
    checksum::projectile_mix,
    engine::{
        Component, ComponentCloneBehavior, ComponentHook, DeferredWorld, Disabled, Entity, HookContext, Mut, Mutable,
        Or, QueryState, Resource, StorageType, Table, TableId, Vec2, With, Without, World,
    },
    pool::Pool,
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
    // What the pool despawns has ended before, and is all that most of these are.
    if !entity.get::<ProjectileLife<P>>().is_some_and(ProjectileLife::is_alive) {
        return;
    }
    let (Some(&id), Some(&motion), Some(&payload)) =
        (entity.get::<ProjectileId>(), entity.get::<ProjectileMotion<P>>(), entity.get::<ProjectilePayload<P>>())
    else {
        return; // incomplete rows are in no query of the pool: the next recount has booked it, or will
    };
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
    components: table::Ids,
    /// The tables of all rows.
    tables: Vec<TableId>,
    /// Every entity that has a life of this pool, also those that the app disabled or took other components from.
    every: QueryState<(Entity, &'static mut ProjectileLife<P>), Or<(With<Disabled>, Without<Disabled>)>>,
    /// Rows, and free ones among them, at the last count, and where the free ones were: the number of the table and the row.
    rows: usize,
    free: usize,
    places: Vec<(u32, u32)>,
    /// Rows of one table, while it is worked on.
    found: Vec<u32>,
    newly_free: Vec<u32>,
    /// All ids below this have ended.
    evicted_below: u64,
    doomed: Vec<Entity>,
    /// What an eviction chooses from, kept for its memory.
    oldest: Vec<(u64, u32, u32)>,
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
            components: table::Ids::new::<P>(world),
            tables: Vec::new(),
            rows: 0,
            free: 0,
            places: Vec::new(),
            found: Vec::new(),
            newly_free: Vec::new(),
            evicted_below: 0,
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

    /// Looks which tables there are, and returns how many rows.
    fn look(&mut self, world: &mut World) -> usize {
        self.all.update_archetypes(world);
        self.tables.clear();
        self.tables.extend(self.all.matched_tables());
        let count = |table: &TableId| world.storages().tables.get(*table).map_or(0, Table::entity_count);
        self.tables.iter().map(count).sum()
    }

    /// Overwrites free rows, in the order of the tables, and returns how many projectiles found one. `seen` says whether
    /// that counts as a change.
    pub fn fill(&mut self, world: &mut World, flights: &[Flight<P>], seen: bool) -> usize {
        if self.free == 0 || flights.is_empty() {
            return 0;
        }
        self.changed();
        self.look(world);
        let tick = seen.then(|| world.change_tick());
        let (mut filled, mut used) = (0, 0);
        for places in self.places.chunk_by(|one, other| one.0 == other.0) {
            let table = self.tables.get(places[0].0 as usize);
            let Some(mut columns) = table.and_then(|&table| table::columns::<P>(world, table, self.components)) else {
                used += places.len();
                continue;
            };
            let lives = &*columns.life.values;
            self.found.clear();
            for &(_, row) in places {
                if filled + self.found.len() == flights.len() {
                    break;
                }
                used += 1;
                // The app may have despawned entities since, and others have come into their rows.
                if lives.get(row as usize).is_some_and(|life| !life.is_alive()) {
                    self.found.push(row);
                }
            }
            let flights = &flights[filled..];
            // Column by column: each place is far from the next, and one stream of them is fetched ahead better than twelve.
            columns.id.renew(&self.found, flights, tick, |flight| flight.id);
            columns.motion.renew(&self.found, flights, tick, |flight| bundle(flight).1);
            columns.life.renew(&self.found, flights, tick, |flight| bundle(flight).2);
            columns.payload.renew(&self.found, flights, tick, |flight| ProjectilePayload(flight.payload));
            filled += self.found.len();
        }
        self.places.drain(..used);
        self.free = self.free.saturating_sub(filled);
        filled
    }

    /// Books the ends of all that met their fate, frees the rows of all that ended, and counts both kinds of rows. `reused`
    /// says whether the free ones stay; otherwise they are despawned right after.
    pub fn book_ends(&mut self, world: &mut World, pool: &mut Pool<P>, reused: bool) {
        let rows = self.look(world);
        if pool.ledger.live == 0 && rows == self.rows && self.free == rows {
            return; // none lived since the last count
        }
        let fate = pool.fate();
        let tick = (reused && pool.settings.change_detection).then(|| world.change_tick());
        let mut ended = 0;
        self.places.clear();
        for (number, &table) in (0..).zip(&self.tables) {
            let Some(mut columns) = table::columns::<P>(world, table, self.components) else { continue };
            self.found.clear();
            self.newly_free.clear();
            match fate.bounds {
                None => {
                    find(columns.life.values, |_, life| fate.has_expired(life.born, life.lifetime), &mut self.found)
                }
                Some(bounds) => {
                    let motions = &*columns.motion.values;
                    let ends = |row: usize, life: &ProjectileLife<P>| {
                        fate.has_expired(life.born, life.lifetime) | !bounds.contains(motions[row].position)
                    };
                    find(columns.life.values, ends, &mut self.found);
                }
            }
            for &row in &self.found {
                let row = row as usize;
                let life = columns.life.values[row];
                if !life.is_alive() {
                    if reused && columns.id.values[row] != ProjectileId::PLACEHOLDER {
                        self.newly_free.push(row as u32);
                    }
                    continue;
                }
                self.newly_free.push(row as u32);
                let expired = fate.has_expired(life.born, life.lifetime);
                let reason = if expired { RetireReason::Expired } else { RetireReason::OutOfBounds };
                if pool.ledger.recording {
                    let ProjectileMotion { position, velocity, .. } = columns.motion.values[row];
                    pool.ledger.end(reason, columns.id.values[row], position, velocity, columns.payload.values[row].0);
                } else {
                    pool.ledger.end_unrecorded(reason, 1);
                }
                columns.life.values[row].lifetime = ENDED;
                ended += 1;
            }
            if let Some(tick) = tick {
                columns.life.mark(&self.newly_free, tick);
            }
            if reused {
                columns.id.set(&self.newly_free, ProjectileId::PLACEHOLDER);
            }
            self.places.extend(self.found.iter().map(|&row| (number, row)));
        }
        let free = self.places.len();
        pool.ledger.recount(rows - free);
        if ended > 0 || free != self.free {
            self.changed();
        }
        (self.rows, self.free) = (rows, free);
    }

    /// Despawns free rows, at most `most`, as they were found by [`book_ends`](Self::book_ends) just before.
    pub fn despawn_free(&mut self, world: &mut World, most: usize) {
        let most = most.min(self.places.len());
        // The last ones first: the row that then moves into the place of the one that goes is seldom itself to go.
        let kept = self.places.len() - most;
        for places in self.places[kept..].chunk_by(|one, other| one.0 == other.0).rev() {
            let table = self.tables.get(places[0].0 as usize);
            let Some(columns) = table.and_then(|&table| table::columns::<P>(world, table, self.components)) else {
                continue;
            };
            for &(_, row) in places.iter().rev() {
                let row = row as usize;
                // Rows may have moved since: a place that has a live one now is not meant.
                if columns.life.values.get(row).is_some_and(|life| !life.is_alive()) {
                    self.doomed.push(columns.entities[row]);
                }
            }
        }
        self.places.truncate(kept);
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
        self.rows = self.rows.saturating_sub(self.doomed.len());
        for entity in self.doomed.drain(..) {
            // Children of an earlier one may be gone already.
            let _ = world.try_despawn(entity);
        }
    }
}

/// Adds the rows that end or have ended. Without branches, as which rows do cannot be foreseen.
#[inline]
fn find<P: Payload>(
    lives: &[ProjectileLife<P>],
    ends: impl Fn(usize, &ProjectileLife<P>) -> bool,
    found: &mut Vec<u32>,
) {
    const PART: usize = 256;
    let mut rows = [0; PART];
    for (part, lives) in lives.chunks(PART).enumerate() {
        let mut count = 0;
        for (place, life) in lives.iter().enumerate() {
            let row = part * PART + place;
            rows[count % PART] = row as u32;
            count += usize::from(ends(row, life));
        }
        found.extend_from_slice(&rows[..count]);
    }
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
        (rows.rows, rows.free) = (0, 0);
        rows.places = Vec::new();
        rows.found = Vec::new();
        rows.newly_free = Vec::new();
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
        + index.by_id.capacity() * size_of::<(ProjectileId, Entity)>()
        + rows.oldest.capacity() * size_of::<(u64, u32, u32)>()
        + rows.places.capacity() * size_of::<(u32, u32)>()
        + (rows.found.capacity() + rows.newly_free.capacity()) * size_of::<u32>()
        + rows.doomed.capacity() * size_of::<Entity>();
    Room { capacity, free_rows: rows.free, bytes }
}
