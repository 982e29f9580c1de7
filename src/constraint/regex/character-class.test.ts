import assert from 'node:assert/strict';
import { test } from 'node:test';

import { internClass } from './character-class.ts';

const flags = (bits: number): Uint8Array =>
  Uint8Array.from({ length: 128 }, (_, place) => (bits >>> (place % 20)) & 1);

test('classes are the same for the same flags; there are never too many, and each is right', () => {
  const first = internClass(flags(1), true);
  assert.equal(internClass(flags(1), true), first);
  assert.notEqual(internClass(flags(1), false), first);
  for (let bits = 2; bits < 6000; bits += 1) internClass(flags(bits), true);
  const again = internClass(flags(1), true);
  assert.notEqual(again, first, 'it was forgotten');
  assert.deepEqual(again, first);
  assert.equal(internClass(flags(1), true), again);
});
