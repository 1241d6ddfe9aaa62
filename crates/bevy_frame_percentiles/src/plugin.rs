//! Puts the recorder into an app.

use std::time::Instant;

use bevy::{
    app::{App, First, Last, MainScheduleOrder, Plugin},
    ecs::{
        schedule::{ExecutorKind, IntoScheduleConfigs, ScheduleLabel, SystemSet},
        system::ResMut,
    },
};

use crate::recorder::FrameRecorder;

/// Adds a [`FrameRecorder`] and has it record the frame and update series.
///
/// Works with `MinimalPlugins` and without a window.
#[derive(Clone, Debug)]
pub struct FramePercentilesPlugin {
    /// How many samples a window holds, at least 1. Default 2,000: p99 has its ten samples beyond after 1,000.
    pub window: usize,
    /// How many samples of each series are dropped at the start, after a change of label and after a reset.
    /// Default 30: half a second at 60 frames a second, in which caches, pipelines and pools fill.
    pub warm_up: usize,
    /// The first label. Default `run`.
    pub label: String,
}

impl Default for FramePercentilesPlugin {
    fn default() -> Self {
        Self { window: 2000, warm_up: 30, label: "run".to_owned() }
    }
}

impl FramePercentilesPlugin {
    /// The defaults, with a first label.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }
}

/// The schedule that runs just before `First`: the clock of the frame starts here.
///
/// It is a schedule of its own because no system inside `First` can be sure to be the first there.
#[derive(ScheduleLabel, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrameStart;

/// The schedule that runs just after `Last`: the clock of the update stops here.
#[derive(ScheduleLabel, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrameEnd;

/// The recorder's system sets.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrameRecorderSystems {
    /// In [`FrameStart`]: ends the frame in progress and begins the next.
    Begin,
    /// In [`FrameEnd`]: ends the update.
    End,
}

impl Plugin for FramePercentilesPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(FrameRecorder::new(self.window, self.warm_up, self.label.clone()))
            .add_systems(FrameStart, begin_frame.in_set(FrameRecorderSystems::Begin))
            .add_systems(FrameEnd, end_update.in_set(FrameRecorderSystems::End));
        for label in [FrameStart.intern(), FrameEnd.intern()] {
            // On this thread, so that the clock is not read by a worker that first has to wake.
            app.edit_schedule(label, |schedule| {
                schedule.set_executor_kind(ExecutorKind::SingleThreaded);
            });
        }
        let mut order = app.world_mut().get_resource_or_init::<MainScheduleOrder>();
        order.insert_before(First, FrameStart);
        order.insert_after(Last, FrameEnd);
    }
}

fn begin_frame(mut recorder: ResMut<FrameRecorder>) {
    recorder.begin_frame(Instant::now());
}

fn end_update(mut recorder: ResMut<FrameRecorder>) {
    recorder.end_update(Instant::now());
}
