/**
 * From answer events to the payloads of a stream: a state machine without I/O. `step` takes what
 * one step of the target brought, `end` what the target's end leaves to be said. With usage asked
 * for, the last choice's finish chunk waits for the end, since the last usage is what it costs.
 */

import type { AnswerEvent, Usage } from '../../targets/index.ts';
import { headFields, type AnswerHead, type AnswerShape } from './answer-head.ts';
import { deltaForm, textForm, type ChunkForm } from './chunk-form.ts';
import { toWireUsage } from './wire-usage.ts';

export interface StreamPlan {
  readonly shape: AnswerShape;
  readonly head: AnswerHead;
  /** How many choices there will be. */
  readonly choices: number;
  /** `last`: on the last choice's finish chunk. `separate`: in a chunk without choices. */
  readonly usage: 'none' | 'last' | 'separate';
  /** Usage so far in every chunk. */
  readonly continuous: boolean;
  readonly logprobs: boolean;
}

export interface ChunkStream {
  readonly form: ChunkForm;
  /** Up to and with `{"index":`. */
  readonly prefix: string;
  readonly plan: StreamPlan;
}

export interface StreamState {
  readonly opened: ReadonlySet<number>;
  readonly finished: number;
  readonly offsets: ReadonlyMap<number, number>;
  readonly usage: Usage | null;
  /** The last finish chunk without its usage and its last brace. */
  readonly held: string | null;
}

export interface Step {
  readonly state: StreamState;
  readonly payloads: readonly string[];
}

export const startState: StreamState = {
  opened: new Set(),
  finished: 0,
  offsets: new Map(),
  usage: null,
  held: null,
};

export function createChunkStream(plan: StreamPlan): ChunkStream {
  const head = JSON.stringify(headFields(plan.shape, 'chunk', plan.head)).slice(0, -1);
  const form = plan.shape === 'text' ? textForm(plan.logprobs) : deltaForm;
  return { form, plan, prefix: `${head},"choices":[{"index":` };
}

const usageField = (usage: Usage | null): string =>
  `,"usage":${usage === null ? 'null' : JSON.stringify(toWireUsage(usage))}`;

/** The usage that counts for a batch is its last one: the texts before it are already in it. */
function lastUsage(events: readonly AnswerEvent[]): Usage | null {
  const found = events.findLast((event) => event.type === 'usage');
  return found?.type === 'usage' ? found.usage : null;
}

export function step(
  stream: ChunkStream,
  before: StreamState,
  events: readonly AnswerEvent[],
): Step {
  const { form, plan, prefix } = stream;
  const usage = lastUsage(events) ?? before.usage;
  const tail = plan.continuous ? `}]${usageField(usage)}}` : '}]}';
  const payloads: string[] = [];
  let { opened, finished, offsets, held } = before;
  for (const event of events) {
    if (event.type === 'usage') continue;
    const start = prefix + event.choice;
    if (form.opening !== null && !opened.has(event.choice)) {
      opened = new Set(opened).add(event.choice);
      payloads.push(start + form.opening + tail);
    }
    if (event.type === 'finish') {
      finished += 1;
      const chunk = start + form.finish(event);
      if (finished === plan.choices && waitsForUsage(plan)) held = `${chunk}}]`;
      else payloads.push(chunk + tail);
      continue;
    }
    const known = offsets.get(event.choice) ?? 0;
    const { inside, offset } = form.content(event, known);
    if (offset !== known) offsets = new Map(offsets).set(event.choice, offset);
    if (inside !== null) payloads.push(start + inside + tail);
  }
  return { state: { opened, finished, offsets, usage, held }, payloads };
}

const waitsForUsage = (plan: StreamPlan): boolean => plan.usage === 'last' || plan.continuous;

/** What is left to say when the target has ended; without `[DONE]`, which is the transport's. */
export function end(stream: ChunkStream, state: StreamState): readonly string[] {
  const { plan, prefix } = stream;
  const payloads = state.held === null ? [] : [`${state.held}${usageField(state.usage)}}`];
  if (plan.usage !== 'separate') return payloads;
  const alone = prefix.slice(0, prefix.lastIndexOf('{"index":'));
  return [...payloads, `${alone}]${usageField(state.usage)}}`];
}

/** Whether every choice has its finish. */
export const isComplete = (stream: ChunkStream, state: StreamState): boolean =>
  state.finished >= stream.plan.choices;
