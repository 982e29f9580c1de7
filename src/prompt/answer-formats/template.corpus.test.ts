/** Real templates render calls, and what they render is read back. The corpus lies beside the repository. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { compileTemplate, type ChatTemplate } from '../chat-template.ts';
import type { ToolDefinition } from './answer-part.ts';
import { characters, readPieces, readWhole, type ReadCall } from './answers.test-support.ts';
import { detectFormat } from './detect-format.ts';
import { opensThinking, reasonings, type ReasoningName } from './reasoning.ts';
import { specialTokensOf } from './special-tokens.ts';

const corpus = resolve(import.meta.dirname, '../../../../shared/templates/renders.jsonl');
const absent = existsSync(corpus) ? false : 'the corpus of templates is not beside the repository';

interface Line {
  readonly template: string;
  readonly source: string;
  readonly renders: Readonly<Record<string, { readonly text?: string }>>;
}

const lines = (): readonly Line[] =>
  readFileSync(corpus, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

const functions = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'The weather & "more"',
      parameters: {
        type: 'object',
        properties: {
          city: { type: 'string', description: 'Where' },
          days: { type: 'integer', description: 'How many' },
        },
        required: ['city'],
      },
    },
  },
  {
    type: 'function',
    function: {
      name: 'add',
      description: 'Adds 1<2',
      parameters: {
        type: 'object',
        properties: {
          a: { type: 'number', description: 'one' },
          b: { type: 'number', description: 'two' },
        },
        required: ['a', 'b'],
      },
    },
  },
];

const definitions = functions.map(
  ({ function: { name, description, parameters } }): ToolDefinition => ({
    name,
    description,
    parameters: JSON.stringify(parameters),
    strict: false,
  }),
);

/** Members that the schemas do not know, too: their types are told by the text alone. */
const wanted = [
  {
    name: 'get_weather',
    arguments: {
      city: 'Zürich <b> 你好 🌦',
      days: 2,
      f: 1.5,
      t: true,
      n: null,
      l: [1, 'é'],
      o: { k: 'v "q"', m: [{ z: 1 }] },
    },
  },
  { name: 'add', arguments: { a: 3, b: -4.5, x: { tags: ['</tool_call>', 'b\nc'] } } },
];

interface Turn {
  readonly prompt: string;
  readonly text: string;
}

/** What the template makes of an assistant's turn with so many calls; null where it shows them not all. */
function renderTurn(
  template: ChatTemplate,
  count: number,
  variant: {
    readonly content: string | null;
    readonly asText: boolean;
    /** One template shows calls, and fails where it is given functions. */
    readonly given: boolean;
  },
): Turn | null {
  const user = { role: 'user', content: "What's the weather?" };
  const calls = wanted.slice(0, count).map((call, index) => ({
    id: `call0000${index}`,
    type: 'function',
    function: {
      name: call.name,
      arguments: variant.asText ? JSON.stringify(call.arguments) : call.arguments,
    },
  }));
  const turn = { role: 'assistant', content: variant.content, tool_calls: calls };
  const around = {
    ...(variant.given ? { tools: functions } : {}),
    bos_token: '<s>',
    eos_token: '</s>',
  };
  try {
    const prompt = template.render({ ...around, messages: [user], add_generation_prompt: true });
    const whole = template.render({
      ...around,
      messages: [user, turn],
      add_generation_prompt: false,
    });
    let same = 0;
    while (same < prompt.length && prompt[same] === whole[same]) same++;
    if (same === prompt.length) return shown({ prompt, text: whole.slice(same) }, count);
    // History closes what the prompt left open, or has no block where the prompt has one.
    const tag = whole.slice(0, same).search(/<[^<>]*$/);
    return shown({ prompt: '', text: whole.slice(tag < 0 ? same : tag) }, count);
  } catch {
    return null;
  }
}

function shown(turn: Turn, count: number): Turn | null {
  const all = wanted.slice(0, count).every(({ name }) => turn.text.includes(name));
  return all && turn.text.includes(count === 1 ? 'Zürich' : '-4.5') ? turn : null;
}

/** One template writes the text of a past turn as thinking that never ends. */
function staysOpen({ prompt, text }: Turn, reasoning: ReasoningName | null): boolean {
  if (reasoning === null || !opensThinking(prompt, reasoning)) return false;
  return !reasonings[reasoning].close.some((close) => text.includes(close));
}

/** A call with its arguments as a value; those that are no JSON as they are. */
function asWanted(call: ReadCall): { readonly name: string; readonly arguments: unknown } {
  try {
    return { name: call.name, arguments: JSON.parse(call.arguments) as unknown };
  } catch {
    return { name: call.name, arguments: `no JSON: ${call.arguments}` };
  }
}

/** Equal, but for members that are null, which some templates leave out. */
function assertSame(actual: unknown, expected: unknown, about: string): void {
  const bare = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value, (_, inner: unknown) => inner ?? undefined));
  assert.deepEqual(bare(actual), bare(expected), about);
}

/** Renders, reads back, compares; null where the template does not show the calls. */
function checkTemplate(
  { template: name, source }: Line,
  count: number,
  variant: { readonly content: string | null; readonly asText: boolean },
): string | null {
  const template = compileTemplate(source);
  const format = detectFormat(source);
  const turn =
    renderTurn(template, count, { ...variant, given: true }) ??
    renderTurn(template, count, { ...variant, given: false });
  if (turn === null || staysOpen(turn, format.reasoning)) return null;
  const about = `${name} (${format.tools}), ${count}, ${JSON.stringify(variant)}: ${turn.text}`;
  const options = {
    tools: definitions,
    format: format.tools,
    reasoning: format.reasoning,
    thinking: opensThinking(turn.prompt, format.reasoning),
    calls: true,
  };
  const read = readWhole(turn.text, options);
  assertSame(read.calls.map(asWanted), wanted.slice(0, count), about);
  assert.deepEqual(readPieces(characters(turn.text), options), read, about);
  return name;
}

const variants = ['', null, 'Let me see.'].flatMap((content) =>
  [false, true].map((asText) => ({ content, asText })),
);

test('every template that renders calls: they are read back', { skip: absent }, () => {
  const names = (count: number): readonly (string | null)[] =>
    lines().flatMap((line) => variants.map((variant) => checkTemplate(line, count, variant)));
  const single = new Set(names(1).filter((name) => name !== null));
  const parallel = new Set(names(2).filter((name) => name !== null));
  // The others show no calls at all, or one at a time.
  assert.equal(single.size, 47, [...single].join(' '));
  assert.equal(parallel.size, 42, [...parallel].join(' '));
});

test('prompts that Python rendered: whether thinking is open at the end', { skip: absent }, () => {
  for (const { template, source, renders } of lines()) {
    const { reasoning } = detectFormat(source);
    for (const [conversation, { text }] of Object.entries(renders)) {
      if (text === undefined || conversation === 'noaddgen') continue;
      const ends = text.trimEnd();
      const open =
        /<(?:mm:)?think(?::opensource)?>$|\[THINK\]$|Here are my reasoning steps:$|think<\|sep\|>$/.test(
          ends,
        ) && !ends.endsWith('<|close|>think<|sep|>');
      assert.equal(
        opensThinking(text, reasoning),
        open,
        `${template} ${conversation}: ${ends.slice(-80)}`,
      );
    }
  }
});

test('the tags of every template are among the special tokens to show', { skip: absent }, () => {
  for (const { template, source } of lines()) {
    const { tools, reasoning } = detectFormat(source);
    if (tools === null) continue;
    const special = specialTokensOf(tools, reasoning);
    for (const tag of [
      '<tool_call>',
      '[TOOL_CALLS]',
      '<|tool_calls_section_begin|>',
      '<|channel|>',
    ]) {
      if (source.includes(`'${tag}`)) assert.ok(special.includes(tag), `${template} ${tag}`);
    }
  }
});
