//! Arrays without holes: closed up in order, or by moving the last one into the gap.

use core::ops::Range;

use super::{
    Storage,
    columns::{Column, Columns},
    step,
};
use crate::stream::Shot;

/// Arrays whose survivors move up in order.
#[derive(Debug)]
pub struct Dense {
    columns: Columns,
    /// The stretches of survivors in the step at hand.
    kept: Vec<Range<usize>>,
}

impl Dense {
    /// Empty arrays for projectiles of 6 values and `extra` more.
    #[must_use]
    pub fn new(extra: usize) -> Self {
        Self { columns: Columns::new(extra), kept: Vec::new() }
    }
}

impl Storage for Dense {
    fn spawn(&mut self, batch: &[Shot]) {
        self.columns.extend(batch);
    }

    /// Moves all, finds the stretches of survivors, and moves each stretch up in one go, column by column.
    fn update(&mut self) -> f64 {
        let Self { columns, kept } = self;
        let ([x, y, vx, vy, life, damage], extra) = columns.parts();
        let moving = x.iter_mut().zip(&mut *y).zip(&*vx).zip(&mut *vy).zip(&mut *life);
        moving.for_each(|((((x, y), vx), vy), life)| _ = step(x, y, *vx, vy, life));
        let (mut sum, mut start) = (0.0, 0);
        kept.clear();
        for (slot, (x, life)) in x.iter().zip(&*life).enumerate() {
            if *life > 0.0 {
                sum += x;
            } else {
                kept.push(start..slot);
                start = slot + 1;
            }
        }
        kept.push(start..x.len());
        let further = extra.iter_mut().map(Column::values_mut);
        for column in [x, y, vx, vy, life, damage].into_iter().chain(further) {
            let mut end = 0;
            for stretch in &*kept {
                column.copy_within(stretch.clone(), end);
                end += stretch.len();
            }
        }
        columns.resize(kept.iter().map(Range::len).sum());
        sum
    }

    fn live(&self) -> usize {
        self.columns.len()
    }

    fn room(&self) -> usize {
        self.columns.room()
    }

    fn bytes(&self) -> usize {
        self.columns.bytes() + self.kept.capacity() * size_of::<Range<usize>>()
    }

    fn trim(&mut self) {
        self.columns.shrink_to(self.columns.len() * 5 / 4);
        self.kept = Vec::new();
    }
}

/// Arrays whose gaps are filled by the last one.
#[derive(Debug)]
pub struct SwapRemove {
    columns: Columns,
    /// What moved where in the step at hand, for the columns that do not move.
    moves: Vec<(usize, usize)>,
}

impl SwapRemove {
    /// Empty arrays for projectiles of 6 values and `extra` more.
    #[must_use]
    pub fn new(extra: usize) -> Self {
        Self { columns: Columns::new(extra), moves: Vec::new() }
    }
}

impl Storage for SwapRemove {
    fn spawn(&mut self, batch: &[Shot]) {
        self.columns.extend(batch);
    }

    fn update(&mut self) -> f64 {
        let Self { columns, moves } = self;
        let mut length = columns.len();
        let (six, extra) = columns.parts();
        let [x, y, vx, vy, life, damage] = six;
        let (mut sum, mut slot) = (0.0, 0);
        moves.clear();
        while slot < length {
            if step(&mut x[slot], &mut y[slot], vx[slot], &mut vy[slot], &mut life[slot]) {
                sum += x[slot];
                slot += 1;
            } else {
                length -= 1;
                for column in [&mut *x, &mut *y, &mut *vx, &mut *vy, &mut *life, &mut *damage] {
                    column[slot] = column[length];
                }
                moves.push((length, slot));
            }
        }
        for column in extra {
            let values = column.values_mut();
            for &(from, to) in &*moves {
                values[to] = values[from];
            }
        }
        columns.resize(length);
        sum
    }

    fn live(&self) -> usize {
        self.columns.len()
    }

    fn room(&self) -> usize {
        self.columns.room()
    }

    fn bytes(&self) -> usize {
        self.columns.bytes() + self.moves.capacity() * size_of::<(usize, usize)>()
    }

    fn trim(&mut self) {
        self.columns.shrink_to(self.columns.len() * 5 / 4);
        self.moves = Vec::new();
    }
}
