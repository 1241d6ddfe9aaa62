//! What is on the screen: known scenes, drawn without a window and checked pixel by pixel.

mod stage;

use bevy::prelude::*;
use bevy_projectile_pool::prelude::*;
use bevy_projectile_render::prelude::*;
use stage::{BLACK, BLUE, GREEN, Paint, Pixels, RED, SIZE, Stage, close, look, paint, renderer};

#[test]
fn a_disc_has_its_place_its_size_and_its_colour() {
    let Some(_one) = renderer("a_disc_has_its_place_its_size_and_its_colour") else { return };
    for (hdr, msaa) in [(false, Msaa::Off), (false, Msaa::Sample4), (true, Msaa::Off), (true, Msaa::Sample4)] {
        let mut stage = Stage::new(Camera { hdr, ..default() }, msaa, |app| {
            app.add_plugins((ProjectilePoolPlugin::<Paint>::new("paint"), ProjectileRenderPlugin::new(look::<0>)));
        });
        stage.spawn(10.0, 5.0, paint::<0>(RED));
        // Outside of the view.
        stage.spawn(1000.0, 0.0, paint::<0>(GREEN));
        stage.spawn(0.0, -(SIZE as f32), paint::<0>(GREEN));
        let pixels = stage.picture();
        for row in 0..SIZE {
            for column in 0..SIZE {
                let half = SIZE as f32 / 2.0;
                let centre = Vec2::new(column as f32 + 0.5 - half, half - row as f32 - 0.5);
                let distance = centre.distance(Vec2::new(10.0, 5.0));
                let found = pixels.at(column, row);
                let right = match distance {
                    ..7.4 => close(found, RED, 1),
                    8.6.. => found == BLACK,
                    // The edge: a mixture of the two.
                    _ => found.iter().zip(RED).all(|(&found, red)| found <= red + 1),
                };
                assert!(right, "hdr {hdr}, {msaa:?}: pixel ({column}, {row}), {distance} from the centre: {found:?}");
            }
        }
    }
}

#[test]
fn the_edge_fades_over_one_pixel() {
    let Some(_one) = renderer("the_edge_fades_over_one_pixel") else { return };
    let mut stage = Stage::of_one_pool(PoolingStrategy::ParallelArrays);
    // The centre of a pixel, so that the last one to the right is 8 away from it: half covered.
    stage.spawn(0.5, 0.5, Paint::<0> { colour: [255; 3], ..default() });
    let pixels = stage.picture();
    pixels.expect(7, 0, [255; 3], "within");
    // Half of linear white is 188 of sRGB.
    pixels.expect(8, 0, [188; 3], "on the edge");
    pixels.expect(9, 0, BLACK, "beyond");
}

#[test]
fn alpha_is_straight_and_blends_in_linear_light() {
    let Some(_one) = renderer("alpha_is_straight_and_blends_in_linear_light") else { return };
    let mut stage = Stage::of_one_pool(PoolingStrategy::ParallelArrays);
    stage.spawn(0.0, 0.0, Paint::<0> { colour: [255, 0, 0], ..default() });
    stage.spawn(0.0, 0.0, Paint::<0> { colour: [0, 0, 255], alpha: 128, ..default() });
    stage.picture().expect(0, 0, [187, 0, 188], "half blue over red");
}

#[test]
fn the_later_spawned_is_on_top_in_every_strategy() {
    let Some(_one) = renderer("the_later_spawned_is_on_top_in_every_strategy") else { return };
    for strategy in PoolingStrategy::ALL {
        let mut stage = Stage::of_one_pool(strategy);
        stage.spawn(-4.0, 0.0, paint::<0>(RED));
        stage.spawn(4.0, 0.0, paint::<0>(GREEN));
        let pixels = stage.picture();
        pixels.expect(0, 0, GREEN, &format!("{strategy}, the overlap"));
        pixels.expect(-10, 0, RED, &format!("{strategy}, the earlier one alone"));
        pixels.expect(10, 0, GREEN, &format!("{strategy}, the later one alone"));

        let mut stage = Stage::of_one_pool(strategy);
        stage.spawn(4.0, 0.0, paint::<0>(GREEN));
        stage.spawn(-4.0, 0.0, paint::<0>(RED));
        stage.picture().expect(0, 0, RED, &format!("{strategy}, the other way round"));
    }
}

#[test]
fn the_later_spawned_is_on_top_when_it_uses_an_old_slot() {
    let Some(_one) = renderer("the_later_spawned_is_on_top_when_it_uses_an_old_slot") else { return };
    for strategy in PoolingStrategy::ALL {
        let mut stage = Stage::of_one_pool(strategy);
        let first = stage.spawn(20.0, 20.0, paint::<0>(BLUE));
        stage.spawn(-4.0, 0.0, paint::<0>(RED));
        stage.picture().expect(20, 20, BLUE, &format!("{strategy}, the first"));
        stage.retire(first);
        // Takes the slot of the first one, before that of the red one.
        stage.spawn(4.0, 0.0, paint::<0>(GREEN));
        let pixels = stage.picture();
        pixels.expect(0, 0, GREEN, &format!("{strategy}, the overlap"));
        pixels.expect(20, 20, BLACK, &format!("{strategy}, where the first one was"));
    }
}

#[test]
fn a_higher_layer_is_on_top_of_later_spawns() {
    let Some(_one) = renderer("a_higher_layer_is_on_top_of_later_spawns") else { return };
    for strategy in PoolingStrategy::ALL {
        let mut stage = Stage::of_one_pool(strategy);
        stage.spawn(0.0, 0.0, Paint::<0> { layer: 1, radius: 4.0, ..paint(RED) });
        stage.spawn(0.0, 0.0, paint::<0>(GREEN));
        let pixels = stage.picture();
        pixels.expect(0, 0, RED, &format!("{strategy}, the higher layer"));
        pixels.expect(6, 0, GREEN, &format!("{strategy}, the lower layer around it"));
    }
}

#[test]
fn the_order_outlives_a_change_of_strategy() {
    let Some(_one) = renderer("the_order_outlives_a_change_of_strategy") else { return };
    let mut stage = Stage::of_one_pool(PoolingStrategy::DespawnRespawn);
    for (x, colour) in [(-6.0, RED), (0.0, GREEN), (6.0, BLUE)] {
        stage.spawn(x, 0.0, paint::<0>(colour));
    }
    let check = |pixels: Pixels, what: &str| {
        pixels.expect(-4, 0, GREEN, what);
        pixels.expect(2, 0, BLUE, what);
        pixels.expect(-10, 0, RED, what);
    };
    check(stage.picture(), "before");
    for strategy in [0, 1, 2, 0].map(|index| PoolingStrategy::ALL[index]) {
        stage.app.world_mut().resource_mut::<ActiveStrategy<Paint>>().set(strategy);
        stage.tick();
        check(stage.picture(), strategy.name());
    }
}

#[test]
fn nothing_is_drawn_of_a_bad_look_or_an_empty_pool() {
    let Some(_one) = renderer("nothing_is_drawn_of_a_bad_look_or_an_empty_pool") else { return };
    for strategy in PoolingStrategy::ALL {
        let mut stage = Stage::of_one_pool(strategy);
        assert_eq!(stage.picture().painted(), 0, "{strategy}, empty");
        for radius in [0.0, -5.0, f32::NAN, f32::INFINITY] {
            // In the centre of a pixel, which even the soft edge of a radius of zero would reach.
            stage.spawn(0.5, 0.5, Paint::<0> { radius, ..default() });
        }
        assert_eq!(stage.picture().painted(), 0, "{strategy}, bad looks");
        let good = stage.spawn(0.0, 0.0, paint::<0>(GREEN));
        assert!(stage.picture().painted() > 150, "{strategy}, one good");
        stage.retire(good);
        assert_eq!(stage.picture().painted(), 0, "{strategy}, it is gone");
    }
}

#[test]
fn pools_are_ordered_by_depth_among_sprites_and_meshes() {
    let Some(_one) = renderer("pools_are_ordered_by_depth_among_sprites_and_meshes") else { return };
    let mut stage = Stage::new(default(), Msaa::Off, |app| {
        app.add_plugins((
            ProjectilePoolPlugin::<Paint<0>>::new("upper"),
            ProjectilePoolPlugin::<Paint<1>>::new("lower"),
            ProjectilePoolPlugin::<Paint<2>>::new("first"),
            ProjectilePoolPlugin::<Paint<3>>::new("second"),
            ProjectileRenderPlugin::new(look::<0>).z(5.0),
            ProjectileRenderPlugin::new(look::<1>).z(-5.0),
            ProjectileRenderPlugin::new(look::<2>).z(1.0),
            ProjectileRenderPlugin::new(look::<3>).z(1.0),
        ));
    });
    let world = stage.app.world_mut();
    // Left: a sprite between the two pools. Right: an opaque mesh there, which the depth buffer knows.
    world.spawn((Sprite::from_color(Color::WHITE, Vec2::splat(20.0)), Transform::from_xyz(-20.0, 10.0, 0.0)));
    let mesh = world.resource_mut::<Assets<Mesh>>().add(Rectangle::new(20.0, 20.0));
    let material = world.resource_mut::<Assets<ColorMaterial>>().add(ColorMaterial {
        color: Color::WHITE,
        alpha_mode: bevy::sprite::AlphaMode2d::Opaque,
        ..default()
    });
    world.spawn((Mesh2d(mesh), MeshMaterial2d(material), Transform::from_xyz(20.0, 10.0, 0.0)));
    for x in [-20.0, 20.0] {
        stage.spawn(x, 10.0, Paint::<0> { radius: 4.0, ..paint(RED) });
        stage.spawn(x, 0.0, Paint::<1> { radius: 4.0, ..paint(GREEN) });
    }
    // The same depth: the pool added later is on top, whichever spawned first.
    stage.spawn(0.0, -20.0, paint::<3>(BLUE));
    stage.spawn(0.0, -20.0, paint::<2>(RED));
    let pixels = stage.picture();
    for x in [-20, 20] {
        pixels.expect(x, 10, RED, "the upper pool");
        pixels.expect(x, 2, [255; 3], "the sprite or mesh over the lower pool");
        pixels.expect(x, -2, GREEN, "the lower pool");
    }
    pixels.expect(0, -20, BLUE, "two pools at the same depth");
}

#[test]
fn every_view_draws_the_pool_in_its_own_place() {
    let Some(_one) = renderer("every_view_draws_the_pool_in_its_own_place") else { return };
    let mut stage = Stage::of_one_pool(PoolingStrategy::ParallelArrays);
    let world = stage.app.world_mut();
    let (first, target) = world
        .query::<(Entity, &Camera)>()
        .single(world)
        .map(|(entity, camera)| (entity, camera.target.clone()))
        .expect("the stage has one camera");
    // Two halves of the image; the right one looks elsewhere and doubles the size.
    let half = |x| {
        Some(bevy::render::camera::Viewport {
            physical_position: UVec2::new(x, 0),
            physical_size: UVec2::new(SIZE / 2, SIZE),
            ..default()
        })
    };
    world.get_mut::<Camera>(first).expect("it was just found").viewport = half(0);
    world.spawn((
        Camera2d,
        Camera { target, viewport: half(SIZE / 2), order: 1, clear_color: ClearColorConfig::None, ..default() },
        Projection::Orthographic(OrthographicProjection { scale: 0.5, ..OrthographicProjection::default_2d() }),
        Transform::from_xyz(0.0, 5.0, 0.0),
        Msaa::Off,
    ));
    stage.spawn(0.0, 0.0, Paint::<0> { radius: 4.0, ..default() });
    let pixels = stage.picture();
    // Left half: its middle is column 16, row 32. Right half: column 48; 5 units are 10 pixels down.
    for (column, row, painted) in [
        (16, 32, true),
        (16, 34, true),
        (16, 37, false),
        (48, 42, true),
        (48, 48, true),
        (48, 51, false),
        (48, 33, false),
    ] {
        let found = pixels.at(column, row);
        assert!(close(found, if painted { RED } else { BLACK }, 1), "({column}, {row}): {found:?}");
    }
}

#[test]
fn the_buffer_follows_the_number_of_projectiles() {
    let Some(_one) = renderer("the_buffer_follows_the_number_of_projectiles") else { return };
    let mut stage = Stage::of_one_pool(PoolingStrategy::ParallelArrays);
    // A square of side 2 to the disc of radius 1, each on its own four pixels; the centre is at their common corner.
    let dot = Paint::<0> { radius: 1.0, colour: [255; 3], ..default() };
    stage.spawn(-31.0, -31.0, dot);
    let one = stage.picture().painted();
    assert!(one > 0);
    let mut ids = Vec::new();
    for row in 0..16 {
        for column in 0..15 {
            ids.push(stage.spawn(column as f32 * 4.0 - 27.0, row as f32 * 4.0 - 31.0, dot));
        }
    }
    assert_eq!(stage.picture().painted(), one * 241);
    for id in ids {
        stage.retire(id);
    }
    assert_eq!(stage.picture().painted(), one);
}

#[test]
fn the_plugin_may_come_before_all_others() {
    let Some(_one) = renderer("the_plugin_may_come_before_all_others") else { return };
    let mut stage = Stage::with_plugins(
        default(),
        Msaa::Off,
        |app| {
            app.add_plugins(ProjectileRenderPlugin::new(look::<0>));
        },
        |app| {
            app.add_plugins(ProjectilePoolPlugin::<Paint>::new("paint"));
        },
    );
    stage.spawn(0.0, 0.0, paint::<0>(GREEN));
    stage.picture().expect(0, 0, GREEN, "the disc");
}
