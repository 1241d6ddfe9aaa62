//! Which event of a frame goes with its slowness: arithmetic on the samples of one run.
//!
//! The tail is every frame at or above p99 by nearest rank; the others are all other frames. A frame *holds* an event
//! if it has more of it than the median frame; of growth, if there was any. The *excess* of a frame is its time above
//! the median frame's.
//!
//! A frame may hold several events, and its whole excess is then in the share of each: the shares of different events
//! overlap and do not add up to 1. They tell what goes together with slowness, which need not be its cause. Only time
//! off the processor is measured in the unit of the excess itself, so that its share is a share in the full sense.

use bevy_frame_percentiles::Percentile;

use crate::samples::Samples;

/// What can happen in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Calls of the allocator that asked for memory.
    AllocCalls,
    /// Bytes asked for.
    AllocBytes,
    /// Page faults that read no disk.
    PageFaults,
    /// Another thread took the processor.
    Preemptions,
    /// Blocks or tables grew.
    Growth,
    /// Time that passed while the thread was on no processor, in nanoseconds.
    OffCpu,
}

impl Event {
    /// All of them.
    pub const ALL: [Event; 6] =
        [Self::PageFaults, Self::AllocCalls, Self::AllocBytes, Self::Preemptions, Self::Growth, Self::OffCpu];

    /// As in the names of fields.
    #[must_use]
    pub const fn field(self) -> &'static str {
        match self {
            Self::AllocCalls => "alloc_calls",
            Self::AllocBytes => "alloc_bytes",
            Self::PageFaults => "page_faults",
            Self::Preemptions => "preemptions",
            Self::Growth => "growth",
            Self::OffCpu => "off_cpu",
        }
    }

    /// In words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AllocCalls => "allocator calls",
            Self::AllocBytes => "allocated bytes",
            Self::PageFaults => "page faults",
            Self::Preemptions => "preemptions",
            Self::Growth => "growth",
            Self::OffCpu => "time off the processor",
        }
    }

    /// The head of its column.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::AllocBytes => "KiB allocated",
            Self::OffCpu => "µs off the processor",
            other => other.name(),
        }
    }

    /// The unit of its column, in that of its samples.
    #[must_use]
    pub const fn unit(self) -> f64 {
        match self {
            Self::AllocBytes => 1024.0,
            Self::OffCpu => 1000.0,
            _ => 1.0,
        }
    }

    /// How much of it each frame has; `None` if it was not sampled.
    fn counts(self, samples: &Samples) -> Option<Vec<u64>> {
        let events = &samples.events;
        let counts: Vec<u64> = match self {
            Self::AllocCalls => events.iter().map(|event| event.alloc_calls).collect(),
            Self::AllocBytes => events.iter().map(|event| event.alloc_bytes).collect(),
            Self::PageFaults => events.iter().map(|event| event.page_faults).collect(),
            Self::Preemptions => events.iter().map(|event| event.preemptions).collect(),
            Self::Growth => samples.growth.iter().map(|grew| u64::from(*grew)).collect(),
            // The clocks are read one after the other, so either may be ahead by a little.
            Self::OffCpu => {
                samples.wall.iter().zip(&samples.cpu).map(|(wall, cpu)| wall.saturating_sub(*cpu)).collect()
            }
        };
        (!counts.is_empty() && counts.len() == samples.wall.len()).then_some(counts)
    }
}

/// What the tail has to do with one event. A share of nothing is absent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attribution {
    /// How much of it a frame of the tail has.
    pub tail: Option<f64>,
    /// How much of it any other frame has.
    pub others: Option<f64>,
    /// The share of the tail's frames that hold it.
    pub tail_frames: Option<f64>,
    /// The share of the other frames that hold it.
    pub other_frames: Option<f64>,
    /// The share of the tail's excess that is in frames that hold it. Of time off the processor: what is above its own
    /// median in the tail, as a share of the tail's excess.
    pub excess: Option<f64>,
    /// The excess of all frames that hold it, as a share of the time of all frames.
    pub mean: Option<f64>,
}

/// Which frames of a run are its tail.
#[derive(Clone, Debug, PartialEq)]
pub struct Tail {
    /// Of all frames, in nanoseconds.
    median: u64,
    /// For each frame, whether it is in the tail.
    slow: Vec<bool>,
}

impl Tail {
    /// The tail of frames of these times; `None` without frames.
    #[must_use]
    pub fn of(wall: &[u64]) -> Option<Self> {
        let p99 = nearest_rank(wall, Percentile::P99)?;
        let slow = wall.iter().map(|time| *time >= p99).collect();
        Some(Self { median: nearest_rank(wall, Percentile::P50)?, slow })
    }

    /// How many frames it has.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.slow.iter().filter(|slow| **slow).count()
    }

    /// What it has to do with an event; `None` if that was not sampled.
    #[must_use]
    pub fn attribute(&self, event: Event, samples: &Samples) -> Option<Attribution> {
        let counts = event.counts(samples)?;
        let usual = nearest_rank(&counts, Percentile::P50)?;
        let holds = |count: u64| if event == Event::Growth { count > 0 } else { count > usual };
        let all = || self.slow.iter().copied().zip(&counts).zip(&samples.wall);

        let part = |in_tail: bool| {
            let (mut number, mut sum, mut holding) = (0.0, 0.0, 0.0);
            for ((_, &count), _) in all().filter(|((slow, _), _)| *slow == in_tail) {
                number += 1.0;
                sum += count as f64;
                holding += f64::from(u8::from(holds(count)));
            }
            (ratio(sum, number), ratio(holding, number))
        };
        let (tail, tail_frames) = part(true);
        let (others, other_frames) = part(false);

        let (mut excess, mut held, mut off) = (0.0, 0.0, 0.0);
        let (mut all_time, mut all_held) = (0.0, 0.0);
        for ((slow, &count), &time) in all() {
            let above = time as f64 - self.median as f64;
            all_time += time as f64;
            if holds(count) {
                all_held += above.max(0.0);
            }
            if slow {
                excess += above;
                off += count as f64 - usual as f64;
                if holds(count) {
                    held += above;
                }
            }
        }
        let excess = match event {
            Event::OffCpu => ratio(off, excess).map(|share| share.clamp(0.0, 1.0)),
            _ => ratio(held, excess),
        };
        Some(Attribution { tail, others, tail_frames, other_frames, excess, mean: ratio(all_held, all_time) })
    }
}

/// How many of so many frames are at or above p99, if no two are equal.
pub(super) fn frames_in_tail(frames: u64) -> u64 {
    frames - Percentile::P99.rank(frames).saturating_sub(1)
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

fn nearest_rank(values: &[u64], percentile: Percentile) -> Option<u64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = percentile.rank(sorted.len() as u64) as usize;
    sorted.get(rank.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meter::Events;

    /// 200 frames of 100 ns, of which three take 200, 400 and 500: p99 is the 198th of them by time, 200.
    fn samples() -> Samples {
        let mut samples = Samples { wall: vec![100; 200], ..Samples::default() };
        samples.wall[7] = 200;
        samples.wall[50] = 400;
        samples.wall[199] = 500;
        samples
    }

    fn tail(samples: &Samples) -> Tail {
        Tail::of(&samples.wall).unwrap()
    }

    #[test]
    fn the_tail_is_at_or_above_p99() {
        let samples = samples();
        let tail = tail(&samples);
        assert_eq!((tail.frames(), tail.median), (3, 100));
        assert!(tail.slow[7] && tail.slow[50] && tail.slow[199]);
        assert_eq!(Tail::of(&[]), None);
        assert_eq!((frames_in_tail(600), frames_in_tail(5000), frames_in_tail(200)), (7, 51, 3));
    }

    #[test]
    fn page_faults_by_hand() {
        let mut samples = samples();
        samples.events = vec![Events { page_faults: 1, ..Events::default() }; 200];
        samples.events[0].page_faults = 11;
        samples.events[7].page_faults = 0;
        samples.events[50].page_faults = 4;
        samples.events[199].page_faults = 5;
        let found = tail(&samples).attribute(Event::PageFaults, &samples).unwrap();
        // The tail: 0 + 4 + 5 in 3 frames. The others: 196 with one each, and 11, in 197.
        assert_eq!((found.tail, found.others), (Some(3.0), Some(207.0 / 197.0)));
        // The median is 1: two frames of the tail have more, and one other.
        assert_eq!((found.tail_frames, found.other_frames), (Some(2.0 / 3.0), Some(1.0 / 197.0)));
        // The excess is 100 + 300 + 400; the two hold 700 of it. All frames take 197 * 100 + 1100.
        assert_eq!((found.excess, found.mean), (Some(700.0 / 800.0), Some(700.0 / 20_800.0)));
    }

    #[test]
    fn a_frame_that_holds_two_events_is_in_both_shares() {
        let mut samples = samples();
        samples.events = vec![Events::default(); 200];
        for frame in [7, 50, 199] {
            samples.events[frame] = Events { alloc_calls: 2, alloc_bytes: 64, page_faults: 0, preemptions: 1 };
        }
        for event in [Event::AllocCalls, Event::AllocBytes, Event::Preemptions] {
            let found = tail(&samples).attribute(event, &samples).unwrap();
            assert_eq!((found.excess, found.tail_frames, found.other_frames), (Some(1.0), Some(1.0), Some(0.0)));
        }
        let none = tail(&samples).attribute(Event::PageFaults, &samples).unwrap();
        assert_eq!((none.excess, none.mean, none.tail), (Some(0.0), Some(0.0), Some(0.0)));
    }

    #[test]
    fn growth_is_held_where_it_happens_even_if_it_is_the_rule() {
        let mut samples = samples();
        samples.growth = vec![true; 200];
        samples.growth[50] = false;
        let found = tail(&samples).attribute(Event::Growth, &samples).unwrap();
        assert_eq!((found.tail_frames, found.other_frames), (Some(2.0 / 3.0), Some(1.0)));
        assert_eq!(found.excess, Some(500.0 / 800.0));
    }

    #[test]
    fn time_off_the_processor_is_measured() {
        let mut samples = samples();
        samples.cpu = vec![90; 200];
        // Off for 10 in most frames, for 110 in the first of the tail, for 210 in the second, for none in the third.
        samples.cpu[50] = 190;
        samples.cpu[199] = 510;
        let found = tail(&samples).attribute(Event::OffCpu, &samples).unwrap();
        assert_eq!((found.tail, found.others), (Some(320.0 / 3.0), Some(10.0)));
        // Above the usual 10: 100 + 200 - 10 of 800.
        assert_eq!(found.excess, Some(290.0 / 800.0));
        samples.cpu = vec![0; 200];
        assert_eq!(tail(&samples).attribute(Event::OffCpu, &samples).unwrap().excess, Some(1.0));
    }

    #[test]
    fn what_was_not_sampled_is_absent() {
        let mut samples = samples();
        samples.growth = vec![true; 3];
        for event in Event::ALL {
            assert_eq!(tail(&samples).attribute(event, &samples), None, "{event:?}");
        }
    }

    #[test]
    fn equal_frames_have_no_excess_to_share() {
        let samples = Samples { wall: vec![100; 50], growth: vec![true; 50], ..Samples::default() };
        let found = tail(&samples).attribute(Event::Growth, &samples).unwrap();
        assert_eq!((found.excess, found.others, found.mean), (None, None, Some(0.0)));
        assert_eq!(found.tail, Some(1.0));
    }
}
