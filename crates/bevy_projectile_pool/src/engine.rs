//! Every name of Bevy that this crate uses, in one place, so that another Bevy release is one file away.

pub(crate) use bevy_app::{
    App, First, FixedFirst, FixedLast, FixedPostUpdate, FixedPreUpdate, FixedUpdate, Last, Plugin, RunFixedMainLoop,
    RunFixedMainLoopSystem,
};
pub(crate) use bevy_diagnostic::{Diagnostic, DiagnosticPath, Diagnostics, RegisterDiagnostic};
pub(crate) use bevy_ecs::{
    archetype::Archetype,
    component::{
        Component, ComponentCloneBehavior, ComponentHook, ComponentId, Components, HookContext, Mutable, StorageType,
        Tick,
    },
    entity::Entity,
    entity_disabling::Disabled,
    intern::Interned,
    prelude::{IntoScheduleConfigs, Query, Res, ResMut, Resource, Schedules, SystemSet, With, Without, World},
    query::{FilteredAccess, Or, QueryData, QueryFilter, QueryIter, QueryState, WorldQuery},
    schedule::{ExecutorKind, ScheduleLabel},
    storage::{Table, TableId, TableRow},
    system::SystemParam,
    world::{DeferredWorld, Mut, unsafe_world_cell::UnsafeWorldCell},
};
pub(crate) use bevy_math::{Rect, Vec2};
pub(crate) use bevy_reflect::Reflect;
pub(crate) use bevy_tasks::ComputeTaskPool;
pub(crate) use bevy_time::{Fixed, Time, Virtual};
