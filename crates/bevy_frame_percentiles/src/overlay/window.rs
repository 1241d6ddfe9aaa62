//! The overlay's window: what stands where.

use bevy::ecs::world::Mut;
use bevy_egui::egui::{self, Align2, Color32, FontId, RichText, ScrollArea, TextStyle, Ui, vec2};

use super::{
    OverlayChoices, OverlaySliders, PercentileOverlay, PercentileOverlayPlugin, Shown,
    controls::{draw_choices, draw_sliders},
    format::ms,
    is_vsync,
    table::FAINT,
};
use crate::{FrameRecorder, LowDefinition, Series};

const MARGIN: f32 = 8.0;
/// What egui's title bar and the frame around the contents need of the height.
const TITLE: f32 = 48.0;
const WARNING: Color32 = Color32::from_rgb(255, 200, 80);

/// Everything the window shows and changes.
pub(super) struct View<'a> {
    pub(super) settings: &'a PercentileOverlayPlugin,
    pub(super) recorder: &'a FrameRecorder,
    pub(super) shown: &'a mut Shown,
    pub(super) overlay: Mut<'a, PercentileOverlay>,
    pub(super) choices: Option<Mut<'a, OverlayChoices>>,
    pub(super) sliders: Option<Mut<'a, OverlaySliders>>,
}

pub(super) fn draw(context: &egui::Context, mut view: View) {
    let screen = context.screen_rect();
    let style = context.style();
    let frame = egui::Frame::window(&style).fill(Color32::from_rgba_unmultiplied(12, 14, 20, 246));
    let room = (screen.height() - 2.0 * MARGIN - TITLE).max(100.0);
    let mut open = true;
    egui::Window::new(RichText::new(view.settings.title.as_str()).color(Color32::WHITE))
        .id(egui::Id::new("bevy_frame_percentiles overlay"))
        .open(&mut open)
        .frame(frame)
        .pivot(Align2::RIGHT_TOP)
        .default_pos(screen.right_top() + vec2(-MARGIN, MARGIN))
        .default_width(view.settings.width)
        .min_width(300.0)
        // Room down to the bottom of the screen; the window is as high as its contents, which scroll if they need more.
        .min_height(room)
        .max_height(room)
        .resizable([true, false])
        .show(context, |ui| {
            ui.style_mut().visuals = egui::Visuals::dark();
            ui.visuals_mut().override_text_color = Some(Color32::from_rgb(230, 232, 238));
            ui.style_mut().override_text_style = Some(TextStyle::Monospace);
            let fonts = &mut ui.style_mut().text_styles;
            fonts.insert(TextStyle::Monospace, FontId::monospace(11.5));
            fonts.insert(TextStyle::Small, FontId::monospace(10.0));
            ui.spacing_mut().interact_size.y = 14.0;
            ui.spacing_mut().item_spacing.y = 3.0;
            ScrollArea::vertical().auto_shrink([false, true]).show(ui, |ui| contents(ui, &mut view));
        });
    if !open {
        view.overlay.visible = false;
    }
}

fn contents(ui: &mut Ui, view: &mut View) {
    let View { settings, recorder, shown, overlay, choices, sliders } = view;
    if cfg!(debug_assertions) {
        ui.label(RichText::new("debug build: a release build is faster").color(WARNING))
            .on_hover_text("Measure with `cargo run --release`.");
    }
    if recorder.is_paused() {
        ui.label(RichText::new("recording is paused").color(WARNING));
    }
    if let Some(choices) = choices {
        draw_choices(ui, choices);
    }
    if let Some(sliders) = sliders {
        draw_sliders(ui, sliders);
    }
    draw_selectors(ui, overlay, shown);
    ScrollArea::horizontal().auto_shrink([false, true]).show(ui, |ui| shown.table.draw(ui));
    let series = recorder.current_series(overlay.series);
    shown.graph.draw(ui, series, shown.median_ms, &settings.target_lines_ms);
    shown.figures.draw(ui);
    let cost = overlay.cost_ms.map_or("not measured yet".to_owned(), |cost| format!("{} ms a frame", ms(cost)));
    ui.label(RichText::new(format!("this overlay: {cost}")).color(FAINT).small())
        .on_hover_text("Figures and layout; drawing its triangles is the renderer's and not in it.");
}

/// Which series and which "1 % low". State is written only when it changes.
fn draw_selectors(ui: &mut Ui, overlay: &mut Mut<PercentileOverlay>, shown: &Shown) {
    let (mut series, mut low) = (overlay.series, overlay.low);
    ui.horizontal_wrapped(|ui| {
        ui.label("series");
        for one in Series::ALL {
            ui.selectable_value(&mut series, one, one.name()).on_hover_text(one.definition());
        }
        if series == Series::Frame && shown.present_mode.is_some_and(is_vsync) {
            ui.label(RichText::new("held by vsync").color(WARNING))
                .on_hover_text("Frames wait for the display. The update series does not.");
        }
    });
    ui.horizontal_wrapped(|ui| {
        ui.label("1 % low by");
        for one in LowDefinition::ALL {
            ui.selectable_value(&mut low, one, one.name());
        }
    });
    if (series, low) != (overlay.series, overlay.low) {
        overlay.series = series;
        overlay.low = low;
    }
}
