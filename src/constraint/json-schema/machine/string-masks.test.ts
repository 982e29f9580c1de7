/** Masks inside strings of bounded length are what reading every token says: escapes take room too. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TimedBudget } from '../../budget.ts';
import { createMasker } from '../../mask/masker.ts';
import { bruteMask, createDice, tokensOf } from '../../mask/random-machine.test-support.ts';
import { createTokenTrie, packPieces } from '../../mask/token-trie.ts';
import { compileJson } from './compile-json.ts';

const schemas: readonly object[] = [
  { maxLength: 6 },
  { minLength: 3 },
  { minLength: 2, maxLength: 6 },
  { minLength: 6, maxLength: 6 },
  { maxLength: 6, pattern: '.*' },
  { maxLength: 6, pattern: '^[^x]*$' },
  { pattern: '^[^]{0,6}$' },
  { anyOf: [{ maxLength: 6 }, { maxLength: 4 }] },
  { type: 'object', propertyNames: { maxLength: 6 } },
  { type: 'array', items: { type: 'string', minLength: 2, maxLength: 3 } },
];

test('as many characters, escapes and quotes as there is room for', () => {
  const dice = createDice(8);
  const pieces = [
    'a',
    'b',
    'é',
    '😀',
    '"',
    '"',
    String.raw`\n`,
    String.raw`\u00e9`,
    '\\',
    ',',
    ':',
  ];
  const words = [...pieces, '{', '[', ' ', '1', '"}', '"]', 'n', 'aaaaaa', 'aaaaaaaa'];
  for (let i = 0; i < 900; i++) {
    words.push(Array.from({ length: dice.whole(2, 8) }, () => dice.pick(pieces)).join(''));
  }
  const trie = createTokenTrie(packPieces(words.length, (token) => Buffer.from(words[token]!)));
  let finite = 0;
  for (const schema of schemas) {
    const text = JSON.stringify({ type: 'string', ...schema });
    const machine = compileJson(text, { whitespace: null }, new TimedBudget());
    for (let round = 0; round < 4; round++) {
      const masker = createMasker(machine, trie, []);
      let state: object = machine.start;
      for (let at = 0; at < 9; at++) {
        if ((machine.loop(state)?.room ?? Infinity) < Infinity) finite++;
        const allowed = tokensOf(masker.mask(state));
        assert.deepEqual(allowed, bruteMask(machine, trie, [], state), text);
        // Short ones, or the string is over at once.
        const short = allowed.filter((token) => words[token]!.length <= 2);
        if (short.length === 0) break;
        state = masker.step(state, dice.pick(short))!;
      }
    }
  }
  assert.ok(finite > 40, `${finite} states with bounded loops`);
});
