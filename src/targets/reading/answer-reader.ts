/**
 * What a target's text means: reasoning, tool calls and content, each in its own events. A state machine
 * with a pure step over the events of any target that returns text; `read-answer.ts` drives it.
 */

import {
  endParse,
  startParse,
  stepParse,
  type AnswerPart,
  type ParseOptions,
  type ParseState,
} from '../../prompt/index.ts';
import type { AnswerEvent, FinishReason, TokenLogprob } from '../target.ts';
import {
  startStops,
  stepContentStops,
  type ContentStops,
  type StopState,
} from './content-stops.ts';

export interface ReadingPlan {
  /** Null: all text is content. */
  readonly parse: ParseOptions | null;
  /** Null: the target looks for stop strings itself. */
  readonly stops: ContentStops | null;
  readonly choices: number;
  /** The answer is one or several calls. */
  readonly callsOnly: boolean;
  /** An ID for a call whose format has none. */
  readonly newCallId: () => string;
}

export interface ReadChoice {
  readonly parse: ParseState | null;
  readonly stops: StopState | null;
  /** Log-probabilities of text that is held back. */
  readonly waiting: readonly TokenLogprob[];
  readonly tokens: number;
  readonly reasoningTokens: number;
  /** What comes next is thinking. */
  readonly reasoning: boolean;
  readonly content: string;
  /** The arguments of each call, and its name. */
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  readonly over: boolean;
}

export interface ReadingState {
  readonly choices: readonly ReadChoice[];
}

type TextEvent = Extract<AnswerEvent, { type: 'text' }>;
type FinishEvent = Extract<AnswerEvent, { type: 'finish' }>;

export function startReading(plan: ReadingPlan): ReadingState {
  const choice: ReadChoice = {
    parse: plan.parse === null ? null : startParse(plan.parse),
    stops: plan.stops === null ? null : startStops(plan.stops),
    waiting: [],
    tokens: 0,
    reasoningTokens: 0,
    reasoning: plan.parse?.thinking === true,
    content: '',
    calls: [],
    over: false,
  };
  return { choices: Array.from({ length: plan.choices }, () => choice) };
}

export const isOver = (state: ReadingState): boolean => state.choices.every(({ over }) => over);

/** Pure, but for the IDs that it makes. */
export function stepReading(
  plan: ReadingPlan,
  before: ReadingState,
  event: AnswerEvent,
): { readonly state: ReadingState; readonly events: readonly AnswerEvent[] } {
  if (event.type === 'usage') {
    const reasoningTokens = before.choices.reduce((sum, one) => sum + one.reasoningTokens, 0);
    const usage = { ...event.usage, reasoningTokens };
    return { state: before, events: [{ type: 'usage', usage }] };
  }
  const choice = before.choices[event.choice];
  if (choice === undefined || choice.over) return { state: before, events: [] };
  const next = stepChoice(plan, choice, event);
  return {
    state: { choices: before.choices.with(event.choice, next.choice) },
    events: next.events,
  };
}

interface ChoiceStep {
  readonly choice: ReadChoice;
  readonly events: readonly AnswerEvent[];
}

function stepChoice(plan: ReadingPlan, choice: ReadChoice, event: AnswerEvent): ChoiceStep {
  switch (event.type) {
    case 'text':
      return stepText(plan, choice, event);
    case 'finish':
      return stepFinish(plan, choice, event);
    default:
      return { choice, events: [event] };
  }
}

function stepText(plan: ReadingPlan, before: ReadChoice, event: TextEvent): ChoiceStep {
  const { parse: state } = before;
  const parsed =
    state === null
      ? { state: null, parts: [{ type: 'text', text: event.text } as const] }
      : stepParse(state, event.text);
  const tokens = event.tokens ?? before.tokens;
  const reasoning = parsed.state?.mode.at === 'thinking';
  const reasoned =
    before.reasoning || reasoning || parsed.parts.some(({ type }) => type === 'reasoning');
  const choice: ReadChoice = {
    ...before,
    parse: parsed.state,
    tokens,
    reasoning,
    reasoningTokens: before.reasoningTokens + (reasoned ? tokens - before.tokens : 0),
    waiting: [...before.waiting, ...(event.logprobs ?? [])],
  };
  return takeParts(plan, choice, { index: event.choice, parts: parsed.parts });
}

interface Parts {
  /** Of the choice. */
  readonly index: number;
  readonly parts: readonly AnswerPart[];
}

function takeParts(plan: ReadingPlan, before: ReadChoice, { index, parts }: Parts): ChoiceStep {
  let choice = before;
  const events: AnswerEvent[] = [];
  for (const part of parts) {
    const next = takePart(plan, choice, { index, parts: [part] });
    choice = next.choice;
    events.push(...next.events);
    if (choice.over) break;
  }
  return { choice, events };
}

function takePart(plan: ReadingPlan, choice: ReadChoice, { index, parts }: Parts): ChoiceStep {
  const [part] = parts;
  if (part === undefined) return { choice, events: [] };
  switch (part.type) {
    case 'text':
      return takeContent(plan, choice, { index, text: part.text });
    case 'reasoning':
      return {
        choice: { ...choice, waiting: [] },
        events: [{ type: 'reasoning', choice: index, text: part.text }],
      };
    case 'tool_call_start': {
      const { name } = part;
      const id = part.id ?? plan.newCallId();
      return {
        choice: {
          ...choice,
          waiting: [],
          calls: [...choice.calls, { name, arguments: '' }],
        },
        events: [{ type: 'tool_call_start', choice: index, index: part.index, id, name }],
      };
    }
    case 'tool_call_delta': {
      const { index: at, arguments: text } = part;
      const call = choice.calls[at] ?? { name: '', arguments: '' };
      const longer = { ...call, arguments: call.arguments + text };
      return {
        choice: { ...choice, waiting: [], calls: choice.calls.toSpliced(at, 1, longer) },
        events: [{ type: 'tool_call_delta', choice: index, index: at, arguments: text }],
      };
    }
    default:
      return part satisfies never;
  }
}

function takeContent(
  plan: ReadingPlan,
  choice: ReadChoice,
  { index, text }: { readonly index: number; readonly text: string },
): ChoiceStep {
  const { stops: state, tokens } = choice;
  const found =
    state === null || plan.stops === null
      ? { state: null, text, matched: null }
      : stepContentStops(plan.stops, state, { text, tokens });
  const shown: ReadChoice = {
    ...choice,
    stops: found.state,
    content: choice.content + found.text,
    over: found.matched !== null,
  };
  const told = tellText(shown, index, found.text);
  if (found.matched === null) return told;
  const finish: FinishEvent = {
    type: 'finish',
    choice: index,
    reason: reasonOf(shown, 'stop'),
    stopReason: found.matched,
  };
  return { choice: told.choice, events: [...told.events, finish] };
}

function tellText(choice: ReadChoice, index: number, text: string): ChoiceStep {
  const { waiting } = choice;
  if (text === '' && waiting.length === 0) return { choice, events: [] };
  const event: TextEvent = {
    type: 'text',
    choice: index,
    text,
    ...(waiting.length === 0 ? {} : { logprobs: waiting }),
  };
  return { choice: { ...choice, waiting: [] }, events: [event] };
}

function stepFinish(plan: ReadingPlan, before: ReadChoice, event: FinishEvent): ChoiceStep {
  const { choice: index } = event;
  const left = before.parse === null ? [] : endParse(before.parse).parts;
  // Where only calls may be written, what is left of one that was cut off is nobody's content.
  const isScrap = plan.callsOnly && event.reason === 'length';
  const rest = isScrap ? left.filter(({ type }) => type !== 'text') : left;
  const read = takeParts(plan, before, { index, parts: rest });
  if (read.choice.over) return read;
  // Nothing follows that could make a stop string of what was held for one.
  const held = read.choice.stops?.held ?? '';
  const content = read.choice.content + held;
  const told = tellText({ ...read.choice, content, stops: null }, index, held);
  const finish = { ...event, reason: reasonOf(told.choice, event.reason) };
  return {
    choice: { ...told.choice, over: true },
    events: [...read.events, ...told.events, finish],
  };
}

const reasonOf = ({ calls }: ReadChoice, reason: FinishReason): FinishReason =>
  calls.length > 0 && reason === 'stop' ? 'tool_calls' : reason;
