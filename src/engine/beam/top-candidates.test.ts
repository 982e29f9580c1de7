import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createRandom } from '../../../test/support/random-numbers.ts';
import { topCandidates } from './top-candidates.ts';

test('the best allowed tokens of random rows, scored by the whole row', () => {
  const random = createRandom(5);
  for (let round = 0; round < 500; round++) {
    const grain = random() < 0.5 ? 0 : 0.5;
    const row = Float32Array.from({ length: 1 + Math.floor(random() * 40) }, () => {
      const logit = 20 * random() - 10;
      return random() < 0.05 ? -Infinity : grain === 0 ? logit : Math.round(logit / grain) * grain;
    });
    row[0] = 1;
    const banned = new Set([...row.keys()].filter(() => random() < 0.3));
    const count = Math.floor(random() * 12);
    const whole = Math.log(row.reduce((sum, logit) => sum + Math.exp(logit), 0));
    const wanted = [...row.keys()]
      .filter((token) => !banned.has(token) && row[token]! > -Infinity)
      .toSorted((one, other) => row[other]! - row[one]! || one - other)
      .slice(0, count);
    const isAllowed = (token: number): boolean => !banned.has(token);
    const got = topCandidates(row, count, banned.size === 0 ? null : isAllowed);
    assert.deepEqual(
      got.map(({ token }) => token),
      wanted,
    );
    for (const { token, logprob } of got) {
      assert.ok(Math.abs(logprob - (row[token]! - whole)) < 1e-12 && logprob <= 0);
    }
  }
});

test('a row without a usable number is an error, a row without an allowed one is not', () => {
  const broken = [[1, NaN, 2], [NaN], [1, Infinity], [-Infinity, -Infinity], []];
  for (const row of broken) {
    assert.throws(() => topCandidates(Float32Array.from(row), 2, null), { reason: 'internal' });
  }
  assert.deepEqual(
    topCandidates(Float32Array.from([1, 2]), 2, () => false),
    [],
  );
});
