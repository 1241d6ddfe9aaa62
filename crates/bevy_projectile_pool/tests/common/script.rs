//! A pseudo-random player: what it does in a tick follows from its seed and the ids that live.

use rand::{RngExt, SeedableRng, rngs::StdRng};

use super::*;

/// One thing that the player does. Reasons and values are the same for all strategies, and so is the order.
#[derive(Clone, Debug)]
pub enum Action {
    Spawn(Projectile<Shot>),
    /// Spawns and takes the request back.
    SpawnAndCancel(Projectile<Shot>),
    Velocity(ProjectileId, Vec2),
    Position(ProjectileId, Vec2),
    Payload(ProjectileId, Shot),
    Retire(ProjectileId, RetireReason),
    /// Retires by iteration every one whose id leaves a remainder of 0.
    RetireEvery(u64, RetireReason),
    ClearLive,
    ClearAll,
    Acceleration(Vec2),
    Bounds(Option<Rect>),
    WhenFull(u32, FullPolicy),
    /// What must not show: when memory is given back, and from how many projectiles on threads share a step.
    Tuning(TrimPolicy, u32),
}

/// When an action is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum When {
    Before,
    Steer,
    Hit,
}

pub struct Player {
    random: StdRng,
    /// For what must not show, so that the game is the same with and without it.
    tuning: StdRng,
    /// Whether some lifetimes are long: the arrays sort blocks with and without such in different ways.
    long_lives: bool,
}

impl Player {
    pub fn new(seed: u64) -> Self {
        Self {
            random: StdRng::seed_from_u64(seed),
            tuning: StdRng::seed_from_u64(!seed),
            long_lives: seed.is_multiple_of(2),
        }
    }

    fn vector(&mut self, size: f32) -> Vec2 {
        at(self.random.random_range(-size..size), self.random.random_range(-size..size))
    }

    fn chance(&mut self, one_in: u32) -> bool {
        self.random.random_range(0..one_in) == 0
    }

    fn projectile(&mut self) -> Projectile<Shot> {
        let lifetime = match self.random.random_range(0..8) {
            0 => 1,
            1 => Projectile::<Shot>::ENDLESS,
            2 if self.long_lives => self.random.random_range(1000..3000),
            _ => self.random.random_range(2..90),
        };
        let damage = self.random.random_range(0..1000);
        Projectile::new(self.vector(300.0), self.vector(400.0)).lifetime(lifetime).payload(Shot { damage })
    }

    fn reason(&mut self) -> RetireReason {
        if self.chance(2) { RetireReason::Hit } else { RetireReason::Cancelled }
    }

    /// What it does in the next tick, when these live.
    pub fn think(&mut self, ids: &[ProjectileId]) -> Vec<(When, Action)> {
        let mut actions = Vec::new();
        for _ in 0..self.random.random_range(0..40) {
            actions.push((When::Before, Action::Spawn(self.projectile())));
        }
        // Now and then so many that the arrays seal a block of their own for them.
        for _ in 0..if self.chance(6) { self.random.random_range(200..900) } else { 0 } {
            actions.push((When::Before, Action::Spawn(self.projectile())));
        }
        if self.chance(5) {
            actions.push((When::Before, Action::SpawnAndCancel(self.projectile())));
        }
        for _ in 0..if ids.is_empty() { 0 } else { self.random.random_range(0..12) } {
            let id = ids[self.random.random_range(0..ids.len())];
            let when = [When::Before, When::Steer, When::Hit][self.random.random_range(0..3)];
            let action = match self.random.random_range(0..6) {
                0 => Action::Velocity(id, self.vector(500.0)),
                1 => Action::Position(id, self.vector(310.0)),
                2 => Action::Payload(id, Shot { damage: self.random.random_range(0..1000) }),
                _ => Action::Retire(id, self.reason()),
            };
            actions.push((when, action));
        }
        if self.chance(10) {
            let (every, reason) = (self.random.random_range(2..6), self.reason());
            actions.push((if self.chance(2) { When::Steer } else { When::Hit }, Action::RetireEvery(every, reason)));
        }
        if self.chance(15) {
            actions.push((When::Before, Action::Acceleration(self.vector(100.0))));
        }
        if self.chance(15) {
            let bounds = Rect::from_center_half_size(Vec2::ZERO, self.vector(100.0) + Vec2::splat(220.0));
            actions.push((When::Before, Action::Bounds((!self.chance(4)).then_some(bounds))));
        }
        if self.chance(12) {
            let capacity = if self.chance(2) { self.random.random_range(50..300) } else { 3000 };
            let policy = match self.random.random_range(0..3) {
                0 => FullPolicy::Grow { max: capacity + 100 },
                1 => FullPolicy::Reject,
                _ => FullPolicy::EvictOldest,
            };
            actions.push((When::Before, Action::WhenFull(capacity, policy)));
        }
        if self.tuning.random_range(0..10) == 0 {
            let idle_ticks = [0, 1, 20, 600][self.tuning.random_range(0..4)];
            let trim = TrimPolicy { idle_ticks, keep: 1.0, minimum: self.tuning.random_range(0..200) };
            let parallel_from = [0, 500, ProjectileSettings::NEVER][self.tuning.random_range(0..3)];
            actions.push((When::Before, Action::Tuning(trim, parallel_from)));
        }
        if self.chance(60) {
            actions.push((When::Steer, Action::ClearLive));
        }
        if self.chance(60) {
            actions.push((When::Before, Action::ClearAll));
        }
        actions
    }
}

/// Does one action to a world.
pub fn act(world: &mut World, action: Action) {
    match action {
        Action::Spawn(projectile) => {
            spawner(world, |spawner| spawner.spawn(projectile));
        }
        Action::SpawnAndCancel(projectile) => spawner(world, |spawner| {
            let id = spawner.spawn(projectile);
            assert!(spawner.cancel(id));
        }),
        Action::Velocity(id, velocity) => {
            steer(world, |shots| shots.get_mut(id).is_some_and(|mut shot| shot.set_velocity(velocity)));
        }
        Action::Position(id, position) => {
            steer(world, |shots| shots.get_mut(id).is_some_and(|mut shot| shot.set_position(position)));
        }
        Action::Payload(id, payload) => {
            steer(world, |shots| shots.get_mut(id).map(|mut shot| *shot.payload_mut() = payload));
        }
        Action::Retire(id, reason) => {
            steer(world, |shots| shots.retire(id, reason));
        }
        Action::RetireEvery(every, reason) => steer(world, |shots| {
            for mut shot in &mut *shots {
                if shot.id().to_bits() % every == 0 {
                    assert!(shot.retire(reason));
                }
            }
        }),
        Action::ClearLive => {
            steer(world, |shots| shots.clear());
        }
        Action::ClearAll => clear_projectiles::<Shot>(world),
        Action::Acceleration(acceleration) => world.resource_mut::<PoolSettings<Shot>>().acceleration = acceleration,
        Action::Bounds(bounds) => world.resource_mut::<PoolSettings<Shot>>().bounds = bounds,
        Action::WhenFull(capacity, policy) => {
            let mut settings = world.resource_mut::<PoolSettings<Shot>>();
            (settings.capacity, settings.when_full) = (capacity, policy);
        }
        Action::Tuning(trim, parallel_from) => {
            let mut settings = world.resource_mut::<PoolSettings<Shot>>();
            (settings.trim, settings.parallel_from) = (trim, parallel_from);
        }
    }
}

/// Does a tick's actions, each when it is due, and the tick.
pub fn act_and_tick(game: &mut Game, actions: Vec<(When, Action)>) {
    for (when, action) in actions {
        match when {
            When::Before => act(game.world(), action),
            When::Steer => game.during(ProjectileSystems::Steer, move |world| act(world, action)),
            When::Hit => game.during(ProjectileSystems::Hit, move |world| act(world, action)),
        }
    }
    game.tick();
}
