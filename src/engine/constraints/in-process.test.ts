import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Machine } from '../../constraint/index.ts';
import type { Vocabulary } from '../llama/decoder.ts';
import type { ConstraintSession, ConstraintView } from './constraint-session.ts';
import { inProcessConstraints } from './in-process.ts';
import {
  allowedTokens,
  createDice,
  machineOf,
  patternMachine,
  randomPattern,
  wordVocabulary,
  type Dice,
} from './small-machines.test-support.ts';

const spec = { kind: 'text' } as const;

async function open(vocabulary: Vocabulary, machine: Machine): Promise<ConstraintSession> {
  const constraints = inProcessConstraints({ vocabulary, compile: () => machine });
  return (await constraints.prepare(spec)).open();
}

/** The state that the tokens lead to. */
function stateAfter(vocabulary: Vocabulary, machine: Machine, tokens: readonly number[]): object {
  let state: object = machine.start;
  for (const token of tokens) {
    for (const byte of vocabulary.piece(token, false)) {
      state = machine.step(state, byte) ?? assert.fail('a refused byte was taken');
    }
  }
  return state;
}

function checkView(
  vocabulary: Vocabulary,
  machine: Machine,
  tokens: readonly number[],
  view: ConstraintView,
): void {
  const state = stateAfter(vocabulary, machine, tokens);
  const expected = allowedTokens(vocabulary, machine, state);
  assert.deepEqual(maskTokens(view.mask(0)), expected);
  assert.equal(view.complete, machine.accepts(state));
  assert.equal(view.dead, expected.length === 0);
  assert.equal(view.ended, view.complete && expected.every((id) => vocabulary.eosIds.includes(id)));
  assert.equal(view.risky, machine.risky(state));
}

function maskTokens(mask: Uint32Array): number[] {
  return Array.from({ length: mask.length * 32 }, (_, id) => id).filter(
    (id) => (((mask[id >> 5] ?? 0) >>> (id & 31)) & 1) === 1,
  );
}

test('what is drawn under masks is accepted, whatever is drawn', async () => {
  let forced = 0;
  for (let seed = 1; seed <= 150; seed += 1) {
    const dice = createDice(seed);
    const vocabulary = wordVocabulary(dice, 80);
    const machine = patternMachine(randomPattern(dice));
    const session = await open(vocabulary, machine);
    const tokens: number[] = [];
    for (let step = 0; step < 40; step += 1) {
      const { view } = session;
      tokens.push(...view.forced);
      forced += view.forced.length;
      checkView(vocabulary, machine, tokens, view);
      const choices = maskTokens(view.mask(0));
      const token = dice.pick(choices);
      if (vocabulary.eosIds.includes(token)) {
        assert.ok(machine.accepts(stateAfter(vocabulary, machine, tokens)));
        break;
      }
      tokens.push(token);
      session.take([token]);
    }
  }
  assert.ok(forced > 100, `${forced} forced tokens`);
});

test('every text can be written as its tokeniser would write it', async () => {
  let healed = 0;
  for (let seed = 1; seed <= 300; seed += 1) {
    const dice = createDice(seed);
    const vocabulary = wordVocabulary(dice, 80);
    const machine = patternMachine(randomPattern(dice));
    const rest = vocabulary.tokenize(randomText(dice, machine), false);
    const session = await open(vocabulary, machine);
    while (rest.length > 0) {
      const { view } = session;
      const after = rest.splice(0, view.forced.length);
      assert.deepEqual(view.forced, after, `seed ${seed}`);
      const next = rest.shift();
      if (next === undefined) break;
      const choices = maskTokens(view.mask(0));
      assert.ok(choices.includes(next), `seed ${seed}: token ${next}`);
      if (choices.length > 1 && allBeginAlike(vocabulary, choices)) healed += 1;
      session.take([next]);
    }
  }
  assert.ok(healed > 50, `${healed} borders`);
});

const allBeginAlike = (vocabulary: Vocabulary, tokens: readonly number[]): boolean =>
  new Set(tokens.map((token) => vocabulary.piece(token, false)[0])).size === 1;

/** Some text that the machine accepts; the machines of patterns have no dead ends. */
function randomText(dice: Dice, machine: Machine): string {
  let state = machine.start;
  const bytes: number[] = [];
  for (;;) {
    if (machine.accepts(state) && dice.uniform() < 0.3) break;
    const choices = [97, 98, 99, 100, 32].filter((byte) => machine.step(state, byte) !== null);
    if (choices.length === 0) break;
    const byte = dice.pick(choices);
    bytes.push(byte);
    state = machine.step(state, byte) ?? assert.fail();
  }
  return String.fromCharCode(...bytes);
}

test('a session goes back as it came, over any number of tokens', async () => {
  const vocabulary = wordVocabulary(createDice(1), 60);
  // a, then b or c, again and again: one byte in two is forced.
  const machine = machineOf({ start: { a: 'odd' }, odd: { b: 'start', c: 'start' } }, ['start']);
  const session = await open(vocabulary, machine);
  const dice = createDice(2);
  let tokens: number[] = [];
  const views: [number, number[], boolean][] = [];
  for (let step = 0; step < 900; step += 1) {
    tokens.push(...session.view.forced);
    views.push([tokens.length, maskTokens(session.view.mask(0)), session.view.complete]);
    const choices = maskTokens(session.view.mask(0)).filter(
      (id) => !vocabulary.eosIds.includes(id),
    );
    const token = dice.pick(choices);
    tokens.push(token);
    session.take([token]);
  }
  tokens.push(...session.view.forced);
  for (const at of [899, 880, 700, 300, 299, 0]) {
    const [length, mask, complete] = views[at] ?? assert.fail();
    session.rewind(tokens.length - length);
    tokens = tokens.slice(0, length);
    const { view } = session;
    assert.deepEqual(view.forced, []);
    assert.deepEqual([maskTokens(view.mask(0)), view.complete], [mask, complete]);
  }
  session.rewind(tokens.length + 1);
  assert.throws(() => session.view, { reason: 'internal' });
});

test('a look gives the masks behind drafts, as far as what follows is drawn, and takes none', async () => {
  let stopped = 0;
  for (let seed = 1; seed <= 60; seed += 1) {
    const dice = createDice(seed);
    const vocabulary = wordVocabulary(dice, 60);
    const machine = patternMachine(randomPattern(dice));
    const session = await open(vocabulary, machine);
    const tokens = [...session.view.forced];
    /** Whether a token would be drawn after so many drafts that were taken without a look. */
    const drawnAfter = async (count: number): Promise<boolean> => {
      const other = await open(vocabulary, machine);
      other.take(drafts.slice(0, count));
      return other.view.forced.length === 0 && !other.view.ended;
    };
    const drafts: number[] = [];
    for (let i = 0; i < 20; i += 1) {
      const state = stateAfter(vocabulary, machine, [...tokens, ...drafts]);
      const choices = allowedTokens(vocabulary, machine, state).filter(
        (id) => !vocabulary.eosIds.includes(id),
      );
      if (choices.length === 0) break;
      drafts.push(dice.pick(choices));
    }
    const wrong = dice.uniform() < 0.5 ? dice.whole(0, drafts.length) : drafts.length;
    const empty = vocabulary.size - 1;
    session.look([...drafts.slice(0, wrong), empty, ...drafts.slice(wrong)]);
    const { view } = session;
    assert.deepEqual(view.forced, []);
    const most = Math.min(wrong, 16);
    assert.ok(view.drafts <= most);
    stopped += view.drafts < most ? 1 : 0;
    for (let count = 1; count <= Math.min(view.drafts + 1, most); count += 1) {
      assert.equal(await drawnAfter(count), count <= view.drafts);
    }
    for (let row = 0; row <= view.drafts; row += 1) {
      const state = stateAfter(vocabulary, machine, [...tokens, ...drafts.slice(0, row)]);
      assert.deepEqual(maskTokens(view.mask(row)), allowedTokens(vocabulary, machine, state));
    }
    const taken = drafts.slice(0, view.drafts);
    session.take(taken);
    tokens.push(...taken, ...session.view.forced);
    checkView(vocabulary, machine, tokens, session.view);
  }
  assert.ok(stopped > 10 && stopped < 60);
});

test('an end token ends the text where it may, and can be taken back', async () => {
  const vocabulary = wordVocabulary(createDice(1), 60);
  const machine = machineOf({ start: { a: 'end' }, end: { a: 'end' } }, ['end']);
  const session = await open(vocabulary, machine);
  const end = vocabulary.eosIds[0] ?? assert.fail();
  session.take([...vocabulary.tokenize('a', false)]);
  assert.equal(session.view.ended, false);
  session.take([end]);
  assert.equal(session.view.complete && session.view.ended, true);
  assert.deepEqual(maskTokens(session.view.mask(0)), []);
  session.rewind(1);
  assert.equal(session.view.ended, false);
});

test('a step over its limits ends the session, not the others', async () => {
  const vocabulary = wordVocabulary(createDice(1), 60);
  const constraints = inProcessConstraints({
    vocabulary,
    limits: { kept: 100 },
    compile: (_spec, { budget }) => {
      const machine = machineOf({ start: { a: 'mid', b: 'start' }, mid: { c: 'start' } }, [
        'start',
      ]);
      return {
        ...machine,
        step: (state, byte) => {
          if (byte === 99) budget.spend(1, 1000, 'maxItems');
          return machine.step(state, byte);
        },
      };
    },
  });
  const prepared = await constraints.prepare(spec);
  const session = prepared.open();
  assert.throws(() => session.view, { reason: 'constraint_not_met', message: /maxItems/ });
});

test('a long text goes on with a fresh constraint where the first one has come to keep too much', async () => {
  const vocabulary = wordVocabulary(createDice(1), 60);
  let compiled = 0;
  const constraints = inProcessConstraints({
    vocabulary,
    limits: { kept: 2000 },
    compile: (_spec, { budget }) => {
      compiled += 1;
      const plain = machineOf({ start: { a: 'odd' }, odd: { b: 'start', c: 'start' } }, ['start']);
      // Every byte leads to a state of its own, as where a text is remembered.
      const inner = (state: object): object => (state as { inner: object }).inner;
      return {
        start: { inner: plain.start },
        step: (state, byte) => {
          const next = plain.step(inner(state), byte);
          budget.spend(1, 1, 'additionalProperties');
          return next === null ? null : { inner: next };
        },
        accepts: (state) => plain.accepts(inner(state)),
        loop: () => null,
        risky: () => false,
      };
    },
  });
  const session = (await constraints.prepare(spec)).open();
  const [a = 0] = vocabulary.tokenize('a', false);
  const [b = 0] = vocabulary.tokenize('b', false);
  for (let step = 0; step < 200; step += 1) {
    assert.equal(session.view.complete, step % 2 === 0);
    session.take([step % 2 === 0 ? a : b]);
  }
  assert.equal(session.view.complete, true);
  assert.ok(compiled > 2, `compiled ${compiled} times`);
});
