/**
 * How one event becomes the inside of a chunk: `delta` choices (chat and raw prompts on the chat
 * route) and `text` choices (legacy completions). Text is by far the most frequent event, so its
 * chunk is glued from strings and only the text itself is stringified.
 */

import type { AnswerEvent, TokenLogprob } from '../../targets/index.ts';
import { toWireHandover } from './wire-handover.ts';
import { codePoints, toChatLogprobs, toTextLogprobs } from './wire-logprobs.ts';

type Of<T extends AnswerEvent['type']> = Extract<AnswerEvent, { type: T }>;
export type ContentEvent = Exclude<AnswerEvent, Of<'finish'> | Of<'usage'>>;

export interface Rendered {
  /** What follows `{"index":N`, up to the choice's closing brace; null: nothing is sent. */
  readonly inside: string | null;
  /** Code points of the choice's text so far; counted only where the form shows them. */
  readonly offset: number;
}

export interface ChunkForm {
  /** The first chunk of a choice, or null where the form has none. */
  readonly opening: string | null;
  content(event: ContentEvent, offset: number): Rendered;
  finish(event: Of<'finish'>): string;
}

const running = ',"finish_reason":null';

function finishFields({ reason, stopReason, handed }: Of<'finish'>): string {
  const fields = `"logprobs":null,"finish_reason":"${reason}","stop_reason":${JSON.stringify(stopReason)}`;
  if (handed === undefined) return fields;
  return `${fields},"disaggregated_params":${JSON.stringify(toWireHandover(handed))}`;
}

function toolDelta(index: number, call: object): string {
  return `{"tool_calls":[${JSON.stringify({ index, ...call })}]}`;
}

function deltaOf(event: ContentEvent): string {
  switch (event.type) {
    case 'text':
      return `{"content":${JSON.stringify(event.text)}}`;
    case 'reasoning':
      return `{"reasoning_content":${JSON.stringify(event.text)}}`;
    case 'tool_call_start':
      return toolDelta(event.index, {
        id: event.id,
        type: 'function',
        function: { name: event.name, arguments: '' },
      });
    case 'tool_call_delta':
      return toolDelta(event.index, { function: { arguments: event.arguments } });
  }
}

const tokensOf = (event: ContentEvent): readonly TokenLogprob[] =>
  event.type === 'text' ? (event.logprobs ?? []) : [];

/** Empty text is worth a chunk only when it brings log probabilities. */
const isSilent = (event: ContentEvent): boolean =>
  event.type === 'text' && event.text === '' && tokensOf(event).length === 0;

export const deltaForm: ChunkForm = {
  opening: `,"delta":{"role":"assistant","content":""},"logprobs":null${running}`,
  content(event, offset) {
    if (isSilent(event)) return { inside: null, offset };
    const tokens = tokensOf(event);
    const logprobs = tokens.length === 0 ? 'null' : JSON.stringify(toChatLogprobs(tokens));
    return { inside: `,"delta":${deltaOf(event)},"logprobs":${logprobs}${running}`, offset };
  },
  finish: (event) => `,"delta":{},${finishFields(event)}`,
};

/** @param withLogprobs whether offsets into the text are shown and so have to be counted */
export function textForm(withLogprobs: boolean): ChunkForm {
  return {
    opening: null,
    content(event, offset) {
      if (event.type !== 'text' || isSilent(event)) return { inside: null, offset };
      const inside = (logprobs: string): string =>
        `,"text":${JSON.stringify(event.text)},"logprobs":${logprobs}${running}`;
      if (!withLogprobs) return { inside: inside('null'), offset };
      const tokens = tokensOf(event);
      if (tokens.length === 0) {
        return { inside: inside('null'), offset: offset + codePoints(event.text) };
      }
      const { logprobs, next } = toTextLogprobs(tokens, offset);
      return { inside: inside(JSON.stringify(logprobs)), offset: next };
    },
    finish: (event) => `,"text":"",${finishFields(event)}`,
  };
}
