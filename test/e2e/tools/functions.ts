/** Functions that tests offer, and the calls of an answer as plain values. */

import assert from 'node:assert/strict';
import type OpenAI from 'openai';

type Tool = OpenAI.Chat.Completions.ChatCompletionFunctionTool;
type Completion = OpenAI.Chat.Completions.ChatCompletion;

/** Every text that matches is short, so that a model of any kind comes to an end. */
export const weather: Tool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Current weather of a city',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string', minLength: 1, maxLength: 16 },
        unit: { enum: ['celsius', 'fahrenheit'] },
      },
      required: ['city', 'unit'],
      additionalProperties: false,
    },
  },
};

export const paint: Tool = {
  type: 'function',
  function: {
    name: 'paint_it',
    description: 'Paints the wall',
    parameters: {
      type: 'object',
      properties: {
        colour: { enum: ['red', 'dark blue'] },
        coats: { enum: [1, 2, 3] },
        dry: { type: 'boolean' },
      },
      required: ['colour', 'coats', 'dry'],
      additionalProperties: false,
    },
  },
};

export const tools = [weather, paint];

export interface Call {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

const checks: Readonly<Record<string, (given: Record<string, unknown>) => void>> = {
  get_weather: (given) => {
    assert.deepEqual(Object.keys(given).toSorted(), ['city', 'unit']);
    assert.match(String(given['city']), /^[^]{1,16}$/u);
    assert.ok(['celsius', 'fahrenheit'].includes(String(given['unit'])));
  },
  paint_it: (given) => {
    assert.deepEqual(Object.keys(given).toSorted(), ['coats', 'colour', 'dry']);
    assert.ok(['red', 'dark blue'].includes(String(given['colour'])));
    assert.ok([1, 2, 3].includes(Number(given['coats'])));
    assert.equal(typeof given['dry'], 'boolean');
  },
};

/** The calls of a choice, each with arguments that match its function. */
export function callsOf({ choices }: Completion, index = 0): Call[] {
  const calls = choices[index]?.message.tool_calls ?? [];
  const ids = calls.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, ids.join(' '));
  return calls.map((call) => {
    assert.ok(call.type === 'function');
    assert.ok(call.id.length >= 9);
    const { name, arguments: text } = call.function;
    const given = JSON.parse(text) as Record<string, unknown>;
    assert.ok(checks[name] !== undefined, name);
    checks[name](given);
    return { name, arguments: given };
  });
}

/** A choice that calls says nothing beside, and ends for that reason. */
export function checkCalling({ choices }: Completion, index = 0): void {
  const choice = choices[index];
  assert.equal(choice?.finish_reason, 'tool_calls', JSON.stringify(choice));
  assert.equal(choice.message.content, null);
}
