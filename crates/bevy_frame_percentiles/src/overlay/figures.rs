//! Counters and phase times from Bevy's diagnostics.

use bevy::diagnostic::{Diagnostic, DiagnosticPath, DiagnosticsStore};
use bevy_egui::egui::{CollapsingHeader, Grid, ProgressBar, Ui};

use super::{
    OverlayDiagnostics,
    format::{figure, ms},
};

/// Diagnostics as text, made at each refresh: a group for each prefix under which anything was measured.
#[derive(Default)]
pub(super) struct Figures {
    groups: Vec<Group>,
}

#[derive(Debug, Default, PartialEq)]
struct Group {
    prefix: String,
    phases: Vec<Phase>,
    /// Plain name, and value with unit.
    counters: Vec<(String, String)>,
}

#[derive(Debug, PartialEq)]
struct Phase {
    name: String,
    ms: f64,
    /// Share of the total, or of the sum of the phases if there is no total; 0 to 1.
    share: f32,
}

impl Figures {
    pub(super) fn new(store: &DiagnosticsStore, wanted: &[OverlayDiagnostics]) -> Self {
        let groups = wanted.iter().map(|wanted| group(store, wanted));
        Self { groups: groups.filter(|group| !group.phases.is_empty() || !group.counters.is_empty()).collect() }
    }

    pub(super) fn draw(&self, ui: &mut Ui) {
        for group in &self.groups {
            let title = if group.prefix.is_empty() { "diagnostics" } else { &group.prefix };
            CollapsingHeader::new(title).default_open(true).show(ui, |ui| group.draw(ui));
        }
    }
}

impl Group {
    fn draw(&self, ui: &mut Ui) {
        if !self.phases.is_empty() {
            Grid::new(("phases", &self.prefix)).num_columns(3).spacing([8.0, 1.0]).show(ui, |ui| {
                for phase in &self.phases {
                    ui.label(&phase.name);
                    ui.label(format!("{:>9} ms", ms(phase.ms)));
                    ui.add(ProgressBar::new(phase.share).desired_width(120.0).desired_height(8.0));
                    ui.end_row();
                }
            });
        }
        Grid::new(("counters", &self.prefix)).num_columns(4).spacing([10.0, 1.0]).show(ui, |ui| {
            for pair in self.counters.chunks(2) {
                for (name, value) in pair {
                    ui.label(name);
                    ui.label(format!("{value:>11}"));
                }
                ui.end_row();
            }
        });
    }
}

fn group(store: &DiagnosticsStore, wanted: &OverlayDiagnostics) -> Group {
    let mut group = Group { prefix: wanted.prefix.clone(), ..Group::default() };
    let mut below: Vec<(&str, &Diagnostic)> = store
        .iter()
        .filter(|diagnostic| diagnostic.is_enabled)
        .filter_map(|diagnostic| Some((below(diagnostic.path().as_str(), &wanted.prefix)?, diagnostic)))
        .filter(|(_, diagnostic)| wanted.total.as_deref() != Some(diagnostic.path().as_str()))
        .collect();
    below.sort_by_key(|(name, _)| *name);
    for (name, diagnostic) in below {
        if let Some(phase) = name.strip_suffix("_ms") {
            if let Some(ms) = average_ms(diagnostic) {
                group.phases.push(Phase { name: plain(phase), ms, share: 0.0 });
            }
        } else if let Some(value) = diagnostic.value() {
            let unit = diagnostic.suffix.trim();
            let space = if unit.is_empty() { "" } else { " " };
            group.counters.push((plain(name), format!("{}{space}{unit}", figure(value))));
        }
    }
    let sum: f64 = group.phases.iter().map(|phase| phase.ms).sum();
    let total = wanted.total.as_ref().and_then(|total| store.get(&DiagnosticPath::new(total.clone())));
    let total = total.and_then(average_ms);
    if let Some(total) = total {
        group.phases.push(Phase { name: "other".to_owned(), ms: (total - sum).max(0.0), share: 0.0 });
        group.phases.push(Phase { name: "total".to_owned(), ms: total, share: 0.0 });
    }
    let whole = total.unwrap_or(sum);
    for phase in &mut group.phases {
        phase.share = if whole > 0.0 { (phase.ms / whole).clamp(0.0, 1.0) as f32 } else { 0.0 };
    }
    group
}

/// The average of a time in milliseconds. Bevy keeps a running sum, of which rounding leaves a residue of either sign when
/// all times have become 0: what is below a nanosecond is 0.
fn average_ms(diagnostic: &Diagnostic) -> Option<f64> {
    diagnostic.average().map(|ms| if ms.abs() < 1e-6 { 0.0 } else { ms })
}

/// The rest of a path below a prefix; only at a `/`, so that `a/bc` is not below `a/b`. A path that is the prefix
/// itself has its last component as name.
fn below<'a>(path: &'a str, prefix: &str) -> Option<&'a str> {
    if prefix.is_empty() {
        return Some(path);
    }
    if path == prefix {
        return path.rsplit('/').next();
    }
    path.strip_prefix(prefix)?.strip_prefix('/').filter(|rest| !rest.is_empty())
}

fn plain(name: &str) -> String {
    name.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use bevy::diagnostic::DiagnosticMeasurement;

    use super::*;

    fn store(values: &[(&'static str, &'static str, &[f64])]) -> DiagnosticsStore {
        let mut store = DiagnosticsStore::default();
        for (path, suffix, values) in values {
            let mut diagnostic = Diagnostic::new(DiagnosticPath::const_new(path)).with_suffix(*suffix);
            for &value in *values {
                diagnostic.add_measurement(DiagnosticMeasurement { time: Instant::now(), value });
            }
            store.add(diagnostic);
        }
        store
    }

    #[test]
    fn phases_and_other_add_up_to_the_total() {
        let store = store(&[
            ("pool/shots/tick_ms", "ms", &[4.0, 6.0]),
            ("pool/shots/integrate_ms", "ms", &[1.0, 3.0]),
            ("pool/shots/spawn_ms", "ms", &[0.5]),
            ("pool/shots/live", "", &[1.0, 285_000.0]),
            ("pool/shots/bytes_held", " B", &[1024.0]),
            ("pool/shots/empty", "", &[]),
            ("pool/shots_of_others/live", "", &[7.0]),
        ]);
        let wanted = OverlayDiagnostics::new("pool/shots").with_total("pool/shots/tick_ms");
        let group = group(&store, &wanted);
        let phases: Vec<_> = group.phases.iter().map(|phase| (phase.name.as_str(), phase.ms, phase.share)).collect();
        assert_eq!(phases, [("integrate", 2.0, 0.4), ("spawn", 0.5, 0.1), ("other", 2.5, 0.5), ("total", 5.0, 1.0)]);
        let counters: Vec<_> = group.counters.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(counters, [("bytes held", "1,024 B"), ("live", "285,000")]);
    }

    #[test]
    fn a_whole_path_is_a_prefix_too() {
        let group = group(&store(&[("fps", "", &[60.0]), ("fps_of_others", "", &[1.0])]), &"fps".into());
        assert_eq!(group.counters, [("fps".to_owned(), "60".to_owned())]);
    }

    #[test]
    fn without_a_total_there_is_no_other() {
        let store = store(&[("a/x_ms", "", &[1.0]), ("a/y_ms", "", &[3.0])]);
        let group = group(&store, &"a".into());
        let phases: Vec<_> = group.phases.iter().map(|phase| (phase.name.as_str(), phase.share)).collect();
        assert_eq!(phases, [("x", 0.25), ("y", 0.75)]);
    }

    #[test]
    fn times_that_have_become_zero_are_zero() {
        let mut times = vec![0.1, 0.2, 0.3];
        times.resize(120 + 3, 0.0); // more than a diagnostic keeps
        let group = group(&store(&[("a/x_ms", "", &times), ("a/y_ms", "", &times)]), &"a".into());
        assert_eq!(group.phases.iter().map(|phase| (phase.ms, phase.share)).collect::<Vec<_>>(), [(0.0, 0.0); 2]);
    }

    #[test]
    fn disabled_diagnostics_and_bad_values() {
        let mut store = store(&[("a/off", "", &[1.0]), ("a/nan", "", &[f64::NAN]), ("a/zero_ms", "", &[0.0])]);
        store.get_mut(&DiagnosticPath::const_new("a/off")).expect("just added").is_enabled = false;
        let figures = Figures::new(&store, &["a".into(), "nothing/here".into()]);
        assert_eq!(figures.groups.len(), 1, "a prefix without diagnostics has no group");
        assert_eq!(figures.groups[0].counters, [("nan".to_owned(), "n/a".to_owned())]);
        assert_eq!(figures.groups[0].phases[0].share, 0.0);
    }
}
