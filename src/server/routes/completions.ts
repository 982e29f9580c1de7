/** POST /v1/completions: raw prompts in the older shape; several prompts run together. */

import { parseCompletionRequest, ParlanceError, type ChatRequest } from '../../contract/index.ts';
import type { Answer, AnswerEvents, Identity, Target } from '../../targets/index.ts';
import { mergeAnswers } from '../answer/merge-answers.ts';
import { eventsOfWire } from '../answer/wire-events.ts';
import type { Exchange } from '../exchange.ts';
import { admitTo, createHead, readRequest, sendPlan } from './admission.ts';
import { answer } from './answering.ts';

export async function postCompletions(exchange: Exchange): Promise<void> {
  const { text, unsupported } = await readRequest(exchange);
  const asked = parseCompletionRequest(text, unsupported);
  const [first] = asked;
  if (first === undefined) throw new ParlanceError('missing_field', '`prompt` is required.');
  exchange.record.model = first.model;
  const target = exchange.services.routing.resolve(first.model);
  const { request, receipt } = admitTo(exchange, first, target);
  // They differ in nothing but the prompt, so what was decided for one holds for all.
  const requests = asked.map(({ input, wire, source }) => ({ ...request, input, wire, source }));
  const head = createHead(exchange, 'text', { request, target });
  if (request.dryRun) return sendPlan(exchange, { target, request, receipt, head });
  const choicesEach = request.parameters.n ?? 1;
  return answer(exchange, {
    target,
    request,
    receipt,
    shape: 'text',
    head,
    choices: choicesEach * requests.length,
    start: (signal) => runAll({ target, requests, identity: head, choicesEach }, signal),
  });
}

interface Batch {
  readonly target: Target;
  readonly requests: readonly ChatRequest[];
  readonly identity: Identity;
  readonly choicesEach: number;
}

const eventsOf = (found: Answer): AnswerEvents =>
  found.kind === 'events' ? found.events : eventsOfWire(found);

/** Runs all prompts; when one is refused or fails, the others are aborted. */
async function runAll(batch: Batch, signal: AbortSignal): Promise<Answer> {
  const { target, requests, identity, choicesEach } = batch;
  const own = new AbortController();
  const abort = (): void => own.abort(new ParlanceError('cancelled', 'Another prompt failed.'));
  const both = AbortSignal.any([signal, own.signal]);
  const running = requests.map((request) => target.run({ request, identity, signal: both }));
  try {
    const answers = await Promise.all(running);
    const events = mergeAnswers(answers.map(eventsOf), { choicesEach, abort });
    return { kind: 'events', notes: answers.flatMap((one) => one.notes), events };
  } catch (error) {
    abort();
    await endQuietly(await Promise.allSettled(running));
    throw error;
  }
}

/** Answers that began and are not wanted any more: they are read to their end, which is near. */
async function endQuietly(started: readonly PromiseSettledResult<Answer>[]): Promise<void> {
  const ends = started.map(async (one) => {
    if (one.status === 'rejected') return;
    for await (const _ of eventsOf(one.value));
  });
  await Promise.allSettled(ends);
}
