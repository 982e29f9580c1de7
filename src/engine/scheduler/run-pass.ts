/**
 * One pass of the decoder over planned runs, and what its status means. The scheduler calls it for the
 * runs of one adapter; it changes nothing but the decoder and what its sequences have computed.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { Decoder } from '../llama/decoder.ts';
import type { ActiveRequest, Ready } from './active-request.ts';
import type { PlannedRun } from './batch-planner.ts';

export interface PassEvents {
  /** The pass worked; logits may be read until the next one. Called for each request that has any. */
  ready(request: ActiveRequest, ready: readonly Ready[]): void;
  /** The request's part of the pass failed, and what its slots hold is unknown. */
  failed(request: ActiveRequest, error: ParlanceError): void;
  /** It worked for these runs, and all `ready` calls follow. */
  done(runs: readonly PlannedRun[]): void;
}

const noRoom = 1;
const thrown = -1000;

const failures: ReadonlyMap<number, string> = new Map([
  [noRoom, ': there is no room left in its memory'],
  [2, ': the pass was aborted'],
  [-1, ': the library refused the batch'],
  [-2, ': the machine is out of memory'],
  [-3, ': the computation failed'],
  [thrown, ''],
]);

/** All runs have the same adapter. */
export function runPass(decoder: Decoder, runs: readonly PlannedRun[], events: PassEvents): void {
  const adapter = runs[0]?.sequence.request.adapter ?? null;
  const { status, cause } = decode(decoder, runs, adapter);
  const byRequest = Map.groupBy(runs, ({ sequence }) => sequence.request);
  if (status === noRoom && byRequest.size > 1) {
    // Nothing was changed by it, so each request may try alone.
    for (const own of byRequest.values()) runPass(decoder, own, events);
    return;
  }
  if (status !== 0) {
    const error = describe(status, cause);
    for (const request of byRequest.keys()) events.failed(request, error);
    return;
  }
  for (const { sequence, tokens } of runs) sequence.computed += tokens.length;
  events.done(runs);
  for (const [request, own] of byRequest) {
    const ready = own.flatMap((run) => toReady(decoder, run, runs.indexOf(run)));
    if (ready.length > 0) events.ready(request, ready);
  }
}

function decode(decoder: Decoder, runs: readonly PlannedRun[], adapter: string | null) {
  try {
    return { status: decoder.decode(runs, adapter), cause: null };
  } catch (cause) {
    return { status: thrown, cause };
  }
}

function toReady(decoder: Decoder, { sequence, outputs }: PlannedRun, run: number): Ready[] {
  if (outputs === 0) return [];
  return [{ sequence, rows: { count: outputs, row: (index) => decoder.logits(run, index) } }];
}

function describe(status: number, cause: unknown): ParlanceError {
  const why = failures.get(status) ?? `: status ${status}`;
  const words = `The engine failed on this request${why}.`;
  return new ParlanceError('engine_failed', words, cause === null ? {} : { cause });
}
