//! Magazines: fixed stacks of items that change hands whole, and the two of a thread.

use std::{
    marker::PhantomData,
    mem::{self, MaybeUninit},
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
};

use super::count::Count;
use crate::sync::UnsafeCell;

/// What a rent of the item at hand adds to the count.
const RENT: u64 = cfg!(feature = "stats") as u64;

/// The place of one item.
struct Slot<T>(UnsafeCell<MaybeUninit<T>>);

impl<T> Slot<T> {
    fn new() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }

    /// # Safety
    /// Nobody else may access the slot meanwhile.
    #[inline(always)]
    unsafe fn write(&self, item: T) {
        // SAFETY: the pointer is good for a write, and by the contract nobody else uses it.
        self.0.with_mut(|slot| unsafe { (*slot).write(item) });
    }

    /// # Safety
    /// The slot holds an item, which is not taken again before another is written, and nobody else may access the slot
    /// meanwhile.
    #[inline(always)]
    unsafe fn take(&self) -> T {
        // SAFETY: the contract.
        self.0.with_mut(|slot| unsafe { (*slot).assume_init_read() })
    }
}

fn slots<T>(room: usize) -> Box<[Slot<T>]> {
    (0..room).map(|_| Slot::new()).collect()
}

/// A stack of fixed room.
pub(crate) struct Magazine<T> {
    slots: Box<[Slot<T>]>,
    /// The first so many slots hold items.
    count: usize,
}

impl<T> Magazine<T> {
    pub fn new(room: usize) -> Self {
        Self { slots: slots(room), count: 0 }
    }

    /// One without room, which needs no memory.
    fn none() -> Self {
        Self { slots: Box::default(), count: 0 }
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn room(&self) -> usize {
        self.slots.len()
    }

    /// # Errors
    /// The item, if there is no room.
    pub fn push(&mut self, item: T) -> Result<(), T> {
        let Some(slot) = self.slots.get(self.count) else { return Err(item) };
        // SAFETY: `&mut self` owns the slots.
        unsafe { slot.write(item) };
        self.count += 1;
        Ok(())
    }

    pub fn pop(&mut self) -> Option<T> {
        self.count = self.count.checked_sub(1)?;
        // SAFETY: the slot was below the count, so it holds an item; now it is not below it any more. `&mut self` owns it.
        Some(unsafe { self.slots[self.count].take() })
    }
}

impl<T> Drop for Magazine<T> {
    fn drop(&mut self) {
        /// Goes on with the rest if the end of an item panics.
        struct Rest<'a, T>(&'a mut Magazine<T>);
        impl<T> Drop for Rest<'_, T> {
            fn drop(&mut self) {
                while let Some(item) = self.0.pop() {
                    drop(item);
                }
            }
        }
        let rest = Rest(self);
        while let Some(item) = rest.0.pop() {
            drop(item);
        }
    }
}

/// The two magazines of one thread: the loaded one, which serves rents and returns, and a spare, so that a thread that
/// goes back and forth over a boundary does not exchange one each time.
///
/// It lies on two cache lines of its own, the fast path's fields on the first: with others' data there, threads would slow
/// each other down.
#[repr(align(128))]
pub(crate) struct ThreadMagazines<T> {
    /// Whether there is an item at hand: the one that was put in last. It is apart from the loaded magazine, as a processor
    /// waits for a count that it has just written: where one item goes out and in, this one needs no count.
    at_hand: AtomicBool,
    /// Rents of the item at hand.
    rents: AtomicU64,
    hand: Slot<T>,
    /// Items of the loaded magazine, and rents from there. Written by the owner alone; others read it to count.
    count: Count,
    /// Slots of the loaded magazine: as many in every magazine of the pool, or none for a moment of an exchange.
    room: std::cell::Cell<usize>,
    /// The slots of the loaded magazine.
    slots: UnsafeCell<Box<[Slot<T>]>>,
    spare: UnsafeCell<Magazine<T>>,
    /// Items of the spare magazine, for others to count.
    spare_count: AtomicUsize,
    home: usize,
}

// SAFETY: all fields that are neither atomic nor constant are reached through an `Owner` only, and whoever makes one
// promises to be the one user at that time. Items move between threads, hence `T: Send`.
unsafe impl<T: Send> Sync for ThreadMagazines<T> {}

impl<T> ThreadMagazines<T> {
    /// Two magazines for a thread whose shard of the depot is `home`.
    pub fn new(home: usize, loaded: Magazine<T>, spare: Magazine<T>) -> Self {
        let this = Self {
            at_hand: AtomicBool::new(false),
            rents: AtomicU64::new(0),
            hand: Slot::new(),
            count: Count::default(),
            room: std::cell::Cell::new(0),
            slots: UnsafeCell::new(Box::default()),
            spare: UnsafeCell::new(Magazine::none()),
            spare_count: AtomicUsize::new(0),
            home,
        };
        // SAFETY: nobody else knows it yet.
        let owner = unsafe { this.owner() };
        owner.load(loaded);
        owner.swap();
        owner.load(spare);
        this
    }

    /// Items in both, as of a moment ago.
    pub fn idle(&self) -> usize {
        usize::from(self.at_hand.load(Relaxed)) + self.count.items() + self.spare_count.load(Relaxed)
    }

    /// Items taken out, ever.
    pub fn rents(&self) -> u64 {
        self.rents.load(Relaxed) + self.count.rents()
    }

    /// Access to the magazines.
    ///
    /// # Safety
    /// Until the result is used the last time, nobody else uses an owner of these magazines; all earlier uses happened
    /// before. (More than one on one thread is fine: none of its methods calls back.)
    #[inline(always)]
    pub unsafe fn owner(&self) -> Owner<'_, T> {
        Owner { magazines: self, one_thread: PhantomData }
    }
}

impl<T> Drop for ThreadMagazines<T> {
    fn drop(&mut self) {
        if self.idle() > 0 {
            // SAFETY: `&mut self`: nobody else uses them.
            drop(unsafe { self.owner() }.unload_all());
        }
    }
}

/// The right to use a thread's magazines. Stays on one thread.
pub(crate) struct Owner<'a, T> {
    magazines: &'a ThreadMagazines<T>,
    one_thread: PhantomData<*mut ()>,
}

impl<T> Owner<'_, T> {
    /// The next idle item of the loaded magazine; counts a rent.
    #[inline(always)]
    pub fn pop(&self) -> Option<T> {
        let this = self.magazines;
        if this.at_hand.load(Relaxed) {
            this.at_hand.store(false, Relaxed);
            this.rents.store(this.rents.load(Relaxed) + RENT, Relaxed);
            // SAFETY: the one user of the magazines is `self`. The item at hand was there, and is not any more.
            return Some(unsafe { this.hand.take() });
        }
        let now = this.count.get();
        let count = now.items();
        if count == 0 {
            return None;
        }
        this.count.take_one(now);
        // SAFETY: the one user of the magazines is `self`. The slot is below the count that was, so it is one of `slots`
        // and holds an item; it is not below the new count.
        Some(this.slots.with(|slots| unsafe { (&*slots).get_unchecked(count - 1).take() }))
    }

    /// Puts an item into the loaded magazine.
    ///
    /// # Errors
    /// The item, if there is no room.
    #[inline(always)]
    pub fn push(&self, item: T) -> Result<(), T> {
        let this = self.magazines;
        if !this.at_hand.load(Relaxed) {
            // SAFETY: the one user of the magazines is `self`; there is no item at hand.
            unsafe { this.hand.write(item) };
            this.at_hand.store(true, Relaxed);
            return Ok(());
        }
        let now = this.count.get();
        let count = now.items();
        if count >= this.room.get() {
            return Err(item);
        }
        // SAFETY: the one user of the magazines is `self`. `room` is the number of `slots`, so the slot exists.
        this.slots.with(|slots| unsafe { (&*slots).get_unchecked(count).write(item) });
        this.count.put_one(now);
        Ok(())
    }

    /// Items of the loaded magazine.
    pub fn len(&self) -> usize {
        self.magazines.count.items()
    }

    pub fn is_full(&self) -> bool {
        self.len() >= self.magazines.room.get()
    }

    /// Items of the spare magazine.
    pub fn spare_len(&self) -> usize {
        self.magazines.spare_count.load(Relaxed)
    }

    /// The thread's shard of the depot.
    pub fn home(&self) -> usize {
        self.magazines.home
    }

    /// Takes the item at hand and both magazines out.
    pub fn unload_all(&self) -> [Magazine<T>; 3] {
        let this = self.magazines;
        let mut hand = Magazine::none();
        if this.at_hand.load(Relaxed) {
            this.at_hand.store(false, Relaxed);
            // SAFETY: the one user of the magazines is `self`. The item at hand was there, and is not any more.
            let item = unsafe { this.hand.take() };
            if let Err(item) = self.push_into_magazines(item) {
                hand = Magazine::new(this.room.get());
                let pushed = hand.push(item);
                debug_assert!(pushed.is_ok(), "an empty magazine has room");
            }
        }
        let loaded = self.unload();
        self.swap();
        [hand, loaded, self.unload()]
    }

    /// # Errors
    /// The item, if both are full.
    fn push_into_magazines(&self, item: T) -> Result<(), T> {
        let mut loaded = self.unload();
        let mut pushed = loaded.push(item);
        self.load(loaded);
        if let Err(item) = pushed {
            self.swap();
            let mut loaded = self.unload();
            pushed = loaded.push(item);
            self.load(loaded);
        }
        pushed
    }

    /// Whether there is an item at hand.
    pub fn has_one_at_hand(&self) -> bool {
        self.magazines.at_hand.load(Relaxed)
    }

    /// Takes the loaded magazine out. Until another is loaded nothing can be pushed or popped.
    pub fn unload(&self) -> Magazine<T> {
        let this = self.magazines;
        let count = this.count.items();
        this.count.set_items(0);
        this.room.set(0);
        // SAFETY: the one user of the magazines is `self`; `count` of the slots hold items.
        let slots = this.slots.with_mut(|slots| unsafe { mem::take(&mut *slots) });
        Magazine { slots, count }
    }

    /// Loads a magazine in the place of one that was unloaded.
    pub fn load(&self, mut magazine: Magazine<T>) {
        let this = self.magazines;
        debug_assert_eq!(this.room.get(), 0, "a magazine is loaded over another");
        let count = mem::take(&mut magazine.count);
        this.room.set(magazine.room());
        // SAFETY: the one user of the magazines is `self`.
        this.slots.with_mut(|slots| unsafe { *slots = mem::take(&mut magazine.slots) });
        this.count.set_items(count);
    }

    /// Makes the spare magazine the loaded one, and the loaded one the spare.
    pub fn swap(&self) {
        let loaded = self.unload();
        self.magazines.spare_count.store(loaded.len(), Relaxed);
        // SAFETY: the one user of the magazines is `self`.
        let spare = self.magazines.spare.with_mut(|spare| unsafe { mem::replace(&mut *spare, loaded) });
        self.load(spare);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_magazine_is_a_stack_of_fixed_room() {
        for room in [0, 1, 2, 64] {
            let mut magazine = Magazine::new(room);
            for item in 0..room {
                assert_eq!(magazine.push(item.to_string()), Ok(()));
            }
            assert_eq!(magazine.push("more".to_owned()), Err("more".to_owned()));
            assert_eq!(magazine.len(), room);
            for item in (0..room).rev() {
                assert_eq!(magazine.pop(), Some(item.to_string()));
            }
            assert_eq!(magazine.pop(), None);
        }
    }

    #[test]
    fn threads_magazines_swap_unload_and_load() {
        let magazines = ThreadMagazines::new(0, Magazine::new(2), Magazine::new(2));
        // SAFETY: only this thread knows them.
        let owner = unsafe { magazines.owner() };
        owner.push(0).unwrap();
        assert!(owner.has_one_at_hand() && owner.len() == 0);
        owner.push(1).unwrap();
        owner.push(2).unwrap();
        assert_eq!(owner.push(3), Err(3));
        assert!(owner.is_full());
        owner.swap();
        owner.push(3).unwrap();
        assert_eq!((owner.len(), owner.spare_len(), magazines.idle()), (1, 2, 4));
        let unloaded = owner.unload();
        assert_eq!((owner.push(4), owner.pop(), owner.pop()), (Err(4), Some(0), None));
        owner.load(unloaded);
        assert_eq!(owner.pop(), Some(3));
        owner.swap();
        assert_eq!((owner.pop(), owner.pop(), owner.pop()), (Some(2), Some(1), None));
    }

    #[test]
    fn all_is_unloaded_whether_or_not_the_item_at_hand_finds_room() {
        for count in 0..=5 {
            let magazines = ThreadMagazines::new(0, Magazine::new(2), Magazine::new(2));
            // SAFETY: only this thread knows them.
            let owner = unsafe { magazines.owner() };
            for item in 0..count {
                if let Err(item) = owner.push(item) {
                    owner.swap();
                    owner.push(item).unwrap();
                }
            }
            let mut items: Vec<i32> =
                owner.unload_all().into_iter().flat_map(|mut one| std::iter::from_fn(move || one.pop())).collect();
            items.sort_unstable();
            assert_eq!(items, (0..count).collect::<Vec<_>>());
            assert_eq!(magazines.idle(), 0);
        }
    }

    #[test]
    fn a_dropped_magazine_drops_its_items_even_if_one_panics() {
        struct Loud(std::rc::Rc<std::cell::Cell<u32>>);
        impl Drop for Loud {
            fn drop(&mut self) {
                self.0.set(self.0.get() + 1);
                assert_ne!(self.0.get(), 2, "the second end panics");
            }
        }
        let ended = std::rc::Rc::new(std::cell::Cell::new(0));
        let mut magazine = Magazine::new(4);
        for _ in 0..4 {
            assert!(magazine.push(Loud(ended.clone())).is_ok());
        }
        let dropped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(magazine)));
        assert!(dropped.is_err());
        assert_eq!(ended.get(), 4);
    }
}
