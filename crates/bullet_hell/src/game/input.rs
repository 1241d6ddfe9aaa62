//! From keys to orders. Held keys are read as they are; presses wait until a tick takes them.

use bevy::math::Vec2;
use bevy::prelude::{ButtonInput, KeyCode, Res, ResMut, Resource};

/// What the player wants, as of the last frame. Without a keyboard anything may write it.
#[derive(Resource, Clone, Debug, Default)]
pub struct Controls {
    /// Where to fly: each axis -1, 0 or 1 from a keyboard; longer vectors count as length 1.
    pub direction: Vec2,
    /// Fly slowly and show the hitbox.
    pub focus: bool,
    /// Shoot while held.
    pub fire: bool,
    fire_pressed: bool,
    bomb_pressed: bool,
}

/// What the ship does in one tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Orders {
    /// Where to fly: at most length 1.
    pub direction: Vec2,
    /// Fly slowly.
    pub focus: bool,
    /// Shoot if reloaded.
    pub fire: bool,
    /// Drop a bomb.
    pub bomb: bool,
}

impl Controls {
    /// A press of the bomb key: the next tick drops one bomb, however many frames pass until then.
    pub fn press_bomb(&mut self) {
        self.bomb_pressed = true;
    }

    /// A press of the fire key: the next tick shoots even if the key is up again by then.
    pub fn press_fire(&mut self) {
        self.fire_pressed = true;
    }

    /// The orders for a tick. Presses are used up.
    pub fn take_orders(&mut self) -> Orders {
        let finite = if self.direction.is_finite() { self.direction } else { Vec2::ZERO };
        Orders {
            direction: finite.clamp_length_max(1.0),
            focus: self.focus,
            fire: self.fire | std::mem::take(&mut self.fire_pressed),
            bomb: std::mem::take(&mut self.bomb_pressed),
        }
    }
}

/// Reads the ship's keys, once a frame before its ticks. Does nothing without a keyboard.
pub(super) fn read_ship_keys(keys: Option<Res<ButtonInput<KeyCode>>>, mut controls: ResMut<Controls>) {
    let Some(keys) = keys else { return };
    let axis = |minus: [KeyCode; 2], plus: [KeyCode; 2]| {
        f32::from(i8::from(keys.any_pressed(plus)) - i8::from(keys.any_pressed(minus)))
    };
    controls.direction = Vec2::new(
        axis([KeyCode::ArrowLeft, KeyCode::KeyA], [KeyCode::ArrowRight, KeyCode::KeyD]),
        axis([KeyCode::ArrowDown, KeyCode::KeyS], [KeyCode::ArrowUp, KeyCode::KeyW]),
    );
    controls.focus = keys.any_pressed([KeyCode::ShiftLeft, KeyCode::ShiftRight]);
    controls.fire = keys.any_pressed([KeyCode::KeyZ, KeyCode::Space]);
    if keys.any_just_pressed([KeyCode::KeyZ, KeyCode::Space]) {
        controls.press_fire();
    }
    if keys.just_pressed(KeyCode::KeyX) {
        controls.press_bomb();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_press_is_used_once_and_a_held_key_stays() {
        let mut controls = Controls { fire: true, direction: Vec2::ONE, ..Controls::default() };
        controls.press_bomb();
        controls.press_bomb();
        let first = controls.take_orders();
        assert!(first.bomb && first.fire);
        assert!((first.direction.length() - 1.0).abs() < 1e-6);
        let second = controls.take_orders();
        assert!(!second.bomb && second.fire);
    }

    #[test]
    fn a_direction_that_is_no_number_is_no_direction() {
        let mut controls = Controls { direction: Vec2::new(f32::NAN, 1.0), ..Controls::default() };
        assert_eq!(controls.take_orders().direction, Vec2::ZERO);
    }
}
