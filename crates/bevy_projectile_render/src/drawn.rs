//! What is drawn in this frame: collected from the pool in the main world, in the order of painting.

use bevy::prelude::{Reflect, Res, ResMut, Resource, Vec2};
use bevy_projectile_pool::prelude::{Payload, ProjectileClock, Projectiles};
use bytemuck::{Pod, Zeroable};

use crate::{look::Look, order::PaintOrder};

/// One disc as the GPU reads it: 16 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Reflect)]
pub struct Disc {
    /// The centre in world units.
    pub position: [f32; 2],
    /// The radius in world units.
    pub radius: f32,
    /// Red, green, blue and alpha in sRGB, with straight alpha.
    pub colour: [u8; 4],
}

/// The discs of one pool in this frame, in the order of painting: the last one is on top.
///
/// The list is filled anew in `PostUpdate` of each frame, from nothing but the pool as its last tick left it, so read
/// it in `Last` or later. Each live projectile is drawn at `position + velocity * overstep`, where the overstep (in
/// seconds) is how far this frame is ahead of the pool's last tick: motion is smooth when frames and ticks have
/// different rates. While the pool is paused the overstep is zero and drawn positions stand still. Nothing is kept
/// from frame to frame, so no disc can be drawn from the former life of a slot that was used again.
///
/// Without a renderer (say, an app of `MinimalPlugins`) the list stays empty, unless the plugin was told to
/// [collect always](crate::ProjectileRenderPlugin::collect_always).
#[derive(Resource)]
pub struct DrawnProjectiles<P: Payload> {
    look: fn(&P) -> Look,
    list: DiscList,
}

impl<P: Payload> DrawnProjectiles<P> {
    pub(crate) fn new(look: fn(&P) -> Look) -> Self {
        Self { look, list: DiscList::default() }
    }

    /// The discs, the first one drawn first. No cost.
    pub fn discs(&self) -> &[Disc] {
        &self.list.discs
    }

    /// The drawn positions in world units, in the order of painting.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = Vec2> + '_ {
        self.discs().iter().map(|disc| Vec2::from(disc.position))
    }

    /// How many discs are drawn.
    pub fn len(&self) -> usize {
        self.discs().len()
    }

    /// Whether nothing is drawn.
    pub fn is_empty(&self) -> bool {
        self.discs().is_empty()
    }

    /// How many live projectiles are not drawn in this frame because of a bad [`Look`] (a radius that is not finite
    /// or not above zero), or because they are so far out that the drawn position is no finite number. The first one
    /// of a pool is also told as a warning.
    pub fn skipped(&self) -> usize {
        self.list.skipped
    }
}

/// Fills the list from the pool.
pub(crate) fn collect<P: Payload>(
    mut drawn: ResMut<DrawnProjectiles<P>>,
    projectiles: Projectiles<P>,
    clock: Res<ProjectileClock>,
) {
    let DrawnProjectiles { look, list } = &mut *drawn;
    let first_skip = list.refill(
        clock.overstep_secs(),
        projectiles.iter().map(|projectile| Source {
            id: projectile.id().to_bits(),
            position: projectile.position(),
            velocity: projectile.velocity(),
            look: look(projectile.payload()),
        }),
    );
    if let Some(bad) = first_skip {
        tracing::warn!(
            "a projectile of `{}` at {} with radius {} cannot be drawn and is left out; later ones are only counted",
            std::any::type_name::<P>(),
            bad.position,
            bad.look.radius,
        );
    }
}

/// What is asked of one projectile.
#[derive(Clone, Copy, Debug)]
struct Source {
    id: u64,
    position: Vec2,
    velocity: Vec2,
    look: Look,
}

/// The discs of a frame and the memory to order them in.
#[derive(Debug, Default)]
struct DiscList {
    discs: Vec<Disc>,
    spare: Vec<Disc>,
    order: PaintOrder,
    skipped: usize,
    warned: bool,
}

impl DiscList {
    /// Replaces the list by `sources`, each moved on by `overstep` seconds, in the order of painting. Returns the
    /// first source that could not be drawn, once in the life of the list.
    fn refill(&mut self, overstep: f32, sources: impl Iterator<Item = Source>) -> Option<Source> {
        self.discs.clear();
        self.order.clear();
        self.skipped = 0;
        let mut first_skip = None;
        for source in sources {
            let position = source.position + source.velocity * overstep;
            if !source.look.is_drawable() || !position.is_finite() {
                self.skipped += 1;
                first_skip.get_or_insert(source);
                continue;
            }
            self.order.push(source.look.layer, source.id);
            self.discs.push(Disc {
                position: position.to_array(),
                radius: source.look.radius,
                colour: source.look.colour,
            });
        }
        self.order.sort(&mut self.discs, &mut self.spare);
        let warned_before = self.warned;
        self.warned |= first_skip.is_some();
        first_skip.filter(|_| !warned_before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(id: u64, layer: u8) -> Source {
        Source {
            id,
            position: Vec2::new(id as f32, 0.0),
            velocity: Vec2::new(0.0, 10.0),
            look: Look { radius: 1.0, colour: [id as u8, 0, 0, 255], layer },
        }
    }

    fn painted(list: &DiscList) -> Vec<u8> {
        list.discs.iter().map(|disc| disc.colour[0]).collect()
    }

    #[test]
    fn older_first_within_a_layer_and_lower_layers_first() {
        let mut list = DiscList::default();
        list.refill(0.0, [(5, 1), (2, 0), (9, 0), (1, 1), (3, 0)].map(|(id, layer)| source(id, layer)).into_iter());
        assert_eq!(painted(&list), [2, 3, 9, 1, 5]);
        // In order already, with the memory of the frame before.
        list.refill(0.0, [(1, 0), (2, 0), (7, 3)].map(|(id, layer)| source(id, layer)).into_iter());
        assert_eq!(painted(&list), [1, 2, 7]);
        list.refill(0.0, std::iter::empty());
        assert!(list.discs.is_empty());
    }

    #[test]
    fn every_field_follows_its_projectile_through_the_sort() {
        let mut list = DiscList::default();
        let mut big = source(4, 0);
        big.look.radius = 7.5;
        list.refill(0.0, [source(8, 0), big].into_iter());
        assert_eq!(list.discs[0], Disc { position: [4.0, 0.0], radius: 7.5, colour: [4, 0, 0, 255] });
        assert_eq!(list.discs[1], Disc { position: [8.0, 0.0], radius: 1.0, colour: [8, 0, 0, 255] });
    }

    #[test]
    fn the_overstep_moves_along_the_velocity() {
        let mut list = DiscList::default();
        list.refill(0.25, [source(3, 0)].into_iter());
        assert_eq!(list.discs[0].position, [3.0, 2.5]);
        list.refill(0.0, [source(3, 0)].into_iter());
        assert_eq!(list.discs[0].position, [3.0, 0.0]);
    }

    #[test]
    fn what_cannot_be_drawn_is_left_out_counted_and_told_once() {
        let mut list = DiscList::default();
        let bad = |radius| {
            let mut bad = source(1, 0);
            bad.look.radius = radius;
            bad
        };
        let mut far = source(4, 0);
        far.velocity = Vec2::splat(f32::MAX);
        far.position = Vec2::splat(f32::MAX);
        let frame = [bad(f32::NAN), source(2, 0), bad(0.0), bad(-1.0), bad(f32::INFINITY), far, source(3, 0)];
        let told = list.refill(1.0, frame.into_iter());
        assert!(told.is_some_and(|told| told.look.radius.is_nan()));
        assert_eq!((painted(&list), list.skipped), (vec![2, 3], 5));
        assert!(list.refill(1.0, frame.into_iter()).is_none());
        assert_eq!((painted(&list), list.skipped), (vec![2, 3], 5));
        assert!(list.refill(1.0, [source(2, 0)].into_iter()).is_none());
        assert_eq!(list.skipped, 0);
    }

    #[test]
    fn a_disc_is_sixteen_bytes() {
        assert_eq!(size_of::<Disc>(), 16);
    }
}
