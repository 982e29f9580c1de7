import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseAvailable, parseGroupFree, readFreeMemory } from './free-memory.ts';

test('MemAvailable is read in bytes', () => {
  assert.equal(parseAvailable('MemTotal: 9 kB\nMemAvailable:   1024 kB\n'), 1048576);
  assert.equal(parseAvailable('MemTotal: 9 kB\n'), null);
  assert.equal(parseAvailable(null), null);
});

test('a control group leaves its limit less what cannot be reclaimed', () => {
  assert.equal(parseGroupFree('1000\n', '600\n', 'anon 3\ninactive_file 200\n'), 600);
  assert.equal(parseGroupFree('1000', '600', 'total_inactive_file 100\n'), 500);
  assert.equal(parseGroupFree('1000', null, null), 1000);
});

test('no limit is no number', () => {
  assert.equal(parseGroupFree('max\n', '600', null), null);
  assert.equal(parseGroupFree('9223372036854771712', '600', null), null);
  assert.equal(parseGroupFree(null, null, null), null);
});

test('this machine has some memory', () => {
  assert.ok(readFreeMemory() > 1e6);
});
