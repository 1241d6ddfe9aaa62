//! An allocator that counts calls and bytes, around any other.

// The trait `GlobalAlloc` is unsafe; everything here is handed on to the allocator inside.
#![allow(unsafe_code)]

use std::{
    alloc::{GlobalAlloc, Layout},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

static CALLS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

/// Counts what the allocator inside is asked for, by all threads.
#[derive(Debug)]
pub struct Counting<A>(pub A);

/// What was asked of the allocator so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocated {
    /// Calls that asked for memory: allocations, and those of reallocations that grow or move.
    pub calls: u64,
    /// Bytes asked for.
    pub bytes: u64,
}

/// What was asked of the allocator so far, or `None` in a program without [`Counting`].
#[must_use]
pub fn allocated() -> Option<Allocated> {
    // No program comes this far without an allocation.
    let calls = CALLS.load(Relaxed);
    (calls > 0).then(|| Allocated { calls, bytes: BYTES.load(Relaxed) })
}

fn note(size: usize) {
    CALLS.fetch_add(1, Relaxed);
    BYTES.fetch_add(size as u64, Relaxed);
}

// SAFETY: every method hands its arguments to the allocator inside and returns what that returns.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counting<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        unsafe { self.0.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `GlobalAlloc::dealloc`, and `pointer` came from the allocator inside.
        unsafe { self.0.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc_zeroed`.
        unsafe { self.0.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size);
        // SAFETY: the caller keeps the contract of `GlobalAlloc::realloc`, and `pointer` came from the allocator inside.
        unsafe { self.0.realloc(pointer, layout, size) }
    }
}
