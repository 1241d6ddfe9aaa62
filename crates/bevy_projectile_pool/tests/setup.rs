//! Adding pools: what is refused, and with which words; what diagnostics there are.

mod common;
use bevy_diagnostic::{DiagnosticPath, DiagnosticsStore};
use bevy_projectile_pool::TICK_MS;
use common::*;

#[derive(Clone, Copy, Default)]
struct Spark;

fn shots(name: &str) -> ProjectilePoolPlugin<Shot> {
    ProjectilePoolPlugin::new(name)
}

fn sparks(name: &str) -> ProjectilePoolPlugin<Spark> {
    ProjectilePoolPlugin::new(name)
}

#[test]
#[should_panic(expected = "there are two projectile pools named \"shots\"")]
fn two_pools_of_one_name() {
    App::new().add_plugins((shots("shots"), sparks("shots")));
}

#[test]
#[should_panic(expected = "plugin was already added")]
fn two_pools_of_one_payload() {
    App::new().add_plugins((shots("one"), shots("two")));
}

#[test]
#[should_panic(expected = "a projectile pool's name is made of letters, digits, `_` and `-`, not \"a/b\"")]
fn a_name_that_does_not_fit_into_a_path() {
    App::new().add_plugins(shots("a/b"));
}

#[test]
#[should_panic(expected = "name is made of letters")]
fn no_name() {
    App::new().add_plugins(shots(""));
}

#[test]
#[should_panic(
    expected = "the projectile pool \"sparks\" ticks in Some(Update), but the pools before it in Some(FixedUpdate)"
)]
fn pools_that_tick_in_different_schedules() {
    App::new().add_plugins((shots("shots"), sparks("sparks").schedule(Update)));
}

#[test]
#[should_panic(expected = "all pools of an app tick together")]
fn a_pool_by_hand_beside_one_by_the_clock() {
    App::new().add_plugins((shots("shots"), sparks("sparks").by_hand()));
}

#[test]
fn names_of_all_letters_that_are_allowed() {
    App::new().add_plugins((shots("enemy-shots_2"), sparks("S")));
}

#[test]
fn systems_may_be_added_before_the_pools() {
    for_each_strategy(|strategy| {
        let mut app = App::new();
        let fire = |mut spawner: ProjectileSpawner<Shot>| _ = spawner.spawn(still(1));
        app.add_systems(ProjectileTick, fire.in_set(ProjectileSystems::Fire));
        app.add_plugins((shots("shots").strategy(strategy).by_hand(), sparks("sparks").by_hand()));
        assert!(run_projectile_tick(app.world_mut(), DT));
        assert_eq!(live(app.world_mut()).len(), 1);
    });
}

#[test]
fn builder_methods_set_the_fields() {
    let settings = ProjectileSettings { capacity: 7, ..ProjectileSettings::default() };
    let plugin = shots("shots").strategy(PoolingStrategy::DespawnRespawn).settings(settings).checksum(true);
    let plugin = plugin.record_retired(true).payload_hash(|shot| u64::from(shot.damage));
    assert_eq!(
        (plugin.name.as_str(), plugin.strategy, plugin.checksum),
        ("shots", PoolingStrategy::DespawnRespawn, true)
    );
    assert_eq!(plugin.settings, ProjectileSettings { record_retired: true, ..settings });
    assert_eq!(plugin.payload_hash.map(|hash| hash(&Shot { damage: 4 })), Some(4));
    let mut game = Game::with(plugin.by_hand());
    game.launch([still(1)]);
    assert_eq!(game.strategy(), PoolingStrategy::DespawnRespawn);
    assert_eq!(game.world().resource::<PoolSettings<Shot>>().capacity, 7);
    assert!(game.world().resource::<PoolChecksum<Shot>>().is_on());
}

#[test]
fn the_checksum_is_off_unless_asked_for() {
    for_each_strategy(|strategy| {
        let mut game = Game::with(shots("shots").strategy(strategy).by_hand());
        game.launch([still(1)]);
        assert_eq!(game.checksum(), 0);
        game.world().resource_mut::<PoolChecksum<Shot>>().set_on(true);
        game.tick();
        assert_ne!(game.checksum(), 0);
        assert_ne!(game.world().resource::<PoolChecksum<Shot>>().tick(), 0);
        game.world().resource_mut::<PoolChecksum<Shot>>().reset();
        assert_eq!((game.checksum(), game.world().resource::<PoolChecksum<Shot>>().tick()), (0, 0));
    });
}

#[test]
fn diagnostics_carry_the_figures() {
    for_each_strategy(|strategy| {
        let mut game = Game::clocked(strategy);
        let value = |game: &mut Game, path: &str| {
            let store = game.world().resource::<DiagnosticsStore>();
            let path = DiagnosticPath::new(format!("projectile_pool/{path}"));
            store.get(&path).unwrap_or_else(|| panic!("there is no {path}")).value()
        };
        game.set(|settings| settings.when_full = FullPolicy::Grow { max: 6 });
        (0..8).for_each(|x| _ = game.spawn(still(x).lifetime(if x < 2 { 1 } else { 99 })));
        game.frame();
        let stats = game.stats();
        for (path, figure) in [
            ("shots/live", 4.0),
            ("shots/spawned", 6.0),
            ("shots/peak", 6.0),
            ("shots/retired", 2.0),
            ("shots/retired/expired", 2.0),
            ("shots/retired/hit", 0.0),
            ("shots/invalid", 0.0),
            ("shots/free_rows", stats.free_rows as f64),
            ("shots/rejected", 2.0),
            ("shots/capacity", stats.capacity as f64),
            ("shots/bytes_held", stats.bytes_held as f64),
        ] {
            assert_eq!(value(&mut game, path), Some(figure), "{path}");
        }
        assert!(stats.capacity >= 4 && stats.bytes_held >= 4 * 24);
        for path in ["shots/spawn_ms", "shots/integrate_ms", "shots/retire_ms", "tick_ms"] {
            assert!(value(&mut game, path).is_some_and(|ms| ms >= 0.0), "{path} is measured");
        }
        let tick = game.world().resource::<DiagnosticsStore>().get(&TICK_MS).and_then(|d| d.value()).expect("measured");
        let phases = ["spawn_ms", "integrate_ms", "retire_ms"].map(|phase| value(&mut game, &format!("shots/{phase}")));
        assert!(phases.into_iter().flatten().sum::<f64>() <= tick, "the phases are parts of the tick");
        game.world().resource_mut::<Time<Virtual>>().pause();
        game.frame();
        assert_eq!(value(&mut game, "tick_ms"), Some(0.0), "a frame without ticks");
        assert_eq!(value(&mut game, "shots/integrate_ms"), Some(0.0));
        assert_eq!(value(&mut game, "shots/live"), Some(4.0));
    });
}
