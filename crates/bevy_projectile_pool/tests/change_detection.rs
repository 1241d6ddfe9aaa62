//! Whether what the pool writes to its entities counts as a change is a setting; what the app writes always counts.

mod common;
use common::*;

type Changes<'w, 's> = Query<'w, 's, Entity, Changed<ProjectileMotion<Shot>>>;

/// Entities whose motion changed since this was asked last.
fn changed(world: &mut World, state: &mut SystemState<Changes>) -> usize {
    let changes = state.get(world).iter().count();
    state.apply(world);
    changes
}

fn game(strategy: PoolingStrategy, change_detection: bool) -> Game {
    Game::with(pool(strategy).settings(ProjectileSettings { change_detection, ..ProjectileSettings::default() }))
}

#[test]
fn steps_count_as_changes_unless_told_otherwise() {
    for_each_entity_strategy(|strategy| {
        for (seen, steps) in [(true, 3), (false, 0)] {
            let mut game = game(strategy, seen);
            game.launch((0..3).map(still));
            let mut state = SystemState::<Changes>::new(game.world());
            changed(game.world(), &mut state);
            game.tick();
            assert_eq!(changed(game.world(), &mut state), steps, "with change_detection: {seen}");
        }
    });
}

#[test]
fn reuse_counts_as_a_change_unless_told_otherwise() {
    for (seen, reused) in [(true, 3), (false, 0)] {
        let mut game = game(PoolingStrategy::ComponentRecycling, seen);
        game.launch((0..3).map(|x| still(x).lifetime(1)));
        assert_eq!((game.stats().live, game.stats().free_rows), (0, 3), "they have ended and their rows wait");
        let mut state = SystemState::<Changes>::new(game.world());
        changed(game.world(), &mut state);
        game.launch((0..3).map(still));
        assert_eq!(game.stats().free_rows, 0, "they are in those rows");
        assert_eq!(changed(game.world(), &mut state), reused, "with change_detection: {seen}");
    }
}

#[test]
fn a_row_that_is_used_again_counts_as_added_unless_told_otherwise() {
    type News<'w, 's> = Query<
        'w,
        's,
        Entity,
        (
            Added<ProjectileId>,
            Added<ProjectileMotion<Shot>>,
            Added<ProjectileLife<Shot>>,
            Added<ProjectilePayload<Shot>>,
        ),
    >;
    for (seen, added) in [(true, 2), (false, 0)] {
        let mut game = game(PoolingStrategy::ComponentRecycling, seen);
        game.launch((0..3).map(|x| still(x).lifetime(1 + x / 2 * 50)));
        let mut state = SystemState::<News>::new(game.world());
        assert_eq!(state.get(game.world()).iter().count(), 3, "those that are new");
        game.launch((0..2).map(still));
        assert_eq!(game.stats().free_rows, 0, "two of the rows are used again");
        assert_eq!(state.get(game.world()).iter().count(), added, "with change_detection: {seen}");
        game.tick();
        assert_eq!(state.get(game.world()).iter().count(), 0, "a step adds nothing");
    }
}

#[test]
fn what_the_app_writes_always_counts() {
    for_each_entity_strategy(|strategy| {
        let mut game = game(strategy, false);
        let ids = game.launch((0..3).map(still));
        let mut state = SystemState::<Changes>::new(game.world());
        changed(game.world(), &mut state);
        steer(game.world(), |shots| {
            assert!(shots.get_mut(ids[1]).is_some_and(|mut shot| shot.set_velocity(Vec2::X)));
        });
        assert_eq!(changed(game.world(), &mut state), 1);
    });
}

#[test]
fn the_simulation_is_the_same() {
    let run = |strategy, seen| {
        let mut game = game(strategy, seen);
        for tick in 0..30 {
            game.launch((0..5).map(|x| Projectile::new(at(x as f32, 0.0), Vec2::X).lifetime(1 + (x + tick) % 7)));
        }
        game.live()
    };
    for_each_entity_strategy(|strategy| assert_eq!(run(strategy, true), run(strategy, false)));
}
