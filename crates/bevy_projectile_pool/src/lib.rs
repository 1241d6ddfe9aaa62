#![deny(missing_docs)]
#![doc = include_str!("../README.md")]

mod alive;
mod checksum;
mod engine;
mod ledger;
mod plugin;
mod pool;
mod projectile;
mod projectiles;
mod retired;
mod sets;
mod settings;
mod spawner;
mod stats;
mod strategy;
mod trim;

pub use alive::Alive;
pub use checksum::PoolChecksum;
pub use plugin::{ProjectilePoolPlugin, TICK_MS};
pub use pool::clear_projectiles;
pub use projectile::{InvalidProjectile, Payload, Projectile, ProjectileId, RetireReason};
pub use projectiles::{ProjectileIter, ProjectileIterMut, ProjectileMut, ProjectileRef, Projectiles, ProjectilesMut};
pub use retired::{Retired, RetiredProjectiles};
pub use sets::{ProjectileClock, ProjectileSystems, ProjectileTick, RunProjectileTick, run_projectile_tick};
pub use settings::{FullPolicy, PoolSettings, ProjectileSettings, TrimPolicy};
pub use spawner::ProjectileSpawner;
pub use stats::{PoolStats, ProjectileStats, RetireCounts};
pub use strategy::{
    ActiveStrategy, PoolingStrategy, UnknownStrategy,
    rows::{ProjectileLife, ProjectileMotion, ProjectilePayload},
};

/// What most apps use: `use bevy_projectile_pool::prelude::*;`.
pub mod prelude {
    pub use crate::{
        ActiveStrategy, Alive, FullPolicy, Payload, PoolChecksum, PoolSettings, PoolStats, PoolingStrategy, Projectile,
        ProjectileClock, ProjectileId, ProjectileMut, ProjectilePoolPlugin, ProjectileRef, ProjectileSettings,
        ProjectileSpawner, ProjectileSystems, ProjectileTick, Projectiles, ProjectilesMut, RetireReason, Retired,
        RetiredProjectiles, RunProjectileTick, TrimPolicy, clear_projectiles, run_projectile_tick,
    };
}
