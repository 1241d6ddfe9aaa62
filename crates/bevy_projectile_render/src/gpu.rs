//! The render world's side: one buffer and one phase item a pool, one pipeline for all pools.

use std::marker::PhantomData;

use bevy::{
    asset::weak_handle,
    core_pipeline::core_2d::{CORE_2D_DEPTH_FORMAT, Transparent2d},
    ecs::{
        query::ROQueryItem,
        system::{SystemParamItem, lifetimeless::Read},
    },
    image::BevyDefault,
    math::FloatOrd,
    prelude::*,
    render::{
        Extract, Render, RenderApp, RenderSet,
        render_phase::{
            AddRenderCommand, DrawFunctions, PhaseItem, PhaseItemExtraIndex, RenderCommand, RenderCommandResult,
            SetItemPipeline, TrackedRenderPass, ViewSortedRenderPhases,
        },
        render_resource::{
            BindGroup, BindGroupEntries, BindGroupLayout, BindGroupLayoutEntries, BlendState, Buffer, BufferDescriptor,
            BufferInitDescriptor, BufferUsages, ColorTargetState, ColorWrites, CompareFunction, DepthStencilState,
            FragmentState, MultisampleState, PipelineCache, RenderPipelineDescriptor, ShaderStages,
            SpecializedRenderPipeline, SpecializedRenderPipelines, TextureFormat, VertexAttribute, VertexBufferLayout,
            VertexFormat, VertexState, VertexStepMode, binding_types::uniform_buffer,
        },
        renderer::{RenderDevice, RenderQueue},
        sync_world::MainEntity,
        view::{ExtractedView, ViewTarget, ViewUniform, ViewUniformOffset, ViewUniforms},
    },
};
use bevy_projectile_pool::prelude::Payload;

use crate::drawn::{Disc, DrawnProjectiles};

const DISC_SHADER: Handle<Shader> = weak_handle!("5d1c8f0a-3f5e-4f0e-9a57-6b1d2c7e8a41");

/// Adds the pool of `P` to the renderer. Returns `false`, having done nothing, if the app has no 2D renderer.
pub(crate) fn install<P: Payload>(app: &mut App, z: f32) -> bool {
    let Some(render_app) = app.get_sub_app_mut(RenderApp) else { return false };
    if !render_app.world().contains_resource::<DrawFunctions<Transparent2d>>() {
        return false;
    }
    let first_pool = !render_app.world().contains_resource::<Pools>();
    if first_pool {
        render_app
            .init_resource::<Pools>()
            .init_resource::<SpecializedRenderPipelines<DiscPipeline>>()
            .add_render_command::<Transparent2d, DrawPool>()
            .add_systems(ExtractSchedule, create_pipeline.run_if(not(resource_exists::<DiscPipeline>)))
            .add_systems(
                Render,
                (queue_pools.in_set(RenderSet::Queue), prepare_bind_groups.in_set(RenderSet::PrepareBindGroups)),
            );
    }
    let world = render_app.world_mut();
    let entity = world.spawn(PoolDraw { z, ..default() }).id();
    world.resource_mut::<Pools>().0.push(entity);
    world.insert_resource(PoolEntity::<P> { entity, payload: PhantomData });
    render_app.add_systems(ExtractSchedule, upload::<P>);

    if first_pool && let Some(mut shaders) = app.world_mut().get_resource_mut::<Assets<Shader>>() {
        let shader = Shader::from_wgsl(include_str!("disc.wgsl"), "bevy_projectile_render/disc.wgsl");
        shaders.insert(&DISC_SHADER, shader);
    }
    true
}

/// The entities of all pools, in the order in which their plugins were added.
#[derive(Resource, Default)]
struct Pools(Vec<Entity>);

/// Where the pool of `P` is in the render world.
#[derive(Resource)]
struct PoolEntity<P> {
    entity: Entity,
    payload: PhantomData<fn() -> P>,
}

/// One pool in the render world.
#[derive(Component, Default)]
struct PoolDraw {
    z: f32,
    /// Grows to the next power of two and never shrinks.
    discs: Option<Buffer>,
    /// How many discs of the buffer are of this frame.
    count: u32,
    /// The depth of the pool, for the shader.
    depth: Option<Buffer>,
    bind_group: Option<BindGroup>,
}

/// Copies the discs straight from the main world's list into the pool's buffer.
fn upload<P: Payload>(
    drawn: Extract<Res<DrawnProjectiles<P>>>,
    pool: Res<PoolEntity<P>>,
    mut draws: Query<&mut PoolDraw>,
    device: Res<RenderDevice>,
    queue: Res<RenderQueue>,
) {
    let Ok(mut draw) = draws.get_mut(pool.entity) else { return };
    // What does not fit into the largest buffer of the device is left out: the lowest discs.
    let largest = device.limits().max_buffer_size;
    let fitting = (largest / size_of::<Disc>() as u64).min(u64::from(u32::MAX)) as usize;
    let discs = drawn.discs();
    let discs = &discs[discs.len().saturating_sub(fitting)..];
    draw.count = discs.len() as u32;
    if discs.is_empty() {
        return;
    }
    let bytes: &[u8] = bytemuck::cast_slice(discs);
    let needed = bytes.len() as u64;
    if draw.discs.as_ref().is_none_or(|buffer| buffer.size() < needed) {
        draw.discs = Some(device.create_buffer(&BufferDescriptor {
            label: Some("projectile discs"),
            size: needed.next_power_of_two().min(largest),
            usage: BufferUsages::VERTEX | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        }));
    }
    if let Some(buffer) = &draw.discs {
        queue.write_buffer(buffer, 0, bytes);
    }
}

/// Adds one item for each pool to each view that has the phase.
fn queue_pools(
    draw_functions: Res<DrawFunctions<Transparent2d>>,
    pipeline: Res<DiscPipeline>,
    mut pipelines: ResMut<SpecializedRenderPipelines<DiscPipeline>>,
    cache: Res<PipelineCache>,
    pools: Res<Pools>,
    draws: Query<&PoolDraw>,
    mut phases: ResMut<ViewSortedRenderPhases<Transparent2d>>,
    views: Query<(&ExtractedView, &Msaa)>,
) {
    let draw_function = draw_functions.read().id::<DrawPool>();
    for (view, msaa) in &views {
        // The views of user interfaces have no such phase.
        let Some(phase) = phases.get_mut(&view.retained_view_entity) else { continue };
        for &entity in &pools.0 {
            let Ok(draw) = draws.get(entity) else { continue };
            if draw.count == 0 {
                continue;
            }
            let key = PipelineKey { samples: msaa.samples(), hdr: view.hdr };
            phase.add(Transparent2d {
                sort_key: FloatOrd(draw.z),
                entity: (entity, MainEntity::from(Entity::PLACEHOLDER)),
                pipeline: pipelines.specialize(&cache, &pipeline, key),
                draw_function,
                // Counts phase items, not instances.
                batch_range: 0..1,
                // No sprite has this index, so the sprite code leaves the item alone.
                extracted_index: usize::MAX,
                extra_index: PhaseItemExtraIndex::None,
                indexed: false,
            });
        }
    }
}

/// The view's uniform buffer may be another one in each frame, so the bind groups are made anew.
fn prepare_bind_groups(
    mut draws: Query<&mut PoolDraw>,
    pipeline: Res<DiscPipeline>,
    device: Res<RenderDevice>,
    views: Res<ViewUniforms>,
) {
    for mut draw in &mut draws {
        draw.bind_group = None;
        if draw.count == 0 {
            continue;
        }
        let Some(view) = views.uniforms.binding() else { continue };
        let z = draw.z;
        let depth = draw.depth.get_or_insert_with(|| {
            device.create_buffer_with_data(&BufferInitDescriptor {
                label: Some("projectile pool depth"),
                contents: bytemuck::bytes_of(&[z, 0.0, 0.0, 0.0]),
                usage: BufferUsages::UNIFORM,
            })
        });
        let entries = BindGroupEntries::sequential((view, depth.as_entire_binding()));
        draw.bind_group = Some(device.create_bind_group("projectile pool", &pipeline.layout, &entries));
    }
}

type DrawPool = (SetItemPipeline, DrawDiscs);

/// All discs of a pool in one call: one triangle an instance.
struct DrawDiscs;

impl<I: PhaseItem> RenderCommand<I> for DrawDiscs {
    type Param = ();
    type ViewQuery = Read<ViewUniformOffset>;
    type ItemQuery = Read<PoolDraw>;

    fn render<'w>(
        _item: &I,
        view: ROQueryItem<'w, Self::ViewQuery>,
        draw: Option<ROQueryItem<'w, Self::ItemQuery>>,
        _param: SystemParamItem<'w, '_, Self::Param>,
        pass: &mut TrackedRenderPass<'w>,
    ) -> RenderCommandResult {
        let Some(PoolDraw { bind_group: Some(bind_group), discs: Some(discs), count, .. }) = draw else {
            return RenderCommandResult::Skip;
        };
        pass.set_bind_group(0, bind_group, &[view.offset]);
        pass.set_vertex_buffer(0, discs.slice(..));
        pass.draw(0..3, 0..*count);
        RenderCommandResult::Success
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct PipelineKey {
    samples: u32,
    hdr: bool,
}

#[derive(Resource)]
struct DiscPipeline {
    layout: BindGroupLayout,
}

/// The device exists only once the renderer runs.
fn create_pipeline(mut commands: Commands, device: Res<RenderDevice>) {
    let entries = BindGroupLayoutEntries::sequential(
        ShaderStages::VERTEX,
        (uniform_buffer::<ViewUniform>(true), uniform_buffer::<Vec4>(false)),
    );
    let layout = device.create_bind_group_layout("projectile pool layout", &entries);
    commands.insert_resource(DiscPipeline { layout });
}

impl SpecializedRenderPipeline for DiscPipeline {
    type Key = PipelineKey;

    fn specialize(&self, key: PipelineKey) -> RenderPipelineDescriptor {
        let attribute = |shader_location, offset, format| VertexAttribute { format, offset, shader_location };
        RenderPipelineDescriptor {
            label: Some("projectile discs".into()),
            layout: vec![self.layout.clone()],
            push_constant_ranges: Vec::new(),
            vertex: VertexState {
                shader: DISC_SHADER,
                shader_defs: Vec::new(),
                entry_point: "vertex".into(),
                buffers: vec![VertexBufferLayout {
                    array_stride: size_of::<Disc>() as u64,
                    step_mode: VertexStepMode::Instance,
                    attributes: vec![
                        attribute(0, 0, VertexFormat::Float32x2),
                        attribute(1, 8, VertexFormat::Float32),
                        attribute(2, 12, VertexFormat::Unorm8x4),
                    ],
                }],
            },
            fragment: Some(FragmentState {
                shader: DISC_SHADER,
                shader_defs: Vec::new(),
                entry_point: "fragment".into(),
                targets: vec![Some(ColorTargetState {
                    format: if key.hdr { ViewTarget::TEXTURE_FORMAT_HDR } else { TextureFormat::bevy_default() },
                    blend: Some(BlendState::ALPHA_BLENDING),
                    write_mask: ColorWrites::ALL,
                })],
            }),
            primitive: default(),
            // Hidden behind opaque 2D meshes; hides nothing itself, the order of painting does that.
            depth_stencil: Some(DepthStencilState {
                format: CORE_2D_DEPTH_FORMAT,
                depth_write_enabled: false,
                depth_compare: CompareFunction::GreaterEqual,
                stencil: default(),
                bias: default(),
            }),
            multisample: MultisampleState { count: key.samples, ..default() },
            zero_initialize_workgroup_memory: false,
        }
    }
}
