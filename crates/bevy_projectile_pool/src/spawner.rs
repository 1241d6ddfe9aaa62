//! Asking for projectiles: a queue that the pool takes over at the start of its next tick.

use crate::{
    InvalidProjectile, Payload, Projectile, ProjectileId,
    engine::{ResMut, Resource, SystemParam},
    projectile::{ENDED, Flight},
};

/// Requests of the pool of `P` that wait for [`ProjectileSystems::Spawn`](crate::ProjectileSystems::Spawn).
#[derive(Resource)]
pub(crate) struct SpawnQueue<P: Payload> {
    next: ProjectileId,
    /// In order of their ids; a cancelled one has the lifetime [`ENDED`].
    pending: Vec<Flight<P>>,
    cancelled: usize,
    /// The step that the pending ones will be born in, if every tick goes its way.
    born: u32,
    invalid: u64,
}

impl<P: Payload> Default for SpawnQueue<P> {
    fn default() -> Self {
        Self { next: ProjectileId::FIRST, pending: Vec::new(), cancelled: 0, born: 0, invalid: 0 }
    }
}

impl<P: Payload> SpawnQueue<P> {
    #[inline]
    fn push(&mut self, projectile: Projectile<P>) -> Result<ProjectileId, InvalidProjectile> {
        projectile.validate()?;
        let Projectile { position, velocity, lifetime, payload } = projectile;
        let id = self.next_id();
        self.pending.push(Flight { id, position, velocity, born: self.born, lifetime, payload });
        Ok(id)
    }

    #[inline]
    fn spawn(&mut self, projectile: Projectile<P>) -> ProjectileId {
        self.push(projectile).unwrap_or_else(|error| {
            self.refuse(&error);
            self.next_id()
        })
    }

    #[inline]
    fn next_id(&mut self) -> ProjectileId {
        let id = self.next;
        self.next = id.next();
        id
    }

    #[cold]
    fn refuse(&mut self, error: &InvalidProjectile) {
        if self.invalid == 0 {
            tracing::warn!("not spawned: {error}; further ones are only counted, in `ProjectileStats::invalid`");
        }
        self.invalid += 1;
    }

    /// Moves the requests that still stand into `incoming`, born in the pool's present step.
    pub(crate) fn take(&mut self, steps: u32, incoming: &mut Vec<Flight<P>>) {
        incoming.clear();
        core::mem::swap(incoming, &mut self.pending);
        if core::mem::take(&mut self.cancelled) > 0 {
            incoming.retain(|flight| flight.lifetime != ENDED);
        }
        if self.born != steps {
            for flight in &mut *incoming {
                flight.born = steps;
            }
        }
        // The next requests are taken in the next tick, one step on.
        self.born = steps.wrapping_add(1);
    }

    /// Takes the emptied memory back for the next requests, so that a pool writes to the same again in every tick and not
    /// to two by turns. What was asked for meanwhile stays.
    pub(crate) fn use_again(&mut self, taken: &mut Vec<Flight<P>>) {
        taken.clear();
        if self.pending.is_empty() {
            core::mem::swap(taken, &mut self.pending);
        }
    }

    /// Drops every request, and returns how many there were.
    pub(crate) fn clear(&mut self) -> usize {
        let count = self.pending.len() - self.cancelled;
        self.pending.clear();
        self.cancelled = 0;
        count
    }

    /// How many bad projectiles were refused so far.
    pub(crate) fn invalid(&self) -> u64 {
        self.invalid
    }

    /// How many requests fit without asking for memory.
    pub(crate) fn room(&self) -> usize {
        self.pending.capacity()
    }

    pub(crate) fn shrink_to(&mut self, room: usize) {
        self.pending.shrink_to(room);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.pending.capacity() * size_of::<Flight<P>>()
    }
}

/// Spawns projectiles into the pool of `P`.
///
/// A request waits for the next [`ProjectileSystems::Spawn`](crate::ProjectileSystems::Spawn); until then it is neither
/// looked up nor counted. Ids are given in the order of the calls: systems that spawn into one pool must be ordered
/// among themselves, or ids and checksums depend on the run. Bevy's ambiguity detection finds those that are not.
#[derive(SystemParam)]
pub struct ProjectileSpawner<'w, P: Payload> {
    queue: ResMut<'w, SpawnQueue<P>>,
}

impl<P: Payload> ProjectileSpawner<'_, P> {
    /// Asks for one projectile and returns its id at once.
    ///
    /// A bad projectile (see [`Projectile::validate`]) is not spawned: it is counted in
    /// [`ProjectileStats::invalid`](crate::ProjectileStats::invalid), the first one is logged, and its id answers
    /// "gone".
    #[inline]
    pub fn spawn(&mut self, projectile: Projectile<P>) -> ProjectileId {
        self.queue.spawn(projectile)
    }

    /// Asks for one projectile and returns its id at once.
    ///
    /// # Errors
    /// If the projectile is bad (see [`Projectile::validate`]). Nothing is spawned or counted then.
    #[inline]
    pub fn try_spawn(&mut self, projectile: Projectile<P>) -> Result<ProjectileId, InvalidProjectile> {
        self.queue.push(projectile)
    }

    /// Asks for many projectiles, in order. Bad ones are treated as in [`spawn`](Self::spawn); the others fly.
    pub fn spawn_batch(&mut self, projectiles: impl IntoIterator<Item = Projectile<P>>) {
        let projectiles = projectiles.into_iter();
        let queue = &mut *self.queue;
        queue.pending.reserve(projectiles.size_hint().0.min(1 << 20));
        for projectile in projectiles {
            queue.spawn(projectile);
        }
    }

    /// Takes a request back that has not been spawned yet. Returns whether it was still waiting. O(log n).
    pub fn cancel(&mut self, id: ProjectileId) -> bool {
        let queue = &mut *self.queue;
        let Ok(place) = queue.pending.binary_search_by_key(&id, |flight| flight.id) else { return false };
        let flight = &mut queue.pending[place];
        let waiting = core::mem::replace(&mut flight.lifetime, ENDED) != ENDED;
        queue.cancelled += usize::from(waiting);
        waiting
    }
}
