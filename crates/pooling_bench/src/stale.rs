//! The stale-field bug: what a forgotten reset does to a pool written by hand, and the same through the plugin.
//!
//! Two hundred projectiles a frame, of which two in a hundred are powered: they go through three targets and end at the
//! fourth, the others at the first. A reset that sets the powered ones' `pierce` and forgets the other branch leaves it
//! on every object that was ever powered. Nothing fails; the damage is wrong, and a checksum over a seeded run shows
//! it.

use bevy::prelude::{App, IntoScheduleConfigs, ResMut, Resource, Vec2};
use bevy_projectile_pool::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    Error,
    cli::Common,
    frames,
    record::{Record, with_medians},
    report::{Report, Table, shown},
    runner::{self, Done, Job, Program},
    spec::{Checksum, Output, Run, Spec, mix},
    stream::{Mulberry32, PERIOD, Shot, Stream},
};

/// Every cell: three storages by hand, and the plugin's strategies.
pub const CELLS: [&str; 6] = [
    "fresh",
    "correct-reset",
    "forgotten-branch",
    "plugin-despawn-respawn",
    "plugin-component-recycling",
    "plugin-parallel-arrays",
];

/// The cell that is wrong on purpose.
const FORGOTTEN: &str = "forgotten-branch";
/// Projectiles a frame.
const SPAWNS: u32 = 200;
/// Which share of them is powered.
const POWERED: f64 = 0.02;
/// Targets that a powered one goes through.
const PIERCE: u32 = 3;
/// A projectile meets a target in every third frame of its life.
const EVERY: u32 = 3;

/// One cell of the demonstration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StaleSpec {
    /// How long; what comes before the measured frames is not run.
    pub run: Run,
    /// One of [`CELLS`].
    pub cell: String,
}

/// What a projectile carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bolt {
    damage: u32,
    /// How many targets it goes through.
    pierce: u32,
    hits: u32,
}

impl Bolt {
    /// Hits a target, and says whether it flies on.
    fn hit(&mut self) -> bool {
        self.hits += 1;
        self.hits <= self.pierce
    }
}

/// Whether a projectile of this age meets a target.
fn meets_target(age: u32) -> bool {
    age.is_multiple_of(EVERY)
}

/// What is fired.
#[derive(Resource)]
struct Volley {
    stream: Stream,
    powered: Mulberry32,
}

impl Volley {
    fn new(seed: u32) -> Self {
        // Another sequence than the stream's own.
        Self { stream: Stream::new(seed), powered: Mulberry32(seed ^ 0x9E37_79B9) }
    }

    /// The next projectile, and whether it is powered.
    fn shoot(&mut self) -> (Shot, bool) {
        (self.stream.shoot(), self.powered.draw() < POWERED)
    }
}

/// What a run came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    damage: u64,
    sum: u64,
    live: usize,
}

impl Tally {
    /// Books a frame: the damage dealt in it, and how many are alive after it.
    fn book(&mut self, frame: u32, damage: u64, live: usize) {
        self.damage += damage;
        self.sum = mix(mix(mix(self.sum, frame.into()), damage), live as u64);
        self.live = live;
    }

    fn output(self) -> Output {
        Output {
            checksum: Some(Checksum::hex(self.sum)),
            live: Some(self.live as u64),
            figures: [("damage".to_owned(), self.damage as f64)].into(),
            ..Output::default()
        }
    }
}

/// Runs one cell in this process.
///
/// # Errors
/// If it names no cell.
pub fn measure(spec: &StaleSpec) -> Result<Output, Error> {
    let unknown = || Error::UnknownCell { suite: "stale", cell: spec.cell.clone(), known: CELLS.to_vec() };
    let tally = match spec.cell.as_str() {
        "fresh" => by_hand(Reset::Fresh, &spec.run),
        "correct-reset" => by_hand(Reset::Correct, &spec.run),
        FORGOTTEN => by_hand(Reset::Forgotten, &spec.run),
        other => {
            let strategy = other.strip_prefix("plugin-").and_then(|name| name.parse::<PoolingStrategy>().ok());
            through_plugin(strategy.ok_or_else(unknown)?, &spec.run)
        }
    };
    Ok(tally.output())
}

/// How an object is made ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reset {
    /// It is new.
    Fresh,
    /// Every value is set.
    Correct,
    /// `pierce` is set if it is powered, and not if it is not.
    Forgotten,
}

#[derive(Clone, Copy, Debug, Default)]
struct Object {
    age: u32,
    life: u32,
    bolt: Bolt,
}

/// A pool as one writes it by hand.
#[derive(Debug)]
struct Objects {
    reset: Reset,
    live: Vec<Object>,
    free: Vec<Object>,
}

impl Objects {
    fn new(reset: Reset) -> Self {
        Self { reset, live: Vec::new(), free: Vec::new() }
    }

    fn spawn(&mut self, shot: &Shot, powered: bool) {
        let mut object = self.free.pop().unwrap_or_default();
        object.age = 0;
        object.life = shot.life as u32;
        object.bolt.damage = shot.damage as u32;
        object.bolt.hits = 0;
        if powered {
            object.bolt.pierce = PIERCE;
        } else if self.reset == Reset::Correct {
            object.bolt.pierce = 0;
        }
        self.live.push(object);
    }

    /// Makes one step, and returns the damage dealt in it.
    fn update(&mut self) -> u64 {
        let mut damage = 0;
        let ended = self.live.extract_if(.., |object| {
            object.age += 1;
            let mut ends = object.age >= object.life;
            if meets_target(object.age) {
                damage += u64::from(object.bolt.damage);
                ends |= !object.bolt.hit();
            }
            ends
        });
        self.free.extend(ended);
        if self.reset == Reset::Fresh {
            self.free.clear();
        }
        damage
    }
}

fn by_hand(reset: Reset, run: &Run) -> Tally {
    let mut volley = Volley::new(run.seed);
    let mut objects = Objects::new(reset);
    let mut tally = Tally::default();
    for frame in 0..run.frames {
        for _ in 0..SPAWNS {
            let (shot, powered) = volley.shoot();
            objects.spawn(&shot, powered);
        }
        let damage = objects.update();
        tally.book(frame, damage, objects.live.len());
    }
    tally
}

/// The damage of a tick.
#[derive(Resource, Default)]
struct Dealt(u64);

fn through_plugin(strategy: PoolingStrategy, run: &Run) -> Tally {
    let mut app = App::new();
    app.add_plugins(ProjectilePoolPlugin::<Bolt>::new("bolts").by_hand().strategy(strategy))
        .insert_resource(Volley::new(run.seed))
        .init_resource::<Dealt>()
        .add_systems(ProjectileTick, fire.in_set(ProjectileSystems::Fire))
        .add_systems(ProjectileTick, hit.in_set(ProjectileSystems::Hit));
    let mut tally = Tally::default();
    for frame in 0..run.frames {
        run_projectile_tick(app.world_mut(), PERIOD);
        let damage = std::mem::take(&mut app.world_mut().resource_mut::<Dealt>().0);
        tally.book(frame, damage, app.world().resource::<PoolStats<Bolt>>().live);
    }
    tally
}

/// Forgets the same branch, and nothing comes of it: what is not named has its default.
fn fire(mut volley: ResMut<Volley>, mut spawner: ProjectileSpawner<Bolt>) {
    for _ in 0..SPAWNS {
        let (shot, powered) = volley.shoot();
        let mut bolt = Bolt { damage: shot.damage as u32, ..Bolt::default() };
        if powered {
            bolt.pierce = PIERCE;
        }
        let position = Vec2::new(shot.x as f32, shot.y as f32);
        let velocity = Vec2::new(shot.vx as f32, shot.vy as f32);
        spawner.spawn(Projectile::new(position, velocity).lifetime(shot.life as u32).payload(bolt));
    }
}

fn hit(mut bolts: ProjectilesMut<Bolt>, mut dealt: ResMut<Dealt>) {
    for mut bolt in &mut bolts {
        if meets_target(bolt.age()) {
            dealt.0 += u64::from(bolt.payload().damage);
            if !bolt.payload_mut().hit() {
                bolt.retire(RetireReason::Hit);
            }
        }
    }
}

/// Runs every cell and compares the damage.
///
/// # Errors
/// If a cell cannot be run, if one that must agree with fresh objects does not, or if the forgotten branch does.
pub fn suite(common: &Common) -> Result<Report, Error> {
    let job = |cell: &str| {
        let mut record = Record::new("stale", cell);
        record.set("spawns", SPAWNS).set("frames", common.frames);
        let spec = StaleSpec { run: common.run(), cell: cell.to_owned() };
        Job { program: Program::This, spec: Spec::Stale(spec), record }
    };
    let group: Vec<Job> = common.chosen(&CELLS).map(job).collect();
    let done = runner::run(&[group], common.repeats())?;
    let mut notes = check(&done)?;
    let fresh = done.iter().find(|one| one.job.spec.cell() == "fresh").and_then(damage);
    let line = |one: &Done| {
        let mut record = frames::record(one);
        record.set("damage_ratio", damage(one).zip(fresh).map(|(damage, fresh)| damage / fresh));
        record
    };
    let records = with_medians(done.iter().map(line).collect());
    let rows: Vec<Record> = records.iter().filter(|record| record.is_median()).cloned().collect();
    let forgotten = rows.iter().find(|row| row.cell == FORGOTTEN).and_then(|row| row.get("damage_ratio"));
    notes.extend(forgotten.map(|ratio| {
        format!(
            "A reset that forgets one branch deals {} times the damage, and nothing fails: only the checksum of a \
             seeded run shows it (in the article the damage doubled)",
            shown(ratio)
        )
    }));
    if rows.iter().any(|row| row.cell.starts_with("plugin-")) {
        notes.push(
            "Through the plugin the same branch is forgotten, without effect: a payload begins with its defaults in \
             every strategy"
                .to_owned(),
        );
    }
    let columns = vec![
        ("cell", "cell"),
        ("damage", "damage"),
        ("of fresh", "damage_ratio"),
        ("alive", "live"),
        ("checksum", "checksum"),
    ];
    let title = format!("{} frames of {SPAWNS} projectiles, 2 % of them powered", common.frames);
    Ok(Report { suite: "stale", records, tables: vec![Table { title, columns, rows }], notes, done })
}

fn damage(done: &Done) -> Option<f64> {
    done.output.figures.get("damage").copied()
}

/// All cells agree, but for the one that is wrong on purpose.
fn check(done: &[Done]) -> Result<Vec<String>, Error> {
    let is_wrong = |one: &Done| one.job.spec.cell() == FORGOTTEN;
    let (wrong, right): (Vec<Done>, Vec<Done>) = done.iter().cloned().partition(is_wrong);
    let notes = frames::check_by(&right, |_| (format!("{SPAWNS} spawns a frame, without {FORGOTTEN}"), None))?;
    let expected = right.first().and_then(|one| one.output.checksum.as_ref());
    if expected.is_some() && wrong.iter().any(|one| one.output.checksum.as_ref() == expected) {
        return Err(Error::Checksum(format!(
            "{FORGOTTEN} agrees with the others, so that nothing is shown: --frames must be higher"
        )));
    }
    Ok(notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(frames: u32) -> Run {
        Run { frames, warmup: 0, seed: 12345, events: false }
    }

    fn done(cell: &str, frames: u32) -> Done {
        let spec = StaleSpec { run: run(frames), cell: cell.to_owned() };
        let output = measure(&spec).unwrap();
        let job = Job { program: Program::This, spec: Spec::Stale(spec), record: Record::new("stale", cell) };
        Done { job, repeat: 1, output }
    }

    #[test]
    fn a_plain_bolt_ends_at_the_first_target_and_a_powered_one_at_the_fourth() {
        let mut plain = Bolt::default();
        assert!(!plain.hit());
        let mut powered = Bolt { pierce: PIERCE, ..Bolt::default() };
        assert_eq!([(); 4].map(|()| powered.hit()), [true, true, true, false]);
    }

    #[test]
    fn only_the_forgotten_branch_leaves_pierce_on_an_object() {
        for (reset, expected) in [(Reset::Fresh, 0), (Reset::Correct, 0), (Reset::Forgotten, PIERCE)] {
            let mut objects = Objects::new(reset);
            let shot = Shot { life: 1.0, damage: 5.0, ..Shot::default() };
            objects.spawn(&shot, true);
            assert_eq!(objects.update(), 0, "it meets no target in its only step");
            assert!(objects.live.is_empty());
            objects.spawn(&shot, false);
            assert_eq!(objects.live[0].bolt, Bolt { damage: 5, pierce: expected, hits: 0 }, "{reset:?}");
        }
    }

    #[test]
    fn damage_and_ends_are_as_worked_by_hand() {
        let mut objects = Objects::new(Reset::Fresh);
        objects.spawn(&Shot { life: 20.0, damage: 5.0, ..Shot::default() }, false);
        objects.spawn(&Shot { life: 11.0, damage: 7.0, ..Shot::default() }, true);
        let damage: Vec<u64> = (0..12).map(|_| objects.update()).collect();
        assert_eq!(damage, [0, 0, 12, 0, 0, 7, 0, 0, 7, 0, 0, 0], "the second expires after its third target");
        assert!(objects.live.is_empty());
    }

    #[test]
    fn a_forgotten_branch_about_doubles_the_damage() {
        let [fresh, correct, forgotten] =
            [Reset::Fresh, Reset::Correct, Reset::Forgotten].map(|reset| by_hand(reset, &run(600)));
        assert_eq!(fresh, correct);
        let ratio = forgotten.damage as f64 / fresh.damage as f64;
        assert!((1.7..2.3).contains(&ratio), "{ratio}");
        assert_ne!(forgotten.sum, fresh.sum);
    }

    #[test]
    fn the_plugin_agrees_with_fresh_objects_in_every_strategy() {
        let fresh = by_hand(Reset::Fresh, &run(150));
        for strategy in PoolingStrategy::ALL {
            assert_eq!(through_plugin(strategy, &run(150)), fresh, "{strategy}");
        }
    }

    #[test]
    fn the_check_wants_agreement_and_one_that_is_wrong() {
        let cells = ["fresh", "correct-reset", FORGOTTEN, "plugin-parallel-arrays"];
        let mut all = cells.map(|cell| done(cell, 100));
        assert_eq!(check(&all).unwrap().len(), 1);
        all[2].output.checksum = all[0].output.checksum.clone();
        assert!(check(&all).unwrap_err().to_string().contains("nothing is shown"));
        all[2].output.checksum = None;
        all[3].output.checksum = None;
        assert!(check(&all).is_ok(), "what was not run is not compared");
        all[3].output.checksum = Some(Checksum::hex(1));
        assert!(check(&all).unwrap_err().to_string().contains("plugin-parallel-arrays"));
    }

    #[test]
    fn cells_that_do_not_exist_are_errors() {
        for cell in ["rented", "plugin-", "plugin-rented", "parallel-arrays"] {
            let error = measure(&StaleSpec { run: run(10), cell: cell.to_owned() }).unwrap_err();
            assert!(error.to_string().contains("correct-reset"), "{error}");
        }
    }
}
