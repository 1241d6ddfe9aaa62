//! What a projectile carries in this game: whose it is, what it looks like, what it does.

/// Who fired a projectile, and so whom it can hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// Fired by an enemy: hits the ship.
    #[default]
    Enemy,
    /// Fired by the ship: hits enemies.
    Ship,
}

/// The kind of a projectile: gives its radius, its colours and how it flies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// A round of a ring.
    #[default]
    Orb,
    /// A round of a spiral: its course bends for its first ticks.
    Petal,
    /// A quick round of an aimed fan.
    Dart,
    /// A round of a wall.
    Brick,
    /// The ship's straight shot.
    Shot,
    /// The ship's slanted shot.
    Spread,
}

/// The payload of the demo's pool. Its default is an enemy's orb that does no damage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bullet {
    /// Who fired it.
    pub side: Side,
    /// What it is.
    pub kind: Kind,
    /// One of the kind's two colours; only the lowest bit counts.
    pub tint: u8,
    /// Health that one hit takes from an enemy. A hit on the ship always costs one life.
    pub damage: u8,
    /// Set once it has passed close to the ship, so that it scores for this only once.
    pub grazed: bool,
}

/// The ticks for which a [`Kind::Petal`] bends its course.
pub const PETAL_BEND_TICKS: u32 = 100;
/// How far a [`Kind::Petal`] turns in a tick while it bends, in radians.
pub const PETAL_BEND: f32 = 0.009;

impl Kind {
    /// The radius of the projectile's circle, in world units: drawn and hit-tested alike.
    pub const fn radius(self) -> f32 {
        match self {
            Self::Orb => 6.0,
            Self::Petal => 5.0,
            Self::Dart => 4.5,
            Self::Brick => 7.0,
            Self::Shot => 4.0,
            Self::Spread => 3.0,
        }
    }
}

impl Bullet {
    /// An enemy's projectile.
    pub const fn enemy(kind: Kind, tint: u8) -> Self {
        Self { side: Side::Enemy, kind, tint, damage: 1, grazed: false }
    }

    /// A shot of the ship's.
    pub const fn ship(kind: Kind, damage: u8) -> Self {
        Self { side: Side::Ship, kind, tint: 0, damage, grazed: false }
    }

    /// The radius of its circle, in world units.
    pub const fn radius(&self) -> f32 {
        self.kind.radius()
    }
}

/// A 64-bit hash of every field, for the pool's checksum. A few arithmetic operations.
pub fn bullet_hash(bullet: &Bullet) -> u64 {
    let packed = u64::from_le_bytes([
        bullet.side as u8,
        bullet.kind as u8,
        bullet.tint,
        bullet.damage,
        u8::from(bullet.grazed),
        0,
        0,
        0,
    ]);
    // An odd multiplier and two shifts spread the few low bits over the whole word.
    let mut hash = (packed ^ 0x51_7C_C1_B7_27_22_0A_95).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0xD6E8_FEB8_6659_FD93);
    hash ^ (hash >> 32)
}

/// How a projectile is drawn: its radius in world units, its colour (sRGB bytes with alpha) and
/// its layer (higher is drawn later, so enemy projectiles are never hidden by the ship's shots).
pub fn look(bullet: &Bullet) -> (f32, [u8; 4], u8) {
    let second = bullet.tint & 1 == 1;
    let colour = match (bullet.kind, second) {
        (Kind::Orb, false) => [255, 84, 160, 255],
        (Kind::Orb, true) => [196, 96, 255, 255],
        (Kind::Petal, false) => [64, 196, 255, 255],
        (Kind::Petal, true) => [122, 132, 255, 255],
        (Kind::Dart, false) => [255, 168, 56, 255],
        (Kind::Dart, true) => [255, 96, 72, 255],
        (Kind::Brick, false) => [96, 226, 128, 255],
        (Kind::Brick, true) => [208, 232, 88, 255],
        (Kind::Shot, _) => [150, 240, 255, 150],
        (Kind::Spread, _) => [110, 190, 255, 120],
    };
    let colour = if bullet.grazed { paler(colour) } else { colour };
    let layer = match bullet.side {
        Side::Ship => 0,
        Side::Enemy => 1,
    };
    (bullet.radius(), colour, layer)
}

/// Half-way to white: shows that a projectile has been grazed.
fn paler([r, g, b, a]: [u8; 4]) -> [u8; 4] {
    let half = |channel: u8| 128 + channel / 2;
    [half(r), half(g), half(b), a]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_changes_the_hash() {
        let base = Bullet::enemy(Kind::Orb, 0);
        let others = [
            Bullet { side: Side::Ship, ..base },
            Bullet { kind: Kind::Dart, ..base },
            Bullet { tint: 1, ..base },
            Bullet { damage: 2, ..base },
            Bullet { grazed: true, ..base },
        ];
        for other in others {
            assert_ne!(bullet_hash(&base), bullet_hash(&other), "{other:?}");
        }
    }

    #[test]
    fn enemy_projectiles_are_drawn_over_the_ships() {
        let (_, _, shot) = look(&Bullet::ship(Kind::Shot, 1));
        let (_, _, orb) = look(&Bullet::enemy(Kind::Orb, 0));
        assert!(orb > shot);
    }
}
