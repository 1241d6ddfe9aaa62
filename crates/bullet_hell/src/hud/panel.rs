//! The texts beside the playfield: score and stock to the left, storage to the right.

use bevy::prelude::*;
use bevy_projectile_pool::prelude::{ActiveStrategy, PoolStats, PoolingStrategy, Projectiles};

use super::palette;
use crate::game::{Arena, BestScore, Bullet, Density, GameConfig, PICTURE};

/// The space between the picture's edge and a panel's text.
pub const MARGIN: f32 = 22.0;
/// The middle of the row of lives, from the picture's upper edge.
pub const LIVES_TOP: f32 = 216.0;
/// The middle of the row of bombs, from the picture's upper edge.
pub const BOMBS_TOP: f32 = 268.0;

/// Where the right panel's text begins.
const RIGHT: f32 = PICTURE.x - 240.0 + MARGIN;
/// Seconds between two refreshes of the figures.
const REFRESH_SECS: f32 = 0.1;

/// The keys, one a line; shown on the title screen as well.
pub const KEYS: &str = "\
Move     arrows / WASD
Focus    Shift
Shoot    Z / Space
Bomb     X
Pause    Esc / P
Restart  R
Storage  1  2  3
Overlay  F1";

/// A text that shows a figure.
#[derive(Component, Clone, Copy, PartialEq, Eq)]
pub(super) enum Readout {
    Score,
    Best,
    Graze,
    Wave,
    Live,
    Storage,
    Pilot,
    Pool,
    /// One row of the list of strategies, bright if in use.
    Row(PoolingStrategy),
}

/// The node that is as large as the picture, and scales with it; texts are placed in it.
#[derive(Component)]
pub(super) struct Board;

/// A text at a place on the board.
pub(super) fn label(left: f32, top: f32, size: f32, colour: Color, text: impl Into<String>) -> impl Bundle {
    (
        Text::new(text),
        TextFont { font_size: size, ..default() },
        TextColor(colour),
        TextLayout::new_with_no_wrap(),
        Node { position_type: PositionType::Absolute, left: Val::Px(left), top: Val::Px(top), ..default() },
    )
}

pub(super) fn spawn_panels(mut commands: Commands) {
    let root = Node {
        width: Val::Percent(100.0),
        height: Val::Percent(100.0),
        position_type: PositionType::Absolute,
        justify_content: JustifyContent::Center,
        align_items: AlignItems::Center,
        ..default()
    };
    let board = Node { width: Val::Px(PICTURE.x), height: Val::Px(PICTURE.y), flex_shrink: 0.0, ..default() };
    commands.spawn((Name::new("hud"), root)).with_children(|root| {
        root.spawn((Board, board)).with_children(|board| {
            board.spawn(label(MARGIN, 20.0, 27.0, palette::ACCENT, "BULLET HELL"));
            board.spawn((label(MARGIN, 52.0, 13.0, palette::BOMB, ""), Readout::Pilot));
            let rows = [("SCORE", 78.0, 28.0, Readout::Score), ("BEST", 140.0, 17.0, Readout::Best)];
            for (name, top, size, readout) in rows {
                board.spawn(label(MARGIN, top, 12.0, palette::DIM, name));
                board.spawn((label(MARGIN, top + 15.0, size, palette::BRIGHT, ""), readout));
            }
            board.spawn(label(MARGIN, LIVES_TOP - 27.0, 12.0, palette::DIM, "LIVES"));
            board.spawn(label(MARGIN, BOMBS_TOP - 27.0, 12.0, palette::DIM, "BOMBS"));
            let pairs = [("GRAZE", 0.0, Readout::Graze), ("WAVE", 104.0, Readout::Wave)];
            for (name, along, readout) in pairs {
                board.spawn(label(MARGIN + along, 300.0, 12.0, palette::DIM, name));
                board.spawn((label(MARGIN + along, 315.0, 20.0, palette::BRIGHT, ""), readout));
            }
            board.spawn(label(MARGIN, 356.0, 12.0, palette::DIM, "PROJECTILES ALIVE"));
            board.spawn((label(MARGIN, 371.0, 24.0, palette::BRIGHT, ""), Readout::Live));
            board.spawn(label(MARGIN, 412.0, 12.0, palette::DIM, "STORAGE"));
            board.spawn((label(MARGIN, 427.0, 15.0, palette::ACCENT, ""), Readout::Storage));
            board.spawn(label(MARGIN, 456.0, 12.0, palette::DIM, "KEYS"));
            board.spawn(label(MARGIN, 474.0, 13.0, palette::BRIGHT, KEYS));

            board.spawn(label(RIGHT, 24.0, 12.0, palette::DIM, "STORAGE OF PROJECTILES"));
            for (row, strategy) in PoolingStrategy::ALL.into_iter().enumerate() {
                let text = format!("{}  {}", row + 1, strategy.name());
                let top = 46.0 + 22.0 * row as f32;
                board.spawn((label(RIGHT, top, 14.0, palette::DIM, text), Readout::Row(strategy)));
            }
            board.spawn((label(RIGHT, 130.0, 14.0, palette::BRIGHT, ""), Readout::Pool));
            let hint = "F1 opens the overlay:\nframe-time percentiles\nof each storage";
            board.spawn(label(RIGHT, 636.0, 13.0, palette::DIM, hint));
        });
    });
}

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

pub(super) fn refresh_panels(
    arena: Res<Arena>,
    best: Res<BestScore>,
    config: Res<GameConfig>,
    density: Res<Density>,
    strategy: Res<ActiveStrategy<Bullet>>,
    stats: Res<PoolStats<Bullet>>,
    projectiles: Projectiles<Bullet>,
    time: Res<Time<Real>>,
    mut readouts: Query<(&Readout, &mut Text, &mut TextColor)>,
    mut wait: Local<f32>,
) {
    *wait -= time.delta_secs();
    if *wait > 0.0 {
        return;
    }
    *wait = REFRESH_SECS;
    for (readout, mut text, mut colour) in &mut readouts {
        let value = match readout {
            Readout::Score => grouped(arena.score),
            Readout::Best => grouped(best.0.max(arena.score)),
            Readout::Graze => grouped(arena.grazes.into()),
            Readout::Wave => arena.director.wave().to_string(),
            Readout::Live => grouped(projectiles.count() as u64),
            Readout::Storage => strategy.get().name().to_owned(),
            Readout::Pilot if config.autoplay => format!("AUTOPLAY  hits {}", arena.ship.hits),
            Readout::Pilot => String::new(),
            Readout::Pool => format!(
                "alive    {}\npeak     {}\nspawned  {}\ndensity  {:.2}",
                grouped(projectiles.count() as u64),
                grouped(stats.peak as u64),
                grouped(stats.spawned),
                density.factor(),
            ),
            Readout::Row(row) => {
                let shown = if strategy.get() == *row { palette::ACCENT } else { palette::DIM };
                colour.set_if_neq(TextColor(shown));
                continue;
            }
        };
        // Text is laid out again only if it changed.
        if text.0 != value {
            text.0 = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_grouped() {
        let shown = [0, 12, 999, 1_000, 123_456, 1_234_567].map(grouped);
        assert_eq!(shown, ["0", "12", "999", "1,000", "123,456", "1,234,567"]);
    }
}
