//! Ten thousand requests in one frame, then none.

mod common;
use common::*;

#[test]
fn ten_thousand_in_one_frame_then_none() {
    for_each_strategy(|strategy| {
        let mut game = Game::clocked(strategy);
        game.frame();
        let random = |x: u32| Projectile::new(at(x as f32, 0.0), at(0.0, 1.0)).lifetime(x % 7 + 20);
        let ids: Vec<_> = (0..9_000).map(|x| game.spawn(random(x))).collect();
        spawner(game.world(), |spawner| spawner.spawn_batch((9_000..10_000).map(random)));
        assert_eq!(game.count(), 0, "they wait");
        let ticks = game.world().resource::<ProjectileClock>().ticks();
        game.frame();
        assert_eq!((game.count(), game.stats().spawned), (10_000, 10_000), "all of them in the next tick");
        let live = game.live();
        assert!(ids.iter().zip(&live).all(|(&id, seen)| seen.id == id));
        assert!(live.iter().zip(0..).all(|(seen, x)| seen.position == at(x as f32, DT_SECS)));
        for frame in 1..19 {
            game.frame();
            assert_eq!(game.count(), 10_000, "none late, none twice");
            assert_eq!(game.world().resource::<ProjectileClock>().ticks(), ticks + 1 + frame, "a tick a frame");
            assert_eq!(game.world().resource::<ProjectileClock>().tick_times().len(), 1);
        }
        let left: Vec<_> = (0..8).map(|_| (game.frame(), game.count()).1).collect();
        let expected: Vec<_> = (0..7).map(|over| (0..10_000).filter(|x| x % 7 > over).count()).chain([0]).collect();
        assert_eq!(left, expected);
        assert_eq!((game.ended(RetireReason::Expired), game.stats().peak), (10_000, 10_000));
        game.audit();
    });
}

#[test]
fn requests_of_several_frames_without_a_tick_wait_for_the_next() {
    for_each_strategy(|strategy| {
        let mut game = Game::clocked(strategy);
        game.world().resource_mut::<Time<Virtual>>().pause();
        for frame in 0..10 {
            game.spawn(still(frame));
            game.frame();
        }
        assert_eq!(game.count(), 0);
        game.world().resource_mut::<Time<Virtual>>().unpause();
        game.frame();
        let seen: Vec<_> = game.live().iter().map(|seen| (seen.payload.damage, seen.age)).collect();
        assert_eq!(seen, (0..10).map(|x| (x, 1)).collect::<Vec<_>>(), "all are born in this tick");
    });
}
