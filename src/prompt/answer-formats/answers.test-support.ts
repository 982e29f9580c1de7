/**
 * For the tests of answer formats: tools, answers in every family written by hand from what its template
 * renders, a reader of whole answers, random cuts. Nothing but tests uses it.
 */

import { createHash } from 'node:crypto';
import type { AnswerPart, ToolDefinition } from './answer-part.ts';
import type { FormatName } from './formats.ts';
import { endParse, startParse, stepParse, type ParseOptions } from './parse-answer.ts';

export const weather: ToolDefinition = {
  name: 'get_weather',
  description: 'Get the weather',
  parameters: JSON.stringify({
    type: 'object',
    properties: {
      city: { type: 'string' },
      unit: { enum: ['C', 'F'] },
      days: { type: ['integer', 'null'] },
      where: { $ref: '#/$defs/place' },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['city'],
    $defs: {
      place: { type: 'object', properties: { lat: { type: 'number' }, name: { type: 'string' } } },
    },
  }),
  strict: false,
};

export const add: ToolDefinition = {
  name: 'add',
  description: null,
  parameters: JSON.stringify({
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' }, exact: { type: 'boolean' } },
    required: ['a', 'b'],
  }),
  strict: false,
};

export const ping: ToolDefinition = {
  name: 'ping',
  description: null,
  parameters: null,
  strict: false,
};

export const tools: readonly ToolDefinition[] = [weather, add, ping];

export interface ReadCall {
  readonly id: string | null;
  readonly name: string;
  readonly arguments: string;
}

export interface ReadAnswer {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ReadCall[];
  /** The kinds of parts in their order, neighbours of one kind once. */
  readonly order: string;
}

/** What the parts are together; throws where their order is impossible. */
export function collect(parts: readonly AnswerPart[]): ReadAnswer {
  const calls: { id: string | null; name: string; arguments: string }[] = [];
  let text = '';
  let reasoning = '';
  const order: string[] = [];
  for (const part of parts) {
    if (part.type === 'text') text += part.text;
    else if (part.type === 'reasoning') reasoning += part.text;
    else if (part.type === 'tool_call_start') {
      if (part.index !== calls.length) throw new RangeError(`index ${part.index}`);
      calls.push({ id: part.id, name: part.name, arguments: '' });
    } else {
      const call = calls[part.index];
      if (call === undefined || part.index !== calls.length - 1) throw new RangeError('delta');
      call.arguments += part.arguments;
    }
    if (order.at(-1) !== part.type) order.push(part.type);
  }
  return { text, reasoning, calls, order: order.join(' ') };
}

export const options = (
  format: FormatName | null,
  more: Partial<ParseOptions> = {},
): ParseOptions => ({
  tools,
  format,
  reasoning: null,
  thinking: false,
  calls: true,
  ...more,
});

/** Reads the pieces one after the other. */
export function readPieces(pieces: readonly string[], wanted: ParseOptions): ReadAnswer {
  let state = startParse(wanted);
  const parts: AnswerPart[] = [];
  for (const piece of pieces) {
    const step = stepParse(state, piece);
    ({ state } = step);
    parts.push(...step.parts);
  }
  return collect([...parts, ...endParse(state).parts]);
}

export const readWhole = (text: string, wanted: ParseOptions): ReadAnswer =>
  readPieces([text], wanted);

/** The characters of a text, those beyond the basic plane whole. */
export const characters = (text: string): readonly string[] => Array.from(text);

/** Numbers from 0 to 1 that are the same in every run. */
export function dice(seed: string): () => number {
  let count = 0;
  return () => {
    count++;
    const digest = createHash('sha256').update(`${seed} ${count}`).digest();
    return digest.readUInt32BE(0) / 2 ** 32;
  };
}

/** The text in pieces of one to `longest` characters. */
export function cut(text: string, longest: number, random: () => number): readonly string[] {
  const all = characters(text);
  const pieces: string[] = [];
  for (let at = 0; at < all.length;) {
    const length = 1 + Math.floor(random() * longest);
    pieces.push(all.slice(at, at + length).join(''));
    at += length;
  }
  return pieces;
}
