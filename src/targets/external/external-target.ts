/**
 * An external target: anything that already speaks the OpenAI dialect. Chat goes through as bytes;
 * a raw prompt goes to the upstream's completions route and comes back as events.
 */

import type { Verifier } from '../../constraint/index.ts';
import { ParlanceError } from '../../contract/index.ts';
import {
  completionEvents,
  editJson,
  jsonEntries,
  jsonValue,
  messageOf,
  parseUsage,
  startWireStream,
  stepWireStream,
  toOwnAnswer,
  toWireRequest,
  type WireStreamOptions,
  type WireStreamState,
  type WireStreamStep,
} from '../dialects/openai/index.ts';
import { checkPayloads } from '../reading/check-payloads.ts';
import type { AnswerCheck } from '../reading/check-answer.ts';
import { createCheck, incompleteNotes } from '../reading/create-check.ts';
import { readAnswer } from '../reading/read-answer.ts';
import type { Answer, AnswerEvent, Target, TargetRun, Usage } from '../target.ts';
import { externalCapabilities, type Declared } from './capabilities.ts';
import { isEndMark, readPayloads, streamCut } from './payloads.ts';
import { createUpstream, type Upstream, type UpstreamAnswer } from './upstream.ts';

export interface ExternalOptions {
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey: string | null;
  /** The name that the upstream knows the model by. */
  readonly model: string;
  readonly parameters: Declared;
  /** Finished texts are checked by it, since upstreams accept constraints that they do not keep. */
  readonly verifier: Verifier;
}

export interface ExternalTarget extends Target {
  close(): Promise<void>;
}

export function createExternalTarget(options: ExternalOptions): ExternalTarget {
  const upstream = createUpstream(options);
  const name = `external:${options.name}`;
  return {
    name,
    kind: 'external',
    capabilities: externalCapabilities(options.parameters),
    close: () => upstream.close(),
    plan: () =>
      Promise.resolve({
        target: name,
        prompt: null,
        promptTokens: null,
        maxTokens: null,
        notes: [],
      }),
    run: async (run) => {
      const asked = { upstream, run, model: options.model };
      const check = createCheck(run.request, options.verifier);
      return run.request.input.kind === 'prompt'
        ? await complete(asked, check)
        : await chat(asked, check);
    },
  };
}

interface Asked {
  readonly upstream: Upstream;
  readonly run: TargetRun;
  /** The name that the upstream knows the model by. */
  readonly model: string;
}

async function chat({ upstream, run, model }: Asked, check: AnswerCheck | null): Promise<Answer> {
  const late = incompleteNotes(run.request);
  const checked = (payloads: AsyncIterable<string>): AsyncIterable<string> =>
    check === null ? payloads : checkPayloads(payloads, check, late.add);
  const body = toWireRequest(run.request, model);
  const answer = await upstream.post('/chat/completions', body, run.signal);
  if (run.request.stream) {
    checkStream(answer, upstream);
    let unshown: Usage | null = null;
    const payloads = streamChat(answer, upstream, run, (usage) => (unshown = usage));
    return {
      kind: 'wire',
      notes: [],
      payloads: checked(payloads),
      unshownUsage: () => unshown,
      lateNotes: late.notes,
    };
  }
  const text = toOwnAnswer(await answer.text(), run.identity);
  return { kind: 'wire', notes: [], payloads: checked(one(text)), lateNotes: late.notes };
}

function checkStream(answer: UpstreamAnswer, upstream: Upstream): void {
  const { contentType } = answer;
  if (contentType.includes('text/event-stream')) return;
  answer.discard();
  throw new ParlanceError(
    'upstream_failed',
    `The upstream at ${upstream.origin} was asked for a stream and answered ${contentType || 'without a content type'}.`,
  );
}

async function* one(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}

async function* streamChat(
  answer: UpstreamAnswer,
  upstream: Upstream,
  run: TargetRun,
  onUnshown: (usage: Usage | null) => void,
): AsyncGenerator<string> {
  const { includeUsage, continuousUsage } = run.request;
  const options = { identity: run.identity, includeUsage, continuousUsage };
  let state = startWireStream;
  for await (const payload of readPayloads(answer)) {
    const step = stepOrFail(state, payload, { options, upstream });
    if (step.kind === 'error') throw errorInStream(step.error, upstream);
    state = step.state;
    if (state.done && state.unshown !== null) onUnshown(parseUsage(state.unshown));
    yield* step.chunks;
    if (state.done) return;
  }
  if (state.unshown !== null) onUnshown(parseUsage(state.unshown));
  // Some servers close without `[DONE]`; the answer is whole only if every choice came to its end.
  if (state.finished < (run.request.parameters.n ?? 1)) throw streamCut(upstream.origin);
  if (state.held !== null) yield state.held;
}

function stepOrFail(
  state: WireStreamState,
  payload: string,
  { options, upstream }: { readonly options: WireStreamOptions; readonly upstream: Upstream },
): WireStreamStep {
  try {
    return stepWireStream(state, payload, options);
  } catch (error) {
    throw notJson(upstream, error);
  }
}

/** @param error the JSON of what the upstream's `error` field holds */
function errorInStream(error: string, upstream: Upstream): ParlanceError {
  return upstream.toError({
    status: statusOf(error),
    body: messageOf(error),
    retryAfter: undefined,
  });
}

function statusOf(error: string): number {
  try {
    const { code } = JSON.parse(error) as { code?: unknown };
    return typeof code === 'number' && code >= 400 && code < 600 ? code : 500;
  } catch {
    return 500;
  }
}

async function complete(
  { upstream, run, model }: Asked,
  check: AnswerCheck | null,
): Promise<Answer> {
  const { request } = run;
  const body = toWireRequest(request, model);
  // Absent, the limit of a raw prompt is ours to say: upstreams differ.
  const limited =
    request.parameters.max_tokens === undefined
      ? editJson(body, new Map([['max_tokens', '16']]))
      : body;
  const answer = await upstream.post('/completions', limited, run.signal);
  if (request.stream) checkStream(answer, upstream);
  const payloads = request.stream ? readPayloads(answer) : one(await answer.text());
  const choices = request.parameters.n ?? 1;
  const source = completions(payloads, upstream, choices);
  if (check === null) return { kind: 'events', notes: [], events: source };
  const plan = { parse: null, stops: null, choices, callsOnly: false, newCallId: () => '' };
  const late = incompleteNotes(request);
  const events = readAnswer(source, { plan, check, onIncomplete: late.add, onOver: () => {} });
  return { kind: 'events', notes: [], events, lateNotes: late.notes };
}

async function* completions(
  payloads: AsyncIterable<string>,
  upstream: Upstream,
  choices: number,
): AsyncGenerator<readonly AnswerEvent[]> {
  const finished = new Set<number>();
  for await (const payload of payloads) {
    if (isEndMark(payload)) break;
    const events = readCompletion(payload, upstream);
    for (const event of events) if (event.type === 'finish') finished.add(event.choice);
    yield events;
  }
  if (finished.size < choices) throw streamCut(upstream.origin);
}

function readCompletion(payload: string, upstream: Upstream): AnswerEvent[] {
  let events: AnswerEvent[];
  let error: string | null;
  try {
    events = completionEvents(payload);
    error = jsonValue(payload, jsonEntries(payload), 'error');
  } catch (cause) {
    throw notJson(upstream, cause);
  }
  if (error !== null) throw errorInStream(error, upstream);
  return events;
}

const notJson = (upstream: Upstream, cause: unknown): ParlanceError =>
  new ParlanceError(
    'upstream_failed',
    `The upstream at ${upstream.origin} sent something that is not JSON.`,
    { cause },
  );
