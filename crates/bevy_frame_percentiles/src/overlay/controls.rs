//! Buttons and sliders that the app hands in.

use std::ops::RangeInclusive;

use bevy::ecs::{change_detection::DetectChangesMut, resource::Resource, world::Mut};
use bevy_egui::egui::{Button, RichText, Slider, Ui};

use super::table::CURRENT;

/// A row of buttons, one of which is active: the app inserts it, the overlay shows it, the app acts on what was
/// pressed.
///
/// The app takes `requested` (it is `None` again after [`Option::take`]) and sets `active`. The app is not bound to
/// obey: the overlay shows as active what `active` says.
#[derive(Resource, Clone, Debug, Default, PartialEq, Eq)]
pub struct OverlayChoices {
    /// Stands before the buttons.
    pub title: String,
    /// The buttons.
    pub labels: Vec<String>,
    /// Which of them is active.
    pub active: usize,
    /// Which of them was pressed last, until the app takes it.
    pub requested: Option<usize>,
}

impl OverlayChoices {
    /// Buttons of which the first is active.
    pub fn new(title: impl Into<String>, labels: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { title: title.into(), labels: labels.into_iter().map(Into::into).collect(), active: 0, requested: None }
    }
}

/// Sliders that the app inserts and reads. Changed (in Bevy's sense) only when a slider was moved.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct OverlaySliders(pub Vec<OverlaySlider>);

/// One slider.
#[derive(Clone, Debug, PartialEq)]
pub struct OverlaySlider {
    /// Stands beside it.
    pub label: String,
    /// From where to where it goes.
    pub range: RangeInclusive<f32>,
    /// Where it is.
    pub value: f32,
}

impl OverlaySlider {
    /// A slider from and to the ends of `range`, at `value`.
    pub fn new(label: impl Into<String>, range: RangeInclusive<f32>, value: f32) -> Self {
        Self { label: label.into(), range, value }
    }
}

pub(super) fn draw_choices(ui: &mut Ui, choices: &mut Mut<OverlayChoices>) {
    let mut pressed = None;
    ui.horizontal_wrapped(|ui| {
        ui.label(&choices.title);
        for (i, label) in choices.labels.iter().enumerate() {
            let active = i == choices.active;
            let text = RichText::new(label);
            let text = if active { text.strong().color(CURRENT) } else { text };
            if ui.add(Button::new(text).selected(active)).clicked() {
                pressed = Some(i);
            }
        }
    });
    if pressed.is_some() {
        choices.requested = pressed;
    }
}

pub(super) fn draw_sliders(ui: &mut Ui, sliders: &mut Mut<OverlaySliders>) {
    let mut moved = false;
    for slider in &mut sliders.bypass_change_detection().0 {
        let widget = Slider::new(&mut slider.value, slider.range.clone()).text(&slider.label);
        moved |= ui.add(widget).changed();
    }
    if moved {
        sliders.set_changed();
    }
}
