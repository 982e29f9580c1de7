import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { ParlanceError } from '../../contract/errors.ts';
import type { ConstraintSession } from './constraint-session.ts';
import { createConstraints } from './create-constraints.ts';
import { createDice, wordVocabulary } from './small-machines.test-support.ts';

const vocabulary = wordVocabulary(createDice(1), 60);
const [a = 0] = vocabulary.tokenize('a', false);
const [b = 0] = vocabulary.tokenize('b', false);
const [c = 0] = vocabulary.tokenize('c', false);
const constraints = createConstraints({
  vocabulary,
  limits: { compileMilliseconds: 600, kept: 100_000 },
  module: new URL('./fake-lane.test-support.ts', import.meta.url),
});
after(() => constraints.close());

const named = (text: string) => ({ kind: 'literal', text }) as const;

async function open(text: string): Promise<ConstraintSession> {
  const prepared = await constraints.prepare(named(text));
  const session = prepared.open();
  prepared.release();
  return session;
}

const longest = 20_000;

/** Takes tokens one by one, forced ones between them, and checks the masks. */
function follow(session: ConstraintSession, tokens: readonly number[]): void {
  for (const token of tokens) {
    assert.ok(session.wait(longest));
    const { view } = session;
    assert.deepEqual(view.forced, []);
    assert.ok(allows(session, token), `token ${token}`);
    session.take([token]);
  }
  assert.ok(session.wait(longest));
}

const allows = (session: ConstraintSession, token: number): boolean =>
  (((session.view.mask(0)[token >> 5] ?? 0) >>> (token & 31)) & 1) === 1;

test('a text is followed through its lane: masks, forced tokens, drafts, and back', async () => {
  const session = await open('plain');
  assert.ok(session.wait(longest));
  assert.equal(session.ready, true);
  assert.equal(session.view.complete, true);
  assert.deepEqual(session.view.forced, []);
  session.take([a]);
  assert.ok(session.wait(longest));
  assert.deepEqual(
    [allows(session, a), allows(session, b), allows(session, c)],
    [false, true, true],
  );
  session.look([b, a, b, b]);
  assert.ok(session.wait(longest));
  assert.equal(session.view.drafts, 3);
  session.take([b, a, c]);
  session.rewind(2);
  assert.ok(session.wait(longest));
  assert.deepEqual([session.view.complete, session.view.forced], [true, []]);
  session.close();
});

test('forced tokens come back with the answer, tokenised by the engine’s thread', async () => {
  const [d = 0] = vocabulary.tokenize('d', false);
  const session = await open('forced');
  for (let time = 0; time < 2; time += 1) {
    assert.ok(session.wait(longest));
    const { forced } = session.view;
    const text = forced.map((token) => Buffer.from(vocabulary.piece(token, false)).toString());
    assert.ok('dddddddddd'.startsWith(text.join('')) && text.length > 0, text.join('|'));
    const left = 10 - text.join('').length;
    session.take([...Array.from({ length: left }, () => d), a]);
  }
  session.close();
});

test('texts of several requests go on in turn', async () => {
  const sessions = await Promise.all(['one', 'two', 'three'].map((name) => open(name)));
  for (let i = 0; i < 30; i += 1) {
    for (const session of sessions) {
      assert.ok(session.wait(longest));
      session.take([i % 2 === 0 ? a : b]);
    }
  }
  for (const session of sessions) {
    assert.ok(session.wait(longest));
    assert.equal(session.view.complete, true);
    session.close();
  }
});

test('a spec that is refused says what is wrong with it, each time', async () => {
  for (let time = 0; time < 2; time += 1) {
    await assert.rejects(constraints.prepare(named('refused')), (error) => {
      assert.ok(error instanceof ParlanceError);
      assert.deepEqual([error.reason, error.keyword], ['invalid_constraint', 'not']);
      return true;
    });
  }
  await assert.rejects(constraints.prepare(named('large')), { keyword: 'maxItems' });
});

test('a spec that never ends is refused with what it was busy with, and texts go on', async () => {
  const session = await open('plain');
  const bombs = ['endless 1', 'endless 2'].map((name) => constraints.prepare(named(name)));
  const refused = Promise.allSettled(bombs);
  const bombing = { over: false };
  void refused.finally(() => {
    bombing.over = true;
  });
  let answered = 0;
  while (!bombing.over) {
    session.take([answered % 2 === 0 ? a : b]);
    assert.ok(session.wait(longest));
    answered += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  // The bombs take the time that they are given; a text that waited for one had no turns.
  assert.ok(answered > 50, `${answered} answers meanwhile`);
  for (const result of await refused) {
    assert.equal(result.status, 'rejected');
    const error: unknown = result.status === 'rejected' ? result.reason : null;
    assert.ok(error instanceof ParlanceError);
    assert.deepEqual([error.reason, error.keyword], ['invalid_constraint', 'allOf']);
  }
  session.close();
});

test('a spec that ends its lane is refused, and the next one finds another', async () => {
  await assert.rejects(constraints.prepare(named('exits')), { reason: 'constraint_not_met' });
  const session = await open('plain');
  follow(session, [a, b]);
  session.close();
});

test('a text that gets stuck fails with its lane; heavy specs have lanes of their own', async () => {
  const light = await open('plain');
  follow(light, [a]);
  const stuck = await open('heavy stuck');
  const other = await open('heavy other');
  for (let turn = 0; turn < 1e7 && !stuck.ready; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.throws(() => stuck.view, { reason: 'constraint_not_met' });
  follow(light, [b, a]);
  follow(other, [a, b]);
  light.close();
  other.close();
  stuck.close();
});

test('a lane that is ended takes its texts with it and starts again', async () => {
  const second = await open('plain');
  assert.ok(second.wait(longest));
  const first = await open('stuck');
  for (let turn = 0; turn < 1e7 && !first.ready; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.throws(() => first.view, { reason: 'constraint_not_met' });
  assert.throws(() => second.view, { reason: 'constraint_not_met' });
  const third = await open('plain');
  follow(third, [a, c]);
  for (const session of [first, second, third]) session.close();
});

test('what is not there is not read, and what is closed takes nothing', async () => {
  const session = await open('plain');
  session.close();
  session.close();
  assert.throws(() => session.view, { reason: 'internal' });
  assert.throws(() => session.take([a]), { reason: 'internal' });
});

test('what is made before the first constraint harms nothing, asked twice or closed meanwhile', async () => {
  await Promise.all([constraints.warm(), constraints.warm()]);
  const session = await open('warm');
  assert.ok(session.wait(longest));
  session.close();
  const other = createConstraints({
    vocabulary,
    module: new URL('./fake-lane.test-support.ts', import.meta.url),
  });
  const warming = other.warm();
  await other.close();
  await assert.rejects(warming, { reason: 'internal' });
});
