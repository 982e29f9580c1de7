import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { ParlanceError } from '../../contract/errors.ts';
import type { ConstraintSpec } from '../spec.ts';
import type { Verdict } from './verdict.ts';
import { createVerifier } from './verifier.ts';

const json = (schema: unknown): ConstraintSpec => ({
  kind: 'json',
  schema: JSON.stringify(schema),
  whitespace: null,
});

const verifier = createVerifier({ milliseconds: 60_000 });
after(() => verifier.close());

const hasReason =
  (reason: string) =>
  (error: unknown): boolean =>
    error instanceof ParlanceError && error.reason === reason;

test('texts of every kind of constraint are judged, several at once', async () => {
  const verdicts = await Promise.all([
    verifier.verify(json({ type: 'integer' }), '5'),
    verifier.verify(json({ type: 'integer' }), '5.5'),
    verifier.verify({ kind: 'choice', options: ['yes', 'no'] }, 'no'),
    verifier.verify({ kind: 'choice', options: ['yes', 'no'] }, 'n'),
    verifier.verify({ kind: 'regex', pattern: 'a+b' }, 'aab'),
    verifier.verify({ kind: 'regex', pattern: 'a+b' }, 'aac'),
  ]);
  assert.deepEqual(
    verdicts.map(({ ok }) => ok),
    [true, false, true, false, true, false],
  );
  assert.match(JSON.stringify(verdicts[5]), /byte 2/);
});

test('a constraint that is refused rejects', async () => {
  await assert.rejects(
    verifier.verify(json({ type: 'any' }), '5'),
    (error) =>
      hasReason('invalid_constraint')(error) && (error as ParlanceError).keyword === 'type',
  );
  assert.deepEqual(await verifier.verify(json({ type: 'null' }), 'null'), { ok: true });
});

test('a text that takes too long is no good, and the next is judged', async () => {
  const hasty = createVerifier({ milliseconds: 0 });
  const verdict = await hasty.verify(json({ type: 'integer' }), '5');
  assert.equal(verdict.ok, false);
  assert.match(JSON.stringify(verdict), /takes longer than 0 ms/);
  const second = await hasty.verify(json({ type: 'integer' }), '5');
  assert.match(JSON.stringify(second), /takes longer than 0 ms/);
  await hasty.close();
});

test('after closing nothing is judged', async () => {
  const closed = createVerifier();
  const waiting = assert.rejects(closed.verify(json({}), '1'), hasReason('shutting_down'));
  await closed.close();
  await waiting;
  await assert.rejects(closed.verify(json({}), '1'), hasReason('shutting_down'));
});

const silent = new URL('./silent-worker.test-support.ts', import.meta.url);
const any: ConstraintSpec = { kind: 'text' };
const threadOf = (verdict: Verdict): string => (verdict.ok ? '' : verdict.keyword);

test('a text that takes long keeps nobody else waiting', async () => {
  const two = createVerifier({ milliseconds: 60_000, patience: 0, module: silent });
  const settled: string[] = [];
  const slow = two.verify(any, 'never').finally(() => settled.push('slow'));
  const rejected = assert.rejects(slow, hasReason('shutting_down'));
  const threads = await Promise.all(
    ['a', 'b', 'c'].map(async (text) => threadOf(await two.verify(any, text))),
  );
  assert.equal(new Set(threads).size, 1);
  // The second thread stays while the first is busy.
  assert.equal(threadOf(await two.verify(any, 'd')), threads[0]);
  assert.deepEqual(settled, []);
  await two.close();
  await rejected;
});

test('while no text takes long, one thread judges them all', async () => {
  const patient = createVerifier({ milliseconds: 60_000, patience: 60_000, module: silent });
  const verdicts = await Promise.all(['a', 'b', 'c'].map((text) => patient.verify(any, text)));
  const threads = verdicts.map(threadOf);
  assert.equal(new Set(threads).size, 1);
  assert.equal(threadOf(await patient.verify(any, 'd')), threads[0]);
  await patient.close();
});

test('closing ends what runs in either thread and what waits', async () => {
  const two = createVerifier({ milliseconds: 60_000, patience: 0, module: silent });
  const reject = (text: string): Promise<void> =>
    assert.rejects(two.verify(any, text), hasReason('shutting_down'));
  const first = reject('never');
  // A second thread is there when this is judged.
  await two.verify(any, 'a');
  const others = [reject('never'), reject('b')];
  await two.close();
  await Promise.all([first, ...others]);
});
