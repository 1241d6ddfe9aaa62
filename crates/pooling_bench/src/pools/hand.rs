//! How one thread uses a pool, the same for every pool.

use std::{
    hint::black_box,
    sync::atomic::{Ordering, compiler_fence},
};

/// How one thread rents from a pool and gives back.
pub trait Hand {
    /// A rented item: the item itself, or the pool's own guard around it.
    type Held;

    /// Rents an item.
    fn rent(&mut self) -> Self::Held;

    /// Gives it back.
    fn give_back(&mut self, held: Self::Held);

    /// The item's first word.
    fn word(held: &mut Self::Held) -> &mut u64;
}

/// Counts a touch in a rented item and returns the count. The compiler does not know where it counts, nor what the pool
/// looks like afterwards.
#[inline(always)]
pub fn touch<H: Hand>(held: &mut H::Held) -> u64 {
    let word = black_box(H::word(held));
    *word = word.wrapping_add(1);
    *word
}

/// Gives an item back and returns its count before the touch. Taken from the count after it, 1 is left, whichever item
/// it is; unless somebody else had the same one.
#[inline(always)]
pub fn give_back<H: Hand>(hand: &mut H, mut held: H::Held) -> u64 {
    let before = H::word(&mut held).wrapping_sub(1);
    hand.give_back(held);
    // The compiler must not merge this return with the next rent.
    compiler_fence(Ordering::SeqCst);
    before
}

#[inline(always)]
fn pair<H: Hand>(hand: &mut H) -> u64 {
    let mut held = hand.rent();
    let after = touch::<H>(&mut held);
    after.wrapping_sub(give_back(hand, held))
}

/// One pair of rent and return at a time. Returns how many touches there were.
#[inline(never)]
pub fn pairs<H: Hand>(hand: H, count: u64) -> u64 {
    let mut hand = black_box(hand);
    (0..count).fold(0, |sum: u64, _| sum.wrapping_add(pair(&mut hand)))
}

/// So many loops of renting `held` items, and giving them back in the same order. Returns how many touches there were.
#[inline(never)]
pub fn batches<H: Hand>(hand: H, held: usize, loops: u64) -> u64 {
    let mut hand = black_box(hand);
    let mut places = Vec::with_capacity(held);
    let mut sum = 0_u64;
    for _ in 0..loops {
        for _ in 0..held {
            let mut held = hand.rent();
            sum = sum.wrapping_add(touch::<H>(&mut held));
            places.push(held);
        }
        for held in places.drain(..) {
            sum = sum.wrapping_sub(give_back(&mut hand, held));
        }
    }
    sum
}

/// So many loops of one pair with each of the hands named, in turn. Returns how many touches there were.
#[inline(never)]
pub fn in_turn<H: Hand>(mut hands: Vec<H>, turns: &[usize], loops: u64) -> u64 {
    let hands = black_box(&mut hands[..]);
    let mut sum = 0_u64;
    for _ in 0..loops {
        for &turn in turns {
            if let Some(hand) = hands.get_mut(turn) {
                sum = sum.wrapping_add(pair(hand));
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pool of one item, which it hands out as often as asked for if `twice`.
    struct Plain(u64);

    impl Hand for &mut Plain {
        type Held = u64;

        fn rent(&mut self) -> u64 {
            self.0
        }

        fn give_back(&mut self, held: u64) {
            self.0 = held;
        }

        fn word(held: &mut u64) -> &mut u64 {
            held
        }
    }

    /// A pool that hands out the same item to everybody.
    struct Broken<'a>(&'a std::cell::RefCell<u64>);

    struct Same<'a>(&'a std::cell::RefCell<u64>, u64);

    impl<'a> Hand for Broken<'a> {
        type Held = Same<'a>;

        fn rent(&mut self) -> Same<'a> {
            *self.0.borrow_mut() += 1;
            Same(self.0, 0)
        }

        fn give_back(&mut self, _: Same<'a>) {}

        fn word<'h>(held: &'h mut Same<'a>) -> &'h mut u64 {
            held.1 = *held.0.borrow();
            &mut held.1
        }
    }

    #[test]
    fn touches_are_counted_one_by_one() {
        let mut pool = Plain(40);
        assert_eq!(pairs(&mut pool, 7), 7);
        assert_eq!(pool.0, 47, "each was counted in the item");
        assert_eq!(batches(&mut pool, 1, 5), 5);
        let mut others = [Plain(0), Plain(9)];
        assert_eq!(in_turn(others.iter_mut().collect(), &[0, 1, 1], 10), 30);
        assert_eq!((others[0].0, others[1].0), (10, 29));
    }

    #[test]
    fn an_item_handed_out_twice_makes_a_wrong_count() {
        let one = std::cell::RefCell::new(0);
        assert_ne!(batches(Broken(&one), 2, 3), 6);
    }
}
