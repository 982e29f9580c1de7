/** Several embedded machines that read the same text: what is told of their loops, and masks by it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TimedBudget } from '../budget.ts';
import { compileConstraint } from '../compile.ts';
import { createMasker } from '../mask/masker.ts';
import { bruteMask, createDice, tokensOf } from '../mask/random-machine.test-support.ts';
import { createTokenTrie, packPieces } from '../mask/token-trie.ts';
import type { ConstraintSpec } from '../spec.ts';

const json = (schema: object): ConstraintSpec => ({
  kind: 'json',
  schema: JSON.stringify(schema),
  whitespace: null,
});
const tag = (content: ConstraintSpec): ConstraintSpec => ({
  kind: 'sequence',
  parts: [content, { kind: 'literal', text: '>' }],
});
const compile = (...of: ConstraintSpec[]) => {
  const budget = new TimedBudget();
  const machine = compileConstraint({ kind: 'either', of }, { specials: [], budget });
  return { machine, budget };
};

const schemas: readonly object[] = [
  {},
  { type: 'object', required: ['b', 'name'] },
  { type: 'object', properties: { name: { type: 'string', maxLength: 9 }, b: {} } },
  { type: 'object', properties: { bb: { type: 'string' } }, propertyNames: { maxLength: 5 } },
  { type: 'object', additionalProperties: { type: ['string', 'object'] } },
  { type: 'object', properties: { name: { pattern: '^[a-e ]*$' } } },
  { const: { b: 'a', name: 'b' } },
];
const patterns = ['\\{"b": ".*', '[^x]*', '\\{[a-z":{ ]{1,40}'];

test('masks of several at once are what reading every token says', () => {
  const dice = createDice(5);
  const characters = Array.from('{{}}"""":: ,,abenm>é\\u0');
  const words = ['{"', '": "', '", "', '"}', '{"b', 'name', 'é', ...characters];
  for (let i = 0; i < 400; i++) {
    words.push(Array.from({ length: dice.whole(2, 6) }, () => dice.pick(characters)).join(''));
  }
  const pieces = packPieces(words.length, (token) => Buffer.from(words[token]!));
  const trie = createTokenTrie(pieces);
  const text = '{"b": {"a": "", "name": {"na": "abe"}}, "name": "ab é", "en": "a", "be": {}}';
  let loops = 0;
  for (let round = 0; round < 10; round++) {
    const [one, other] = [dice.pick(schemas), dice.pick(schemas)];
    const pattern = dice.pick(patterns);
    const more = round % 4 === 0 ? [{ kind: 'regex', pattern } as const] : [];
    const { machine } = compile(tag(json(one)), json(other), ...more);
    const masker = createMasker(machine, trie, []);
    let state: object | null = machine.start;
    for (const [at, byte] of Buffer.from(text).entries()) {
      if (machine.loop(state) !== null) loops++;
      const where = `${JSON.stringify([one, other, ...more])} at ${at}`;
      const allowed = tokensOf(masker.mask(state));
      assert.deepEqual(allowed, bruteMask(machine, trie, [], state), where);
      state = machine.step(state, byte);
      if (state === null) break;
    }
  }
  assert.ok(loops > 60, `${loops} states with loops`);
});

test('names in two objects at once cost few states', () => {
  const object = json({ type: 'object', required: ['b', 'name'] });
  const { machine, budget } = compile(tag(object), object);
  const words = Array.from({ length: 5000 }, (_, i) => `w${(i * 7919).toString(36)}`);
  const pieces = packPieces(words.length, (token) => Buffer.from(words[token]!));
  const masker = createMasker(machine, createTokenTrie(pieces), [], { budget });
  let state: object = machine.start;
  for (const byte of Buffer.from('{"b": {"')) {
    masker.mask(state);
    state = machine.step(state, byte)!;
  }
  const before = budget.kept;
  assert.equal(tokensOf(masker.mask(state)).length, words.length);
  assert.ok(budget.kept - before < 5000, `${budget.kept - before} kept`);
});
