//! Numbers as text.

/// Milliseconds with four significant digits or so: `0.042`, `8.33`, `200.0`.
pub(super) fn ms(ms: f64) -> String {
    if ms < 1.0 {
        format!("{ms:.3}")
    } else if ms < 100.0 {
        format!("{ms:.2}")
    } else {
        format!("{ms:.1}")
    }
}

/// A plain figure: whole numbers up to any size with thin groups, others with two digits.
pub(super) fn figure(value: f64) -> String {
    if !value.is_finite() {
        "n/a".to_owned()
    } else if value.fract() == 0.0 && value.abs() < 1e15 {
        grouped(value as i64)
    } else {
        format!("{value:.2}")
    }
}

/// A whole number with commas: `1,234,567`.
pub(super) fn grouped(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if value < 0 {
        text.push('-');
    }
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Breaks a label at its hyphens, underscores and spaces into lines of at most `width` characters where it can.
pub(super) fn lines(label: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for piece in label.split_inclusive(['-', '_', ' ', '/']) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + piece.trim_end().chars().count() <= width => line.push_str(piece),
            _ => lines.push(piece.to_owned()),
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!([ms(0.0421), ms(8.333), ms(200.04)], ["0.042", "8.33", "200.0"]);
        assert_eq!(
            [figure(285_000.0), figure(-1234.0), figure(0.126), figure(f64::NAN)],
            ["285,000", "-1,234", "0.13", "n/a"]
        );
        assert_eq!([grouped(0), grouped(999), grouped(1000)], ["0", "999", "1,000"]);
    }

    #[test]
    fn labels_break_at_hyphens() {
        assert_eq!(lines("component-recycling", 12), ["component-", "recycling"]);
        assert_eq!(lines("a-b-c", 12), ["a-b-c"]);
        assert_eq!(lines("run", 12), ["run"]);
        assert!(lines("", 12).is_empty());
    }
}
