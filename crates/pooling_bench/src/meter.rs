//! What is read around a frame: clocks, events of the operating system, memory.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::counting;

/// What happened in a stretch of time, besides its passing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Events {
    /// Calls of the allocator that asked for memory, by all threads; 0 where they are not counted.
    pub alloc_calls: u64,
    /// Bytes asked for, by all threads; 0 where they are not counted.
    pub alloc_bytes: u64,
    /// Page faults of this thread that needed no reading from a disk.
    pub page_faults: u64,
    /// Times that another thread took this thread's processor.
    pub preemptions: u64,
}

impl Events {
    fn now() -> Self {
        let allocated = counting::allocated().unwrap_or_default();
        let (page_faults, preemptions) = system::faults_and_preemptions();
        Self { alloc_calls: allocated.calls, alloc_bytes: allocated.bytes, page_faults, preemptions }
    }

    fn since(self, before: Self) -> Self {
        Self {
            alloc_calls: self.alloc_calls - before.alloc_calls,
            alloc_bytes: self.alloc_bytes - before.alloc_bytes,
            page_faults: self.page_faults.saturating_sub(before.page_faults),
            preemptions: self.preemptions.saturating_sub(before.preemptions),
        }
    }
}

/// Measures one stretch on one thread.
#[derive(Clone, Copy, Debug)]
pub struct Lap {
    events: Option<Events>,
    cpu: Option<Duration>,
    start: Instant,
}

/// What a [`Lap`] measured.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// On the wall.
    pub wall: Duration,
    /// Of this thread on its processor; `None` where the system does not tell.
    pub cpu: Option<Duration>,
    /// Only if asked for.
    pub events: Option<Events>,
}

impl Lap {
    /// Starts. Reading events costs some microseconds on either side, outside of the measured stretch.
    #[must_use]
    pub fn start(events: bool) -> Self {
        let events = events.then(Events::now);
        Self { events, cpu: system::thread_cpu(), start: Instant::now() }
    }

    /// When it started.
    #[must_use]
    pub fn started(&self) -> Instant {
        self.start
    }

    /// Ends.
    #[must_use]
    pub fn end(self) -> Measured {
        let wall = self.start.elapsed();
        let cpu = system::thread_cpu().zip(self.cpu).map(|(now, before)| now.saturating_sub(before));
        let events = self.events.map(|before| Events::now().since(before));
        Measured { wall, cpu, events }
    }
}

/// How long a processor is kept busy before anything is measured, so that it has its speed.
const WARM: Duration = Duration::from_millis(100);

/// Keeps this thread busy for a moment, and, if `pin`, on one processor from now on, where the system can do that: what is
/// on one thread is then not moved about while it is measured.
pub fn settle(pin: bool) {
    if pin {
        system::pin();
    }
    let start = Instant::now();
    while start.elapsed() < WARM {
        std::hint::spin_loop();
    }
}

/// The memory that this process has resident, in bytes; `None` where the system does not tell.
#[must_use]
pub fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

/// The processor's name and count of cores, and the system, in one line.
#[must_use]
pub fn machine() -> String {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let model = model.map_or("unknown processor", |(_, name)| name.trim());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{model}, {cores} cores, {} {}", std::env::consts::OS, std::env::consts::ARCH)
}

#[cfg(unix)]
mod system {
    use std::time::Duration;

    use nix::time::{ClockId, clock_gettime};

    pub fn thread_cpu() -> Option<Duration> {
        clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).ok().map(Duration::from)
    }

    #[cfg(target_os = "linux")]
    pub fn pin() {
        use nix::{
            sched::{CpuSet, sched_getaffinity, sched_setaffinity},
            unistd::Pid,
        };
        // The last one it may use: the first has most of the interrupts. Where it is not allowed nothing changes.
        let this = Pid::from_raw(0);
        let Ok(allowed) = sched_getaffinity(this) else { return };
        let last = (0..CpuSet::count()).rev().find(|&cpu| allowed.is_set(cpu).unwrap_or(false));
        let mut one = CpuSet::new();
        if last.is_some_and(|cpu| one.set(cpu).is_ok()) {
            let _ = sched_setaffinity(this, &one);
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub fn pin() {}

    #[cfg(target_os = "linux")]
    pub fn faults_and_preemptions() -> (u64, u64) {
        use nix::sys::resource::{UsageWho, getrusage};
        let count = |value: i64| u64::try_from(value).unwrap_or(0);
        getrusage(UsageWho::RUSAGE_THREAD)
            .map_or((0, 0), |usage| (count(usage.minor_page_faults()), count(usage.involuntary_context_switches())))
    }

    #[cfg(not(target_os = "linux"))]
    pub fn faults_and_preemptions() -> (u64, u64) {
        (0, 0)
    }
}

#[cfg(not(unix))]
mod system {
    use std::time::Duration;

    pub fn thread_cpu() -> Option<Duration> {
        None
    }

    pub fn pin() {}

    pub fn faults_and_preemptions() -> (u64, u64) {
        (0, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lap_measures_work_and_not_sleep() {
        let lap = Lap::start(true);
        std::thread::sleep(Duration::from_millis(20));
        let measured = lap.end();
        assert!(measured.wall >= Duration::from_millis(20));
        if let Some(cpu) = measured.cpu {
            assert!(cpu < measured.wall, "{cpu:?} of {:?}", measured.wall);
        }
        assert!(measured.events.is_some());
        assert!(Lap::start(false).end().events.is_none());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn touching_fresh_memory_faults() {
        let lap = Lap::start(true);
        let fresh = std::hint::black_box(vec![1_u8; 64 << 20]);
        let faults = lap.end().events.unwrap().page_faults;
        assert!(faults > 0, "{faults}");
        assert!(resident_bytes().unwrap() > 64 << 20);
        drop(fresh);
    }
}
