//! The plugin: joins a pool to the renderer.

use bevy::prelude::{App, Plugin, PostUpdate};
use bevy_projectile_pool::prelude::Payload;

use crate::{
    drawn::{DrawnProjectiles, collect},
    gpu,
    look::Look,
};

/// Draws the pool of `P`. Add one for each pool to draw, after or before the pool's own plugin and Bevy's.
///
/// All live projectiles of the pool are one draw call a view, at one depth among sprites and meshes; see [`Self::z`].
/// In an app without Bevy's 2D renderer the plugin does nothing, see [`Self::collect_always`].
///
/// # Panics
/// The first frame panics, with Bevy's message about a missing resource, if the app has no pool of `P`.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_projectile_pool::prelude::*;
/// # use bevy_projectile_render::prelude::*;
/// #[derive(Clone, Copy, Default)]
/// struct Shot {
///     heavy: bool,
/// }
///
/// fn look(shot: &Shot) -> Look {
///     Look::new(if shot.heavy { 6.0 } else { 3.0 }, Color::srgb(1.0, 0.8, 0.2))
/// }
///
/// App::new().add_plugins((
///     MinimalPlugins, // no renderer here: nothing is drawn, everything else works
///     ProjectilePoolPlugin::<Shot>::new("shots"),
///     ProjectileRenderPlugin::new(look).z(10.0),
/// ));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ProjectileRenderPlugin<P: Payload> {
    /// How a projectile looks, by its payload; asked for every live projectile in every frame, so keep it cheap.
    pub look: fn(&P) -> Look,
    /// The depth of the whole pool, see [`Self::z`].
    pub z: f32,
    /// Whether to collect without a renderer too, see [`Self::collect_always`].
    pub collect_always: bool,
}

impl<P: Payload> ProjectileRenderPlugin<P> {
    /// Draws the pool of `P` at depth 0, each projectile as `look` says of its payload.
    pub fn new(look: fn(&P) -> Look) -> Self {
        Self { look, z: 0.0, collect_always: false }
    }

    /// The depth of the whole pool: what `Transform::translation.z` is to a sprite. Higher is nearer; a `Camera2d`
    /// at its default place shows -1000 to 1000. Of two pools at the same depth, the one whose plugin was added later
    /// is on top; between a pool and a sprite at the same depth there is no stated order.
    ///
    /// # Panics
    /// If `z` is not finite.
    pub fn z(mut self, z: f32) -> Self {
        assert!(z.is_finite(), "the depth of a drawn pool must be finite, not {z}");
        self.z = z;
        self
    }

    /// Fills [`DrawnProjectiles`] also when the app has no renderer: for tests of what would be drawn, and for
    /// measuring the cost of collecting alone.
    pub fn collect_always(mut self) -> Self {
        self.collect_always = true;
        self
    }
}

impl<P: Payload> Plugin for ProjectileRenderPlugin<P> {
    fn build(&self, app: &mut App) {
        app.insert_resource(DrawnProjectiles::new(self.look));
        if self.collect_always {
            app.add_systems(PostUpdate, collect::<P>);
        }
    }

    // By now every plugin was built, so it does not matter whether the renderer's came before this one.
    fn finish(&self, app: &mut App) {
        if gpu::install::<P>(app, self.z) && !self.collect_always {
            app.add_systems(PostUpdate, collect::<P>);
        }
    }
}
