//! Moving circles against moving circles, exact for straight motion within a tick.
//!
//! Both functions take the motion of one circle as seen from the other: the target stands at the
//! origin, the other runs from `from` to `to`. So a fast projectile cannot jump over a thin target,
//! and a moving target needs no special case.

use bevy::math::Vec2;

/// The squared distance from the origin to the segment `from`..`to`.
pub fn closest_squared(from: Vec2, to: Vec2) -> f32 {
    let step = to - from;
    let length_squared = step.length_squared();
    if length_squared <= f32::EPSILON {
        return to.length_squared();
    }
    let along = (-from.dot(step) / length_squared).clamp(0.0, 1.0);
    (from + step * along).length_squared()
}

/// The fraction of the way from `from` to `to`, 0 to 1, at which the path first comes within
/// `reach` of the origin; `None` if it stays farther away. Overlapping from the start gives 0.
pub fn first_contact(from: Vec2, to: Vec2, reach: f32) -> Option<f32> {
    let reach_squared = reach * reach;
    let outside = from.length_squared() - reach_squared;
    if outside <= 0.0 {
        return Some(0.0);
    }
    let step = to - from;
    let approach = from.dot(step);
    if approach >= 0.0 {
        return None;
    }
    let length_squared = step.length_squared();
    let discriminant = approach * approach - length_squared * outside;
    if discriminant < 0.0 {
        return None;
    }
    let at = (-approach - discriminant.sqrt()) / length_squared;
    (at <= 1.0).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_over_the_target_is_a_contact() {
        let (from, to) = (Vec2::new(-100.0, 0.5), Vec2::new(100.0, 0.5));
        let at = first_contact(from, to, 1.0).expect("the path crosses the circle");
        assert!((0.49..0.5).contains(&at), "{at}");
        assert_eq!(closest_squared(from, to), 0.25);
    }

    #[test]
    fn a_path_that_ends_short_or_passes_by_is_none() {
        assert_eq!(first_contact(Vec2::new(-10.0, 0.0), Vec2::new(-2.0, 0.0), 1.0), None);
        assert_eq!(first_contact(Vec2::new(-10.0, 2.0), Vec2::new(10.0, 2.0), 1.0), None);
        assert_eq!(first_contact(Vec2::new(5.0, 0.0), Vec2::new(10.0, 0.0), 1.0), None);
    }

    #[test]
    fn at_rest_only_overlap_counts() {
        let near = Vec2::new(0.5, 0.0);
        assert_eq!(first_contact(near, near, 1.0), Some(0.0));
        let far = Vec2::new(2.0, 0.0);
        assert_eq!(first_contact(far, far, 1.0), None);
        assert_eq!(closest_squared(far, far), 4.0);
    }
}
