//! Bursts do not bloat a pool: memory follows what is needed, and is given back after the idle time.

mod common;
use common::*;

const SHORT: TrimPolicy = TrimPolicy { idle_ticks: 16, keep: 1.25, minimum: 100 };

fn game(strategy: PoolingStrategy, trim: TrimPolicy) -> Game {
    let mut game = Game::new(strategy);
    game.set(|settings| (settings.trim, settings.record_retired) = (trim, false));
    game
}

fn burst(game: &mut Game, count: u32) {
    spawner(game.world(), |spawner| spawner.spawn_batch((0..count).map(|x| still(x).lifetime(3))));
    game.ticks(4);
    assert_eq!(game.count(), 0);
}

#[test]
fn twenty_bursts_need_no_more_room_than_two() {
    for_each_strategy(|strategy| {
        let mut game = game(strategy, TrimPolicy::default());
        burst(&mut game, 10_000);
        burst(&mut game, 10_000);
        let (entities, stats) = (game.entities(), game.stats());
        assert!((10_000..=20_000).contains(&stats.capacity), "{stats:?}");
        for round in 0..18 {
            burst(&mut game, 10_000);
            assert_eq!(game.stats().capacity, stats.capacity, "burst {round}");
            assert_eq!(game.stats().bytes_held, stats.bytes_held, "burst {round}");
            assert_eq!(game.entities(), entities, "burst {round}");
        }
        let rows = if strategy == PoolingStrategy::ComponentRecycling { 10_000 } else { 0 };
        assert_eq!(game.stats().free_rows, rows);
    });
}

#[test]
fn room_goes_after_the_idle_time_and_not_before() {
    for_each_strategy(|strategy| {
        let mut game = game(strategy, SHORT);
        game.ticks(40);
        let entities = game.entities();
        burst(&mut game, 10_000);
        let full = game.stats();
        game.ticks(9);
        assert_eq!((game.stats().capacity, game.stats().free_rows), (full.capacity, full.free_rows), "too early");
        game.ticks(30);
        let after = game.stats();
        match strategy {
            PoolingStrategy::ParallelArrays => {
                assert!((100..=150).contains(&after.capacity), "{after:?}");
                assert!(after.bytes_held * 20 < full.bytes_held, "{} of {}", after.bytes_held, full.bytes_held);
            }
            PoolingStrategy::ComponentRecycling => {
                assert_eq!((full.free_rows, after.free_rows), (10_000, 100));
                assert_eq!(game.entities(), entities + 100);
            }
            PoolingStrategy::DespawnRespawn => assert_eq!(game.entities(), entities),
        }
        assert!(after.bytes_held < full.bytes_held, "the queue of spawns gives its room back in every strategy");
        burst(&mut game, 5_000);
    });
}

#[test]
fn one_tick_gives_back_a_bounded_number_of_rows() {
    let mut game = game(PoolingStrategy::ComponentRecycling, SHORT);
    burst(&mut game, 10_000);
    let mut before = game.stats().free_rows;
    let mut steps = Vec::new();
    for _ in 0..60 {
        game.tick();
        let now = game.stats().free_rows;
        if now != before {
            steps.push(before - now);
        }
        before = now;
    }
    assert_eq!(before, 100);
    assert!(steps.len() > 1 && steps.iter().all(|&step| step <= 4096), "{steps:?}");
}

#[test]
fn a_pool_that_is_asked_to_keep_everything_does() {
    for strategy in [PoolingStrategy::ComponentRecycling, PoolingStrategy::ParallelArrays] {
        let mut game = game(strategy, TrimPolicy::NEVER);
        burst(&mut game, 10_000);
        let (full, entities) = (game.stats(), game.entities());
        game.ticks(2_000);
        assert_eq!((game.stats().capacity, game.stats().bytes_held), (full.capacity, full.bytes_held), "{strategy}");
        assert_eq!(game.entities(), entities);
    }
}

#[test]
fn the_capacity_of_the_settings_is_kept_in_any_case() {
    for strategy in [PoolingStrategy::ComponentRecycling, PoolingStrategy::ParallelArrays] {
        let mut game = game(strategy, SHORT);
        game.set(|settings| settings.capacity = 3_000);
        burst(&mut game, 10_000);
        game.ticks(100);
        let stats = game.stats();
        let room = if strategy == PoolingStrategy::ParallelArrays { stats.capacity } else { stats.free_rows };
        assert!((3_000..=4_500).contains(&room), "{strategy}: {stats:?}");
    }
    let settings = ProjectileSettings { capacity: 3_000, ..ProjectileSettings::default() };
    let mut game = Game::with(ProjectilePoolPlugin::new("shots").settings(settings).by_hand());
    game.tick();
    assert!(game.stats().capacity >= 3_000, "room is made ready");
}

#[test]
fn room_that_every_tick_needs_is_kept_though_all_end_in_their_tick() {
    for strategy in [PoolingStrategy::ComponentRecycling, PoolingStrategy::ParallelArrays] {
        let mut game = game(strategy, SHORT);
        let mut rooms = Vec::new();
        for _ in 0..60 {
            spawner(game.world(), |spawner| spawner.spawn_batch((0..5_000).map(still)));
            game.tick_with(ProjectileSystems::Hit, |world| steer(world, |shots| shots.clear()));
            rooms.push((game.stats().capacity, game.entities()));
        }
        assert!(rooms[1..].iter().all(|room| *room == rooms[1]), "{strategy}: {rooms:?}");
    }
}

#[test]
fn eviction_in_every_tick_needs_no_ever_growing_room() {
    for_each_strategy(|strategy| {
        let mut game = game(strategy, SHORT);
        game.set(|settings| (settings.capacity, settings.when_full) = (1_000, FullPolicy::EvictOldest));
        let mut rooms = Vec::new();
        for _ in 0..80 {
            game.launch((0..300).map(still));
            rooms.push((game.stats().capacity, game.entities(), game.stats().bytes_held));
        }
        assert!(rooms[40..].iter().all(|room| *room == rooms[40]), "{rooms:?}");
        assert!(rooms[40].0 <= 4_000, "{rooms:?}");
    });
}
