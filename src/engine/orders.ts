/**
 * What the engine is told to do beside generating: adapters, and contexts that go to or come from
 * another engine in a file. `main.ts` calls it; the scheduler itself touches no file.
 */

import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';

import { ParlanceError } from '../contract/errors.ts';
import type { FromEngine, GenerateRequest, ToEngine } from './protocol.ts';
import type { Scheduler } from './scheduler/index.ts';

export type Order = Extract<
  ToEngine,
  { type: 'load-adapter' | 'unload-adapter' | 'export-context' }
>;

const chunkBytes = 1 << 20;

/** What else there is to tell because of the order, `done` apart. Throws a catalogued error. */
export function obey(scheduler: Scheduler, order: Order): FromEngine[] {
  switch (order.type) {
    case 'load-adapter':
      scheduler.loadAdapter(order.name, order.path, digestOf(order.path));
      return [];
    case 'unload-adapter':
      return scheduler.unloadAdapter(order.name);
    case 'export-context':
      // The folder is the server's own, so nobody else can have put the file there.
      writeFileSync(order.path, scheduler.exportContext(order.context), {
        mode: 0o600,
        flag: 'wx',
      });
      return [];
    default:
      return order satisfies never;
  }
}

/** Takes the context that a request brings in a file into the engine; the file is gone then. */
export function takeImport(scheduler: Scheduler, request: GenerateRequest): GenerateRequest {
  const { handover } = request;
  if (handover?.type !== 'import' || request.dryRun) return request;
  try {
    const context = scheduler.importContext(readFileSync(handover.path));
    return { ...request, handover: { ...handover, type: 'resume', context } };
  } finally {
    rmSync(handover.path, { force: true });
  }
}

/** Adapters of the same content share prefixes, under whatever name and in whatever file. */
function digestOf(path: string): string {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(chunkBytes);
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (cause) {
    throw new ParlanceError('invalid_adapter', `${path}: the adapter's file cannot be read.`, {
      cause,
    });
  }
  try {
    for (;;) {
      const read = readSync(file, chunk);
      if (read === 0) return hash.digest('hex');
      hash.update(chunk.subarray(0, read));
    }
  } finally {
    closeSync(file);
  }
}
