//! Recording allocates nothing.
//!
//! The counting allocator is of the whole process, so this file has one test only.

#![allow(unsafe_code, reason = "a global allocator cannot be written without")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    hint::black_box,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use bevy_frame_percentiles::{FrameRecorder, Series};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is passed on to the system allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the pointer came from `System` with this layout.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    work();
    ALLOCATIONS.load(Ordering::Relaxed) - before
}

/// The test harness's main thread may allocate meanwhile: the fewest of several runs is the work's own.
fn fewest_allocations(mut work: impl FnMut()) -> u64 {
    (0..5).map(|_| allocations(&mut work)).min().unwrap_or(0)
}

#[test]
fn recording_and_changing_between_known_labels_allocate_nothing() {
    assert!(fewest_allocations(|| drop(black_box(Box::new(1)))) > 0, "the counter counts");

    let mut recorder = FrameRecorder::new(2000, 30, "a");
    recorder.set_label("b");
    let t = Instant::now();
    let mut frame = 0u32;
    let counted = fewest_allocations(|| {
        for _ in 0..5000 {
            frame += 1;
            recorder.set_label(if frame % 100 < 50 { "a" } else { "b" });
            recorder.set_paused(frame.is_multiple_of(1000));
            let start = t + Duration::from_micros(100) * frame;
            recorder.begin_frame(start);
            // From nothing to beyond the histogram's longest.
            recorder.record_tick(Duration::from_nanos(1 << (frame % 63)));
            recorder.end_update(start + Duration::from_micros(u64::from(frame % 97)));
        }
    });
    assert_eq!(counted, 0);
    for series in Series::ALL {
        assert!(recorder.summary_of_all(series).run.n > 1000, "{series:?} was recorded");
    }
}
