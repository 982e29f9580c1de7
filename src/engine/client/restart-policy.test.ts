import assert from 'node:assert/strict';
import { test } from 'node:test';

import { planRestart } from './restart-policy.ts';

test('the first crash is answered at once, crashes in a row ever later', () => {
  const delays = [1, 2, 3, 4, 50].map((recentCrashes) =>
    planRestart({ failedLoads: 0, recentCrashes }),
  );
  assert.deepEqual(delays, [0, 250, 500, 1000, 10_000]);
});

test('a model that does not load is tried three times', () => {
  const delays = [1, 2, 3].map((failedLoads) => planRestart({ failedLoads, recentCrashes: 1 }));
  assert.deepEqual(delays, [500, 1000, null]);
});
