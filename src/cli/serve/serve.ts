/**
 * `parlance serve` from start to end: home folder, lock, listening, the start model, the screen, and
 * then waiting for whatever ends it. Everything that was opened is closed in the reverse order.
 */

import { checkAddress, type Options } from '../../config/index.ts';
import { ParlanceError } from '../../contract/index.ts';
import { toStartModel, type DeploymentSpec } from '../../deployments/index.ts';
import { openStore, type Store } from '../../records/index.ts';
import { createLog, type Log } from '../../telemetry/index.ts';
import { exitCodes } from '../exit-code.ts';
import { coloursFor, type Io } from '../io.ts';
import { watchStarter } from '../starter-watch.ts';
import { onStopSignals } from '../stop-signals.ts';
import { readVersion } from '../version.ts';
import { compose, type Program } from './compose.ts';
import { describeModel } from './describe-model.ts';
import { followStart } from './follow-start.ts';
import { announceReady } from './ready-line.ts';
import { startScreen } from './start-screen.ts';

/** What running requests get to finish after the first wish to stop. */
const drainMs = 10_000;
/** Engines get this long to end once no request is left. */
const closeMs = 1000;

/**
 * Serves until a signal, or the end of whoever started it.
 * @returns the exit code
 * @throws ParlanceError when it cannot start
 */
export async function serve(options: Options, io: Io): Promise<number> {
  const log = createLog(options.logLevel === 'fatal' ? 'error' : options.logLevel, {
    pretty: io.stderr.isTTY === true,
  });
  const startModel = toStartModel(options);
  const store = await openStore(options.home);
  try {
    checkAddress(options.host, await store.keys.any(), options.home);
    await store.lock.claim({ address: urlOf(options.host, options.port) });
    keepRunning(log);
    return await run({ options, io, log, store, startModel });
  } finally {
    await store.lock.release().catch(() => {});
    await store.close();
  }
}

interface Run {
  readonly options: Options;
  readonly io: Io;
  readonly log: Log;
  readonly store: Store;
  readonly startModel: DeploymentSpec | null;
}

async function run({ options, io, log, store, startModel }: Run): Promise<number> {
  const version = readVersion();
  const program = compose({ options, store, log, version });
  const ending = listenForTheEnd(program, io);
  try {
    const address = await program.app.listen(options);
    const url = urlOf(options.host, address.port);
    await store.lock.claim({ address: url });
    await program.deployments.restore(startModel);
    await Promise.race([
      showStart({ program, version, url, startModel, keyNeeded: await store.keys.any() }, io),
      ending.begun,
    ]);
    await ending.begun;
    return exitCodes.fine;
  } finally {
    await ending.finish();
  }
}

interface Start {
  readonly program: Program;
  readonly version: string;
  readonly url: string;
  readonly startModel: DeploymentSpec | null;
  readonly keyNeeded: boolean;
}

/** @throws ParlanceError when the start model cannot be had; one that was removed meanwhile is none */
async function showStart(start: Start, io: Io): Promise<void> {
  const { program, version, url, startModel, keyNeeded } = start;
  const view =
    startModel === null ? null : await followStart(program.deployments, startModel.name, io.stderr);
  if (view?.state === 'failed') throw new ParlanceError('deployment_failed', String(view.reason));
  if (program.leaving) return;
  const model = view?.state === 'ready' ? describeModel(view) : null;
  const screen = { version, url, model, keyNeeded };
  io.stdout.write(`${startScreen(screen, coloursFor(io, io.stdout))}\n`);
  announceReady(io.env['PARLANCE_READY_FD'], url);
}

/** The first wish to stop drains; the second, or the starter's end with it, cuts. */
function listenForTheEnd(program: Program, io: Io) {
  const begun = Promise.withResolvers<'ended'>();
  let drained: Promise<void> | null = null;
  const end = (milliseconds: number): void => {
    program.leave();
    drained = program.app.drain(milliseconds);
    begun.resolve('ended');
  };
  const unlisten = onStopSignals((count) => {
    if (count === 1) {
      const { running } = program.app;
      const requests = running === 1 ? 'the running request' : `${running} requests`;
      const words =
        running === 0 ? 'Stopping.' : `Finishing ${requests}; once more to stop at once.`;
      io.stderr.write(`\n${words}\n`);
    }
    end(count === 1 ? drainMs : 0);
  });
  const watch = watchStarter(() => end(drainMs));
  return {
    begun: begun.promise,
    async finish(): Promise<void> {
      if (drained === null) end(0);
      await drained;
      await program.deployments.close(closeMs);
      await program.services.close();
      await program.inferences.stop();
      unlisten();
      watch.stop();
    },
  };
}

/** A bug in one request must not end the others: it is logged, and the server goes on. */
function keepRunning(log: Log): void {
  process.on('uncaughtException', (error) => log.error({ error }, 'uncaught exception'));
  process.on('unhandledRejection', (error) => log.error({ error }, 'unhandled rejection'));
}

function urlOf(host: string, port: number): string {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  const name = bare.includes(':') ? `[${bare}]` : bare;
  return `http://${name}:${port}`;
}
