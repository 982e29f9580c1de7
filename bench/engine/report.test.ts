import assert from 'node:assert/strict';
import { test } from 'node:test';

import { rowToMarkdown, type RowReport } from './report.ts';

const row: RowReport = {
  name: 'decode',
  title: 'Decode',
  about: 'What is done.',
  date: '2026-11-21T20:00',
  runs: 3,
  quick: false,
  threads: 2,
  othersCores: [0.01, 0.2, 0.05],
  failed: null,
  seconds: 1,
  notes: ['A note.'],
  figures: [
    {
      label: 'one stream',
      unit: 'tok/s',
      goal: { of: 'ratio', bound: 'at least', value: 1 },
      values: { ours: [150, 90, 120], theirs: [100, 100, 100] },
    },
  ],
};

test('a row shows medians with their spread, the ratio, the goal and whether it is met', () => {
  const text = rowToMarkdown(row);
  assert.match(
    text,
    /^\| one stream \(tok\/s\) \| 120 \(90\.0–150\) \| 100 \(100–100\) \| 1\.20 \| at least 1\.0x \| yes \|$/m,
  );
  assert.match(text, /3 runs, 2 threads; others took 0\.05 cores meanwhile, at most 0\.20\./);
  assert.match(text, /^- A note\.$/m);
});

test('a row that failed says why and shows no table', () => {
  const text = rowToMarkdown({ ...row, figures: [], notes: [], failed: 'no such option' });
  assert.match(text, /Not measured: no such option/);
  assert.doesNotMatch(text, /\|/);
});
