import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  compileConstraint,
  TimedBudget,
  type ConstraintSpec,
  type Machine,
} from '../../constraint/index.ts';
import type { ToolDefinition } from './answer-part.ts';
import {
  characters,
  dice,
  options,
  readPieces,
  readWhole,
  type ReadAnswer,
} from './answers.test-support.ts';
import { formats, type FormatName } from './formats.ts';
import { randomText } from './random-constrained.test-support.ts';
import { reasonings, type ReasoningFormat, type ReasoningName } from './reasoning.ts';
import { afterThinking, toolConstraint, type ToolChoice } from './tool-constraint.ts';

const tool = (name: string, schema: object | null): ToolDefinition => ({
  name,
  description: null,
  parameters: schema === null ? null : JSON.stringify(schema),
  strict: false,
});

const tools: readonly ToolDefinition[] = [
  tool('get_weather', {
    type: 'object',
    properties: {
      city: { type: 'string' },
      unit: { enum: ['C', 'F'] },
      days: { type: 'integer' },
      exact: { type: 'boolean' },
      where: {
        type: 'object',
        properties: { lat: { type: 'number' }, name: { type: 'string' } },
        required: ['lat'],
      },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['city', 'days'],
  }),
  tool('add', {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  }),
  tool('optional', {
    type: 'object',
    properties: {
      first: { type: 'integer' },
      second: { type: 'string', maxLength: 8 },
      third: { type: 'null' },
    },
  }),
  tool('ping', null),
];

const ajv = new Ajv2020({ strict: false });
const validators = new Map(
  tools.map(({ name, parameters }) => [
    name,
    ajv.compile(JSON.parse(parameters ?? '{}') as object),
  ]),
);

const families = Object.keys(formats) as FormatName[];

const wanted = (format: FormatName) => ({ ...options(format), tools });

/** The calls are of tools, and their arguments satisfy the schemas. */
function assertCalls(read: ReadAnswer, about: string): void {
  for (const call of read.calls) {
    const validate = validators.get(call.name);
    assert.ok(validate, about);
    const value: unknown = JSON.parse(call.arguments);
    assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), about);
    assert.ok(validate(value), `${JSON.stringify(validate.errors)}: ${call.arguments}: ${about}`);
  }
}

function draw(format: FormatName, choice: ToolChoice, parallel: boolean): readonly string[] {
  const spec = toolConstraint({ format, tools, choice, parallel, answer: null });
  assert.ok(spec);
  const random = dice(`${format} ${JSON.stringify(choice)} ${parallel}`);
  return Array.from({ length: 10 }, () => randomText(spec, random));
}

for (const family of families) {
  test(`${family}: what it may write is what is read`, () => {
    for (const parallel of [true, false]) {
      let most = 0;
      for (const text of draw(family, 'required', parallel)) {
        const read = readPieces(characters(text), wanted(family));
        assertCalls(read, text);
        assert.equal(read.text, '', text);
        assert.ok(read.calls.length >= 1, text);
        assert.ok(parallel || read.calls.length === 1, text);
        most = Math.max(most, read.calls.length);
      }
      assert.equal(most > 1, parallel && formats[family].several);
    }
  });

  test(`${family}: a named function is called once`, () => {
    for (const text of draw(family, { name: 'add' }, true)) {
      const read = readWhole(text, wanted(family));
      assertCalls(read, text);
      assert.deepEqual([read.text, read.calls.map(({ name }) => name)], ['', ['add']], text);
    }
  });

  test(`${family}: free text, or calls in it`, () => {
    let called = 0;
    let said = 0;
    for (const text of [...draw(family, 'auto', true), ...draw(family, 'auto', false)]) {
      const read = readPieces(characters(text), wanted(family));
      assertCalls(read, text);
      if (read.calls.length > 0) called++;
      if (read.text !== '') said++;
    }
    assert.ok(called > 5 && said > 5, `${called} ${said}`);
  });

  test(`${family}: beside a constraint on the answer it is that or calls`, () => {
    const answer: ConstraintSpec = { kind: 'choice', options: ['yes', 'no'] };
    const spec = toolConstraint({ format: family, tools, choice: 'auto', parallel: true, answer });
    assert.ok(spec);
    const random = dice(`${family} answer`);
    for (let round = 0; round < 30; round++) {
      const text = randomText(spec, random);
      const read = readWhole(text, wanted(family));
      assertCalls(read, text);
      assert.ok(read.calls.length > 0 ? read.text === '' : /^(?:yes|no)$/.test(read.text), text);
    }
  });
}

function accepts(machine: Machine, text: string): boolean {
  let state: object | null = machine.start;
  for (const byte of Buffer.from(text)) {
    state = machine.step(state, byte);
    if (state === null) return false;
  }
  return machine.accepts(state);
}

test('the constraint of every family compiles, and takes what it says', () => {
  for (const format of families) {
    for (const choice of ['auto', 'required'] as const) {
      const spec = toolConstraint({ format, tools, choice, parallel: true, answer: null });
      assert.ok(spec);
      const machine = compileConstraint(spec, { specials: [], budget: new TimedBudget() });
      for (const text of draw(format, choice, true).slice(0, 5)) {
        assert.ok(accepts(machine, text), `${format} ${choice}: ${text}`);
        const called = text.replaceAll('get_weather', 'other').replaceAll('add', 'other');
        const renamed = called.replaceAll('optional', 'other').replaceAll('ping', 'other');
        assert.ok(choice === 'auto' || !accepts(machine, renamed), `${format}: ${renamed}`);
      }
    }
  }
});

test('the tags of free text begin with their triggers', () => {
  for (const family of families) {
    const spec = toolConstraint({
      format: family,
      tools,
      choice: 'auto',
      parallel: true,
      answer: null,
    });
    if (spec?.kind !== 'tags') continue;
    assert.equal(spec.triggers.length, 1, family);
    for (const tag of spec.tags) assert.ok(tag.begin.startsWith(spec.triggers[0] ?? '?'), family);
  }
});

test('Hermes: the layout of the template, one tag for each tool', () => {
  const one = [tool('f', { properties: { x: { type: 'integer' } } })];
  const spec = toolConstraint({
    format: 'hermes',
    tools: one,
    choice: 'auto',
    parallel: false,
    answer: null,
  });
  assert.deepEqual(spec, {
    kind: 'tags',
    triggers: ['<tool_call>'],
    tags: [
      {
        begin: '<tool_call>\n{"name": "f", "arguments": ',
        content: {
          kind: 'json',
          schema: '{"type":"object","properties":{"x":{"type":"integer"}}}',
          whitespace: null,
        },
        end: '}\n</tool_call>',
      },
    ],
    atLeastOne: false,
    stopAfterFirst: true,
  });
});

test('without tools the answer is all there is to constrain', () => {
  const none = { format: 'hermes', tools: [], choice: 'auto', parallel: true } as const;
  const answer: ConstraintSpec = { kind: 'text' };
  assert.equal(toolConstraint({ ...none, answer: null }), null);
  assert.equal(toolConstraint({ ...none, answer }), answer);
});

test('after thinking: the block of the prompt, of the model, or none', () => {
  const spec: ConstraintSpec = { kind: 'choice', options: ['Four.'] };
  for (const reasoning of Object.keys(reasonings) as ReasoningName[]) {
    const random = dice(reasoning);
    let thought = 0;
    for (let round = 0; round < 20; round++) {
      for (const thinking of [true, false]) {
        const text = randomText(
          afterThinking({ reasoning, thinking, optional: true }, spec),
          random,
        );
        const read = readWhole(text, { ...options(null), reasoning, thinking, calls: false });
        assert.equal(read.text, 'Four.', `${reasoning}: ${text}`);
        if (read.reasoning !== '') thought++;
      }
    }
    assert.ok(thought > 5, reasoning);
  }
  assert.equal(afterThinking({ reasoning: null, thinking: false, optional: true }, spec), spec);
});

test('after thinking: any mark that the parser closes the block with, and the first one', () => {
  const spec: ConstraintSpec = { kind: 'choice', options: ['Four.'] };
  for (const [name, format] of Object.entries<ReasoningFormat>(reasonings)) {
    const reasoning = name as ReasoningName;
    const after = afterThinking({ reasoning, thinking: true, optional: true }, spec);
    const machine = compileConstraint(after, { specials: [], budget: new TimedBudget() });
    const answer = `${format.afterClose}${format.answerLead}Four.`;
    for (const close of format.close) {
      const text = `Two < [and two${close}${answer}`;
      assert.ok(accepts(machine, text), `${name}: ${text}`);
      const read = readWhole(text, { ...options(null), reasoning, thinking: true, calls: false });
      assert.deepEqual([read.reasoning, read.text], ['Two < [and two', 'Four.'], name);
      for (const other of format.close) {
        // The parser would take what is between them for the answer.
        assert.ok(!accepts(machine, `a${close} b${other}${answer}`), `${name}: ${close} ${other}`);
      }
    }
    assert.ok(!accepts(machine, `Two and two${answer}`), name);
  }
});

test('after thinking: calls keep the marks of their own', () => {
  const spec = toolConstraint({
    format: 'harmony',
    tools,
    choice: { name: 'add' },
    parallel: false,
    answer: null,
  });
  assert.ok(spec);
  const random = dice('harmony calls');
  for (let round = 0; round < 20; round++) {
    const after = afterThinking({ reasoning: 'harmony', thinking: false, optional: true }, spec);
    const read = readWhole(randomText(after, random), {
      ...wanted('harmony'),
      reasoning: 'harmony',
    });
    assert.deepEqual([read.text, read.calls.length], ['', 1]);
  }
});
