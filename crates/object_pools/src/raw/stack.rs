//! The idle items of one owner: a stack that is changed through a shared reference.

use std::{
    cell::{Cell, UnsafeCell},
    mem::{self, MaybeUninit},
};

use super::count::Count;

/// A stack for one thread. Its methods take `&self`, as leases that will push onto it hold references to it.
///
/// What makes this sound: it is not `Sync`, and while a method borrows the slots it calls nothing of the user's; nor does
/// it allocate in that time, so that not even a global allocator can come back.
pub(crate) struct Stack<T> {
    /// The first [`len`](Self::len) hold items.
    slots: UnsafeCell<Box<[MaybeUninit<T>]>>,
    count: Count,
    /// A push onto so many items is for [`Stack::grow`]. Never more than there are slots.
    room: Cell<usize>,
    /// The fewest items since the last [`Stack::restart_lowest`].
    lowest: Cell<usize>,
}

fn slots<T>(count: usize) -> Box<[MaybeUninit<T>]> {
    Box::new_uninit_slice(count)
}

impl<T> Stack<T> {
    pub fn new() -> Self {
        Self {
            slots: UnsafeCell::new(Box::default()),
            count: Count::default(),
            room: Cell::new(0),
            lowest: Cell::new(0),
        }
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.count.items()
    }

    /// Items popped, ever.
    pub fn popped(&self) -> u64 {
        self.count.rents()
    }

    #[inline(always)]
    pub fn pop(&self) -> Option<T> {
        let now = self.count.get();
        let count = now.items();
        if count <= self.lowest.get() {
            if count == 0 {
                return None;
            }
            self.lowest.set(count - 1);
        }
        self.count.take_one(now);
        // SAFETY: the only borrow of the slots, as the type's documentation explains. The slot is below the count that
        // was, so it exists and holds an item; it is not below the new count, so that nobody takes it again.
        Some(unsafe { (&*self.slots.get()).get_unchecked(count - 1).assume_init_read() })
    }

    /// Pushes if there is room without an allocation; gives the item back otherwise.
    #[inline(always)]
    pub fn push(&self, item: T) -> Result<(), T> {
        let now = self.count.get();
        let count = now.items();
        if count >= self.room.get() {
            return Err(item);
        }
        // SAFETY: the only borrow of the slots. There are `room` of them or more, and this one holds no item.
        unsafe { (&mut *self.slots.get()).get_unchecked_mut(count).write(item) };
        self.count.put_one(now);
        Ok(())
    }

    /// Makes room for at least one more item, and for at most `most` items in all. With as many or more, does nothing.
    #[cold]
    pub fn grow(&self, most: usize) {
        let (count, most) = (self.len(), most.min(Count::MOST));
        if count < most {
            let room = count.saturating_mul(2).clamp(4, most.max(4));
            self.replace(slots(room.max(count + 1)), most);
        }
    }

    /// Makes room for one more item if there is none.
    pub fn grow_if_full(&self, most: usize) {
        if self.len() >= self.room.get() {
            self.grow(most);
        }
    }

    /// Gives memory back that more than the present items would need.
    pub fn shrink(&self, most: usize) {
        self.replace(slots(self.len()), most);
    }

    /// Moves the items into other slots.
    fn replace(&self, mut other: Box<[MaybeUninit<T>]>, most: usize) {
        let count = self.len();
        // If an allocator pushed items since `other` was made, it may be too small: then they stay where they are.
        if other.len() < count {
            return;
        }
        // SAFETY: the only borrow of the slots.
        let slots = unsafe { &mut *self.slots.get() };
        for (to, from) in other.iter_mut().zip(&mut slots[..count]) {
            mem::swap(to, from);
        }
        mem::swap(slots, &mut other);
        self.room.set(slots.len().min(most));
        // `other`, without items now, is freed here, when `slots` is not used any more.
    }

    /// Takes out the `count` items that were pushed first, or all if there are fewer.
    pub fn take_oldest(&self, count: usize) -> Vec<T> {
        let count = count.min(self.len());
        let mut taken = Vec::with_capacity(count);
        let all = self.len();
        let count = count.min(all);
        // SAFETY: the only borrow of the slots; `taken` has the capacity, so that nothing is allocated.
        let slots = unsafe { &mut (&mut *self.slots.get())[..all] };
        // SAFETY: the slots below the count hold items. Those that are read here are moved behind the others, which
        // become the first, and the count is lowered by as many, so that nobody takes them again.
        taken.extend(slots[..count].iter().map(|slot| unsafe { slot.assume_init_read() }));
        slots.rotate_left(count);
        self.count.set_items(all - count);
        self.lowest.set(self.lowest.get().min(all - count));
        taken
    }

    /// Places for items, used or not.
    pub fn capacity(&self) -> usize {
        // SAFETY: the only borrow of the slots; nothing is changed.
        unsafe { (&*self.slots.get()).len() }
    }

    /// The fewest items since the last restart.
    pub fn lowest(&self) -> usize {
        self.lowest.get()
    }

    /// From now on the fewest items are those that are there now.
    pub fn restart_lowest(&self) {
        self.lowest.set(self.len());
    }
}

impl<T> Drop for Stack<T> {
    fn drop(&mut self) {
        while let Some(item) = self.pop() {
            drop(item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(count: usize, most: usize) -> Stack<usize> {
        let stack = Stack::new();
        for item in 0..count {
            if stack.push(item).is_err() {
                stack.grow(most);
                let _ = stack.push(item);
            }
        }
        stack
    }

    #[test]
    fn what_is_pushed_is_popped_last_in_first_out() {
        let stack = stack(100, usize::MAX);
        assert_eq!(stack.len(), 100);
        for item in (0..100).rev() {
            assert_eq!(stack.pop(), Some(item));
        }
        assert_eq!(stack.pop(), None);
    }

    #[test]
    fn it_never_holds_more_than_the_most() {
        for most in [0, 1, 3, 4, 5, 63, 64, 65, 128] {
            let stack = stack(200, most);
            assert_eq!(stack.len(), most);
            assert_eq!(stack.push(9), Err(9));
            stack.shrink(most);
            assert_eq!(stack.push(9), Err(9));
        }
    }

    #[test]
    fn items_without_size_are_counted_too() {
        let stack = Stack::new();
        for _ in 0..10 {
            if stack.push(()).is_err() {
                stack.grow(5);
                let _ = stack.push(());
            }
        }
        assert_eq!(stack.len(), 5);
    }

    #[test]
    fn the_lowest_point_is_kept_until_it_is_restarted() {
        let stack = stack(10, usize::MAX);
        stack.restart_lowest();
        assert_eq!(stack.lowest(), 10);
        stack.pop();
        stack.pop();
        stack.push(1).unwrap();
        assert_eq!(stack.lowest(), 8);
        while stack.pop().is_some() {}
        assert_eq!(stack.lowest(), 0);
    }

    #[test]
    fn the_oldest_go_and_the_rest_keeps_its_order() {
        let stack = stack(10, usize::MAX);
        assert_eq!(stack.take_oldest(4), [0, 1, 2, 3]);
        assert_eq!(stack.pop(), Some(9));
        assert_eq!(stack.take_oldest(100), [4, 5, 6, 7, 8]);
        assert_eq!(stack.pop(), None);
    }
}
