//! Draws the projectiles of any [`bevy_projectile_pool`] pool: one instance buffer, one phase item a view and one
//! instanced draw call a pool, the same in every storage strategy.
//!
//! Add a [`ProjectileRenderPlugin`] beside the pool's own plugin and say how a payload looks; nothing else changes
//! in the app. See the crate's README for a whole program.
//!
//! * **What is drawn**: a disc with an anti-aliased edge for each live projectile, in every view that draws the
//!   transparent 2D phase (each active `Camera2d`).
//! * **Where**: at `position + velocity * overstep`, the place the projectile will have moved to by the time of this
//!   frame. See [`DrawnProjectiles`].
//! * **In what order**: lower [`Look::layer`] first; within a layer older projectiles first, so that later spawns
//!   are on top, whatever the storage does with its slots.
//! * **Cost**: linear in the number of live projectiles, 16 bytes each on the way to the GPU; no allocation once the
//!   buffers have reached the peak count.
#![deny(missing_docs)]

mod drawn;
mod gpu;
mod look;
mod order;
mod plugin;

pub use drawn::{Disc, DrawnProjectiles};
pub use look::Look;
pub use plugin::ProjectileRenderPlugin;

/// The names an app needs.
pub mod prelude {
    pub use crate::{Disc, DrawnProjectiles, Look, ProjectileRenderPlugin};
}

/// Compiles the README's code.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
