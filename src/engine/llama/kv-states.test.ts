/** KV states of made-up layouts: whatever is cut and joined is, byte for byte, what was there. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formBytes, stateMagic, type LibraryForm } from './kv-layout.ts';
import { LlamaStates } from './kv-states.ts';

type Random = (below: number) => number;

function createRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % below;
  };
}

interface Made {
  readonly form: LibraryForm;
  readonly length: number;
  readonly state: Buffer;
}

/** Bytes of a cache as the library would write them, with random rows. */
function makeBody(random: Random, length: number, cellBytes: number, hasValues: boolean): Buffer {
  const u32 = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  const noise = (bytes: number): Buffer =>
    Buffer.from(Array.from({ length: bytes }, () => random(256)));
  const cells = Array.from({ length }, (_, position) =>
    Buffer.concat([u32(position), u32(1), noise(cellBytes - 12), u32(2)]),
  );
  const layers = 1 + random(3);
  const planes = Array.from({ length: layers * (hasValues ? 2 : 1) }, () => {
    const rowBytes = 34 * (1 + random(3));
    return Buffer.concat([u32(8), u32(rowBytes), u32(0), noise(length * rowBytes)]);
  });
  return Buffer.concat([u32(length), ...cells, u32(0), u32(layers), ...planes]);
}

function makeState(random: Random): Made {
  const form = { caches: 1 + random(2), streams: 1 + random(4) };
  const length = 1 + random(40);
  const cellBytes = random(2) === 0 ? 12 : 24;
  const hasValues = random(4) > 0;
  const head = Buffer.alloc(8);
  head.writeUInt32LE(stateMagic);
  const streams = Buffer.alloc(4);
  streams.writeUInt32LE(form.streams);
  const caches = Array.from({ length: form.caches }, () => [
    streams,
    makeBody(random, length, cellBytes, hasValues),
    Buffer.alloc(4 * (form.streams - 1)),
  ]);
  return { form, length, state: Buffer.concat([head, ...caches.flat()]) };
}

const allocate = (bytes: number): Buffer => Buffer.alloc(bytes, 0xee);

const toLibrary = (states: LlamaStates, state: ReturnType<LlamaStates['join']>): Buffer => {
  const bytes = states.toLibrary(state, allocate);
  assert.ok(bytes !== null);
  return Buffer.from(bytes);
};

test('random cuts, joined again in random ways, are the state they came from', () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const random = createRandom(seed);
    const { form, length, state } = makeState(random);
    const states = new LlamaStates({ form });
    const whole = states.fromLibrary(state, length);
    assert.equal(whole.bytes, state.length);
    const borders = [0, length];
    for (let cuts = random(5); cuts > 0; cuts -= 1) borders.push(random(length));
    borders.sort((a, b) => a - b);
    let joined: typeof whole | null = null;
    let bytes = 0;
    for (const [index, to] of borders.entries()) {
      const from = borders[index - 1] ?? 0;
      if (from === to) continue;
      const part = states.cut(whole, from, to);
      assert.equal(part.length, to - from);
      const carried = random(2) === 0 ? part : states.decode(states.encode(part));
      bytes += carried.bytes;
      joined = joined === null ? carried : states.join([joined, carried]);
    }
    assert.ok(joined !== null);
    assert.equal(joined.length, length);
    assert.equal(joined.bytes, bytes);
    assert.deepEqual(toLibrary(states, joined), state, `seed ${seed}`);
    assert.deepEqual(states.encode(joined), states.encode(whole));
    const [from, to] = [random(length), length];
    const again = states.cut(states.cut(joined, from, to), 0, 1);
    assert.deepEqual(states.encode(again), states.encode(states.cut(whole, from, from + 1)));
  }
});

test('a state with its last byte or any one more is another format, and refused', () => {
  const random = createRandom(5);
  for (let round = 0; round < 50; round += 1) {
    const { form, length, state } = makeState(random);
    const states = new LlamaStates({ form });
    const whole = states.fromLibrary(state, length);
    for (const bytes of [state.subarray(0, -1), Buffer.concat([state, Buffer.alloc(1)])]) {
      assert.throws(() => states.fromLibrary(bytes, length), /another form/);
    }
    assert.throws(() => states.fromLibrary(state, length + 1), /another form/);
    const other = { ...form, streams: form.streams + 1 };
    assert.throws(
      () => new LlamaStates({ form: other }).fromLibrary(state, length),
      /another form/,
    );
    const encoded = states.encode(whole);
    assert.equal(encoded.length, state.length - formBytes(form) + 12);
    assert.throws(() => states.decode(encoded.subarray(0, -1)), /no KV state/);
    assert.throws(() => states.decode(Buffer.concat([encoded, Buffer.alloc(4)])), /no KV state/);
  }
});

test('random damage never gives a state of another length or a crash', () => {
  const random = createRandom(9);
  for (let round = 0; round < 2000; round += 1) {
    const { form, length, state } = makeState(random);
    const states = new LlamaStates({ form });
    const encoded = Buffer.from(states.encode(states.fromLibrary(state, length)));
    encoded[random(Math.min(encoded.length, 200))] = random(256);
    try {
      assert.equal(states.decode(encoded).length, length);
    } catch (error) {
      assert.match((error as Error).message, /no KV state/);
    }
  }
});

test('what does not follow, or comes from elsewhere, is not joined', () => {
  const random = createRandom(3);
  const { form, state, length } = makeState(random);
  const states = new LlamaStates({ form });
  const whole = states.fromLibrary(state, length);
  const [first, last] = [states.cut(whole, 0, 1), states.cut(whole, length - 1, length)];
  assert.throws(() => states.join([last, first]), /do not follow/);
  assert.throws(() => states.join([first, first]), /do not follow/);
  assert.throws(() => states.cut(whole, 3, 3), /cannot be cut/);
  assert.throws(() => states.cut(whole, 0, length + 1), /cannot be cut/);
  const opaque = new LlamaStates({ form: null });
  const kept = opaque.fromLibrary(state, length);
  assert.equal(opaque.cuttable, false);
  assert.throws(() => states.join([first, kept]), /unknown form/);
  assert.equal(states.toLibrary(kept, allocate), null);
  assert.equal(opaque.toLibrary(whole, allocate), null);
  assert.deepEqual(opaque.toLibrary(opaque.decode(opaque.encode(kept)), allocate), state);
  assert.throws(() => states.decode(opaque.encode(kept)), /no KV state/);
});
