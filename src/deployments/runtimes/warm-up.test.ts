import assert from 'node:assert/strict';
import { test } from 'node:test';

import { warmWhenQuiet } from './warm-up.ts';

test('warms once, when nothing was asked for a while', (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  let load = { running: 1, waiting: 0 };
  let count = 0;
  warmWhenQuiet(
    () => load,
    () => {
      count += 1;
    },
  );
  context.mock.timers.tick(3000);
  assert.equal(count, 0);
  load = { running: 0, waiting: 0 };
  context.mock.timers.tick(29_999);
  assert.equal(count, 0);
  context.mock.timers.tick(1);
  assert.equal(count, 1);
  context.mock.timers.tick(10_000);
  assert.equal(count, 1);
});

test('a model that is stopped before warms nothing', (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const stop = warmWhenQuiet(
    () => ({ running: 0, waiting: 0 }),
    () => assert.fail('it was warmed'),
  );
  stop();
  context.mock.timers.tick(60_000);
});
