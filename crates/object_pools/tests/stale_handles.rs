//! A handle to an item that was returned and rented again is refused, here by types: an item is moved when it goes back
//! (the library's documentation has the programs that do not compile). What the types allow duplicates nothing either.
#![cfg(not(loom))]

#[macro_use]
mod common;

use std::{collections::BTreeSet, mem};

use common::*;
use object_pools::Lease;

both_pools! {
    /// The item of a forgotten lease is lost, and is never handed out again.
    #[test]
    fn a_forgotten_lease_keeps_its_item() {
        let lives = Lives::default();
        let pool = Pool::new(lives.factory());
        let lease = pool.lease();
        lease.pick_up();
        let lost = lease.serial;
        mem::forget(lease);
        for _ in 0..10 {
            let leases = [pool.lease(), pool.lease()];
            for lease in &leases {
                lease.pick_up();
                assert_ne!(lease.serial, lost);
            }
            leases.iter().for_each(|lease| lease.put_down());
        }
        assert_adds_up(&pool.stats(START), &lives, 1);
        pool.write_off(1);
        lives.one_escaped();
        assert_eq!(pool.stats(START).purges.written_off, 1);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// An item that was taken out of its lease comes back once, when it is given back.
    #[test]
    fn a_detached_item_comes_back_once() {
        let lives = Lives::default();
        let pool = Pool::new(lives.factory());
        let detached = Lease::detach(pool.lease());
        detached.pick_up();
        assert_eq!(pool.idle(), 0, "the lease's end returned nothing");
        let others: Vec<_> = (0..5).map(|_| pool.lease()).collect();
        others.iter().for_each(|other| other.pick_up());
        assert_adds_up(&pool.stats(START), &lives, 6);
        others.iter().for_each(|other| other.put_down());
        drop(others);
        detached.put_down();
        let serial = detached.serial;
        pool.give_back(detached);
        assert_eq!(pool.idle(), 6);
        let all: Vec<_> = (0..6).map(|_| pool.rent()).collect();
        let serials: BTreeSet<_> = all.iter().map(|item| item.serial).collect();
        assert_eq!(serials.len(), 6, "all differ");
        assert!(serials.contains(&serial));
        all.into_iter().for_each(|item| pool.give_back(item));
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// Two leases that exchange their items return both.
    #[test]
    fn leases_that_swap_items_return_both() {
        let lives = Lives::default();
        let pool = Pool::new(lives.factory());
        let (mut first, mut second) = (pool.lease(), pool.lease());
        mem::swap(&mut *first, &mut *second);
        drop(first);
        let third = pool.lease();
        third.pick_up();
        assert_ne!(third.serial, second.serial);
        third.put_down();
        drop((second, third));
        assert_eq!(pool.idle(), 2);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }

    /// An item that a holder puts in the place of the leased one goes back in its stead.
    #[test]
    fn a_replaced_item_is_as_good_as_the_one_it_replaces() {
        let lives = Lives::default();
        let pool = Pool::new(lives.factory());
        let mut lease = pool.lease();
        let taken = mem::replace(&mut *lease, pool.rent());
        drop(lease);
        assert_ne!(pool.lease().serial, taken.serial);
        pool.give_back(taken);
        assert_adds_up(&pool.stats(START), &lives, 0);
    }
}
