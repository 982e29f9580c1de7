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

test('a token costs 34 bytes for 32 elements in Q8_0, 2 bytes an element in F16', () => {
  assert.equal(kvBytesPerToken(smol, 'q8_0/f16'), 30 * 3 * ((64 * 34) / 32 + 64 * 2));
  assert.equal(kvBytesPerToken(smol, 'f16/f16'), 30 * 3 * 128 * 2);
  assert.equal(chooseKvType(smol), 'q8_0/f16');
  assert.equal(chooseKvType({ ...smol, keyLength: 80 }), 'f16/f16');
});

test('with plenty of memory it is 8 slots of the trained context', () => {
  assert.deepEqual(plan({}), {
    fits: true,
    slots: 8,
    context: 8192,
    kvType: 'q8_0/f16',
    kvBytes: 8 * 8192 * 17640,
    keepWholeWindow: true,
  });
});

test('short of memory the context shrinks to 4096 first, then slots go, down to one', () => {
  assert.deepEqual(sizes(plan({ freeBytes: 1.73e9 })), { slots: 8, context: 5888 });
  assert.deepEqual(sizes(plan({ freeBytes: 1.081e9 })), { slots: 7, context: 4352 });
  assert.deepEqual(sizes(plan({ freeBytes: 0.1442e9 })), { slots: 1, context: 3840 });
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
  assert.deepEqual(sizes(plan({ context: 8192, freeBytes: 0.7e9 })), { slots: 2, context: 8192 });
  assert.deepEqual(sizes(plan({ slots: 8, context: 8192, freeBytes: 1.3e9 })), {
    slots: 8,
    context: 8192,
  });
});

test('what does not fit is refused with the sums', () => {
  assert.match(
    refusal(plan({ slots: 8, context: 8192, freeBytes: 0.5e9 })),
    /^8 slots of 8192 tokens need 1156 MB .* 500 MB of memory are free.* could hold 25344 tokens/,
  );
  assert.match(refusal(plan({ freeBytes: 1e6 })), /^1 slot of 512 tokens need 9 MB/);
  assert.match(refusal(plan({ context: 9000 })), /context: 9000 tokens is beyond the 8192/);
  assert.match(refusal(plan({ slots: 300 })), /slots: 300 is outside 1..256/);
});

test('a context that is no multiple of the library’s step is paid for in full steps', () => {
  const capacity = plan({ slots: 1, context: 257 });
  assert.ok(capacity.fits);
  assert.equal(capacity.kvBytes, 512 * 17640);
});

const windowed = { perToken: 1000, window: { tokens: 512, perToken: 5000 }, perSlot: 0 };

test('layers with a window keep everything where memory allows it, and are counted', () => {
  const roomy = plan({ cost: windowed, slots: 4, context: 4096 });
  assert.ok(roomy.fits && roomy.keepWholeWindow);
  assert.equal(roomy.kvBytes, 4 * 4096 * 6000);
  const tight = plan({ cost: windowed, slots: 4, context: 4096, freeBytes: 80e6 });
  assert.ok(tight.fits && !tight.keepWholeWindow);
  assert.equal(tight.kvBytes, 4 * (4096 * 1000 + 1024 * 5000));
  assert.match(
    refusal(plan({ cost: windowed, slots: 4, context: 4096, freeBytes: 30e6 })),
    /4 slots of 4096 tokens need/,
  );
});

test('a whole window is given up before slots are, or a context of 4,096', () => {
  const free = (freeBytes: number): Capacity => plan({ cost: windowed, freeBytes });
  const kept = free(2 * 8 * 4096 * 6000);
  assert.ok(kept.fits && kept.keepWholeWindow);
  assert.deepEqual(sizes(kept), { slots: 8, context: 4096 });
  const given = free(2 * 8 * 4096 * 6000 - 1);
  assert.ok(given.fits && !given.keepWholeWindow);
  assert.deepEqual(sizes(given), { slots: 8, context: 8192 });
  for (let bytes = 20e6; bytes < 1e9; bytes *= 1.3) {
    const capacity = free(bytes);
    assert.ok(!capacity.fits || capacity.kvBytes <= bytes / 2, `${bytes} bytes`);
  }
});

test('a recurrent model pays for slots and not for tokens', () => {
  const recurrent = { perToken: 0, window: null, perSlot: 10e6 };
  const capacity = plan({ cost: recurrent, freeBytes: 200e6 });
  assert.ok(capacity.fits);
  assert.deepEqual(sizes(capacity), { slots: 8, context: 8192 });
  assert.equal(capacity.kvBytes, 80e6);
  assert.deepEqual(sizes(plan({ cost: recurrent, freeBytes: 50e6 })), { slots: 2, context: 8192 });
  assert.match(
    refusal(plan({ cost: recurrent, freeBytes: 50e6, slots: 6 })),
    /ask for fewer slots/,
  );
});
