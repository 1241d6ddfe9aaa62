//! bevy_projectile_render
