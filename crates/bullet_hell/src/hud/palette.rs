//! The colours of the game.

use bevy::prelude::*;

use crate::game::EnemyKind;

/// Text that matters.
pub const BRIGHT: Color = Color::srgb(0.93, 0.95, 1.0);
/// Labels.
pub const DIM: Color = Color::srgb(0.55, 0.61, 0.78);
/// The title, and what is active.
pub const ACCENT: Color = Color::srgb(1.0, 0.42, 0.68);
/// The ship.
pub const SHIP: Color = Color::srgb(0.45, 0.9, 1.0);
/// Bombs.
pub const BOMB: Color = Color::srgb(1.0, 0.85, 0.4);
/// Side panels and everything beyond.
pub const PANEL: Color = Color::srgb(0.035, 0.04, 0.085);
/// The playfield's lower edge.
pub const FIELD_LOW: Color = Color::srgb(0.03, 0.045, 0.12);
/// The playfield's upper edge.
pub const FIELD_HIGH: Color = Color::srgb(0.085, 0.04, 0.15);
/// The playfield's frame.
pub const FRAME: Color = Color::srgb(0.36, 0.4, 0.72);

/// An enemy's colour.
pub fn enemy(kind: EnemyKind) -> LinearRgba {
    match kind {
        EnemyKind::Drone => Color::srgb(1.0, 0.6, 0.25),
        EnemyKind::Bloom => Color::srgb(1.0, 0.35, 0.62),
        EnemyKind::Spinner => Color::srgb(0.35, 0.72, 1.0),
        EnemyKind::Mason => Color::srgb(0.42, 0.88, 0.52),
        EnemyKind::Boss => Color::srgb(0.8, 0.4, 1.0),
    }
    .to_linear()
}
