/**
 * The engine's process. It is started by `client/` with an IPC channel, loads one model, and runs
 * the scheduler: a step (which blocks), its messages, one turn of the event loop to read what came,
 * the next step. It ignores the terminal's signals and obeys the server; without the server it ends.
 */

import { asParlanceError, ParlanceError } from '../contract/errors.ts';
import { loadEngine } from './load-engine.ts';
import type { FromEngine, ToEngine } from './protocol.ts';
import { Scheduler } from './scheduler/scheduler.ts';

process.title = 'parlance-engine';
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.exit(0));
process.on('message', (message: ToEngine) => receive(message));

let scheduler: Scheduler | null = null;
let stepping = false;

function receive(message: ToEngine): void {
  switch (message.type) {
    case 'load':
      load(message);
      return;
    case 'generate':
      send(scheduler?.submit(message.id, message.request) ?? refuse(message.id));
      startStepping();
      return;
    case 'cancel':
      if (scheduler !== null) send(scheduler.cancel(message.id));
      return;
    case 'load-adapter':
    case 'unload-adapter':
    case 'export-context':
      return;
    case 'stop':
      process.exit(0);
      break;
    default:
      message satisfies never;
  }
}

function load({ path, options }: Extract<ToEngine, { type: 'load' }>): void {
  try {
    const loaded = loadEngine(path, options, (progress) => send({ type: 'loading', progress }));
    scheduler = new Scheduler({
      decoder: loaded.decoder,
      maxWaiting: options.maxWaiting,
      onFault: writeFault,
    });
    send({ type: 'ready', info: loaded.info });
  } catch (error) {
    if (!(error instanceof ParlanceError)) writeFault(error);
    const { reason, message } = asParlanceError(error);
    send({ type: 'failed', reason, message });
  }
}

function startStepping(): void {
  if (stepping) return;
  stepping = true;
  setImmediate(stepOnce);
}

function stepOnce(): void {
  for (const message of scheduler?.step() ?? []) send(message);
  stepping = scheduler?.hasWork ?? false;
  // A turn of the event loop between two steps is what lets cancellations in.
  if (stepping) setImmediate(stepOnce);
}

function refuse(id: number): FromEngine {
  return {
    type: 'rejected',
    id,
    reason: 'model_loading',
    message: 'The model is not loaded yet.',
    param: null,
    load: { running: 0, waiting: 0 },
  };
}

/** A channel that closes meanwhile is no fault: `disconnect` follows and ends the process. */
function send(message: FromEngine): void {
  process.send?.(message, undefined, undefined, () => {});
}

/** stderr is kept by the server and shown when the engine fails. */
function writeFault(error: unknown): void {
  process.stderr.write(
    `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
}
