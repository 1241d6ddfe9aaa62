//! Where items were rented, in debug builds. In release builds there is nothing here: no memory, no time.

#[cfg(debug_assertions)]
use std::panic::Location;

use crate::{HeldAt, LeakReport};

/// The place of a call, in debug builds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    #[cfg(debug_assertions)]
    location: &'static Location<'static>,
}

impl Place {
    #[inline(always)]
    #[track_caller]
    pub fn here() -> Self {
        Self {
            #[cfg(debug_assertions)]
            location: Location::caller(),
        }
    }
}

#[cfg(debug_assertions)]
type Places = std::collections::BTreeMap<&'static Location<'static>, (usize, u64)>;

/// The places where a pool's items were rented.
#[derive(Debug, Default)]
pub(crate) struct Leaks {
    #[cfg(debug_assertions)]
    places: std::sync::Mutex<Places>,
}

impl Leaks {
    #[cfg(debug_assertions)]
    fn at(&self, place: Place, change: impl FnOnce(&mut (usize, u64))) {
        let mut places = self.places.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        change(places.entry(place.location).or_default());
    }

    /// An item was rented without a lease.
    #[inline(always)]
    pub fn rented(&self, place: Place) {
        #[cfg(debug_assertions)]
        self.at(place, |(_, rents)| *rents += 1);
        let _ = place;
    }

    /// A lease was made.
    #[inline(always)]
    pub fn leased(&self, place: Place) {
        #[cfg(debug_assertions)]
        self.at(place, |(leases, _)| *leases += 1);
        let _ = place;
    }

    /// A lease made there ended; its item goes on without one if it was detached.
    #[inline(always)]
    pub fn lease_ended(&self, place: Place, detached: bool) {
        #[cfg(debug_assertions)]
        self.at(place, |(leases, rents)| {
            *leases = leases.saturating_sub(1);
            *rents += u64::from(detached);
        });
        let _ = (place, detached);
    }

    /// Where items may be held, if any are; nothing in release builds.
    pub fn places(&self, held: usize) -> Vec<HeldAt> {
        if held == 0 {
            return Vec::new();
        }
        #[cfg(debug_assertions)]
        {
            let places = self.places.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let of = |(place, &(leases, rents)): (&&'static Location<'static>, &(usize, u64))| HeldAt {
                place,
                leases,
                rents,
            };
            // If every held item has a lease, those without one are all back.
            let leased: usize = places.values().map(|place| place.0).sum();
            let suspects = places.iter().filter(|(_, (leases, rents))| *leases > 0 || (leased < held && *rents > 0));
            suspects.map(of).collect()
        }
        #[cfg(not(debug_assertions))]
        Vec::new()
    }

    /// The end of a pool: in debug builds reports what is still held.
    pub fn pool_ends<T>(&self, held: usize, report: Option<fn(&LeakReport)>) {
        if cfg!(debug_assertions) && held > 0 && !std::thread::panicking() {
            let leaks = LeakReport { item: std::any::type_name::<T>(), held, places: self.places(held) };
            report.unwrap_or(print)(&leaks);
        }
    }
}

fn print(leaks: &LeakReport) {
    let places = leaks
        .places
        .iter()
        .map(|held| format!("\n  {}: {} leases, {} rents without one", held.place, held.leases, held.rents));
    eprintln!(
        "object_pools: a pool of {} was dropped while {} of its items were held (`write_off` says that it is on purpose); \
         rented at:{}",
        leaks.item,
        leaks.held,
        places.collect::<String>()
    );
}
