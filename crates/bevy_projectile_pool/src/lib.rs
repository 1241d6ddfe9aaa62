//! bevy_projectile_pool
