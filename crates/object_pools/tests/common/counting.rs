//! An allocator that counts.
#![allow(unsafe_code)]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    sync::atomic::{AtomicIsize, Ordering::SeqCst},
};

/// The system's allocator, which counts each thread's allocations and the bytes that are in use.
pub struct Counting;

thread_local! {
    // Without a destructor, so that the allocator can use it at any time.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

static BYTES: AtomicIsize = AtomicIsize::new(0);

/// Allocations of this thread, ever.
pub fn allocations() -> u64 {
    ALLOCATIONS.get()
}

/// Bytes in use.
pub fn bytes() -> isize {
    BYTES.load(SeqCst)
}

fn count(bytes: isize) {
    let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
    BYTES.fetch_add(bytes, SeqCst);
}

// SAFETY: all calls go to the system's allocator as they come; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promises are handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size() as isize, SeqCst);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}
