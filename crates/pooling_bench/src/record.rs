//! One line of results: a cell, once for each repeat and once for their median. `docs/bench-format.md` says what each
//! field means.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::samples::median;

/// A line of results. A field that does not apply is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    /// The command that measured it.
    pub suite: String,
    /// What was measured.
    pub cell: String,
    #[serde(flatten)]
    fields: Map<String, Value>,
}

/// The fields that are the same in every repeat of a cell: they name what was measured.
pub const KEYS: [&str; 17] = [
    "suite",
    "cell",
    "scenario",
    "spawns",
    "fields",
    "extra_bytes",
    "lifetimes",
    "early_ends",
    "early_ends_by_id",
    "bounds",
    "change_detection",
    "parallel",
    "executor",
    "threads",
    "held",
    "item_bytes",
    "allocator",
];

impl Record {
    /// A line about a cell of a suite.
    #[must_use]
    pub fn new(suite: &str, cell: &str) -> Self {
        Self { suite: suite.to_owned(), cell: cell.to_owned(), fields: Map::new() }
    }

    /// Sets a field; `None` leaves it absent.
    pub fn set(&mut self, field: &str, value: impl Serialize) -> &mut Self {
        match serde_json::to_value(value) {
            Ok(Value::Null) | Err(_) => self.fields.remove(field),
            Ok(value) => self.fields.insert(field.to_owned(), value),
        };
        self
    }

    /// A field's value.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.fields.get(field)
    }

    /// A field's value as a number.
    #[must_use]
    pub fn number(&self, field: &str) -> Option<f64> {
        self.fields.get(field)?.as_f64()
    }

    /// A field's value as a text.
    #[must_use]
    pub fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field)?.as_str()
    }

    /// Whether this is the median over the repeats.
    #[must_use]
    pub fn is_median(&self) -> bool {
        self.text("repeat") == Some("median")
    }

    /// All fields besides suite and cell, by name.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.fields.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// What names the measured thing: equal in all its repeats.
    #[must_use]
    pub fn key(&self) -> String {
        let rest = KEYS[2..].iter().filter_map(|key| Some(format!("{key}={}", self.fields.get(*key)?)));
        [self.suite.clone(), self.cell.clone()].into_iter().chain(rest).collect::<Vec<_>>().join(" ")
    }
}

/// The given repeats and, after those of each cell, their median: of each number the median of the repeats, of the rest
/// what they agree on. Cells stay in the order of their first line.
#[must_use]
pub fn with_medians(repeats: Vec<Record>) -> Vec<Record> {
    let mut order = Vec::new();
    let mut groups: BTreeMap<String, Vec<Record>> = BTreeMap::new();
    for record in repeats {
        let key = record.key();
        if !groups.contains_key(&key) {
            order.push(key.clone());
        }
        groups.entry(key).or_default().push(record);
    }
    let mut all = Vec::new();
    for key in order {
        let mut group = groups.remove(&key).unwrap_or_default();
        let median = median_of(&group);
        all.append(&mut group);
        all.push(median);
    }
    all
}

fn median_of(group: &[Record]) -> Record {
    let mut record = Record::new(&group[0].suite, &group[0].cell);
    for (field, first) in group[0].fields() {
        let values: Vec<&Value> = group.iter().filter_map(|record| record.get(field)).collect();
        if values.len() < group.len() {
            continue;
        }
        if values.iter().all(|value| *value == first) {
            record.set(field, first);
        } else if let Some(numbers) = values.iter().map(|value| value.as_f64()).collect::<Option<Vec<_>>>() {
            record.set(field, median(&numbers));
        }
    }
    record.set("repeat", "median");
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(cell: &str, repeat: u32, p50: f64) -> Record {
        let mut record = Record::new("article", cell);
        record.set("spawns", 300).set("repeat", repeat).set("wall_p50_us", p50).set("checksum", 7);
        record
    }

    #[test]
    fn medians_follow_the_repeats_of_each_cell() {
        let lines = vec![line("a", 1, 3.0), line("b", 1, 1.0), line("b", 2, 2.0), line("a", 2, 9.0), line("a", 3, 4.0)];
        let all = with_medians(lines);
        let seen: Vec<(&str, bool, Option<f64>)> =
            all.iter().map(|r| (r.cell.as_str(), r.is_median(), r.number("wall_p50_us"))).collect();
        let (a, b) = ("a", "b");
        assert_eq!(
            seen,
            [
                (a, false, Some(3.0)),
                (a, false, Some(9.0)),
                (a, false, Some(4.0)),
                (a, true, Some(4.0)),
                (b, false, Some(1.0)),
                (b, false, Some(2.0)),
                (b, true, Some(1.5))
            ]
        );
        assert_eq!(all[3].get("checksum"), Some(&7.into()), "what all agree on stays");
    }

    #[test]
    fn what_repeats_do_not_agree_on_is_not_in_the_median() {
        let (mut one, mut two) = (line("a", 1, 1.0), line("a", 2, 1.0));
        one.set("note", "x");
        two.set("note", "y");
        let all = with_medians(vec![one, two]);
        assert_eq!(all[2].get("note"), None);
    }

    #[test]
    fn a_line_is_one_object_and_absent_fields_are_absent() {
        let mut record = line("a", 1, 2.5);
        record.set("cpu_p50_us", None::<f64>).set("gone", 1).set("gone", None::<u32>);
        let json = serde_json::to_string(&record).unwrap();
        assert_eq!(json, r#"{"suite":"article","cell":"a","checksum":7,"repeat":1,"spawns":300,"wall_p50_us":2.5}"#);
        assert_eq!(serde_json::from_str::<Record>(&json).unwrap(), record);
    }
}
