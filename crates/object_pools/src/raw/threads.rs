//! Which magazines belong to this thread: a small table for the fast path, and a register behind it.

use std::{
    cell::{Cell, RefCell},
    panic::{AssertUnwindSafe, catch_unwind},
    ptr::NonNull,
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use super::magazine::{Magazine, Owner, ThreadMagazines};
use crate::sync::{Mutex, lock};

/// Pools that a thread can use in turn without looking into the register: if their ids differ in the last bits, which
/// those of pools made one after another do. 1 KiB a thread.
const WAYS: usize = 64;

/// Where the magazines of a thread go when it ends.
pub(crate) trait Receives<T> {
    /// Takes a magazine that may have items, or refuses it, and counts those items as gone. Must call nothing of the
    /// user's, nor any [`Threads`].
    fn receive(&self, home: usize, magazine: Magazine<T>) -> Result<(), Magazine<T>>;
    /// Ends the items of a magazine that was refused, which are counted already.
    fn end(&self, refused: Magazine<T>);
}

/// The magazines that a pool lent to threads. Its unsafe code rests on this: magazines are used only
/// * by the thread to which they are lent, through an [`Owner`] that borrows this;
/// * when that thread ends, by its register, under the lock of the loans, if they are not closed;
/// * by [`Threads::close`], which needs this for itself alone, so that no owner is left, and closes the loans.
pub(crate) struct Threads<T> {
    pool: u64,
    /// The place of the pool's entry in the fast table: always below [`WAYS`].
    way: usize,
    loans: Arc<Mutex<Loans<T>>>,
}

struct Loans<T> {
    closed: bool,
    /// Loans made until now: gives each a shard of its own to begin with.
    made: usize,
    open: Vec<Arc<ThreadMagazines<T>>>,
    /// Rents of threads that ended.
    rents: u64,
}

impl<T: Send + 'static> Threads<T> {
    pub fn new() -> Self {
        let loans = Loans { closed: false, made: 0, open: Vec::new(), rents: 0 };
        let pool = new_pool_id();
        Self { pool, way: pool as usize % WAYS, loans: Arc::new(Mutex::new(loans)) }
    }

    /// The magazines of this thread, if the fast table knows them.
    #[inline(always)]
    pub fn known(&self) -> Option<Owner<'_, T>> {
        let find = |table: &[Entry; WAYS]| {
            // SAFETY: `way` is below the length of the table.
            let entry = unsafe { table.get_unchecked(self.way) };
            (entry.pool.get() == self.pool).then(|| entry.magazines.get())
        };
        let magazines = TABLE.try_with(find).ok()??;
        // SAFETY: see `owner`.
        Some(unsafe { self.owner(magazines) })
    }

    /// The magazines of this thread; if it has none, it gets these. `None` if the thread ends and its register is gone.
    pub fn registered<R: Receives<T> + 'static>(
        &self,
        home: &Arc<R>,
        make: impl FnOnce() -> [Magazine<T>; 2],
    ) -> Option<Owner<'_, T>> {
        let mut gone = Vec::new();
        let find = |register: &Register| {
            let mut all = register.0.borrow_mut();
            let magazines = match all.binary_search_by_key(&self.pool, |registered| registered.pool) {
                Ok(place) => all[place].magazines,
                Err(_) => {
                    gone.extend(all.extract_if(.., |registered| registered.lent.is_closed()));
                    let home: Weak<R> = Arc::downgrade(home);
                    let loan = self.lend(home, make());
                    let magazines = NonNull::from(&*loan.magazines);
                    let place = all.partition_point(|registered| registered.pool < self.pool);
                    let (pool, magazines) = (self.pool, magazines.cast());
                    all.insert(place, Registered { pool, magazines, lent: Box::new(loan) });
                    magazines
                }
            };
            let _ = TABLE.try_with(|table| {
                let entry = &table[self.way];
                entry.pool.set(self.pool);
                entry.magazines.set(magazines);
            });
            magazines
        };
        let magazines = REGISTER.try_with(find).ok()?;
        drop(gone);
        // SAFETY: see `owner`.
        Some(unsafe { self.owner(magazines) })
    }

    /// # Safety
    /// `magazines` is from this thread's table or register, under the id of this pool.
    #[inline(always)]
    unsafe fn owner(&self, magazines: NonNull<()>) -> Owner<'_, T> {
        // SAFETY: ids are never used again, and `T` is the same for one id, so the pointer is to the magazines that
        // `lend` made for this thread. The loan in the register keeps them alive until the thread ends, which clears the
        // table first, or until the loans are closed, for which no owner may be left. The users are as the type says.
        unsafe { magazines.cast::<ThreadMagazines<T>>().as_ref().owner() }
    }

    fn lend(&self, home: Weak<dyn Receives<T>>, [loaded, spare]: [Magazine<T>; 2]) -> Loan<T> {
        let mut loans = lock(&self.loans);
        let magazines = Arc::new(ThreadMagazines::new(loans.made, loaded, spare));
        loans.made = loans.made.wrapping_add(1);
        loans.open.push(magazines.clone());
        Loan { magazines, loans: self.loans.clone(), home }
    }

    /// Idle items in the magazines of all threads, as of a moment ago.
    pub fn idle(&self) -> usize {
        lock(&self.loans).open.iter().map(|magazines| magazines.idle()).sum()
    }

    /// Rents served by the magazines of all threads.
    pub fn rents(&self) -> u64 {
        let loans = lock(&self.loans);
        loans.rents + loans.open.iter().map(|magazines| magazines.rents()).sum::<u64>()
    }

    /// Takes all magazines from all threads, for good.
    pub fn close(&mut self) -> Vec<Magazine<T>> {
        let mut loans = lock(&self.loans);
        loans.closed = true;
        let open = std::mem::take(&mut loans.open);
        drop(loans);
        // SAFETY: `&mut self`: no owner is left. Threads that end from now on find the loans closed; those that ended
        // before have taken their loans out, under the lock.
        open.iter().flat_map(|magazines| unsafe { magazines.owner() }.unload_all()).collect()
    }
}

/// What the register of a thread keeps of a loan.
trait Lent {
    /// The thread ends: the items go back to the pool.
    fn thread_ends(&self);
    /// The pool is gone.
    fn is_closed(&self) -> bool;
}

struct Loan<T> {
    magazines: Arc<ThreadMagazines<T>>,
    loans: Arc<Mutex<Loans<T>>>,
    home: Weak<dyn Receives<T>>,
}

impl<T> Lent for Loan<T> {
    fn thread_ends(&self) {
        let Some(home) = self.home.upgrade() else { return };
        let mut loans = lock(&self.loans);
        if loans.closed {
            return;
        }
        loans.open.retain(|open| !Arc::ptr_eq(open, &self.magazines));
        loans.rents += self.magazines.rents();
        // SAFETY: the thread of these magazines runs this as its last use of them, and `close`, which would be the other
        // user, finds them taken out.
        let owner = unsafe { self.magazines.owner() };
        // Under the lock, so that a pool which closes waits, and finds the items.
        let refused = owner.unload_all().map(|magazine| home.receive(owner.home(), magazine).err());
        drop(loans);
        for refused in refused.into_iter().flatten() {
            // A panic that leaves the destructor of a thread-local value would end the process.
            let _ = catch_unwind(AssertUnwindSafe(|| home.end(refused)));
        }
    }

    fn is_closed(&self) -> bool {
        lock(&self.loans).closed
    }
}

struct Entry {
    pool: Cell<u64>,
    magazines: Cell<NonNull<()>>,
}

impl Entry {
    const fn new() -> Self {
        Self { pool: Cell::new(0), magazines: Cell::new(NonNull::dangling()) }
    }
}

struct Registered {
    pool: u64,
    magazines: NonNull<()>,
    lent: Box<dyn Lent>,
}

/// What this thread has from all pools, in the order of their ids.
struct Register(RefCell<Vec<Registered>>);

impl Drop for Register {
    fn drop(&mut self) {
        // From here on this thread finds no magazines, so that nothing is put where nobody would look again.
        let _ = TABLE.try_with(|table| table.iter().for_each(|entry| entry.pool.set(0)));
        for registered in self.0.take() {
            registered.lent.thread_ends();
        }
    }
}

#[cfg(not(loom))]
thread_local! {
    // Without a destructor: it can be read in the destructors of other thread-local values, whatever their order.
    static TABLE: [Entry; WAYS] = const { [const { Entry::new() }; WAYS] };
    static REGISTER: Register = const { Register(RefCell::new(Vec::new())) };
}
#[cfg(loom)]
loom::thread_local! {
    static TABLE: [Entry; WAYS] = [const { Entry::new() }; WAYS];
    static REGISTER: Register = Register(RefCell::new(Vec::new()));
}

/// An id that no other pool of this process has or will have. Never 0.
fn new_pool_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Relaxed)
}
