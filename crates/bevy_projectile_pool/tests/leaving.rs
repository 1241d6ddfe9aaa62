//! A level is left: nothing of its projectiles stays, and the next game starts clean.

mod common;
use bevy_state::{app::StatesPlugin, prelude::*};
use common::*;

#[derive(States, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum GameState {
    #[default]
    Playing,
    Menu,
}

#[derive(Component)]
struct Tint;

fn game(strategy: PoolingStrategy) -> Game {
    let mut game = Game::clocked(strategy);
    game.app
        .add_plugins(StatesPlugin)
        .init_state::<GameState>()
        .add_systems(OnExit(GameState::Playing), clear_projectiles::<Shot>);
    game.frame();
    game
}

fn go_to(game: &mut Game, state: GameState) {
    game.world().resource_mut::<NextState<GameState>>().set(state);
    game.frame();
    assert_eq!(game.world().resource::<State<GameState>>().get(), &state);
}

#[test]
fn on_exit_leaves_nothing() {
    let records = same_in_each_strategy(|strategy| {
        let mut game = game(strategy);
        let entities = game.entities();
        let moving = |x| Projectile { velocity: at(64.0, 0.0), ..still(x) };
        let ids: Vec<_> = (0..50).map(|x| game.spawn(moving(x))).collect();
        game.frame();
        if let Some(entity) = game.entity(ids[3]) {
            game.world().entity_mut(entity).insert(Tint).with_child(Tint);
        }
        game.retire(ids[7], RetireReason::Hit);
        game.frame();
        let pending: Vec<_> = (0..10).map(|x| game.spawn(still(x))).collect();
        game.world().resource_mut::<Time<Virtual>>().pause(); // no tick is needed for it
        go_to(&mut game, GameState::Menu);
        assert_eq!((game.count(), game.live(), game.entities()), (0, vec![], entities));
        let stats = game.stats();
        assert_eq!((stats.live, stats.free_rows), (0, 0));
        assert_eq!((stats.spawned, stats.retired.get(RetireReason::Cleared), stats.retired.total()), (50, 49, 50));
        assert!(ids.iter().chain(&pending).all(|&id| !game.contains(id)));
        if strategy == PoolingStrategy::ParallelArrays {
            assert_eq!(stats.capacity, 0, "memory is given back");
        }

        game.world().resource_mut::<Time<Virtual>>().unpause();
        game.frame();
        game.audit();
        assert_eq!(game.count(), 0, "what waited was dropped");
        let records = game.records();
        assert_eq!(records.len(), 49, "the notices come with the next tick");
        game.frame();
        assert_eq!(game.records(), [], "once");

        go_to(&mut game, GameState::Playing);
        let new: Vec<_> = (0..3).map(|x| game.spawn(still(x))).collect();
        game.frame();
        assert_eq!(game.live_ids(), new);
        assert!(new[0] > pending[9], "no id comes again");
        let clean: Vec<_> = game.live().iter().map(|seen| (seen.position.x, seen.age, seen.payload.damage)).collect();
        assert_eq!(clean, [(0.0, 1, 0), (1.0, 1, 1), (2.0, 1, 2)]);
        go_to(&mut game, GameState::Menu);
        assert_eq!((game.entities(), game.ended(RetireReason::Cleared)), (entities, 52));
        (records, game.checksum())
    });
    let first = records.0[0];
    assert_eq!((first.reason, first.position), (RetireReason::Cleared, at(2.0, 0.0)));
    assert!(records.0.is_sorted_by_key(|record| record.id));
}

#[test]
fn clearing_within_a_tick() {
    for_each_strategy(|strategy| {
        for phase in [ProjectileSystems::Fire, ProjectileSystems::Steer, ProjectileSystems::Hit] {
            let mut game = Game::new(strategy);
            let ids = game.launch((0..5).map(still));
            let new = game.spawn(still(9));
            game.tick_with(phase, clear_projectiles::<Shot>);
            assert_eq!(game.count(), 0);
            let cleared = ids.len() + usize::from(phase != ProjectileSystems::Fire);
            assert_eq!((game.records().len(), game.ended(RetireReason::Cleared)), (cleared, cleared as u64));
            assert!(!game.contains(new));
        }
    });
}

#[test]
fn clearing_by_the_parameter_leaves_what_waits() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        let ids = game.launch((0..5).map(still));
        game.retire(ids[0], RetireReason::Hit);
        let new = game.spawn(still(9));
        assert_eq!(steer(game.world(), |shots| shots.clear()), 4);
        assert_eq!(steer(game.world(), |shots| shots.clear()), 0);
        assert_eq!(game.count(), 0);
        game.tick();
        assert_eq!(game.live_ids(), [new]);
        assert_eq!((game.ended(RetireReason::Cleared), game.ended(RetireReason::Hit)), (4, 1));
    });
}

#[test]
fn clearing_without_a_pool_does_nothing() {
    clear_projectiles::<Shot>(&mut World::new());
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        game.launch([still(1)]);
        clear_projectiles::<u32>(game.world());
        assert_eq!(game.count(), 1);
    });
}
