//! Nothing of a renter's state reaches the next.
#![cfg(not(loom))]

#[macro_use]
mod common;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use common::*;
use object_pools::{Cleared, Hooks, Lifecycle};

/// An item with a field of every kind that keeps state.
#[derive(Clone, Debug, Default, PartialEq)]
struct Message {
    number: u64,
    weight: f64,
    urgent: bool,
    name: String,
    lines: Vec<String>,
    queue: VecDeque<u8>,
    headers: HashMap<String, String>,
    order: BTreeMap<u32, u32>,
    reply_to: Option<Box<Message>>,
}

impl Message {
    fn dirty() -> Self {
        Self {
            number: 7,
            weight: 1.5,
            urgent: true,
            name: "stale".to_owned(),
            lines: vec!["stale".to_owned(); 3],
            queue: [1, 2, 3].into(),
            headers: [("stale".to_owned(), "stale".to_owned())].into(),
            order: [(1, 2)].into(),
            reply_to: Some(Box::default()),
        }
    }

    /// Keeps the memory of the fields that have some.
    fn reset(&mut self) {
        let Self { number, weight, urgent, name, lines, queue, headers, order, reply_to } = self;
        (*number, *weight, *urgent, *reply_to) = (0, 0.0, false, None);
        name.clear();
        lines.clear();
        queue.clear();
        headers.clear();
        order.clear();
    }
}

/// The same as a type of its own.
struct Messages;

impl Lifecycle<Message> for Messages {
    fn build(&self) -> Message {
        Message::default()
    }

    fn reset(&self, message: &mut Message) {
        message.reset();
    }
}

both_pools! {
    /// Dirties an item by every way in which one is held, returns it, and compares it with a fresh one.
    macro_rules! comes_back_fresh {
        ($pool:expr) => {{
            let pool = $pool;
            let fresh = |way: &str| {
                let leases: Vec<_> = (0..pool.idle()).map(|_| pool.lease()).collect();
                assert!(leases.iter().all(|lease| **lease == Message::default()), "after {way}: {leases:?}");
            };
            let mut item = pool.rent();
            item.clone_from(&Message::dirty());
            pool.give_back(item);
            fresh("give_back");
            *pool.lease() = Message::dirty();
            fresh("a lease");
            let mut lease = pool.lease();
            *lease = Message::dirty();
            pool.give_back(object_pools::Lease::detach(lease));
            fresh("a lease that was detached");
            pool.scope(|item| *item = Message::dirty());
            fresh("a scope");
            pool.scope_with((), |_, ()| (), |item, ()| *item = Message::dirty());
            fresh("a clean-up that dirties");
            let mut item = pool.rent();
            item = Message { number: 1, ..item };
            assert!(pool.try_give_back(item).is_ok());
            fresh("try_give_back");
            pool.adopt(Message::dirty());
            fresh("adopt");
            must_panic(|| {
                let mut lease = pool.lease();
                *lease = Message::dirty();
                panic_on_purpose();
            });
            fresh("a panic");
            must_panic(|| {
                pool.scope(|item| {
                    *item = Message::dirty();
                    panic_on_purpose()
                })
            });
            fresh("a panic in a scope");
            let many: Vec<_> = (0..200)
                .map(|_| pool.lease())
                .map(|mut lease| {
                    *lease = Message::dirty();
                    lease
                })
                .collect();
            drop(many);
            fresh("many at once");
            assert_eq!(pool.stats(START).live, 0);
        }};
    }

    #[test]
    fn with_hooks() {
        comes_back_fresh!(Pool::new(Hooks::new(Message::default).reset(Message::reset)));
    }

    #[test]
    fn with_a_lifecycle() {
        comes_back_fresh!(Pool::new(Messages));
    }

    /// The reset hook runs when an item comes back, once, and not when it is rented.
    #[test]
    fn a_reset_is_part_of_each_return() {
        let pool = Pool::new(Hooks::new(|| 0).reset(|resets: &mut u32| *resets += 1));
        assert_eq!(pool.rent(), 0);
        pool.write_off(1);
        for resets in 0..5 {
            assert_eq!(*pool.lease(), resets);
        }
        settle(&pool);
        assert_eq!(*pool.lease(), 5, "nor does a change of place reset it");
    }

    /// A scope's state goes to its clean-up, which runs before the reset hook.
    #[test]
    fn a_scope_cleans_up_before_the_reset_hook() {
        let pool = Pool::new(Hooks::new(Vec::<&str>::new).reset(|log| log.push("reset")));
        let result = pool.scope_with(
            "state",
            |log, state| {
                log.push("work");
                *state = "changed";
                7
            },
            |log, state| log.extend(["clean-up", state]),
        );
        assert_eq!(result, 7);
        assert_eq!(*pool.lease(), ["work", "clean-up", "changed", "reset"]);
    }

    /// Pooled collections are empty.
    #[test]
    fn collections_are_empty() {
        let cleared = Cleared::keeping(1000);
        let vectors = Pool::<Vec<u8>, _>::new(cleared);
        vectors.lease().push(1);
        assert!(vectors.lease().is_empty());
        let strings = Pool::<String, _>::new(cleared);
        strings.lease().push('x');
        assert!(strings.lease().is_empty());
        let queues = Pool::<VecDeque<u8>, _>::new(cleared);
        queues.lease().push_front(1);
        assert!(queues.lease().is_empty());
        let maps = Pool::<HashMap<u8, u8>, _>::new(cleared);
        maps.lease().insert(1, 1);
        assert!(maps.lease().is_empty());
        let sets = Pool::<HashSet<u8>, _>::new(cleared);
        sets.lease().insert(1);
        assert!(sets.lease().is_empty());
        for idle in [vectors.idle(), strings.idle(), queues.idle(), maps.idle(), sets.idle()] {
            assert_eq!(idle, 1);
        }
    }
}
