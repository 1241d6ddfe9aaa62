//! Results as Markdown, as JSON lines, as CSV, and in files.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, Write},
    path::Path,
};

use serde_json::{Value, json};

use crate::{
    Error,
    cli::{Common, Format},
    record::Record,
    runner::Done,
};

/// A column of a table: its title, and the field that it shows.
pub type Column = (&'static str, &'static str);

/// A table of some lines.
#[derive(Clone, Debug)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its lines.
    pub rows: Vec<Record>,
}

/// What a command found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The command.
    pub suite: &'static str,
    /// Every line: repeats and medians.
    pub records: Vec<Record>,
    /// For people.
    pub tables: Vec<Table>,
    /// Sentences below the tables.
    pub notes: Vec<String>,
    /// Sample by sample, for `--out`.
    pub done: Vec<Done>,
}

impl Report {
    /// The report as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        for table in &self.tables {
            text.push_str(&table.markdown());
            text.push('\n');
        }
        for note in &self.notes {
            text.push_str(&format!("- {note}\n"));
        }
        text
    }

    /// Every line as JSON.
    #[must_use]
    pub fn json(&self) -> String {
        let lines = self.records.iter().map(|record| json!(record).to_string() + "\n");
        lines.collect()
    }

    /// Every line as CSV: the columns are all fields of any line.
    ///
    /// # Errors
    /// Never, in memory.
    pub fn csv(&self) -> Result<String, Error> {
        let fields: BTreeSet<&str> =
            self.records.iter().flat_map(|record| record.fields().map(|(name, _)| name)).collect();
        let mut writer = csv::Writer::from_writer(Vec::new());
        let failed = |error: csv::Error| Error::Print(error.into());
        writer.write_record(["suite", "cell"].into_iter().chain(fields.iter().copied())).map_err(failed)?;
        for record in &self.records {
            let values = fields.iter().map(|field| record.get(field).map_or_else(String::new, plain));
            let row = [record.suite.clone(), record.cell.clone()].into_iter().chain(values);
            writer.write_record(row).map_err(failed)?;
        }
        let bytes = writer.into_inner().map_err(|error| Error::Print(error.into_error()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Prints the report in the format asked for, and writes all formats and the raw samples to the folder asked for.
    ///
    /// # Errors
    /// If either cannot be written.
    pub fn publish(&self, common: &Common) -> Result<(), Error> {
        let text = match common.format {
            Format::Md => self.markdown(),
            Format::Json => self.json(),
            Format::Csv => self.csv()?,
        };
        if let Some(folder) = &common.out {
            write(&folder.join(format!("{}.md", self.suite)), &self.markdown())?;
            write(&folder.join(format!("{}.jsonl", self.suite)), &self.json())?;
            write(&folder.join(format!("{}.csv", self.suite)), &self.csv()?)?;
            write(&folder.join(format!("{}-samples.jsonl", self.suite)), &self.samples())?;
        }
        print(&text)
    }

    fn samples(&self) -> String {
        let line = |done: &Done| {
            let mut line = json!(done.job.record);
            line["repeat"] = done.repeat.into();
            line
        };
        let lines = self.done.iter().flat_map(|done| {
            let mut lines = Vec::new();
            for cell in &done.output.pools {
                let mut line = line(done);
                line["cell"] = json!(cell.cell);
                line["rounds_ns"] = json!(cell.ns);
                line["rounds_beside_ns"] = json!(cell.beside);
                lines.push(line);
            }
            if lines.is_empty() {
                let mut line = line(done);
                line["samples_ns"] = json!(done.output.samples);
                lines.push(line);
            }
            lines
        });
        lines.map(|line| line.to_string() + "\n").collect()
    }
}

impl Table {
    /// The table as Markdown, below its title.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = format!("**{}**\n\n", self.title);
        let titles: Vec<&str> = self.columns.iter().map(|(title, _)| *title).collect();
        text.push_str(&format!("| {} |\n", titles.join(" | ")));
        text.push_str(&format!("|{}\n", "---|".repeat(titles.len())));
        for row in &self.rows {
            let cells = self.columns.iter().map(|(_, field)| match *field {
                "cell" => row.cell.clone(),
                field => row.get(field).map_or_else(|| "–".to_owned(), shown),
            });
            text.push_str(&format!("| {} |\n", cells.collect::<Vec<_>>().join(" | ")));
        }
        text
    }
}

/// A value for people: of a fraction, three significant digits.
#[must_use]
pub fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) if number.is_f64() => {
            let number = number.as_f64().unwrap_or(f64::NAN);
            match number.abs() {
                size if size >= 100.0 || size == 0.0 => format!("{number:.0}"),
                size if size >= 10.0 => format!("{number:.1}"),
                size if size >= 1.0 => format!("{number:.2}"),
                _ => format!("{number:.3}"),
            }
        }
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        other => plain(other),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Prints results on standard output.
///
/// # Errors
/// If it is gone.
pub fn print(text: &str) -> Result<(), Error> {
    io::stdout().lock().write_all(text.as_bytes()).map_err(Error::Print)
}

/// Writes a file.
///
/// # Errors
/// If it cannot be written.
pub fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|error| Error::Write { path: path.to_owned(), error })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let mut record = Record::new("article", "fresh");
        record.set("spawns", 300).set("wall_p50_us", 12.345).set("checksum", 2_050_992_545_i64).set("repeat", 1);
        let mut other = Record::new("article", "node-fresh");
        other.set("spawns", 300).set("note", "not measured, \"no node\"").set("repeat", 1);
        let columns = vec![("cell", "cell"), ("spawns", "spawns"), ("p50 µs", "wall_p50_us"), ("sum", "checksum")];
        let rows = vec![record.clone(), other.clone()];
        let table = Table { title: "Storages".to_owned(), columns, rows };
        Report { suite: "article", records: vec![record, other], tables: vec![table], ..Report::default() }
    }

    #[test]
    fn markdown_is_a_table_with_a_dash_for_what_is_absent() {
        let expected = "**Storages**\n\n| cell | spawns | p50 µs | sum |\n|---|---|---|---|\n\
             | fresh | 300 | 12.3 | 2050992545 |\n| node-fresh | 300 | – | – |\n\n";
        assert_eq!(report().markdown(), expected);
    }

    #[test]
    fn json_is_one_object_a_line() {
        let json = report().json();
        let lines: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0]["checksum"], 2_050_992_545_i64);
        assert!(lines[1].get("wall_p50_us").is_none());
    }

    #[test]
    fn csv_has_every_field_and_quotes() {
        let csv = report().csv().unwrap();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines[0], "suite,cell,checksum,note,repeat,spawns,wall_p50_us");
        assert_eq!(lines[1], "article,fresh,2050992545,,1,300,12.345");
        assert_eq!(lines[2], "article,node-fresh,,\"not measured, \"\"no node\"\"\",1,300,");
    }

    #[test]
    fn numbers_are_shown_with_three_digits() {
        let shown = [123.456, 12.345, 1.2345, 0.12345, 0.0].map(|number| shown(&json!(number)));
        assert_eq!(shown, ["123", "12.3", "1.23", "0.123", "0"]);
    }
}
