//! The screens over the playfield: title, paused, game over.

use bevy::prelude::*;

use super::palette;
use super::panel::{Board, KEYS};
use crate::game::{Arena, BestScore, GameState, PICTURE, PLAYFIELD};

/// A screen; at most one exists.
#[derive(Component)]
pub(super) struct Screen;

/// One line of a screen.
struct Line {
    size: f32,
    colour: Color,
    text: String,
}

fn line(size: f32, colour: Color, text: impl Into<String>) -> Line {
    Line { size, colour, text: text.into() }
}

fn lines(state: GameState, score: u64, best: u64) -> Vec<Line> {
    use palette::{ACCENT, BOMB, BRIGHT, DIM};
    match state {
        GameState::Playing => Vec::new(),
        GameState::Title => vec![
            line(84.0, ACCENT, "BULLET HELL"),
            line(18.0, BRIGHT, "One game, three ways to store its projectiles."),
            line(18.0, BRIGHT, "Change them with 1 2 3 while you play; F1 shows what it costs."),
            line(28.0, BOMB, "Press Enter to play"),
            line(16.0, DIM, KEYS),
            line(14.0, DIM, "Shots pass through all of the ship but the small white disc: hold Shift to see it."),
        ],
        GameState::Paused => vec![
            line(64.0, BRIGHT, "PAUSED"),
            line(20.0, BOMB, "Esc or P   go on"),
            line(20.0, BRIGHT, "R   restart"),
            line(20.0, BRIGHT, "Q   title"),
            line(15.0, DIM, "Nothing moves, but 1 2 3 still change the storage."),
        ],
        GameState::GameOver => vec![
            line(64.0, ACCENT, "GAME OVER"),
            line(30.0, BRIGHT, format!("score  {score}")),
            line(20.0, DIM, format!("best  {best}")),
            line(20.0, BOMB, "Enter or R   play again"),
            line(20.0, BRIGHT, "Q   title"),
        ],
    }
}

/// Replaces the screen when the state has changed.
pub(super) fn show_screen(
    state: Res<State<GameState>>,
    arena: Res<Arena>,
    best: Res<BestScore>,
    board: Single<Entity, With<Board>>,
    old: Query<Entity, With<Screen>>,
    mut commands: Commands,
) {
    for screen in &old {
        commands.entity(screen).despawn();
    }
    let lines = lines(*state.get(), arena.score, best.0);
    if lines.is_empty() {
        return;
    }
    let cover = Node {
        position_type: PositionType::Absolute,
        left: Val::Px((PICTURE.x - PLAYFIELD.width()) / 2.0),
        width: Val::Px(PLAYFIELD.width()),
        height: Val::Px(PICTURE.y),
        flex_direction: FlexDirection::Column,
        justify_content: JustifyContent::Center,
        align_items: AlignItems::Center,
        row_gap: Val::Px(18.0),
        ..default()
    };
    let shade = BackgroundColor(Color::srgba(0.02, 0.025, 0.07, 0.86));
    commands.entity(*board).with_children(|board| {
        board.spawn((Screen, cover, shade)).with_children(|screen| {
            for line in lines {
                screen.spawn((
                    Text::new(line.text),
                    TextFont { font_size: line.size, ..default() },
                    TextColor(line.colour),
                    TextLayout::new_with_no_wrap(),
                ));
            }
        });
    });
}
