/** Nothing of a request is lost on its way through any of the real templates, whatever they take. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Message } from '../contract/index.ts';
import { composeWith } from './compose.test-support.ts';
import type { PromptInput, WireTool } from './prompt-input.ts';

const corpus = '../shared/templates/renders.jsonl';
const skip = existsSync(corpus) ? false : `${corpus} is not there`;

interface Row {
  readonly template: string;
  readonly source: string;
}

const rows: readonly Row[] = skip
  ? []
  : readFileSync(corpus, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);

const toolOf = (name: string): WireTool => ({
  type: 'function',
  function: {
    name,
    description: `Does ${name}`,
    parameters: {
      type: 'object',
      properties: { place: { type: 'string', description: 'Where' } },
      required: ['place'],
    },
  },
});
const tools = [toolOf('get_weather'), toolOf('get_time')];

const callOf = (id: string, name: string, place: string) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: JSON.stringify({ place }) },
});

const parts: Message = {
  role: 'user',
  content: [
    { type: 'text', text: 'First part.' },
    { type: 'text', text: 'Second part.' },
  ],
};

const history: Message[] = [
  { role: 'system', content: 'Answer in Frisian.' },
  parts,
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      callOf('call_0123456789', 'get_weather', 'Ljouwert'),
      callOf('call_9876543210', 'get_time', 'Snits'),
    ],
  },
  { role: 'tool', tool_call_id: 'call_0123456789', content: 'sunny spells' },
  { role: 'tool', tool_call_id: 'call_9876543210', content: 'half past four' },
  { role: 'assistant', content: 'It is nice.' },
  { role: 'user', content: 'And tomorrow?' },
];

function assertShows(row: Row, input: Partial<PromptInput>, marks: readonly string[]): void {
  const { text } = composeWith(row.source, input);
  const lost = marks.filter((mark) => !text.includes(mark));
  assert.deepEqual(lost, [], `${row.template} lost ${lost.join(', ')}:\n${text}`);
}

const said = ['Answer in Frisian.', 'First part.', 'Second part.', 'It is nice.', 'And tomorrow?'];
const called = ['Ljouwert', 'Snits', 'sunny spells', 'half past four'];

describe('every template of the corpus', { skip }, () => {
  for (const row of rows) {
    it(`${row.template} shows messages, tools, calls and results`, () => {
      assertShows(row, { messages: history, tools }, [
        ...said,
        ...called,
        'get_weather',
        'get_time',
      ]);
    });

    it(`${row.template} shows calls without tools, and documents`, () => {
      const documents = [
        { title: 'Weather book', text: 'Clouds bring rain.' },
        { title: 'Clock book', text: 'Noon is twelve.' },
      ];
      assertShows(row, { messages: history }, [...said, ...called]);
      assertShows(row, { documents }, ['Hello', 'Clouds bring rain.', 'Noon is twelve.']);
    });

    it(`${row.template} goes on with the last message`, () => {
      const messages: Message[] = [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Once upon a' },
      ];
      const input = { messages, addGenerationPrompt: false, continueFinalMessage: true };
      const { text } = composeWith(row.source, input);
      assert.ok(text.endsWith('Once upon a'), text);
    });
  }
});
