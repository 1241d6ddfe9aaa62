//! The pool against a plain model: after every tick of a random script both hold the same projectiles.

mod common;
use std::{collections::BTreeMap, panic::catch_unwind};

use common::{
    script::{Action, Player, When, act_and_tick},
    *,
};
use rand::{RngExt, SeedableRng, rngs::StdRng};

#[derive(Clone, Copy)]
struct Body {
    position: Vec2,
    velocity: Vec2,
    age: u32,
    lifetime: u32,
    payload: Shot,
}

/// What a pool should do, as simply as it can be said.
#[derive(Default)]
struct Model {
    live: BTreeMap<u64, Body>,
    pending: Vec<(u64, Projectile<Shot>)>,
    last_id: u64,
    settings: ProjectileSettings,
    ends: Vec<(u64, RetireReason, Body)>,
    spawned: u64,
    rejected: u64,
    peak: usize,
}

impl Model {
    fn act(&mut self, action: &Action) {
        match *action {
            Action::Spawn(projectile) => {
                self.last_id += 1;
                self.pending.push((self.last_id, projectile));
            }
            Action::SpawnAndCancel(_) => self.last_id += 1,
            Action::Velocity(id, velocity) => self.change(id, |body| body.velocity = velocity),
            Action::Position(id, position) => self.change(id, |body| body.position = position),
            Action::Payload(id, payload) => self.change(id, |body| body.payload = payload),
            Action::Retire(id, reason) => self.end_if(reason, |other, _| other == id.to_bits()),
            Action::RetireEvery(every, reason) => self.end_if(reason, |id, _| id % every == 0),
            Action::ClearLive => self.end_if(RetireReason::Cleared, |_, _| true),
            Action::ClearAll => {
                self.pending.clear();
                self.end_if(RetireReason::Cleared, |_, _| true);
            }
            Action::Acceleration(acceleration) => self.settings.acceleration = acceleration,
            Action::Bounds(bounds) => self.settings.bounds = bounds,
            Action::WhenFull(capacity, policy) => {
                (self.settings.capacity, self.settings.when_full) = (capacity, policy);
            }
            Action::Tuning(..) => {}
        }
    }

    fn change(&mut self, id: ProjectileId, change: impl FnOnce(&mut Body)) {
        self.live.get_mut(&id.to_bits()).map(change);
    }

    fn end_if(&mut self, reason: RetireReason, ends: impl Fn(u64, &Body) -> bool) {
        let ended: Vec<_> = self.live.extract_if_matching(ends);
        self.ends.extend(ended.into_iter().map(|(id, body)| (id, reason, body)));
    }

    fn spawn(&mut self) {
        for (id, projectile) in core::mem::take(&mut self.pending) {
            if let FullPolicy::Grow { max: limit } = self.settings.when_full
                && self.live.len() >= limit as usize
            {
                self.rejected += 1;
                continue;
            }
            if self.settings.when_full == FullPolicy::Reject && self.live.len() >= self.settings.capacity as usize {
                self.rejected += 1;
                continue;
            }
            let Projectile { position, velocity, lifetime, payload } = projectile;
            self.spawned += 1;
            self.live.insert(id, Body { position, velocity, age: 0, lifetime, payload });
            while self.settings.when_full == FullPolicy::EvictOldest
                && self.live.len() > self.settings.capacity as usize
            {
                let (oldest, body) = self.live.pop_first().expect("there is one");
                self.ends.push((oldest, RetireReason::Evicted, body));
            }
        }
        self.peak = self.peak.max(self.live.len());
    }

    fn integrate(&mut self) {
        for body in self.live.values_mut() {
            body.velocity += self.settings.acceleration * DT_SECS;
            body.position += body.velocity * DT_SECS;
            body.age += 1;
        }
    }

    fn retire(&mut self) {
        self.end_if(RetireReason::Expired, |_, body| body.lifetime != u32::MAX && body.age >= body.lifetime);
        if let Some(bounds) = self.settings.bounds {
            self.end_if(RetireReason::OutOfBounds, |_, body| !bounds.contains(body.position));
        }
    }

    fn tick(&mut self, actions: &[(When, Action)]) {
        let during = |model: &mut Self, when| {
            actions.iter().filter(|(due, _)| *due == when).for_each(|(_, action)| model.act(action));
        };
        during(self, When::Before);
        self.spawn();
        during(self, When::Steer);
        self.integrate();
        during(self, When::Hit);
        self.retire();
        self.ends.sort_by_key(|(id, ..)| *id);
    }
}

trait ExtractIfMatching {
    fn extract_if_matching(&mut self, matches: impl Fn(u64, &Body) -> bool) -> Vec<(u64, Body)>;
}

impl ExtractIfMatching for BTreeMap<u64, Body> {
    fn extract_if_matching(&mut self, matches: impl Fn(u64, &Body) -> bool) -> Vec<(u64, Body)> {
        let found: Vec<_> =
            self.iter().filter(|(id, body)| matches(**id, body)).map(|(&id, &body)| (id, body)).collect();
        found.iter().for_each(|(id, _)| _ = self.remove(id));
        found
    }
}

fn compare(game: &mut Game, model: &Model) {
    let live: Vec<_> = game
        .live()
        .into_iter()
        .map(|seen| (seen.id.to_bits(), seen.position, seen.velocity, seen.age, seen.remaining, seen.payload))
        .collect();
    let remaining = |body: &Body| (body.lifetime != u32::MAX).then(|| body.lifetime - body.age);
    let expected: Vec<_> = model
        .live
        .iter()
        .map(|(&id, body)| (id, body.position, body.velocity, body.age, remaining(body), body.payload))
        .collect();
    assert_eq!(live, expected);
    let records = game.records().into_iter();
    let records: Vec<_> = records.map(|r| (r.id.to_bits(), r.reason, r.position, r.velocity, r.payload)).collect();
    let ends = model.ends.iter();
    let ends: Vec<_> = ends.map(|&(id, reason, b)| (id, reason, b.position, b.velocity, b.payload)).collect();
    assert_eq!(records, ends);
    let stats = game.stats();
    assert_eq!((stats.spawned, stats.rejected, stats.peak), (model.spawned, model.rejected, model.peak));
}

/// A random script in which every tick is compared; `switches` is after how many ticks the strategy changes, in the mean.
fn play(strategy: PoolingStrategy, seed: u64, ticks: u32, switches: Option<u32>) {
    let (mut game, mut player, mut model) = (Game::new(strategy), Player::new(seed), Model::default());
    let mut random = StdRng::seed_from_u64(seed.rotate_left(32));
    for _ in 0..ticks {
        if switches.is_some_and(|every| random.random_ratio(1, every)) {
            game.switch(PoolingStrategy::ALL[random.random_range(0..3)]);
        }
        let ids = game.live_ids();
        let actions = player.think(&ids);
        model.ends.clear();
        model.tick(&actions);
        act_and_tick(&mut game, actions);
        compare(&mut game, &model);
    }
}

#[test]
fn every_tick_of_long_games_agrees_with_the_model() {
    for_each_strategy(|strategy| (10..16).for_each(|seed| play(strategy, seed, 150, (seed % 2 == 1).then_some(13))));
}

#[test]
fn every_tick_of_thousands_of_short_games_agrees_with_the_model() {
    for_each_strategy(|strategy| {
        for seed in 100..1100 {
            let played = catch_unwind(|| play(strategy, seed, 12, (seed % 3 == 0).then_some(5)));
            assert!(played.is_ok(), "in the game of seed {seed}");
        }
    });
}
