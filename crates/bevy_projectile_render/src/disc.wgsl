// One projectile is one instance is one triangle: the equilateral one around its disc.
#import bevy_render::view::View

@group(0) @binding(0) var<uniform> view: View;
// x: the depth of the whole pool in world units.
@group(0) @binding(1) var<uniform> pool: vec4<f32>;

struct Disc {
    @builtin(vertex_index) corner: u32,
    @location(0) centre: vec2<f32>,
    @location(1) radius: f32,
    @location(2) colour: vec4<f32>,
}

struct Fragment {
    @builtin(position) clip: vec4<f32>,
    // From the centre of the disc, in pixels.
    @location(0) offset: vec2<f32>,
    // In pixels.
    @location(1) @interpolate(flat) radius: f32,
    @location(2) @interpolate(flat) colour: vec4<f32>,
}

// Colours come as sRGB; blending and the target want them linear.
fn linear_from_srgb(srgb: vec3<f32>) -> vec3<f32> {
    let dark = srgb / 12.92;
    let bright = pow((srgb + 0.055) / 1.055, vec3(2.4));
    return select(bright, dark, srgb <= vec3(0.04045));
}

// The corners of the triangle whose inscribed circle is the unit circle.
fn corner_of_triangle(index: u32) -> vec2<f32> {
    switch index {
        case 0u: { return vec2(0.0, 2.0); }
        case 1u: { return vec2(-1.7320508, -1.0); }
        default: { return vec2(1.7320508, -1.0); }
    }
}

@vertex
fn vertex(disc: Disc) -> Fragment {
    let centre = view.clip_from_world * vec4(disc.centre, pool.x, 1.0);
    // How long one world unit is on the screen, along the world's x axis.
    let pixels_per_unit = 0.5 * length(view.clip_from_world[0].xy * view.viewport.zw) / centre.w;
    // Half a pixel more, for the edge to fade out in.
    let reach = disc.radius + 0.5 / pixels_per_unit;
    let corner = corner_of_triangle(disc.corner);

    var out: Fragment;
    out.clip = view.clip_from_world * vec4(disc.centre + corner * reach, pool.x, 1.0);
    out.offset = corner * reach * pixels_per_unit;
    out.radius = disc.radius * pixels_per_unit;
    out.colour = vec4(linear_from_srgb(disc.colour.rgb), disc.colour.a);
    return out;
}

@fragment
fn fragment(in: Fragment) -> @location(0) vec4<f32> {
    let coverage = saturate(in.radius + 0.5 - length(in.offset));
    return vec4(in.colour.rgb, in.colour.a * coverage);
}
