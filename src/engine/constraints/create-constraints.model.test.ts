import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import type { ConstraintSpec } from '../../constraint/index.ts';
import type { Vocabulary } from '../llama/decoder.ts';
import { openLibrary } from '../llama/library.ts';
import { loadModel } from '../llama/llama-model.ts';
import { testModel } from '../llama/open-decoder.test-support.ts';
import type { ConstraintSession, Constraints } from './constraint-session.ts';
import { createConstraints } from './create-constraints.ts';
import { createDice } from './small-machines.test-support.ts';

let vocabulary: Vocabulary;
let constraints: Constraints;

before(() => {
  vocabulary = loadModel(openLibrary(), testModel(), () => undefined).vocabulary;
  constraints = createConstraints({ vocabulary });
});
after(() => constraints.close());

const json = (schema: object): ConstraintSpec => ({
  kind: 'json',
  schema: JSON.stringify(schema),
  whitespace: null,
});

const person = {
  type: 'object',
  properties: {
    name: { type: 'string', maxLength: 30 },
    age: { type: 'integer', minimum: 0, maximum: 150 },
    tags: { type: 'array', items: { enum: ['red', 'green', 'dark blue'] }, maxItems: 3 },
  },
  required: ['name', 'age', 'tags'],
  additionalProperties: false,
};

const milliseconds = 60_000;

async function open(spec: ConstraintSpec): Promise<ConstraintSession> {
  return (await constraints.prepare(spec)).open();
}

const textOf = (tokens: readonly number[]): string =>
  Buffer.concat(tokens.map((token) => vocabulary.piece(token, true))).toString('utf8');

function allowed(session: ConstraintSession): number[] {
  const mask = session.view.mask(0);
  return Array.from({ length: vocabulary.size }, (_, id) => id).filter(
    (id) => (((mask[id >> 5] ?? 0) >>> (id & 31)) & 1) === 1,
  );
}

test('real texts are let through as the model’s tokeniser writes them', async () => {
  const texts: readonly (readonly [ConstraintSpec, string])[] = [
    [json(person), '{"name": "José Ångström", "age": 42, "tags": ["red", "dark blue"]}'],
    [json(person), '{\n  "name": "A",\n  "age": 0,\n  "tags": []\n}'],
    [json({}), '{"a": [1, -2.5e3, null, {"b c": "\\u00e9 \\"x\\""}], "\u{1f600}": true}'],
    [
      { kind: 'regex', pattern: String.raw`\d{4}-\d{2}-\d{2}( [a-z]+)*` },
      '2026-11-21 in the evening',
    ],
    [{ kind: 'choice', options: ['positive', 'negative', 'neutral'] }, 'neutral'],
    [
      {
        kind: 'sequence',
        parts: [{ kind: 'text-until', until: '</think>' }, json({ type: 'integer' })],
      },
      'Let me count.\nOne, two: <b>two</b>.</think>2',
    ],
  ];
  for (const [spec, text] of texts) {
    const session = await open(spec);
    const tokens = vocabulary.tokenize(text, false);
    for (let at = 0; ; at += 1) {
      assert.ok(session.wait(milliseconds));
      const { forced } = session.view;
      assert.deepEqual(forced, tokens.slice(at, at + forced.length), text);
      at += forced.length;
      const token = tokens[at];
      if (token === undefined) break;
      assert.ok(allowed(session).includes(token), `${text}: ${textOf(tokens.slice(0, at + 1))}`);
      session.take([token]);
    }
    assert.equal(session.view.complete, true);
    session.close();
  }
});

test('tokens drawn at random make documents of the schema', async () => {
  const dice = createDice(7);
  for (let time = 0; time < 5; time += 1) {
    const session = await open(json(person));
    const tokens: number[] = [];
    let ended = false;
    while (tokens.length < 400 && !ended) {
      assert.ok(session.wait(milliseconds));
      tokens.push(...session.view.forced);
      ended = session.view.ended;
      if (ended) break;
      const token = dice.pick(allowed(session));
      tokens.push(token);
      session.take([token]);
    }
    assert.equal(ended, true, textOf(tokens));
    const value = JSON.parse(textOf(tokens)) as { name: string; age: number; tags: string[] };
    assert.deepEqual(Object.keys(value), ['name', 'age', 'tags']);
    assert.ok(Array.from(value.name).length <= 30);
    assert.ok(value.age >= 0 && value.age <= 150);
    assert.ok(value.tags.length <= 3);
    session.close();
  }
});

test('special tokens are in no free text, and in one that names them', async () => {
  const [special = 0] = vocabulary.tokenize('<|im_start|>', false);
  const free = await open({ kind: 'text' });
  assert.ok(free.wait(milliseconds));
  assert.equal(allowed(free).includes(special), false);
  assert.equal(free.view.complete, true);
  assert.ok(vocabulary.eosIds.every((id) => allowed(free).includes(id)));
  const named = await open({
    kind: 'sequence',
    parts: [
      { kind: 'regex', pattern: '[ab]' },
      { kind: 'literal', text: '<|im_start|>user' },
    ],
  });
  assert.ok(named.wait(milliseconds));
  named.take(vocabulary.tokenize('a', false));
  assert.ok(named.wait(milliseconds));
  assert.deepEqual(named.view.forced, vocabulary.tokenize('<|im_start|>user', false));
  assert.equal(named.view.ended, true);
  free.close();
  named.close();
});

test('a token that ends the answer is refused where something must follow it', async () => {
  const tag = (begin: string, end: string): ConstraintSpec => ({
    kind: 'tags',
    triggers: [begin],
    tags: [{ begin, content: json({ type: 'integer' }), end }],
    atLeastOne: true,
    stopAfterFirst: true,
  });
  await assert.rejects(constraints.prepare(tag('<|im_end|>', '')), {
    reason: 'invalid_constraint',
    keyword: 'begin',
  });
  for (const spec of [tag('<|im_start|>', ''), tag('<f>', '<|im_end|>')]) {
    (await constraints.prepare(spec)).release();
  }
});
