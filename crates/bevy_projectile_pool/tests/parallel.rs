//! Several threads may share a step, and nothing that can be seen depends on it.

mod common;
use bevy_tasks::{ComputeTaskPool, TaskPoolBuilder};
use common::*;

/// Enough for many tasks: a burst larger than a task takes, then batches that make blocks, and some too small for one.
fn run(strategy: PoolingStrategy, parallel_from: u32) -> (u64, Vec<Seen>) {
    let mut game = Game::new(strategy);
    game.set(|settings| {
        settings.parallel_from = parallel_from;
        settings.acceleration = at(0.0, -3.0);
        settings.record_retired = false;
    });
    for tick in 0..30_u32 {
        let count = [70_000, 3000, 20, 1, 0][tick.min(4) as usize] + tick % 7 * 100;
        let shots = (0..count).map(|x| {
            let shot = Projectile::new(at(x as f32, tick as f32), at(x as f32 * 0.1, 1.0));
            if x % 10 == 0 { shot } else { shot.lifetime(5 + x % 20) }
        });
        spawner(game.world(), |spawner| spawner.spawn_batch(shots));
        game.tick();
    }
    (game.checksum(), game.live())
}

#[test]
fn a_step_that_threads_share_gives_the_same_bits() {
    ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(4).build());
    same_in_each_strategy(|strategy| {
        let alone = run(strategy, ProjectileSettings::NEVER);
        assert!(alone.1.len() > 5_000);
        assert_eq!(run(strategy, 0), alone, "shared always");
        assert_eq!(run(strategy, 10_000), alone, "shared now and then");
        alone
    });
}
