//! A sheet of coloured triangles that is drawn anew in every frame: the vector graphics of the game.

use std::f32::consts::TAU;

use bevy::asset::RenderAssetUsages;
use bevy::prelude::*;
use bevy::render::mesh::{Indices, PrimitiveTopology, VertexAttributeValues};

/// Collects triangles, then becomes the content of a mesh. Later shapes lie on top of earlier ones.
#[derive(Default)]
pub struct Canvas {
    positions: Vec<[f32; 3]>,
    colours: Vec<[f32; 4]>,
    indices: Vec<u32>,
}

/// The same colour with another opacity.
pub fn faded(colour: LinearRgba, alpha: f32) -> LinearRgba {
    colour.with_alpha(alpha)
}

impl Canvas {
    fn vertex(&mut self, place: Vec2, colour: LinearRgba) -> u32 {
        let index = self.positions.len() as u32;
        self.positions.push([place.x, place.y, 0.0]);
        self.colours.push(colour.to_f32_array());
        index
    }

    /// A filled convex outline, as a fan from its first corner.
    pub fn polygon(&mut self, corners: &[Vec2], colour: LinearRgba) {
        let first = self.positions.len() as u32;
        for &corner in corners {
            self.vertex(corner, colour);
        }
        for corner in 2..corners.len() as u32 {
            self.indices.extend([first, first + corner - 1, first + corner]);
        }
    }

    /// A regular polygon, or with many sides a disc, whose colour runs from `inner` at its centre
    /// to `outer` at its edge.
    pub fn disc(&mut self, centre: Vec2, radius: f32, sides: u32, angle: f32, inner: LinearRgba, outer: LinearRgba) {
        let middle = self.vertex(centre, inner);
        for side in 0..sides {
            let heading = Vec2::from_angle(angle + TAU * side as f32 / sides as f32);
            self.vertex(centre + heading * radius, outer);
        }
        for side in 0..sides {
            self.indices.extend([middle, middle + 1 + side, middle + 1 + (side + 1) % sides]);
        }
    }

    /// A soft light: `colour` at the centre, nothing at the edge.
    pub fn glow(&mut self, centre: Vec2, radius: f32, colour: LinearRgba) {
        // Two steps, steep and then gentle, so that no edge is seen where it ends.
        let (middle, nothing) = (faded(colour, colour.alpha * 0.3), faded(colour, 0.0));
        self.disc(centre, radius * 0.45, 32, 0.0, colour, middle);
        self.band(centre, [radius * 0.45, radius], 32, 0.0, [middle, nothing]);
    }

    /// The outline of a regular polygon, or with many sides a circle, `width` wide to its inside.
    pub fn ring(&mut self, centre: Vec2, radius: f32, width: f32, sides: u32, angle: f32, colour: LinearRgba) {
        self.band(centre, [(radius - width).max(0.0), radius], sides, angle, [colour, colour]);
    }

    /// The area between two regular polygons, from the inner radius and colour to the outer.
    fn band(&mut self, centre: Vec2, radii: [f32; 2], sides: u32, angle: f32, colours: [LinearRgba; 2]) {
        let first = self.positions.len() as u32;
        for side in 0..sides {
            let heading = Vec2::from_angle(angle + TAU * side as f32 / sides as f32);
            self.vertex(centre + heading * radii[1], colours[1]);
            self.vertex(centre + heading * radii[0], colours[0]);
        }
        for side in 0..sides {
            let (a, b) = (first + 2 * side, first + 2 * ((side + 1) % sides));
            self.indices.extend([a, b, a + 1, a + 1, b, b + 1]);
        }
    }

    /// A straight stroke.
    pub fn line(&mut self, from: Vec2, to: Vec2, width: f32, colour: LinearRgba) {
        self.streak(from, to, width, colour, colour);
    }

    /// A straight stroke whose colour changes along it.
    pub fn streak(&mut self, from: Vec2, to: Vec2, width: f32, start: LinearRgba, end: LinearRgba) {
        let side = (to - from).try_normalize().unwrap_or(Vec2::X).perp() * (width / 2.0);
        let first = self.vertex(from + side, start);
        self.vertex(from - side, start);
        self.vertex(to + side, end);
        self.vertex(to - side, end);
        self.indices.extend([first, first + 1, first + 2, first + 2, first + 1, first + 3]);
    }

    /// A filled rectangle whose colour runs from its lower to its upper edge.
    pub fn rect(&mut self, area: Rect, lower: LinearRgba, upper: LinearRgba) {
        let first = self.vertex(area.min, lower);
        self.vertex(Vec2::new(area.max.x, area.min.y), lower);
        self.vertex(Vec2::new(area.min.x, area.max.y), upper);
        self.vertex(area.max, upper);
        self.indices.extend([first, first + 1, first + 2, first + 2, first + 1, first + 3]);
    }

    /// An empty mesh of the right kind.
    pub fn empty_mesh() -> Mesh {
        let mut mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default());
        Self::default().swap_into(&mut mesh);
        mesh
    }

    /// Makes the triangles the content of `mesh` and takes the mesh's buffers in exchange, empty,
    /// so that nothing is allocated from frame to frame.
    pub fn swap_into(&mut self, mesh: &mut Mesh) {
        if self.indices.is_empty() {
            // A mesh without vertices cannot be uploaded: one invisible triangle stands in.
            self.polygon(&[Vec2::ZERO; 3], LinearRgba::NONE);
        }
        let positions = match mesh.remove_attribute(Mesh::ATTRIBUTE_POSITION) {
            Some(VertexAttributeValues::Float32x3(values)) => values,
            _ => Vec::new(),
        };
        let colours = match mesh.remove_attribute(Mesh::ATTRIBUTE_COLOR) {
            Some(VertexAttributeValues::Float32x4(values)) => values,
            _ => Vec::new(),
        };
        let indices = match mesh.remove_indices() {
            Some(Indices::U32(values)) => values,
            _ => Vec::new(),
        };
        mesh.insert_attribute(Mesh::ATTRIBUTE_POSITION, std::mem::replace(&mut self.positions, positions));
        mesh.insert_attribute(Mesh::ATTRIBUTE_COLOR, std::mem::replace(&mut self.colours, colours));
        mesh.insert_indices(Indices::U32(std::mem::replace(&mut self.indices, indices)));
        self.positions.clear();
        self.colours.clear();
        self.indices.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mesh_holds_the_last_picture_only() {
        let mut mesh = Canvas::empty_mesh();
        assert_eq!(mesh.count_vertices(), 3);
        let mut canvas = Canvas::default();
        for sides in [6, 4] {
            canvas.disc(Vec2::ZERO, 1.0, sides, 0.0, LinearRgba::WHITE, LinearRgba::WHITE);
            canvas.swap_into(&mut mesh);
            assert_eq!(mesh.count_vertices(), sides as usize + 1);
            assert_eq!(mesh.indices().map(Indices::len), Some(3 * sides as usize));
        }
    }
}
