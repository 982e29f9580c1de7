/**
 * The engine's process. It is started by `client/` with an IPC channel, loads one model, and runs
 * the scheduler: a step (which blocks), its messages, one turn of the event loop to read what came,
 * the next step. It ignores the terminal's signals and obeys the server; without the server it ends.
 */

import { asParlanceError, ParlanceError } from '../contract/errors.ts';
import {
  createConstraints,
  type Constraints,
  type PreparedConstraint,
} from './constraints/index.ts';
import type { ConstraintSpec } from '../constraint/index.ts';
import { loadEngine, type LoadedEngine } from './load-engine.ts';
import { obey, takeImport, type Order } from './orders.ts';
import type { FromEngine, ToEngine } from './protocol.ts';
import { Scheduler } from './scheduler/index.ts';

process.title = 'parlance-engine';
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => void leave());
process.on('message', (message: ToEngine) => receive(message));

let loaded: LoadedEngine | null = null;
let scheduler: Scheduler | null = null;
let constraints: Constraints | null = null;
/** Requests whose constraints are being compiled. */
const preparing = new Set<number>();
/** Those that have been cancelled since included: nobody takes their constraints out of the queue. */
let compiling = 0;
let mostCompiling = 0;
let stepping = false;
let sweeping: NodeJS.Timeout | undefined;
const sweepMilliseconds = 5000;
let warming: NodeJS.Timeout | undefined;
let isWarm = false;
const warmMilliseconds = 30_000;

type Generate = Extract<ToEngine, { type: 'generate' }>;

function receive(message: ToEngine): void {
  switch (message.type) {
    case 'load':
      void load(message);
      return;
    case 'generate':
      if (message.request.constraint === null) generate(message, null);
      else void generateConstrained(message, message.request.constraint);
      return;
    case 'cancel':
      preparing.delete(message.id);
      if (scheduler !== null) send(scheduler.cancel(message.id));
      return;
    case 'load-adapter':
    case 'unload-adapter':
    case 'export-context':
      follow(message);
      return;
    case 'stop':
      void leave();
      return;
    default:
      message satisfies never;
  }
}

async function load({ path, draft, options }: Extract<ToEngine, { type: 'load' }>): Promise<void> {
  try {
    const onProgress = (progress: number): void => send({ type: 'loading', progress });
    loaded = await loadEngine({ path, draft, options, onProgress, onFault: writeFault });
    scheduler = new Scheduler({ ...loaded, maxWaiting: options.maxWaiting, onFault: writeFault });
    constraints = createConstraints({ vocabulary: loaded.decoder.vocabulary });
    mostCompiling = options.maxWaiting + loaded.decoder.slots;
    send({ type: 'ready', info: loaded.info });
    warmSoon();
  } catch (error) {
    if (!(error instanceof ParlanceError)) writeFault(error);
    const { reason, message } = asParlanceError(error);
    send({ type: 'failed', reason, message });
  }
}

/** Its constraint is compiled first, in another thread; it may be cancelled meanwhile. */
async function generateConstrained(message: Generate, spec: ConstraintSpec): Promise<void> {
  const { id } = message;
  try {
    if (constraints === null) throw notLoaded();
    // Compilations queue as texts do; without a bound a flood of slow ones would grow it for ever.
    if (compiling >= mostCompiling) throw tooManyCompiling();
  } catch (error) {
    send(toRejection(id, error));
    return;
  }
  preparing.add(id);
  compiling += 1;
  try {
    isWarm = true;
    const prepared = await constraints.prepare(spec);
    if (preparing.delete(id)) generate(message, prepared);
    else prepared.release();
  } catch (error) {
    if (preparing.delete(id)) send(toRejection(id, error));
  } finally {
    compiling -= 1;
  }
}

const tooManyCompiling = () =>
  new ParlanceError(
    'queue_full',
    `The constraints of ${mostCompiling} requests are being compiled for this model, which is the most it takes; try again later.`,
  );

const notLoaded = () => new ParlanceError('model_loading', 'The model is not loaded yet.');

function generate({ id, request }: Generate, constraint: PreparedConstraint | null): void {
  if (scheduler === null) {
    send(toRejection(id, notLoaded()));
    return;
  }
  try {
    const asked = takeImport(scheduler, request);
    for (const message of scheduler.submit(id, asked, constraint)) send(message);
  } catch (error) {
    constraint?.release();
    send(toRejection(id, error));
  }
  startStepping();
}

function follow(order: Order): void {
  try {
    if (scheduler === null) throw new ParlanceError('model_loading', 'The model is loading.');
    for (const message of obey(scheduler, order)) send(message);
    send({ type: 'done', id: order.id, error: null });
  } catch (error) {
    if (!(error instanceof ParlanceError)) writeFault(error);
    const { reason, message } = asParlanceError(error);
    send({ type: 'done', id: order.id, error: { reason, message } });
  }
}

function startStepping(): void {
  clearTimeout(warming);
  if (stepping) return;
  stepping = true;
  setImmediate(stepOnce);
}

function stepOnce(): void {
  if (scheduler === null) return;
  for (const message of scheduler.step()) send(message);
  stepping = scheduler.hasWork || (loaded?.keepsPrefixes === true && scheduler.settle());
  // A turn of the event loop between two steps is what lets cancellations in.
  if (stepping) setImmediate(stepOnce);
  else rest(scheduler);
}

/** Once: the first constraint need not wait for threads, and the engine does not for them while it works. */
function warmSoon(): void {
  clearTimeout(warming);
  if (isWarm) return;
  warming = setTimeout(() => {
    isWarm = true;
    constraints?.warm().catch(writeFault);
  }, warmMilliseconds);
}

/** Held contexts end by the clock, also while there is no step that would notice it. */
function rest(resting: Scheduler): void {
  const { stats } = resting;
  send({ type: 'stats', stats });
  warmSoon();
  clearTimeout(sweeping);
  if (stats.heldContexts === 0) return;
  sweeping = setTimeout(() => {
    if (stepping) return;
    for (const message of resting.step()) send(message);
    rest(resting);
  }, sweepMilliseconds);
}

/** What is on its way to the disk arrives first, for a while. */
async function leave(): Promise<void> {
  const patience = setTimeout(() => process.exit(0), 2000);
  try {
    if (loaded?.keepsPrefixes === true && scheduler !== null) while (scheduler.settle());
    await loaded?.close();
  } catch (error) {
    writeFault(error);
  }
  clearTimeout(patience);
  process.exit(0);
}

function toRejection(id: number, error: unknown): FromEngine {
  const { reason, message, param } = asParlanceError(error);
  const load = scheduler?.load ?? { running: 0, waiting: 0 };
  return { type: 'rejected', id, reason, message, param, load };
}

/** A channel that closes meanwhile is no fault: `disconnect` follows and ends the process. */
function send(message: FromEngine): void {
  process.send?.(message, undefined, undefined, () => {});
}

/** The server logs the message; stderr is kept by it and shown when the engine fails. */
function writeFault(error: unknown): void {
  send({ type: 'fault', message: error instanceof Error ? error.message : String(error) });
  process.stderr.write(
    `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
}
