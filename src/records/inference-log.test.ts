/** The way of inferences to the table, with a table that can fail and timers that tests turn. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';

import { createLog, type Inference } from '../telemetry/index.ts';
import { InferenceLog } from './inference-log.ts';
import { inference } from './inference.test-support.ts';

const dayMs = 24 * 60 * 60_000;
// In a describe: the hooks of a file's root hold for all files of the same process.
describe('the way of inferences to the table', () => {
  let open: InferenceLog | null = null;
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval'] }));
  afterEach(async () => {
    mock.timers.reset();
    await open?.stop();
  });

  function start(days = 30, old = 0) {
    const written: Inference[] = [];
    const batches: number[] = [];
    const lines: string[] = [];
    const removals: number[] = [];
    const state = { broken: false, old, beforeWrite: () => {} };
    const log = new InferenceLog({
      days,
      now: () => 100 * dayMs,
      log: createLog('info', {
        write: (line) => void lines.push((JSON.parse(line) as { msg: string }).msg),
      }),
      records: {
        async insert(rows) {
          await turn();
          state.beforeWrite();
          if (state.broken) throw new Error('the disk is full');
          batches.push(rows.length);
          written.push(...rows);
        },
        async removeBefore(time, most) {
          removals.push(time);
          if (state.broken) throw new Error('the disk is full');
          const many = Math.min(most, state.old);
          state.old -= many;
          return many;
        },
      },
    });
    open = log;
    const add = (from: number, to: number): void => {
      for (let number = from; number < to; number += 1) log.add(inference(number));
    };
    return { log, add, written, batches, lines, removals, state };
  }

  const turn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));
  const turns = async (many = 40): Promise<void> => {
    for (let count = 0; count < many; count += 1) await turn();
  };

  test('a few are written together, a second after the first', async () => {
    const { log, add, batches, written } = start();
    add(0, 3);
    mock.timers.tick(999);
    await turns();
    assert.deepEqual([batches, log.counts.waiting], [[], 3]);
    mock.timers.tick(1);
    await turns();
    assert.deepEqual(batches, [3]);
    assert.deepEqual(
      written.map(({ id }) => id),
      ['i0', 'i1', 'i2'],
    );
    assert.deepEqual(log.counts, { waiting: 0, written: 3, dropped: 0, failures: 0 });
  });

  test('many are written at once, in small pieces and in their order', async () => {
    const { log, add, batches, written } = start();
    add(0, 256);
    assert.deepEqual(batches, []);
    await turns();
    assert.deepEqual(batches, [64, 64, 64, 64]);
    assert.deepEqual(
      written,
      [...Array(256).keys()].map((number) => inference(number)),
    );
    assert.equal(log.counts.written, 256);
  });

  test('a failing store is said once, tried again each second, and loses nothing', async () => {
    const { log, add, written, lines, state } = start();
    await turns();
    state.broken = true;
    add(0, 300);
    for (let second = 0; second < 3; second += 1) {
      mock.timers.tick(1000);
      await turns();
    }
    assert.ok(log.counts.failures >= 3);
    assert.equal(log.counts.waiting, 300);
    assert.deepEqual(lines, ['inferences cannot be recorded; they are kept and tried again']);
    state.broken = false;
    mock.timers.tick(1000);
    await turns();
    assert.equal(written.length, 300);
    assert.equal(lines.length, 2);
    assert.match(lines[1] ?? '', /recorded again/);
  });

  test('no more than 10,000 wait: the oldest go, and are counted', async () => {
    const { log, add, written, state } = start();
    await turns();
    state.broken = true;
    add(0, 10_250);
    await turns();
    assert.deepEqual([log.counts.waiting, log.counts.dropped], [10_000, 250]);
    state.broken = false;
    mock.timers.tick(1000);
    await turns(1000);
    assert.equal(written.length, 10_000);
    assert.deepEqual([written[0]?.id, written.at(-1)?.id], ['i250', 'i10249']);
  });

  test('what is dropped while it is written is neither written twice nor left out', async () => {
    const { log, add, written, state } = start();
    add(0, 10_000);
    let first = true;
    state.beforeWrite = () => {
      if (first) add(10_000, 10_010);
      first = false;
    };
    await turns(1000);
    assert.deepEqual(
      written.map(({ id }) => id),
      [...Array(10_010).keys()].map((number) => `i${number}`),
    );
    assert.equal(log.counts.waiting, 0);
  });

  test('at the end all that waits is written, and nothing more is taken', async () => {
    const { log, add, written } = start();
    add(0, 100);
    await log.stop();
    assert.equal(written.length, 100);
    add(100, 200);
    await log.stop();
    assert.equal(log.counts.waiting, 0);
    assert.equal(written.length, 100);
  });

  test('at the end a store that stays broken is given up, and that is said', async () => {
    const { log, add, lines, state } = start();
    await turns();
    mock.timers.reset();
    state.broken = true;
    add(0, 5);
    await log.stop();
    assert.deepEqual([log.counts.waiting, log.counts.dropped], [0, 5]);
    assert.equal(lines.at(-1), 'records of inferences are lost');
  });

  test('the old ones are removed at the start and every hour, until none is left', async () => {
    const { removals } = start(30, 1200);
    await turns();
    assert.deepEqual(removals, [70 * dayMs, 70 * dayMs, 70 * dayMs, 70 * dayMs]);
    mock.timers.tick(60 * 60_000);
    await turns();
    assert.equal(removals.length, 5);
  });

  test('with 0 days nothing is written, and what is there goes', async () => {
    const { log, add, written, removals } = start(0);
    add(0, 300);
    await log.stop();
    assert.deepEqual([written, removals[0]], [[], 100 * dayMs]);
  });
});
