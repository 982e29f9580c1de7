/** The meter's sums, the line's looks, and when the writer writes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createProgressWriter, renderProgressLine } from './progress-line.ts';
import { emptyMeter, stepMeter, type Progress } from './progress.ts';

const half: Progress = {
  source: 'Hugging Face',
  phase: 'download',
  bytes: 49_200_000,
  totalBytes: 98_400_000,
  bytesPerSecond: 12_300_000,
  etaSeconds: 4,
};

test('a line has source, bar, percent, bytes, speed and time left', () => {
  assert.equal(
    renderProgressLine(half, 90),
    'Hugging Face  [###############...............]  50%  49.2/98.4 MB  12.3 MB/s  4 s left',
  );
});

test('a line fits into a narrow terminal', () => {
  for (const columns of [20, 40, 60, 79]) {
    assert.ok(renderProgressLine(half, columns).length <= columns);
  }
});

test('a line without a total has neither bar nor percent', () => {
  const progress = { ...half, totalBytes: null, etaSeconds: null, phase: 'unpack' } as const;
  assert.equal(renderProgressLine(progress, 80), 'Hugging Face, unpacking  49.2 MB  12.3 MB/s');
});

test('long waits are told in minutes and hours', () => {
  assert.match(renderProgressLine({ ...half, etaSeconds: 135 }, 90), /2 min 15 s left$/);
  assert.match(renderProgressLine({ ...half, etaSeconds: 7300 }, 90), /2 h 1 min left$/);
});

test('the meter gives speed and time left over the last seconds', () => {
  const first = stepMeter(emptyMeter, { ms: 0, bytes: 1000, totalBytes: 9000 });
  assert.deepEqual(first.rate, { bytesPerSecond: 0, etaSeconds: null });
  const second = stepMeter(first.state, { ms: 2000, bytes: 5000, totalBytes: 9000 });
  assert.deepEqual(second.rate, { bytesPerSecond: 2000, etaSeconds: 2 });
});

test('the meter holds back what comes too fast, but never the end', () => {
  const first = stepMeter(emptyMeter, { ms: 0, bytes: 0, totalBytes: 10 });
  assert.equal(stepMeter(first.state, { ms: 50, bytes: 5, totalBytes: 10 }).rate, null);
  assert.notEqual(stepMeter(first.state, { ms: 50, bytes: 10, totalBytes: 10 }).rate, null);
});

test('a log gets a line for each tenth, a terminal one that is rewritten', () => {
  const lines: string[] = [];
  const log = createProgressWriter({ write: (text) => lines.push(text) }, () => 0);
  for (let percent = 0; percent <= 100; percent++) {
    log.update({ ...half, bytes: percent, totalBytes: 100 });
  }
  log.done();
  assert.equal(lines.length, 11);
  const drawn: string[] = [];
  const terminal = createProgressWriter({
    isTTY: true,
    columns: 60,
    write: (text) => drawn.push(text),
  });
  terminal.update(half);
  terminal.done();
  terminal.done();
  assert.equal(drawn.length, 2);
  assert.ok(drawn[0]?.startsWith('\r'));
  assert.equal(drawn[1], '\n');
});
