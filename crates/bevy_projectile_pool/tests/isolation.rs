//! Two pools in one app, and two apps in one process, do not disturb each other.

mod common;
use common::{
    script::{Player, act_and_tick},
    *,
};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Spark(u8);

fn two_pools(shots: PoolingStrategy, sparks: PoolingStrategy) -> Game {
    let mut game = Game::new(shots);
    let plugin = ProjectilePoolPlugin::<Spark>::new("sparks").strategy(sparks).by_hand().checksum(true);
    game.app.add_plugins(plugin.record_retired(true));
    game
}

fn spark(game: &mut Game, projectile: Projectile<Spark>) -> ProjectileId {
    spawner_of(game.world(), |spawner: &mut ProjectileSpawner<Spark>| spawner.spawn(projectile))
}

fn sparks(game: &mut Game) -> Vec<(ProjectileId, Vec2, u8)> {
    let mut all = read_of(game.world(), |sparks: &Projectiles<Spark>| {
        assert_eq!(sparks.count(), sparks.iter().count());
        sparks.iter().map(|spark| (spark.id(), spark.position(), spark.payload().0)).collect::<Vec<_>>()
    });
    all.sort_by_key(|(id, ..)| *id);
    all
}

#[test]
fn each_pool_flies_as_if_it_were_alone() {
    let alone = {
        let mut game = Game::new(PoolingStrategy::ParallelArrays);
        let mut player = Player::new(5);
        for _ in 0..120 {
            let ids = game.live_ids();
            act_and_tick(&mut game, player.think(&ids));
        }
        (game.live(), game.checksum(), game.stats().retired)
    };
    for_each_strategy(|shots| {
        for_each_strategy(|other| {
            let mut game = two_pools(shots, other);
            let mut player = Player::new(5);
            let mut flying = Vec::new();
            for tick in 0..120_u32 {
                let new = Projectile::new(at(0.0, tick as f32), at(64.0, 0.0)).lifetime(10).payload(Spark(tick as u8));
                flying.push((spark(&mut game, new), tick));
                let ids = game.live_ids();
                act_and_tick(&mut game, player.think(&ids));
                flying.retain(|(_, born)| born + 10 > tick + 1);
                let expected: Vec<_> = flying
                    .iter()
                    .map(|&(id, born)| (id, at((tick + 1 - born) as f32, born as f32), Spark(born as u8).0))
                    .collect();
                assert_eq!(sparks(&mut game), expected, "sparks after tick {tick}");
            }
            assert_eq!((game.live(), game.checksum(), game.stats().retired), alone);
        });
    });
}

#[test]
fn settings_clearing_switching_and_ids_are_the_pools_own() {
    for_each_strategy(|shots| {
        for_each_strategy(|other| {
            let mut game = two_pools(shots, other);
            let shot = game.launch((0..5).map(still));
            let first = spark(&mut game, Projectile::new(at(1.0, 1.0), Vec2::ZERO));
            assert_eq!(first, shot[0], "each pool counts its own ids");
            game.set(|settings| settings.acceleration = at(0.0, 64.0)).tick();
            assert_eq!(sparks(&mut game), [(first, at(1.0, 1.0), 0)]);
            game.switch(shots.next());
            game.tick();
            assert_eq!(game.world().resource::<ActiveStrategy<Spark>>().get(), other);
            assert!(game.retire(shot[0], RetireReason::Hit));
            assert_eq!(sparks(&mut game).len(), 1, "the same number in the other pool lives");
            game.tick();
            assert_eq!(game.ends(), [(shot[0], RetireReason::Hit)]);
            assert!(game.world().resource::<RetiredProjectiles<Spark>>().is_empty());
            clear_projectiles::<Shot>(game.world());
            assert_eq!((game.count(), sparks(&mut game).len()), (0, 1));
            assert_eq!(game.world().resource::<PoolStats<Spark>>().spawned, 1);
            clear_projectiles::<Spark>(game.world());
            assert_eq!(sparks(&mut game), []);
        });
    });
}

#[test]
fn two_apps_run_in_turns_as_they_do_alone() {
    fn step(game: &mut Game, player: &mut Player) {
        let ids = game.live_ids();
        act_and_tick(game, player.think(&ids));
    }
    for_each_strategy(|strategy| {
        let alone = |seed| {
            let (mut game, mut player) = (Game::new(strategy), Player::new(seed));
            (0..80).for_each(|_| step(&mut game, &mut player));
            (game.live(), game.checksum(), game.stats())
        };
        let mut games = [1, 2].map(|seed| (Game::new(strategy), Player::new(seed)));
        for _ in 0..80 {
            games.iter_mut().for_each(|(game, player)| step(game, player));
        }
        for ((game, _), seed) in games.iter_mut().zip([1, 2]) {
            assert_eq!((game.live(), game.checksum(), game.stats()), alone(seed), "app {seed}");
        }
    });
}
