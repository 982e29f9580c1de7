import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  chooseKvType,
  kvBytesPerToken,
  planCapacity,
  type Capacity,
  type CapacityRequest,
} from './capacity.ts';

const smol = { layers: 30, kvHeads: 3, keyLength: 64, valueLength: 64, trainedContext: 8192 };
const plan = (changes: Partial<CapacityRequest>): Capacity =>
  planCapacity({
    shape: smol,
    freeBytes: 16e9,
    slots: null,
    context: null,
    maxSlots: 256,
    ...changes,
  });
const sizes = (capacity: Capacity) =>
  capacity.fits ? { slots: capacity.slots, context: capacity.context } : null;

const refusal = (capacity: Capacity): string => (capacity.fits ? 'it fits' : capacity.message);

test('a token costs 34 bytes for 32 elements in Q8_0 and 2 bytes an element in F16', () => {
  assert.equal(kvBytesPerToken(smol, 'q8_0'), (30 * 3 * 128 * 34) / 32);
  assert.equal(kvBytesPerToken(smol, 'f16'), 30 * 3 * 128 * 2);
  assert.equal(chooseKvType(smol), 'q8_0');
  assert.equal(chooseKvType({ ...smol, valueLength: 80 }), 'f16');
});

test('with plenty of memory it is 8 slots of the trained context', () => {
  assert.deepEqual(plan({}), {
    fits: true,
    slots: 8,
    context: 8192,
    kvType: 'q8_0',
    kvBytes: 8 * 8192 * 12240,
  });
});

test('short of memory the context shrinks to 4096 first, then slots go, down to one', () => {
  assert.deepEqual(sizes(plan({ freeBytes: 1.2e9 })), { slots: 8, context: 5888 });
  assert.deepEqual(sizes(plan({ freeBytes: 0.75e9 })), { slots: 7, context: 4352 });
  assert.deepEqual(sizes(plan({ freeBytes: 0.1e9 })), { slots: 1, context: 3840 });
});

test('no plan takes more than half of the memory unasked', () => {
  for (let freeBytes = 20e6; freeBytes < 3e9; freeBytes += 37e6) {
    const capacity = plan({ freeBytes });
    assert.ok(capacity.fits, String(freeBytes));
    assert.ok(capacity.kvBytes <= freeBytes / 2);
  }
});

test('what is asked for is kept, up to 90% of the memory', () => {
  assert.deepEqual(sizes(plan({ slots: 16, context: 1000 })), { slots: 16, context: 1000 });
  assert.deepEqual(sizes(plan({ slots: 2 })), { slots: 2, context: 8192 });
  assert.deepEqual(sizes(plan({ context: 8192, freeBytes: 0.5e9 })), { slots: 2, context: 8192 });
  assert.deepEqual(sizes(plan({ slots: 8, context: 8192, freeBytes: 0.9e9 })), {
    slots: 8,
    context: 8192,
  });
});

test('what does not fit is refused with the sums', () => {
  assert.match(
    refusal(plan({ slots: 8, context: 8192, freeBytes: 0.5e9 })),
    /^8 slots of 8192 tokens need 802 MB .* 500 MB of memory are free.* could hold 36608 tokens/,
  );
  assert.match(refusal(plan({ freeBytes: 1e6 })), /^1 slot of 512 tokens need 6 MB/);
  assert.match(refusal(plan({ context: 9000 })), /context: 9000 tokens is beyond the 8192/);
  assert.match(refusal(plan({ slots: 300 })), /slots: 300 is outside 1..256/);
});

test('a context that is no multiple of the library’s step is paid for in full steps', () => {
  const capacity = plan({ slots: 1, context: 257 });
  assert.ok(capacity.fits);
  assert.equal(capacity.kvBytes, 512 * 12240);
});
