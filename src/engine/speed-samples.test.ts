import assert from 'node:assert/strict';
import { test } from 'node:test';

import { toSpeeds, wantedSamples, type SpeedSample } from './speed-samples.ts';

const sample = (part: Partial<SpeedSample>): SpeedSample => ({
  file: 0,
  kind: 'prefill',
  tokens: 100,
  wallMs: 1000,
  cpuMs: 2000,
  ...part,
});

const both = (file: number, wallMs: number, cpuMs = 2 * wallMs): SpeedSample[] =>
  (['prefill', 'decode'] as const).flatMap((kind) =>
    Array.from({ length: wantedSamples }, () => sample({ file, kind, wallMs, cpuMs })),
  );

test('the fastest undisturbed pass counts, for each file and kind', () => {
  const samples = [...both(0, 1000), ...both(1, 500), sample({ wallMs: 800, cpuMs: 1600 })];
  assert.deepEqual(toSpeeds(samples, 2, 2), [
    { prefill: 125, decode: 100 },
    { prefill: 200, decode: 200 },
  ]);
});

test('a pass that lost its cores does not count, however fast it seems', () => {
  const disturbed = sample({ wallMs: 100, cpuMs: 160 });
  assert.deepEqual(toSpeeds([...both(0, 1000), disturbed], 1, 2), [{ prefill: 100, decode: 100 }]);
});

test('without enough undisturbed passes of each kind there is no figure', () => {
  assert.deepEqual(toSpeeds([], 1, 2), [null]);
  assert.deepEqual(toSpeeds(both(0, 1000, 1500), 1, 2), [null]);
  const noText = both(0, 1000).filter(({ kind }) => kind === 'prefill');
  assert.deepEqual(toSpeeds(noText, 1, 2), [null]);
  assert.deepEqual(toSpeeds(both(0, 1000).slice(1), 1, 2), [null]);
  assert.deepEqual(toSpeeds(both(1, 1000), 2, 2), [null, { prefill: 100, decode: 100 }]);
});
