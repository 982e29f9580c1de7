import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { ParlanceError } from '../../contract/errors.ts';
import type { ConstraintSpec } from '../spec.ts';
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
