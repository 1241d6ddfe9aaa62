//! What the integration tests share: one small game by hand or by the clock, and ways to look into it.
#![allow(dead_code, unused_imports)] // each test binary uses its own part

pub mod script;

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Arc, Mutex},
};

pub use std::time::Duration;

pub use bevy_app::prelude::*;
pub use bevy_ecs::{prelude::*, system::SystemState};
pub use bevy_math::{Rect, Vec2};
pub use bevy_projectile_pool::{
    InvalidProjectile, Payload, ProjectileLife, ProjectileMotion, ProjectilePayload, ProjectileStats, prelude::*,
};
pub use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy, Virtual};

/// One tick: 1/64 s, the timestep of Bevy's fixed clock, and exact as `f32`.
pub const DT: Duration = Duration::from_micros(15_625);
pub const DT_SECS: f32 = 1.0 / 64.0;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shot {
    pub damage: u32,
}

/// All that can be read of a projectile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    pub id: ProjectileId,
    pub position: Vec2,
    pub velocity: Vec2,
    pub age: u32,
    pub remaining: Option<u32>,
    pub payload: Shot,
}

/// Runs a test in every strategy; a failure names its strategy.
pub fn for_each_strategy(test: impl FnMut(PoolingStrategy)) {
    for_each_of(&PoolingStrategy::ALL, test);
}

/// Runs a test in the strategies whose projectiles are entities.
pub fn for_each_entity_strategy(test: impl FnMut(PoolingStrategy)) {
    for_each_of(&[PoolingStrategy::DespawnRespawn, PoolingStrategy::ComponentRecycling], test);
}

fn for_each_of(strategies: &[PoolingStrategy], mut test: impl FnMut(PoolingStrategy)) {
    for &strategy in strategies {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| test(strategy))) {
            let text = panic.downcast_ref::<String>().cloned();
            match text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())) {
                Some(text) => panic!("in {strategy}: {text}"),
                None => resume_unwind(panic),
            }
        }
    }
}

/// What `work` gives must be the same in every strategy.
pub fn same_in_each_strategy<T: PartialEq + core::fmt::Debug>(mut work: impl FnMut(PoolingStrategy) -> T) -> T {
    let mut first = None;
    for_each_strategy(|strategy| {
        let outcome = work(strategy);
        match &first {
            None => first = Some(outcome),
            Some(first) => assert_eq!(&outcome, first, "differs from {}", PoolingStrategy::ALL[0]),
        }
    });
    first.expect("there are strategies")
}

pub fn at(x: f32, y: f32) -> Vec2 {
    Vec2::new(x, y)
}

/// A projectile that stands at `(x, 0)` and has `x` as its damage.
pub fn still(x: u32) -> Projectile<Shot> {
    Projectile::new(at(x as f32, 0.0), Vec2::ZERO).payload(Shot { damage: x })
}

pub fn spawner_of<P: Payload, R>(world: &mut World, work: impl FnOnce(&mut ProjectileSpawner<P>) -> R) -> R {
    let mut state = SystemState::<ProjectileSpawner<P>>::new(world);
    work(&mut state.get_mut(world))
}

pub fn read_of<P: Payload, R>(world: &mut World, work: impl FnOnce(&Projectiles<P>) -> R) -> R {
    let mut state = SystemState::<Projectiles<P>>::new(world);
    work(&state.get(world))
}

pub fn steer_of<P: Payload, R>(world: &mut World, work: impl FnOnce(&mut ProjectilesMut<P>) -> R) -> R {
    let mut state = SystemState::<ProjectilesMut<P>>::new(world);
    work(&mut state.get_mut(world))
}

pub fn spawner<R>(world: &mut World, work: impl FnOnce(&mut ProjectileSpawner<Shot>) -> R) -> R {
    spawner_of(world, work)
}

pub fn read<R>(world: &mut World, work: impl FnOnce(&Projectiles<Shot>) -> R) -> R {
    read_of(world, work)
}

pub fn steer<R>(world: &mut World, work: impl FnOnce(&mut ProjectilesMut<Shot>) -> R) -> R {
    steer_of(world, work)
}

/// Every live projectile, in order of ids.
pub fn live(world: &mut World) -> Vec<Seen> {
    read(world, |shots| {
        let mut seen: Vec<_> = shots.iter().map(see).collect();
        seen.sort_by_key(|seen| seen.id);
        seen
    })
}

fn see(shot: bevy_projectile_pool::ProjectileRef<'_, Shot>) -> Seen {
    Seen {
        id: shot.id(),
        position: shot.position(),
        velocity: shot.velocity(),
        age: shot.age(),
        remaining: shot.remaining(),
        payload: *shot.payload(),
    }
}

type Work = Box<dyn FnOnce(&mut World) + Send + Sync>;

/// Work for the phases of the next tick.
#[derive(Resource, Default)]
struct Script(Vec<(ProjectileSystems, Work)>);

fn run_script(phase: ProjectileSystems) -> impl FnMut(&mut World) {
    move |world: &mut World| {
        let all = core::mem::take(&mut world.resource_mut::<Script>().0);
        let (now, later): (Vec<_>, Vec<_>) = all.into_iter().partition(|(when, _)| *when == phase);
        world.resource_mut::<Script>().0 = later;
        for (_, work) in now {
            work(world);
        }
    }
}

/// The pool of most tests: ticks by hand, with records and checksum.
pub fn pool(strategy: PoolingStrategy) -> ProjectilePoolPlugin<Shot> {
    clocked_pool(strategy).by_hand()
}

/// The same pool, ticking in `FixedUpdate`.
pub fn clocked_pool(strategy: PoolingStrategy) -> ProjectilePoolPlugin<Shot> {
    let pool = ProjectilePoolPlugin::new("shots").strategy(strategy);
    pool.record_retired(true).checksum(true).payload_hash(|shot| u64::from(shot.damage))
}

/// An app with one pool of shots.
pub struct Game {
    pub app: App,
}

impl Game {
    pub fn new(strategy: PoolingStrategy) -> Self {
        Self::with(pool(strategy))
    }

    pub fn with(plugin: ProjectilePoolPlugin<Shot>) -> Self {
        let mut app = App::new();
        app.add_plugins(plugin).init_resource::<Script>();
        for phase in
            [ProjectileSystems::Fire, ProjectileSystems::Steer, ProjectileSystems::Hit, ProjectileSystems::React]
        {
            app.add_systems(ProjectileTick, run_script(phase).in_set(phase));
        }
        Self { app }
    }

    /// With a clock that is moved by exactly one timestep a frame. The first frame, which has no duration, is over.
    pub fn clocked(strategy: PoolingStrategy) -> Self {
        let mut game = Self::with(clocked_pool(strategy));
        game.app.add_plugins(TimePlugin).insert_resource(TimeUpdateStrategy::ManualDuration(DT));
        game.app.update();
        game
    }

    pub fn set(&mut self, change: impl FnOnce(&mut ProjectileSettings)) -> &mut Self {
        change(&mut self.world().resource_mut::<PoolSettings<Shot>>());
        self
    }

    pub fn world(&mut self) -> &mut World {
        self.app.world_mut()
    }

    /// One tick by hand, after which the books are audited.
    pub fn tick(&mut self) {
        assert!(run_projectile_tick(self.world(), DT), "no tick ran");
        self.audit();
    }

    pub fn ticks(&mut self, count: usize) {
        (0..count).for_each(|_| self.tick());
    }

    /// One frame by the clock.
    pub fn frame(&mut self) {
        self.app.update();
    }

    pub fn frames(&mut self, count: usize) {
        (0..count).for_each(|_| self.frame());
    }

    /// Does `work` in a phase of the next tick.
    pub fn during(&mut self, phase: ProjectileSystems, work: impl FnOnce(&mut World) + Send + Sync + 'static) {
        self.world().resource_mut::<Script>().0.push((phase, Box::new(work)));
    }

    /// Ticks, doing `work` in one phase of it.
    pub fn tick_with<R: Send + 'static>(
        &mut self,
        phase: ProjectileSystems,
        work: impl FnOnce(&mut World) -> R + Send + Sync + 'static,
    ) -> R {
        let result = Arc::new(Mutex::new(None));
        let slot = result.clone();
        self.during(phase, move |world| *slot.lock().unwrap() = Some(work(world)));
        self.tick();
        result.lock().unwrap().take().expect("the phase ran")
    }

    /// What must be true after every tick.
    pub fn audit(&mut self) {
        let (stats, counted) = (self.stats(), self.live().len());
        assert_eq!(stats.live, counted, "the count in the figures and what iteration finds");
        assert_eq!(self.count(), counted, "the pool's count and what iteration finds");
        assert_eq!(stats.spawned, stats.live as u64 + stats.retired.total(), "spawned = live + retired: {stats:?}");
        assert_eq!(stats.evicted, stats.retired.get(RetireReason::Evicted));
        assert!(stats.peak >= stats.live);
    }

    pub fn spawn(&mut self, projectile: Projectile<Shot>) -> ProjectileId {
        spawner(self.world(), |spawner| spawner.spawn(projectile))
    }

    /// Spawns these one by one and ticks, so that they live.
    pub fn launch(&mut self, projectiles: impl IntoIterator<Item = Projectile<Shot>>) -> Vec<ProjectileId> {
        let ids = projectiles.into_iter().map(|projectile| self.spawn(projectile)).collect();
        self.tick();
        ids
    }

    pub fn retire(&mut self, id: ProjectileId, reason: RetireReason) -> bool {
        steer(self.world(), |shots| shots.retire(id, reason))
    }

    pub fn contains(&mut self, id: ProjectileId) -> bool {
        read(self.world(), |shots| shots.contains(id))
    }

    pub fn entity(&mut self, id: ProjectileId) -> Option<Entity> {
        read(self.world(), |shots| shots.entity(id))
    }

    pub fn get(&mut self, id: ProjectileId) -> Option<Seen> {
        read(self.world(), |shots| shots.get(id).map(see))
    }

    pub fn live(&mut self) -> Vec<Seen> {
        live(self.world())
    }

    pub fn live_ids(&mut self) -> Vec<ProjectileId> {
        self.live().into_iter().map(|seen| seen.id).collect()
    }

    pub fn count(&mut self) -> usize {
        read(self.world(), |shots| shots.count())
    }

    pub fn stats(&mut self) -> ProjectileStats {
        **self.world().resource::<PoolStats<Shot>>()
    }

    pub fn ended(&mut self, reason: RetireReason) -> u64 {
        self.stats().retired.get(reason)
    }

    pub fn records(&mut self) -> Vec<Retired<Shot>> {
        self.world().resource::<RetiredProjectiles<Shot>>().iter().copied().collect()
    }

    /// The ids and reasons of the last tick's ends.
    pub fn ends(&mut self) -> Vec<(ProjectileId, RetireReason)> {
        self.records().into_iter().map(|record| (record.id, record.reason)).collect()
    }

    pub fn checksum(&mut self) -> u64 {
        self.world().resource::<PoolChecksum<Shot>>().run()
    }

    /// Asks for a strategy, which the next tick brings.
    pub fn switch(&mut self, strategy: PoolingStrategy) {
        self.world().resource_mut::<ActiveStrategy<Shot>>().set(strategy);
    }

    pub fn strategy(&mut self) -> PoolingStrategy {
        self.world().resource::<ActiveStrategy<Shot>>().get()
    }

    /// How many entities the world has.
    pub fn entities(&mut self) -> u32 {
        self.world().entities().len()
    }

    /// The entities of rows, of live projectiles and of free ones.
    pub fn rows(&mut self) -> (Vec<Entity>, Vec<Entity>) {
        let world = self.world();
        let mut query = world.query::<(Entity, &ProjectileLife<Shot>)>();
        let (alive, free): (Vec<_>, Vec<_>) = query.iter(world).partition(|(_, life)| life.is_alive());
        let entities =
            |rows: Vec<(Entity, &ProjectileLife<Shot>)>| rows.into_iter().map(|(entity, _)| entity).collect();
        (entities(alive), entities(free))
    }
}
