//! How one projectile looks.

use bevy::prelude::{Color, ColorToPacked, Reflect, Srgba};

/// How one projectile looks: the answer of the function given to
/// [`ProjectileRenderPlugin::new`](crate::ProjectileRenderPlugin::new), asked for every live projectile in every
/// frame.
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
pub struct Look {
    /// Radius of the disc in world units. A projectile whose radius is not finite or not above zero is not drawn;
    /// [`DrawnProjectiles::skipped`](crate::DrawnProjectiles::skipped) counts it.
    pub radius: f32,
    /// Red, green, blue and alpha in sRGB, with straight (not premultiplied) alpha.
    pub colour: [u8; 4],
    /// Discs of a higher layer are drawn over those of a lower one; 0 is the lowest. Layers order the discs within
    /// one pool; whole pools are ordered by [`ProjectileRenderPlugin::z`](crate::ProjectileRenderPlugin::z).
    pub layer: u8,
}

impl Look {
    /// A disc of `radius` world units in the lowest layer. Each channel of the colour is clamped to 0..=1 and
    /// rounded to 8 bits.
    ///
    /// ```
    /// # use bevy::prelude::Color;
    /// # use bevy_projectile_render::Look;
    /// let look = Look::new(3.0, Color::srgb(1.0, 0.5, 0.0)).layer(2);
    /// assert_eq!(look, Look { radius: 3.0, colour: [255, 128, 0, 255], layer: 2 });
    /// ```
    pub fn new(radius: f32, colour: impl Into<Color>) -> Self {
        Self { radius, colour: Srgba::from(colour.into()).to_u8_array(), layer: 0 }
    }

    /// The same look in another layer; higher is on top.
    pub const fn layer(mut self, layer: u8) -> Self {
        self.layer = layer;
        self
    }

    /// Whether a disc can be drawn from it.
    pub(crate) fn is_drawable(&self) -> bool {
        self.radius.is_finite() && self.radius > 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_clamped_and_converted_to_srgb() {
        assert_eq!(Look::new(1.0, Color::srgba(2.0, -1.0, 0.5, 0.25)).colour, [255, 0, 128, 64]);
        // Linear 0.2159 is 128 of sRGB.
        assert_eq!(Look::new(1.0, Color::linear_rgb(0.215_861, 0.0, 1.0)).colour, [128, 0, 255, 255]);
    }

    #[test]
    fn only_a_finite_radius_above_zero_is_drawable() {
        for radius in [f32::MIN_POSITIVE, 1.0, 1e9] {
            assert!(Look::new(radius, Color::WHITE).is_drawable(), "{radius}");
        }
        for radius in [0.0, -0.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert!(!Look::new(radius, Color::WHITE).is_drawable(), "{radius}");
        }
    }
}
