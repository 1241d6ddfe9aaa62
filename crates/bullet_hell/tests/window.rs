//! The program in a real window, played with real keys: needs Xvfb, xdotool and a Vulkan driver.
//!
//! Where one of them is missing it says so and draws nothing, unless `REQUIRE_RENDER=1` is set: then it fails.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    ops::Range,
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use bullet_hell::{display::check_driver, report::Report};
use image::RgbImage;

/// Ends its process with itself.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Whether the test can run here.
fn equipped() -> bool {
    let found = |program: &str| Command::new("which").arg(program).output().is_ok_and(|which| which.status.success());
    let missing: Vec<&str> =
        [("Xvfb", !found("Xvfb")), ("xdotool", !found("xdotool")), ("a Vulkan driver", check_driver().is_err())]
            .into_iter()
            .filter_map(|(name, missing)| missing.then_some(name))
            .collect();
    if missing.is_empty() {
        return true;
    }
    let message = format!("not drawn, and not played in a window: {} missing", missing.join(", "));
    assert!(std::env::var_os("REQUIRE_RENDER").is_none_or(|value| value != "1"), "{message}");
    // The real standard error, which the test harness does not capture.
    let _ = writeln!(std::io::stderr(), "window.rs: {message}");
    false
}

/// A display of its own.
struct Screen {
    _server: Running,
    display: String,
}

impl Screen {
    fn open() -> Self {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1280x720x24", "-nolisten", "tcp", "-noreset"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb starts");
        let mut number = String::new();
        BufReader::new(server.stdout.take().expect("piped")).read_line(&mut number).expect("Xvfb names its display");
        Self { _server: Running(server), display: format!(":{}", number.trim()) }
    }

    fn xdotool(&self, line: &str) -> String {
        let output = Command::new("xdotool").args(line.split(' ')).env("DISPLAY", &self.display).output();
        String::from_utf8_lossy(&output.expect("xdotool runs").stdout).trim().to_owned()
    }

    /// Presses a key until the window's title has a word in it.
    fn press_until(&self, key: &str, word: &str) {
        let end = Instant::now() + Duration::from_secs(120);
        while Instant::now() < end {
            let window = self.xdotool("search --name ^bullet");
            if !window.is_empty() {
                if self.xdotool(&format!("getwindowname {window}")).contains(word) {
                    return;
                }
                self.xdotool(&format!("windowfocus {window} mousemove 200 360 key {key}"));
            }
            sleep(Duration::from_millis(700));
        }
        panic!("pressing {key} did not bring the title to \"{word}\"");
    }
}

struct Played {
    report: Report,
    picture: RgbImage,
}

/// Plays 240 ticks in a window: Enter, a key for the strategy, and F1 if the overlay is wanted.
fn play(name: &str, key: &str, strategy: &str, overlay: bool) -> Played {
    let screen = Screen::open();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (report, picture) = (folder.join(format!("{name}.json")), folder.join(format!("{name}.png")));
    let _ = (fs::remove_file(&report), fs::remove_file(&picture));
    let program = Command::new(env!("CARGO_BIN_EXE_bullet_hell"))
        .args(["--windowed", "--ticks", "240"])
        .arg("--report")
        .arg(&report)
        .arg("--screenshot")
        .arg(&picture)
        .env("DISPLAY", &screen.display)
        .env_remove("WAYLAND_DISPLAY")
        .spawn()
        .expect("the program starts");
    let mut program = Running(program);
    screen.press_until("1", "title - despawn-respawn");
    screen.press_until(key, strategy);
    if overlay {
        screen.xdotool("key F1");
    }
    screen.press_until("Return", "playing");
    let end = Instant::now() + Duration::from_secs(180);
    let status = loop {
        if let Some(status) = program.0.try_wait().expect("the program can be asked") {
            break status;
        }
        assert!(Instant::now() < end, "the program did not end after its ticks");
        sleep(Duration::from_millis(200));
    };
    assert!(status.success(), "{status}");
    let report = serde_json::from_slice(&fs::read(report).expect("a report")).expect("the report is JSON");
    let picture = image::open(picture).expect("a picture").to_rgb8();
    Played { report, picture }
}

/// The share of the pixels between two columns and two rows that differ clearly.
fn difference(a: &RgbImage, b: &RgbImage, columns: Range<u32>, rows: Range<u32>) -> f64 {
    let place = columns.flat_map(|x| rows.clone().map(move |y| (x, y)));
    let clear = |x, y| a.get_pixel(x, y).0.iter().zip(b.get_pixel(x, y).0).any(|(a, b)| a.abs_diff(b) > 6);
    let differ = place.clone().filter(|&(x, y)| clear(x, y)).count();
    differ as f64 / place.count() as f64
}

#[test]
fn keys_play_the_game_change_the_strategy_and_open_the_overlay() {
    if !equipped() {
        return;
    }
    let with = play("with_overlay", "2", "component-recycling", true);
    let without = play("without_overlay", "3", "parallel-arrays", false);
    assert_eq!(with.report.strategy, "component-recycling");
    assert_eq!(without.report.strategy, "parallel-arrays");
    assert_eq!((with.report.ticks, without.report.ticks), (240, 240));
    assert_eq!((with.picture.width(), with.picture.height()), (1280, 720));
    // The overlay is dark on a dark game: its texts, lines and buttons are what shows.
    let overlay = difference(&with.picture, &without.picture, 850..1260, 40..360);
    let game = difference(&with.picture, &without.picture, 250..830, 40..680);
    assert!(overlay > 0.3, "only {overlay:.2} of the overlay's place changed");
    assert!(game < 0.1, "{game:.2} of the rest changed too: this shows nothing of the overlay");
}
