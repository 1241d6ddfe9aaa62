// The article's workload in JavaScript, over three storages: objects that the collector takes, a free list of objects, and
// typed arrays with a stack of free indices. Run by `node -e <this> cell spawns frames warmup seed fields`; prints what a
// cell of the bench answers. Projectiles, steps and checksum are those of `stream.rs` and `article.rs`.
'use strict';

const [cell, ...numbers] = process.argv.slice(1);
const [spawns, frames, warmup, seed, fields] = numbers.map(Number);
const DT = 1 / 60;
const GRAVITY = 400;
// Slots for each projectile that a frame spawns: the longest life is 39 frames.
const SLOTS = 45;
// Values of a projectile in a batch: x, y, vx, vy, life, damage.
const VALUES = 6;

let state = seed >>> 0;
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = Math.imul(state ^ (state >>> 15), state | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}

let muzzle = 0;
const batch = new Float64Array(VALUES * spawns);
function generate() {
  for (let at = 0; at < batch.length; at += VALUES) {
    muzzle += 0.017;
    const heading = muzzle + 0.4 * random();
    const speed = 300 + 200 * random();
    batch[at] = 400 + 30 * Math.cos(muzzle);
    batch[at + 1] = 300 + 30 * Math.sin(muzzle);
    batch[at + 2] = speed * Math.cos(heading);
    batch[at + 3] = speed * Math.sin(heading);
    batch[at + 4] = 20 + Math.floor(20 * random());
    batch[at + 5] = 1 + Math.floor(9 * random());
  }
}

function small(x, y, vx, vy, life, damage) {
  return { x, y, vx, vy, life, damage };
}

function large(x, y, vx, vy, life, damage) {
  return {
    x, y, vx, vy, life, damage,
    a: damage, b: damage, c: damage, d: damage, e: damage, f: damage, g: damage,
    h: damage, i: damage, j: damage, k: damage, l: damage, m: damage, n: damage,
  };
}

function resetSmall(body, x, y, vx, vy, life, damage) {
  body.x = x;
  body.y = y;
  body.vx = vx;
  body.vy = vy;
  body.life = life;
  body.damage = damage;
}

function resetLarge(body, x, y, vx, vy, life, damage) {
  resetSmall(body, x, y, vx, vy, life, damage);
  body.a = body.b = body.c = body.d = body.e = body.f = body.g = damage;
  body.h = body.i = body.j = body.k = body.l = body.m = body.n = damage;
}

const make = fields === 6 ? small : large;
const reset = fields === 6 ? resetSmall : resetLarge;

// Objects: with a free list they are used again, without one they are dropped.
function objects(free) {
  const live = [];
  function spawn() {
    for (let at = 0; at < batch.length; at += VALUES) {
      const x = batch[at], y = batch[at + 1], vx = batch[at + 2], vy = batch[at + 3];
      const life = batch[at + 4], damage = batch[at + 5];
      if (free !== null && free.length > 0) {
        const body = free.pop();
        reset(body, x, y, vx, vy, life, damage);
        live.push(body);
      } else {
        live.push(make(x, y, vx, vy, life, damage));
      }
    }
  }
  function update() {
    let sum = 0;
    let kept = 0;
    for (let place = 0; place < live.length; place++) {
      const body = live[place];
      body.vy += GRAVITY * DT;
      body.x += body.vx * DT;
      body.y += body.vy * DT;
      body.life -= 1;
      if (body.life > 0) {
        sum += body.x;
        live[kept++] = body;
      } else if (free !== null) {
        free.push(body);
      }
    }
    live.length = kept;
    return sum;
  }
  return { spawn, update, live: () => live.length };
}

// Typed arrays: a column for each value, a stack of free indices, and a dense list of those in use.
function typed() {
  const slots = SLOTS * spawns;
  const columns = Array.from({ length: fields }, () => new Float64Array(slots));
  const [xs, ys, vxs, vys, lives, damages, ...further] = columns;
  // The lowest index is on top.
  const free = Int32Array.from({ length: slots }, (_, place) => slots - 1 - place);
  let frees = slots;
  const active = new Int32Array(slots);
  let count = 0;
  function spawn() {
    for (let at = 0; at < batch.length; at += VALUES) {
      const slot = free[--frees];
      xs[slot] = batch[at];
      ys[slot] = batch[at + 1];
      vxs[slot] = batch[at + 2];
      vys[slot] = batch[at + 3];
      lives[slot] = batch[at + 4];
      const damage = batch[at + 5];
      damages[slot] = damage;
      for (let place = 0; place < further.length; place++) {
        further[place][slot] = damage;
      }
      active[count++] = slot;
    }
  }
  function update() {
    let sum = 0;
    let kept = 0;
    for (let place = 0; place < count; place++) {
      const slot = active[place];
      vys[slot] += GRAVITY * DT;
      xs[slot] += vxs[slot] * DT;
      ys[slot] += vys[slot] * DT;
      lives[slot] -= 1;
      if (lives[slot] > 0) {
        sum += xs[slot];
        active[kept++] = slot;
      } else {
        free[frees++] = slot;
      }
    }
    count = kept;
    return sum;
  }
  return { spawn, update, live: () => count };
}

function storage() {
  switch (cell) {
    case 'node-fresh': return objects(null);
    case 'node-pool': return objects([]);
    case 'node-typed': return typed();
    default: throw new Error(`there is no cell ${cell}`);
  }
}

const bodies = storage();
const samples = { wall: [], cpu: [], generation: [], spawn: [], integrate: [], retire: [], events: [], growth: [] };
let sum = 0;
for (let frame = 0; frame < warmup + frames; frame++) {
  const started = process.hrtime.bigint();
  generate();
  const generated = process.hrtime.bigint();
  bodies.spawn();
  const spawned = process.hrtime.bigint();
  const frameSum = bodies.update();
  const updated = process.hrtime.bigint();
  if (frame >= warmup) {
    sum += frameSum;
    samples.wall.push(Number(updated - started));
    samples.generation.push(Number(generated - started));
    samples.spawn.push(Number(spawned - generated));
    samples.integrate.push(Number(updated - spawned));
  }
}
console.log(JSON.stringify({ samples, checksum: Math.round(sum), live: bodies.live(), figures: {} }));
