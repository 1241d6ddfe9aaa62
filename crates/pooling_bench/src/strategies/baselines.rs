//! What people write by hand: entities, spawned and despawned by commands or in batches, or parked by a marker.

use std::time::Instant;

use bevy::{
    ecs::{
        bundle::{Bundle as BevyBundle, NoBundleEffect},
        component::Mutable,
        entity_disabling::Disabled,
        query::QueryFilter,
        schedule::ScheduleConfigs,
        system::ScheduleSystem,
    },
    prelude::{
        App, Commands, Component, DetectChangesMut, Entity, EntityWorldMut, FixedUpdate, IntoScheduleConfigs, Mut,
        Query, Res, ResMut, Resource, Vec2, With, World,
    },
};

use super::{
    StrategySpec,
    app::{Cell, Due, EarlyEnds, EndTick, Sum, TickClock, end, room_of_tables},
    feed::{ACCELERATION, Feed, Fired, Load, NEVER, is_outside},
};
use crate::stream::PERIOD;

#[derive(Component, Clone, Copy)]
struct Position(Vec2);

#[derive(Component, Clone, Copy)]
struct Velocity(Vec2);

/// Ticks left; 0 is over, [`NEVER`] has no end.
#[derive(Component, Clone, Copy)]
struct Life(u32);

/// What `marker` takes from a parked entity.
#[derive(Component)]
struct Active;

type Bundle<const EXTRA: usize> = (Position, Velocity, Life, Load<EXTRA>);

fn bundle<const EXTRA: usize>(fired: &Fired<EXTRA>) -> Bundle<EXTRA> {
    (Position(fired.position), Velocity(fired.velocity), Life(fired.lifetime), fired.load)
}

/// An entity and the projectile that it was when its end was noted.
type Id = (Entity, u32);

/// What the exclusive systems keep between ticks.
#[derive(Resource)]
struct Scratch {
    bounds: bool,
    by_id: bool,
    /// Parked entities, the last parked first.
    free: Vec<Entity>,
    dead: Vec<Entity>,
}

/// Adds a baseline: a chain of systems in `FixedUpdate`.
pub fn add<const EXTRA: usize>(app: &mut App, spec: &StrategySpec) -> Cell {
    let ends = EarlyEnds::of(spec);
    let by_id = ends == EarlyEnds::ById;
    app.insert_resource(Scratch { bounds: spec.bounds, by_id, free: Vec::new(), dead: Vec::new() })
        .insert_resource(Due::<Id>::new(spec));
    let (spawn, retire) = match spec.cell.as_str() {
        "commands" => (spawn_by_commands::<EXTRA>.into_configs(), retire_by_commands.into_configs()),
        "spawn-batch" => (spawn_batch::<EXTRA>.into_configs(), despawn_dead.into_configs()),
        "disabled" => (enable_or_spawn::<EXTRA>.into_configs(), disable_dead.into_configs()),
        _ => (mark_or_spawn::<EXTRA>.into_configs(), unmark_dead.into_configs()),
    };
    if spec.cell == "marker" {
        chain::<With<Active>, EXTRA>(app, spec, spawn, retire)
    } else {
        chain::<(), EXTRA>(app, spec, spawn, retire)
    }
}

/// Adds spawn, move, hit and retire in a chain, and the checksum after the measured stretch. The filter tells live entities
/// from parked ones.
fn chain<F: QueryFilter + 'static, const EXTRA: usize>(
    app: &mut App,
    spec: &StrategySpec,
    spawn: Systems,
    retire: Systems,
) -> Cell {
    let advance = if spec.change_detection { advance::<F>.into_configs() } else { advance_unseen::<F>.into_configs() };
    match EarlyEnds::of(spec) {
        EarlyEnds::Never => app.add_systems(FixedUpdate, (spawn, advance, retire).chain()),
        EarlyEnds::Iterating => app.add_systems(FixedUpdate, (spawn, advance, hit::<F, EXTRA>, retire).chain()),
        EarlyEnds::ById => app.add_systems(FixedUpdate, (spawn, advance, hit_by_id::<EXTRA>, retire).chain()),
    };
    app.add_systems(EndTick, sum::<F, EXTRA>.after(end));
    let live = |world: &mut World| world.query_filtered::<&Life, F>().iter(world).count();
    Cell { live, bytes: |_| None, room: room_of_tables, diagnostics: false }
}

type Systems = ScheduleConfigs<ScheduleSystem>;

fn spawn_by_commands<const EXTRA: usize>(
    mut commands: Commands,
    feed: Res<Feed<EXTRA>>,
    scratch: Res<Scratch>,
    mut due: ResMut<Due<Id>>,
) {
    for fired in &feed.batch {
        let entity = commands.spawn(bundle(fired)).id();
        if scratch.by_id {
            due.note(fired.load.ends_at, (entity, fired.load.serial));
        }
    }
}

fn retire_by_commands(mut commands: Commands, scratch: Res<Scratch>, rows: Query<(Entity, &Life, &Position)>) {
    for (entity, life, position) in &rows {
        if is_over(*life, *position, scratch.bounds) {
            commands.entity(entity).despawn();
        }
    }
}

fn spawn_batch<const EXTRA: usize>(world: &mut World) {
    reuse_or_spawn::<EXTRA, _>(world, |_, _, _| {}, bundle);
}

fn despawn_dead(world: &mut World) {
    each_dead::<()>(world, |world, entity| {
        world.despawn(entity);
        false
    });
}

fn enable_or_spawn<const EXTRA: usize>(world: &mut World) {
    let enable = |world: &mut World, entity: Entity, fired: &Fired<EXTRA>| {
        overwrite(world, entity, fired);
        world.entity_mut(entity).remove::<Disabled>();
    };
    reuse_or_spawn::<EXTRA, _>(world, enable, bundle);
}

fn disable_dead(world: &mut World) {
    each_dead::<()>(world, |world, entity| {
        world.entity_mut(entity).insert(Disabled);
        true
    });
}

fn mark_or_spawn<const EXTRA: usize>(world: &mut World) {
    let mark = |world: &mut World, entity: Entity, fired: &Fired<EXTRA>| {
        overwrite(world, entity, fired);
        world.entity_mut(entity).insert(Active);
    };
    reuse_or_spawn::<EXTRA, _>(world, mark, |fired| (bundle(fired), Active));
}

fn unmark_dead(world: &mut World) {
    each_dead::<With<Active>>(world, |world, entity| {
        world.entity_mut(entity).remove::<Active>();
        true
    });
}

/// Writes every value of a parked entity.
fn overwrite<const EXTRA: usize>(world: &mut World, entity: Entity, fired: &Fired<EXTRA>) {
    let mut row = world.entity_mut(entity);
    let (position, velocity, life, load) = bundle(fired);
    set(&mut row, position);
    set(&mut row, velocity);
    set(&mut row, life);
    set(&mut row, load);
}

fn set<C: Component<Mutability = Mutable>>(row: &mut EntityWorldMut<'_>, value: C) {
    if let Some(mut component) = row.get_mut::<C>() {
        *component = value;
    }
}

/// Uses parked entities, and spawns the rest in a batch.
fn reuse_or_spawn<const EXTRA: usize, B: BevyBundle<Effect: NoBundleEffect>>(
    world: &mut World,
    reuse: impl Fn(&mut World, Entity, &Fired<EXTRA>),
    new: impl Fn(&Fired<EXTRA>) -> B,
) {
    world.resource_scope(|world, feed: Mut<Feed<EXTRA>>| {
        world.resource_scope(|world, mut scratch: Mut<Scratch>| {
            let reused = scratch.free.len().min(feed.batch.len());
            let kept = scratch.free.len() - reused;
            let mut entities: Vec<Entity> = if scratch.by_id { scratch.free[kept..].to_vec() } else { Vec::new() };
            for (entity, fired) in scratch.free.drain(kept..).zip(&feed.batch) {
                reuse(world, entity, fired);
            }
            let spawned = world.spawn_batch(feed.batch[reused..].iter().map(&new).collect::<Vec<_>>());
            if scratch.by_id {
                entities.extend(spawned);
                let mut due = world.resource_mut::<Due<Id>>();
                for (entity, fired) in entities.into_iter().zip(&feed.batch) {
                    due.note(fired.load.ends_at, (entity, fired.load.serial));
                }
            }
        });
    });
}

/// Hands every live entity whose projectile is over to `park`, which says whether it can be used again.
fn each_dead<F: QueryFilter + 'static>(world: &mut World, park: impl Fn(&mut World, Entity) -> bool) {
    world.resource_scope(|world, mut scratch: Mut<Scratch>| {
        let Scratch { dead, free, bounds, .. } = &mut *scratch;
        let mut rows = world.query_filtered::<(Entity, &Life, &Position), F>();
        let over = rows.iter(world).filter(|(_, life, position)| is_over(**life, **position, *bounds));
        dead.extend(over.map(|(entity, ..)| entity));
        for entity in dead.drain(..) {
            if park(world, entity) {
                free.push(entity);
            }
        }
    });
}

fn is_over(life: Life, position: Position, bounds: bool) -> bool {
    life.0 == 0 || (bounds && is_outside(position.0))
}

fn advance<F: QueryFilter>(
    mut rows: Query<(&mut Position, &mut Velocity, &mut Life), F>,
    mut clock: ResMut<TickClock>,
) {
    clock.spawned = Some(Instant::now());
    let dt = PERIOD.as_secs_f32();
    for (mut position, mut velocity, mut life) in &mut rows {
        step(&mut position, &mut velocity, &mut life, dt);
    }
    clock.moved = Some(Instant::now());
}

fn advance_unseen<F: QueryFilter>(
    mut rows: Query<(&mut Position, &mut Velocity, &mut Life), F>,
    mut clock: ResMut<TickClock>,
) {
    clock.spawned = Some(Instant::now());
    let dt = PERIOD.as_secs_f32();
    for (mut position, mut velocity, mut life) in &mut rows {
        let (position, velocity) = (position.bypass_change_detection(), velocity.bypass_change_detection());
        step(position, velocity, life.bypass_change_detection(), dt);
    }
    clock.moved = Some(Instant::now());
}

#[inline]
fn step(position: &mut Position, velocity: &mut Velocity, life: &mut Life, dt: f32) {
    velocity.0 += ACCELERATION * dt;
    position.0 += velocity.0 * dt;
    if life.0 != NEVER {
        life.0 -= 1;
    }
}

fn hit<F: QueryFilter, const EXTRA: usize>(
    feed: Res<Feed<EXTRA>>,
    mut rows: Query<(&mut Life, &Load<EXTRA>), F>,
    mut clock: ResMut<TickClock>,
) {
    for (mut life, load) in &mut rows {
        if load.ends_at == feed.tick {
            life.0 = 0;
        }
    }
    clock.hit = Some(Instant::now());
}

fn hit_by_id<const EXTRA: usize>(
    feed: Res<Feed<EXTRA>>,
    mut due: ResMut<Due<Id>>,
    mut rows: Query<(&mut Life, &Load<EXTRA>)>,
    mut clock: ResMut<TickClock>,
) {
    for (entity, serial) in due.take(feed.tick) {
        // It may have ended, and its entity may be gone, or another projectile's.
        if let Ok((mut life, load)) = rows.get_mut(entity)
            && load.serial == serial
        {
            life.0 = 0;
        }
    }
    clock.hit = Some(Instant::now());
}

fn sum<F: QueryFilter, const EXTRA: usize>(
    feed: Res<Feed<EXTRA>>,
    rows: Query<(&Load<EXTRA>, &Position), F>,
    mut sum: ResMut<Sum>,
) {
    sum.fold(feed.tick, || rows.iter().map(|(load, position)| (load.serial, position.0)));
}
