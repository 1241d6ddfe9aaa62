//! Draws the playfield and everything on it but the projectiles, on two canvases: one behind the
//! projectiles, one before them.

use bevy::prelude::*;
use bevy::render::view::NoFrustumCulling;
use bevy_projectile_pool::prelude::ProjectileClock;

use super::canvas::{Canvas, faded};
use super::effects::Effects;
use super::palette;
use crate::game::{Arena, Enemy, EnemyKind, GRAZE_RADIUS, GameState, HIT_RADIUS, PICTURE, PLAYFIELD, Ship};

/// The height of the canvas behind the projectiles.
pub const BACK_Z: f32 = -10.0;
/// The height of the canvas before the projectiles.
pub const FRONT_Z: f32 = 50.0;

/// Far beyond the picture: side panels reach here, whatever the window's shape.
const FAR: f32 = 20_000.0;
const STARS: u32 = 110;

/// The meshes of both canvases, and their buffers.
#[derive(Resource)]
pub(super) struct Sheets {
    back: Handle<Mesh>,
    front: Handle<Mesh>,
    canvas: Canvas,
}

pub(super) fn spawn_sheets(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    let material = materials.add(ColorMaterial::default());
    let mut sheet = |name: &'static str, z: f32| {
        let mesh = meshes.add(Canvas::empty_mesh());
        commands.spawn((
            Name::new(name),
            Mesh2d(mesh.clone()),
            MeshMaterial2d(material.clone()),
            Transform::from_xyz(0.0, 0.0, z),
            NoFrustumCulling,
        ));
        mesh
    };
    let (back, front) = (sheet("back canvas", BACK_Z), sheet("front canvas", FRONT_Z));
    commands.insert_resource(Sheets { back, front, canvas: Canvas::default() });
}

pub(super) fn draw_scene(
    mut sheets: ResMut<Sheets>,
    mut meshes: ResMut<Assets<Mesh>>,
    arena: Res<Arena>,
    effects: Res<Effects>,
    clock: Res<ProjectileClock>,
    time: Res<Time<Virtual>>,
    real: Res<Time<Real>>,
    state: Res<State<GameState>>,
) {
    let sheets = &mut *sheets;
    let canvas = &mut sheets.canvas;
    // As projectiles are drawn: ahead of the last tick by the time that has passed since.
    let ahead = clock.overstep_secs() * crate::game::TICKS_PER_SECOND as f32;
    let place = |position: Vec2, previous: Vec2| position + (position - previous) * ahead;
    let in_game = *state.get() != GameState::Title;
    // The game's time stands still at the title; its sky does not.
    let now = if in_game { time.elapsed_secs_wrapped() } else { real.elapsed_secs_wrapped() };

    draw_field(canvas, now);
    for enemy in &arena.enemies {
        draw_enemy(canvas, enemy, place(enemy.position, enemy.previous));
    }
    let ship = place(arena.ship.position, arena.ship.previous);
    if in_game && !arena.is_over() {
        draw_ship(canvas, &arena.ship, ship, now);
    }
    if let Some(mesh) = meshes.get_mut(&sheets.back) {
        canvas.swap_into(mesh);
    }

    if in_game && !arena.is_over() && arena.ship.focused {
        draw_hitbox(canvas, ship, now);
    }
    effects.draw(canvas);
    if let Some(bomb) = &arena.bomb {
        let colour = palette::BOMB.to_linear();
        canvas.ring(bomb.centre, bomb.radius, 10.0, 72, 0.0, faded(colour, 0.85));
        canvas.ring(bomb.centre, bomb.radius * 0.86, 26.0, 72, 0.0, faded(colour, 0.22));
    }
    if let Some(boss) = arena.boss() {
        draw_boss_bar(canvas, boss);
    }
    draw_panels(canvas);
    if in_game {
        draw_stock(canvas, &arena.ship);
    }
    if let Some(mesh) = meshes.get_mut(&sheets.front) {
        canvas.swap_into(mesh);
    }
}

/// Background, a slowly falling grid, and stars in three depths.
fn draw_field(canvas: &mut Canvas, now: f32) {
    canvas.rect(PLAYFIELD, palette::FIELD_LOW.to_linear(), palette::FIELD_HIGH.to_linear());
    let faint = faded(palette::FRAME.to_linear(), 0.05);
    let fall = (now * 40.0) % 80.0;
    for row in 0..10 {
        let y = PLAYFIELD.min.y + 80.0 * row as f32 - fall;
        canvas.line(Vec2::new(PLAYFIELD.min.x, y), Vec2::new(PLAYFIELD.max.x, y), 1.0, faint);
    }
    for column in 1..10 {
        let x = PLAYFIELD.min.x + 80.0 * column as f32;
        canvas.line(Vec2::new(x, PLAYFIELD.min.y), Vec2::new(x, PLAYFIELD.max.y), 1.0, faint);
    }
    for star in 0..STARS {
        let noise = star.wrapping_mul(0x9E37_79B9) ^ (star.wrapping_mul(0x85EB_CA6B) >> 13);
        let depth = 1.0 + (star % 3) as f32;
        let x = PLAYFIELD.min.x + (noise & 0xFFFF) as f32 / 65_536.0 * PLAYFIELD.width();
        let start = (noise >> 16) as f32 / 65_536.0 * PLAYFIELD.height();
        let y = PLAYFIELD.min.y + (start - now * 26.0 * depth).rem_euclid(PLAYFIELD.height());
        let light = faded(LinearRgba::WHITE, 0.07 * depth);
        canvas.line(Vec2::new(x, y), Vec2::new(x, y + 2.0 + 2.0 * depth), 1.5, light);
    }
}

fn draw_enemy(canvas: &mut Canvas, enemy: &Enemy, at: Vec2) {
    let colour = palette::enemy(enemy.kind);
    let radius = enemy.kind.radius();
    let lit = if enemy.flash > 0 { LinearRgba::WHITE } else { colour };
    let dark = LinearRgba { alpha: 1.0, ..colour * 0.16 };
    let turn = enemy.age as f32;
    canvas.glow(at, radius * 2.4, faded(colour, 0.34));
    // Outlines are drawn a little larger than the hit circle, so that corners show its size.
    let mut shape = |sides: u32, angle: f32| {
        canvas.disc(at, radius * 1.15, sides, angle, dark, faded(lit * 0.55, 1.0));
        canvas.ring(at, radius * 1.15, 2.5, sides, angle, lit);
    };
    match enemy.kind {
        EnemyKind::Drone => shape(3, -std::f32::consts::FRAC_PI_2),
        EnemyKind::Bloom => {
            shape(6, turn * 0.02);
            canvas.ring(at, radius * 0.6, 2.0, 6, -turn * 0.03, lit);
        }
        EnemyKind::Spinner => {
            shape(4, turn * 0.06);
            canvas.ring(at, radius * 0.7, 2.0, 4, -turn * 0.06, lit);
        }
        EnemyKind::Mason => {
            shape(4, std::f32::consts::FRAC_PI_4);
            canvas.line(at - Vec2::X * radius * 0.7, at + Vec2::X * radius * 0.7, 3.0, lit);
        }
        EnemyKind::Boss => {
            shape(8, turn * 0.008);
            canvas.ring(at, radius * 1.5, 2.0, 3, turn * 0.02, faded(lit, 0.7));
            canvas.ring(at, radius * 1.5, 2.0, 3, turn * 0.02 + std::f32::consts::PI, faded(lit, 0.7));
            canvas.ring(at, radius * 0.75, 3.0, 8, -turn * 0.02, lit);
        }
    }
    canvas.glow(at, radius * 0.55, faded(LinearRgba::WHITE, 0.8));
    if !enemy.is_boss() && enemy.health < enemy.max_health {
        let left = at + Vec2::new(-radius, radius + 10.0);
        canvas.line(left, left + Vec2::X * 2.0 * radius, 3.0, faded(LinearRgba::BLACK, 0.6));
        canvas.line(left, left + Vec2::X * 2.0 * radius * enemy.health_share(), 3.0, colour);
    }
}

fn draw_ship(canvas: &mut Canvas, ship: &Ship, at: Vec2, now: f32) {
    // Blinks while nothing can hit it.
    let alpha = if ship.safe > 0 && (ship.safe / 5) % 2 == 1 { 0.3 } else { 1.0 };
    let colour = faded(palette::SHIP.to_linear(), alpha);
    let corner = |x: f32, y: f32| at + Vec2::new(x, y);
    canvas.glow(at, 44.0, faded(colour, 0.22 * alpha));
    let flicker = 15.0 + 5.0 * (now * 47.0).sin() + 3.0 * (now * 83.0).sin();
    let flame = faded(palette::BOMB.to_linear(), 0.9 * alpha);
    canvas.streak(corner(0.0, -9.0), corner(0.0, -9.0 - flicker), 7.0, flame, faded(flame, 0.0));
    let dark = LinearRgba { alpha, ..colour * 0.22 };
    canvas.polygon(&[corner(0.0, 6.0), corner(-19.0, -12.0), corner(0.0, -5.0), corner(19.0, -12.0)], dark);
    for side in [-1.0, 1.0] {
        canvas.line(corner(0.0, 6.0), corner(19.0 * side, -12.0), 2.0, colour);
        canvas.line(corner(19.0 * side, -12.0), corner(0.0, -5.0), 2.0, colour);
    }
    canvas.polygon(&[corner(0.0, 22.0), corner(-6.0, -8.0), corner(6.0, -8.0)], colour);
    canvas.disc(at, 4.0, 12, 0.0, faded(LinearRgba::WHITE, alpha), faded(colour, alpha));
}

/// The circle that must not be touched, and the one that grazes.
fn draw_hitbox(canvas: &mut Canvas, at: Vec2, now: f32) {
    canvas.ring(at, GRAZE_RADIUS, 1.5, 32, 0.0, faded(LinearRgba::WHITE, 0.35));
    canvas.ring(at, GRAZE_RADIUS + 5.0, 2.0, 4, now * 2.0, faded(palette::ACCENT.to_linear(), 0.6));
    canvas.disc(at, HIT_RADIUS + 2.0, 16, 0.0, LinearRgba::BLACK, LinearRgba::BLACK);
    canvas.disc(at, HIT_RADIUS, 16, 0.0, LinearRgba::WHITE, LinearRgba::WHITE);
}

fn draw_boss_bar(canvas: &mut Canvas, boss: &Enemy) {
    let y = PLAYFIELD.max.y - 16.0;
    let (left, right) = (PLAYFIELD.min.x + 20.0, PLAYFIELD.max.x - 20.0);
    let colour = palette::enemy(EnemyKind::Boss);
    canvas.line(Vec2::new(left - 2.0, y), Vec2::new(right + 2.0, y), 12.0, faded(LinearRgba::BLACK, 0.7));
    canvas.line(Vec2::new(left, y), Vec2::new(right, y), 8.0, LinearRgba { alpha: 1.0, ..colour * 0.15 });
    let end = left + (right - left) * boss.health_share();
    canvas.streak(Vec2::new(left, y), Vec2::new(end, y), 8.0, palette::ACCENT.to_linear(), colour);
}

/// Covers everything outside of the playfield, and frames it.
fn draw_panels(canvas: &mut Canvas) {
    let panel = palette::PANEL.to_linear();
    for cover in [
        Rect::new(-FAR, -FAR, PLAYFIELD.min.x, FAR),
        Rect::new(PLAYFIELD.max.x, -FAR, FAR, FAR),
        Rect::new(PLAYFIELD.min.x, PLAYFIELD.max.y, PLAYFIELD.max.x, FAR),
        Rect::new(PLAYFIELD.min.x, -FAR, PLAYFIELD.max.x, PLAYFIELD.min.y),
    ] {
        canvas.rect(cover, panel, panel);
    }
    let (low, high) = (PLAYFIELD.min + 1.0, PLAYFIELD.max - 1.0);
    let frame = palette::FRAME.to_linear();
    for (from, to) in [
        (low, Vec2::new(low.x, high.y)),
        (high, Vec2::new(high.x, low.y)),
        (low, Vec2::new(high.x, low.y)),
        (high, Vec2::new(low.x, high.y)),
    ] {
        canvas.line(from, to, 2.0, frame);
    }
}

/// Lives and bombs as pictures, in the rows that the left panel leaves for them.
fn draw_stock(canvas: &mut Canvas, ship: &Ship) {
    let place = |index: u32, top: f32| {
        let x = super::panel::MARGIN + 10.0 + 26.0 * index as f32;
        Vec2::new(x - PICTURE.x / 2.0, PICTURE.y / 2.0 - top)
    };
    // The row is eight pictures wide.
    for life in 0..ship.lives.min(8) {
        let at = place(life, super::panel::LIVES_TOP);
        let corners = [at + Vec2::new(0.0, 9.0), at + Vec2::new(-9.0, -8.0), at + Vec2::new(9.0, -8.0)];
        canvas.polygon(&corners, palette::SHIP.to_linear());
    }
    for bomb in 0..ship.bombs.min(8) {
        let at = place(bomb, super::panel::BOMBS_TOP);
        let colour = palette::BOMB.to_linear();
        canvas.disc(at, 8.0, 20, 0.0, LinearRgba::WHITE, colour);
    }
}
