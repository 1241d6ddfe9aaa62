//! Where threads exchange magazines.

use crossbeam_utils::CachePadded;

use crate::{
    raw::magazine::Magazine,
    sync::{AtomicUsize, Mutex, Ordering::Relaxed, lock},
};

/// Full magazines of all threads, in shards: a thread puts into and takes from its own one first, so that items stay near
/// the processor that used them and threads seldom wait for each other, and looks into all others before it gives up.
pub(crate) struct Depot<T> {
    shards: Box<[CachePadded<Shard<T>>]>,
    /// Items in the depot, and those for which a place is reserved.
    idle: CachePadded<AtomicUsize>,
    /// The fewest since the last restart. Apart from what every exchange writes, and seldom written.
    least: CachePadded<AtomicUsize>,
    most: usize,
    room: usize,
}

struct Shard<T> {
    /// Magazines that hold items: may be read without the lock, to pass by.
    loaded: AtomicUsize,
    magazines: Mutex<Magazines<T>>,
}

struct Magazines<T> {
    /// With items in them; the oldest first.
    loaded: Vec<Magazine<T>>,
    empty: Vec<Magazine<T>>,
}

impl<T> Depot<T> {
    /// A depot of at most `most` items, in magazines of `room`.
    pub fn new(shards: usize, most: usize, room: usize) -> Self {
        let shard = |_| {
            let magazines = Magazines { loaded: Vec::new(), empty: Vec::new() };
            CachePadded::new(Shard { loaded: AtomicUsize::new(0), magazines: Mutex::new(magazines) })
        };
        Self {
            shards: (0..shards.max(1)).map(shard).collect(),
            idle: CachePadded::new(AtomicUsize::new(0)),
            least: CachePadded::new(AtomicUsize::new(0)),
            most,
            room,
        }
    }

    /// Items of a magazine; 0 if the pool keeps nothing.
    pub fn room(&self) -> usize {
        self.room
    }

    /// Whether so many items would find places now.
    pub fn has_room_for(&self, count: usize) -> bool {
        self.room > 0 && self.idle().checked_add(count).is_some_and(|idle| idle <= self.most)
    }

    pub fn idle(&self) -> usize {
        self.idle.load(Relaxed)
    }

    /// The fewest items since the last restart.
    pub fn least(&self) -> usize {
        self.least.load(Relaxed)
    }

    pub fn restart_least(&self) {
        self.least.store(self.idle(), Relaxed);
    }

    fn taken(&self, count: usize) {
        let left = self.idle.fetch_sub(count, Relaxed) - count;
        if left < self.least.load(Relaxed) {
            self.least.fetch_min(left, Relaxed);
        }
    }

    /// Reserves places for so many items, or for none.
    fn reserve(&self, count: usize) -> bool {
        let more = |idle: usize| idle.checked_add(count).filter(|&idle| idle <= self.most);
        self.idle.fetch_update(Relaxed, Relaxed, more).is_ok()
    }

    /// The shards, the own one first.
    fn from(&self, home: usize) -> impl Iterator<Item = &Shard<T>> {
        let count = self.shards.len();
        (0..count).map(move |step| &*self.shards[(home + step) % count])
    }

    /// A magazine with items for an empty one, which comes back if there are no items.
    pub fn exchange_empty(&self, home: usize, empty: Magazine<T>) -> Result<Magazine<T>, Magazine<T>> {
        for shard in self.from(home).filter(|shard| shard.loaded.load(Relaxed) > 0) {
            let mut magazines = lock(&shard.magazines);
            if let Some(loaded) = magazines.loaded.pop() {
                if empty.room() > 0 {
                    magazines.empty.push(empty);
                }
                shard.loaded.store(magazines.loaded.len(), Relaxed);
                drop(magazines);
                self.taken(loaded.len());
                return Ok(loaded);
            }
        }
        Err(empty)
    }

    /// Puts a magazine with items in, if there are places for them all. If not, it comes back.
    pub fn put(&self, home: usize, loaded: Magazine<T>) -> Result<(), Magazine<T>> {
        if !self.reserve(loaded.len()) {
            return Err(loaded);
        }
        let shard = &self.shards[home % self.shards.len()];
        let mut magazines = lock(&shard.magazines);
        magazines.loaded.push(loaded);
        shard.loaded.store(magazines.loaded.len(), Relaxed);
        Ok(())
    }

    /// An empty magazine: one that is not in use, or a new one.
    pub fn empty(&self, home: usize) -> Magazine<T> {
        let spare = self.from(home).find_map(|shard| lock(&shard.magazines).empty.pop());
        spare.unwrap_or_else(|| Magazine::new(self.room))
    }

    /// Keeps an empty magazine for later.
    pub fn keep_empty(&self, home: usize, empty: Magazine<T>) {
        debug_assert_eq!(empty.len(), 0);
        if empty.room() > 0 {
            lock(&self.shards[home % self.shards.len()].magazines).empty.push(empty);
        }
    }

    /// Puts one item in, for a thread without magazines.
    ///
    /// # Errors
    /// The item, if there is no place for it.
    pub fn put_one(&self, item: T) -> Result<(), T> {
        if !self.reserve(1) {
            return Err(item);
        }
        let shard = &self.shards[0];
        let mut magazines = lock(&shard.magazines);
        let item = match magazines.loaded.last_mut() {
            Some(last) => last.push(item),
            None => Err(item),
        };
        if let Err(item) = item {
            let mut magazine = magazines.empty.pop().unwrap_or_else(|| Magazine::new(self.room));
            let pushed = magazine.push(item);
            debug_assert!(pushed.is_ok(), "an empty magazine has room");
            magazines.loaded.push(magazine);
        }
        shard.loaded.store(magazines.loaded.len(), Relaxed);
        Ok(())
    }

    /// Takes one item out, for a thread without magazines.
    pub fn take_one(&self) -> Option<T> {
        self.from(0).find_map(|shard| {
            let mut magazines = lock(&shard.magazines);
            let item = magazines.loaded.last_mut()?.pop();
            if magazines.loaded.last().is_some_and(|last| last.len() == 0) {
                let empty = magazines.loaded.pop();
                magazines.empty.extend(empty);
            }
            shard.loaded.store(magazines.loaded.len(), Relaxed);
            drop(magazines);
            self.taken(1);
            item
        })
    }

    /// Takes about the oldest `count` items out: of each shard in turn, the magazines that were put in first.
    pub fn take_oldest(&self, mut count: usize) -> Vec<Magazine<T>> {
        let mut taken = Vec::new();
        for shard in self.from(0) {
            let mut magazines = lock(&shard.magazines);
            let whole = magazines.loaded.iter().scan(count, |left, magazine| {
                *left = left.checked_sub(magazine.len())?;
                Some(magazine.len())
            });
            let (mut many, mut items) = whole.fold((0, 0), |(many, items), len| (many + 1, items + len));
            count -= items;
            let first = taken.len();
            taken.extend(magazines.loaded.drain(..many));
            if count > 0
                && let Some(next) = magazines.loaded.first_mut()
            {
                // Fewer than this magazine has.
                let mut part = Magazine::new(count);
                while let Some(item) = (part.len() < count).then(|| next.pop()).flatten() {
                    let _ = part.push(item);
                }
                many += 1;
                items += part.len();
                count = 0;
                taken.push(part);
            }
            debug_assert_eq!(taken.len() - first, many);
            shard.loaded.store(magazines.loaded.len(), Relaxed);
            drop(magazines);
            self.taken(items);
            if count == 0 {
                break;
            }
        }
        taken
    }

    /// Frees the empty magazines.
    pub fn shrink(&self) {
        for shard in &self.shards {
            let empty = std::mem::take(&mut lock(&shard.magazines).empty);
            drop(empty);
        }
    }
}
