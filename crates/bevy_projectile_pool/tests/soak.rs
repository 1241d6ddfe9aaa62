//! Ten million projectiles: no id ever stands for another one, and memory stays flat.

mod common;
use common::*;

const TICKS: u32 = 2000;
const SPAWNS: u32 = 5000;
/// Ticks after which everything that a steady game needs has been asked for.
const SETTLED: u32 = 600;

#[test]
fn ten_million_spawns_alias_no_id_and_hold_no_more_memory() {
    for_each_strategy(|strategy| {
        let mut game = Game::new(strategy);
        game.set(|settings| settings.record_retired = false);
        // Some of the ids of each tick, with what they stand for.
        let mut kept: Vec<(ProjectileId, u32)> = Vec::new();
        let (mut last, mut most) = (None, (0, 0));
        for tick in 0..TICKS {
            spawner(game.world(), |spawner| {
                for place in 0..SPAWNS {
                    let serial = tick * SPAWNS + place;
                    let shot = still(serial).lifetime(if place == 0 { 500 } else { 20 + serial.wrapping_mul(7) % 20 });
                    let id = spawner.spawn(shot);
                    assert!(last.is_none_or(|last| id > last), "ids rise, so that none comes twice");
                    last = Some(id);
                    if place % 1000 == 0 {
                        kept.push((id, serial));
                    }
                }
            });
            assert!(run_projectile_tick(game.world(), DT));
            if tick % 100 == 99 {
                let live = kept.iter().filter(|(id, serial)| {
                    let found = game.get(*id);
                    assert!(found.is_none_or(|shot| shot.id == *id && shot.payload.damage == *serial), "tick {tick}");
                    found.is_some()
                });
                let live = live.count();
                assert!((40..1000).contains(&live), "those of the last ticks, and the long-lived: {live}");
            }
            let stats = game.stats();
            if tick == SETTLED {
                most = (stats.bytes_held, stats.capacity);
            }
            if tick > SETTLED {
                assert!(
                    stats.bytes_held <= most.0 * 5 / 4 && stats.capacity <= most.1 * 5 / 4,
                    "tick {tick}: {stats:?}"
                );
            }
        }
        game.audit();
        assert_eq!(game.stats().spawned, 10_000_000);
    });
}
