//! Columns of one length that do not fall on each other's cache lines.

use crate::stream::Shot;

/// Values by which the starts of the columns are apart within a page, besides their length.
///
/// Large vectors are mapped at the same offset of a page each; a store to one column and a load from another, at the same
/// place, then look alike to the processor, which waits for nothing. 80 values are 640 bytes.
const STAGGER: usize = 80;

/// One column.
#[derive(Debug)]
pub struct Column {
    values: Vec<f64>,
    /// Unused values at its start.
    lead: usize,
}

impl Column {
    /// The values.
    #[inline]
    pub fn values(&self) -> &[f64] {
        &self.values[self.lead..]
    }

    /// The values.
    #[inline]
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values[self.lead..]
    }
}

/// A column for each value of a projectile: x, y, vx, vy, life, damage, and further ones.
#[derive(Debug)]
pub struct Columns {
    six: [Column; 6],
    extra: Vec<Column>,
}

impl Columns {
    /// Empty columns for projectiles of 6 values and `extra` more.
    #[must_use]
    pub fn new(extra: usize) -> Self {
        let column = |place: usize| Column { values: vec![0.0; place * STAGGER], lead: place * STAGGER };
        Self { six: core::array::from_fn(column), extra: (6..6 + extra).map(column).collect() }
    }

    fn all(&self) -> impl Iterator<Item = &Column> {
        self.six.iter().chain(&self.extra)
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut Column> {
        self.six.iter_mut().chain(&mut self.extra)
    }

    /// Projectiles in them.
    #[must_use]
    pub fn len(&self) -> usize {
        self.six[0].values().len()
    }

    /// Projectiles that there is room for.
    #[must_use]
    pub fn room(&self) -> usize {
        self.six[0].values.capacity() - self.six[0].lead
    }

    /// Bytes of room.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.all().map(|column| column.values.capacity() * size_of::<f64>()).sum()
    }

    /// Adds projectiles at the end.
    pub fn extend(&mut self, batch: &[Shot]) {
        let [x, y, vx, vy, life, damage] = &mut self.six;
        x.values.extend(batch.iter().map(|shot| shot.x));
        y.values.extend(batch.iter().map(|shot| shot.y));
        vx.values.extend(batch.iter().map(|shot| shot.vx));
        vy.values.extend(batch.iter().map(|shot| shot.vy));
        life.values.extend(batch.iter().map(|shot| shot.life));
        for column in core::iter::once(damage).chain(&mut self.extra) {
            column.values.extend(batch.iter().map(|shot| shot.damage));
        }
    }

    /// Sets the length; new values are 0.
    pub fn resize(&mut self, length: usize) {
        for column in self.all_mut() {
            column.values.resize(column.lead + length, 0.0);
        }
    }

    /// Writes a projectile to a slot.
    #[inline]
    pub fn set(&mut self, slot: usize, shot: &Shot) {
        let Shot { x, y, vx, vy, life, damage, .. } = *shot;
        for (column, value) in self.six.iter_mut().zip([x, y, vx, vy, life, damage]) {
            column.values_mut()[slot] = value;
        }
        for column in &mut self.extra {
            column.values_mut()[slot] = damage;
        }
    }

    /// The columns x, y, vx, vy, life and damage, and the further ones.
    #[inline]
    pub fn parts(&mut self) -> ([&mut [f64]; 6], &mut [Column]) {
        (self.six.each_mut().map(Column::values_mut), &mut self.extra)
    }

    /// The shot in a slot. Further values are not in it: they are all the damage.
    #[must_use]
    pub fn shot(&self, slot: usize) -> Shot {
        let [x, y, vx, vy, life, damage] = self.six.each_ref().map(|column| column.values()[slot]);
        Shot { x, y, vx, vy, life, damage, draw: 0.0 }
    }

    /// Gives room back that `room` projectiles do not need.
    pub fn shrink_to(&mut self, room: usize) {
        for column in self.all_mut() {
            column.values.shrink_to(column.lead + room);
        }
    }
}
