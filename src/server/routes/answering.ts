/**
 * Runs an admitted request and writes its answer, as JSON or as a stream. Every accepted request
 * ends here exactly once: finished, failed, or cancelled, and then nothing more is written.
 */

import {
  annotate,
  ParlanceError,
  receiptHeader,
  type ChatRequest,
  type Receipt,
} from '../../contract/index.ts';
import {
  finishReasonsInPayload,
  usageInPayload,
  type Answer,
  type AnswerEvent,
  type AnswerEvents,
  type Target,
  type Usage,
  type WireAnswer,
} from '../../targets/index.ts';
import { toAnswerBody } from '../answer/answer-body.ts';
import type { AnswerHead, AnswerShape } from '../answer/answer-head.ts';
import * as chunkStream from '../answer/chunk-stream.ts';
import { collect, emptyCollection, isCollected } from '../answer/collect.ts';
import type { Exchange } from '../exchange.ts';
import { SseWriter } from '../http/sse-writer.ts';

export interface Job {
  readonly target: Target;
  readonly request: ChatRequest;
  readonly receipt: Receipt;
  readonly shape: AnswerShape;
  readonly head: AnswerHead;
  /** How many choices the client will see. */
  readonly choices: number;
  start(signal: AbortSignal): Promise<Answer>;
}

function noteReceipt({ record }: Exchange, job: Job, answer: Answer | null): void {
  const late = answer?.lateNotes?.() ?? [];
  const notes = [...(answer?.notes ?? []), ...late];
  record.receipt = receiptHeader(annotate(job.receipt, notes, job.request));
}

/** What is noted later is in the record alone. */
function sendReceipt({ response, record }: Exchange): void {
  if (response.headersSent || record.receipt === '') return;
  response.setHeader('x-parlance-receipt', record.receipt);
}

function noteFinishes({ record }: Exchange, events: readonly AnswerEvent[]): void {
  for (const event of events) {
    if (event.type === 'finish') record.finishReasons[event.choice] = event.reason;
  }
}

const endedEarly = (): ParlanceError =>
  new ParlanceError('internal', 'The answer ended before it was finished; this is a bug.');

/** @throws whatever the target throws, and the signal's reason once that is aborted */
export async function answer(exchange: Exchange, job: Job): Promise<void> {
  const { id, episodeId } = job.head;
  exchange.record.target = job.target.name;
  exchange.record.inference = { id, episodeId, stream: job.request.stream };
  noteReceipt(exchange, job, null);
  try {
    await (job.request.stream ? answerStream(exchange, job) : answerBody(exchange, job));
  } finally {
    const { metrics } = exchange.services;
    const { usage } = exchange.record;
    if (usage !== null) metrics.answered(job.target.name, usage);
  }
}

/** A target may end quietly when it is aborted; that is no finished answer. */
function checkAborted({ signal }: Exchange): void {
  if (signal.aborted) throw signal.reason;
}

async function answerBody(exchange: Exchange, job: Job): Promise<void> {
  const { record } = exchange;
  const found = await job.start(exchange.signal);
  if (found.notes.length > 0) noteReceipt(exchange, job, found);
  sendReceipt(exchange);
  if (found.kind === 'wire') {
    let text = '';
    for await (const payload of found.payloads) text += payload;
    checkAborted(exchange);
    if (found.lateNotes !== undefined) noteReceipt(exchange, job, found);
    sendReceipt(exchange);
    record.usage = usageInPayload(text);
    record.finishReasons = [...finishReasonsInPayload(text)];
    exchange.sendText(200, 'application/json; charset=utf-8', text);
    return;
  }
  const collected = emptyCollection(job.choices);
  for await (const events of found.events) {
    collect(collected, events);
    noteFinishes(exchange, events);
    record.usage = collected.usage;
    exchange.pieceCame();
  }
  checkAborted(exchange);
  if (!isCollected(collected)) throw endedEarly();
  if (found.lateNotes !== undefined) noteReceipt(exchange, job, found);
  sendReceipt(exchange);
  exchange.sendJson(200, toAnswerBody(collected, { ...job, logprobs: wantsLogprobs(job) }));
}

const wantsLogprobs = (job: Job): boolean => job.request.parameters.logprobs === true;

async function answerStream(exchange: Exchange, job: Job): Promise<void> {
  const { response, signal, timers, services } = exchange;
  // Known before the target has answered: it goes out with a heartbeat while the request waits.
  sendReceipt(exchange);
  const { heartbeatMs } = services.settings;
  const writer = new SseWriter(response, { heartbeatMs, timers, signal });
  try {
    const found = await job.start(signal);
    if (found.notes.length > 0) noteReceipt(exchange, job, found);
    sendReceipt(exchange);
    if (found.kind === 'wire') await pass(exchange, found, writer);
    else await convert(exchange, job, { events: found.events, writer });
    if (found.lateNotes !== undefined) noteReceipt(exchange, job, found);
    checkAborted(exchange);
    writer.done();
  } catch (error) {
    if (writer.started && !exchange.hasLeft) writer.fail(signal.aborted ? signal.reason : error);
    writer.stop();
    throw error;
  }
}

/** The hot path: payloads go out as they came; only usage is looked for. */
async function pass(exchange: Exchange, found: WireAnswer, writer: SseWriter): Promise<void> {
  for await (const payload of found.payloads) {
    const usage: Usage | null = usageInPayload(payload);
    if (usage !== null) exchange.record.usage = usage;
    const reasons = finishReasonsInPayload(payload);
    if (reasons.length > 0) exchange.record.finishReasons.push(...reasons);
    exchange.pieceCame();
    await writer.send([payload]);
  }
  exchange.record.usage ??= found.unshownUsage?.() ?? null;
}

async function convert(
  exchange: Exchange,
  job: Job,
  { events, writer }: { readonly events: AnswerEvents; readonly writer: SseWriter },
): Promise<void> {
  const { request } = job;
  const stream = chunkStream.createChunkStream({
    shape: job.shape,
    head: job.head,
    choices: job.choices,
    usage: request.includeUsage ? exchange.services.settings.usageChunk : 'none',
    continuous: request.continuousUsage,
    logprobs: wantsLogprobs(job),
  });
  let state = chunkStream.startState;
  for await (const batch of events) {
    const next = chunkStream.step(stream, state, batch);
    noteFinishes(exchange, batch);
    state = next.state;
    exchange.record.usage = state.usage;
    if (next.payloads.length === 0) continue;
    exchange.pieceCame();
    await writer.send(next.payloads);
  }
  checkAborted(exchange);
  if (!chunkStream.isComplete(stream, state)) throw endedEarly();
  await writer.send(chunkStream.end(stream, state));
}
