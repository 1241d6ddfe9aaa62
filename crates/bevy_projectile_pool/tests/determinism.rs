//! The same seed gives the same run in every strategy, and with any switches on the way.

mod common;
use common::{
    script::{Player, act_and_tick},
    *,
};
use rand::{RngExt, SeedableRng, rngs::StdRng};

const TICKS: u32 = 400;

#[derive(Debug, PartialEq)]
struct Outcome {
    run: u64,
    /// Live, peak, spawned, rejected, and ends by reason.
    counts: (usize, usize, u64, u64, Vec<u64>),
    records: Vec<Retired<Shot>>,
    live: Vec<Seen>,
}

/// One run; `next` tells which strategy to ask for before a tick.
fn run(seed: u64, strategy: PoolingStrategy, mut next: impl FnMut(u32) -> Option<PoolingStrategy>) -> Outcome {
    let (mut game, mut player) = (Game::new(strategy), Player::new(seed));
    let mut records = Vec::new();
    for tick in 0..TICKS {
        if let Some(next) = next(tick) {
            game.switch(next);
        }
        let ids = game.live_ids();
        act_and_tick(&mut game, player.think(&ids));
        records.extend(game.records());
    }
    let stats = game.stats();
    let ended = stats.retired.iter().map(|(_, count)| count).collect();
    assert_eq!(records.len() as u64, stats.retired.total(), "every end has a record");
    let counts = (stats.live, stats.peak, stats.spawned, stats.rejected, ended);
    Outcome { run: game.checksum(), counts, records, live: game.live() }
}

fn rotating(every: u32, start: PoolingStrategy) -> impl FnMut(u32) -> Option<PoolingStrategy> {
    let mut strategy = start;
    move |tick| {
        (tick % every == every - 1).then(|| {
            strategy = strategy.next();
            strategy
        })
    }
}

#[test]
fn the_same_in_every_strategy() {
    let outcome = same_in_each_strategy(|strategy| run(1, strategy, |_| None));
    let (_, _, spawned, rejected, ended) = outcome.counts;
    assert!(spawned > 5_000 && rejected > 0, "the script does not do what it should");
    let [expired, out, hit, cancelled, evicted, cleared, despawned] = ended[..] else { panic!() };
    assert!([expired, out, hit, cancelled, evicted, cleared].into_iter().all(|count| count > 20), "{ended:?}");
    assert_eq!(despawned, 0);
}

#[test]
fn the_same_with_switches_in_every_tick_every_seventh_and_at_random() {
    let outcome = run(2, PoolingStrategy::ParallelArrays, |_| None);
    for_each_strategy(|strategy| {
        assert_eq!(run(2, strategy, rotating(1, strategy)), outcome, "every tick");
        assert_eq!(run(2, strategy, rotating(7, strategy)), outcome, "every seventh");
        let mut random = StdRng::seed_from_u64(99);
        let at_random = |_| PoolingStrategy::ALL.get(random.random_range(0..5)).copied();
        assert_eq!(run(2, strategy, at_random), outcome, "at random");
    });
}

#[test]
fn another_seed_gives_another_run() {
    for_each_strategy(|strategy| {
        let [one, two] = [1, 2].map(|seed| run(seed, strategy, |_| None));
        assert_ne!(one.run, two.run);
        assert_ne!(one.records, two.records);
    });
}

#[test]
fn every_single_difference_changes_the_checksum() {
    for_each_strategy(|strategy| {
        // Differences are made after the last step, so that no other value follows from them.
        let with = |lifetime: u32, change: fn(&mut World)| {
            let mut game = Game::new(strategy);
            game.launch((1..5).map(|x| still(x).lifetime(lifetime)));
            game.tick_with(ProjectileSystems::Hit, change);
            game.checksum()
        };
        fn first(world: &mut World, work: impl FnOnce(&mut ProjectileMut<'_, Shot>)) {
            let id = live(world)[0].id;
            steer(world, |shots| work(&mut shots.get_mut(id).expect("it lives")));
        }
        let sums = [
            with(30, |_| ()),
            with(31, |_| ()),
            with(u32::MAX, |_| ()),
            with(30, |world| first(world, |shot| assert!(shot.set_position(at(1.0, 1.0))))),
            with(30, |world| first(world, |shot| assert!(shot.set_velocity(at(0.0, 1e-3))))),
            with(30, |world| first(world, |shot| shot.payload_mut().damage = 9)),
            with(30, |world| first(world, |shot| assert!(shot.retire(RetireReason::Hit)))),
            with(30, |world| first(world, |shot| assert!(shot.retire(RetireReason::Cancelled)))),
            with(30, clear_projectiles::<Shot>),
        ];
        for (place, sum) in sums.iter().enumerate() {
            assert!(!sums[..place].contains(sum), "case {place}");
        }
    });
}

#[test]
fn a_run_that_is_known() {
    const KNOWN: u64 = 0x7c17_93b1_2441_064c;
    let mut game = Game::new(PoolingStrategy::ParallelArrays);
    game.set(|settings| {
        settings.acceleration = at(0.0, 400.0);
        settings.bounds = Some(Rect::new(-400.0, -300.0, 400.0, 300.0));
        (settings.capacity, settings.when_full) = (300, FullPolicy::EvictOldest);
    });
    for tick in 0..200_u32 {
        let random = |n: u32| ((tick * 20 + n).wrapping_mul(2_654_435_761) >> 16) as f32 / 65_536.0; // in 0..1
        spawner(game.world(), |spawner| {
            for n in 0..20 {
                let velocity = at(random(n) * 600.0 - 300.0, random(n + 7) * 600.0 - 300.0);
                let lifetime = (random(n + 13) * 60.0) as u32 + 1;
                spawner.spawn(Projectile::new(Vec2::ZERO, velocity).lifetime(lifetime).payload(Shot { damage: n }));
            }
        });
        game.tick();
    }
    let found = game.checksum();
    assert_eq!(
        found,
        KNOWN,
        "the simulation or the checksum gives other numbers than before. If that is what you meant to do, say so in the \
         change log and set KNOWN in {} to {found:#018x}",
        file!()
    );
}
