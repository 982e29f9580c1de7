/**
 * `parlance deploy NAME`: asks a running server for a deployment and follows it until it is ready or
 * has failed. Reading and removing deployments is `inspect.ts`.
 */

import { setTimeout as sleep } from 'node:timers/promises';

import { ParlanceError } from '../../contract/index.ts';
import { createProgressWriter, type Progress } from '../../models/index.ts';
import { findServer } from '../client/find-server.ts';
import {
  defaultUrl,
  parseServerUrl,
  requestJson,
  type ServerAddress,
} from '../client/server-client.ts';
import { coloursFor, printJson, type Io } from '../io.ts';
import { readOptions } from '../options.ts';
import { untilInterrupted } from '../until-interrupted.ts';
import { toBody, type BodyFlags } from './deploy-body.ts';
import { deploymentPath, parseDeployment, type DeploymentView } from './deployment-view.ts';

export interface ServerFlags {
  readonly url?: string;
  readonly key?: string;
  readonly home?: string;
  readonly json?: boolean;
}

export type DeployFlags = ServerFlags & BodyFlags & { readonly wait: boolean };

/** The server of the flags, else the running one, else the usual address (whose error will tell). */
export async function chooseServer(io: Io, flags: ServerFlags): Promise<ServerAddress> {
  const key = flags.key ?? io.env['PARLANCE_API_KEY'] ?? null;
  if (flags.url !== undefined) return { url: parseServerUrl(flags.url), key };
  const { home } = await readOptions(io, { home: flags.home });
  return (await findServer(home, key)) ?? { url: defaultUrl, key };
}

/**
 * Runs the command.
 * @throws ParlanceError when the server refuses, or when the deployment fails: with its reason
 */
export async function deploy(io: Io, name: string | undefined, flags: DeployFlags): Promise<void> {
  const body = toBody(name, flags);
  await untilInterrupted(async (signal) => {
    const server = await chooseServer(io, flags);
    const asked = { method: 'POST', path: '/deploy', body, signal } as const;
    const first = parseDeployment(await requestJson(server, asked));
    const last = flags.wait ? await follow({ io, server, first, signal }) : first;
    if (flags.json === true) printJson(io, last);
    else if (last.state !== 'failed') report(io, last, server);
    refuseFailed(last);
  });
}

interface Following {
  readonly io: Io;
  readonly server: ServerAddress;
  readonly first: DeploymentView;
  readonly signal: AbortSignal;
}

const pollMs = 250;

async function follow({ io, server, first, signal }: Following): Promise<DeploymentView> {
  const writer = createProgressWriter(io.stderr);
  let view = first;
  let state = '';
  try {
    while (view.state === 'pulling' || view.state === 'loading') {
      const progress = toProgress(view);
      if (progress !== null) writer.update(progress);
      else if (view.state !== state) {
        writer.done();
        io.stderr.write(`${view.name}: ${view.state}\n`);
      }
      state = view.state;
      await sleep(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      view = parseDeployment(
        await requestJson(server, { path: deploymentPath(first.name), signal }),
      );
    }
  } finally {
    writer.done();
  }
  return view;
}

/** The server's progress as a line can show it; null while there is nothing to count. */
function toProgress(view: DeploymentView): Progress | null {
  const given = view['progress'] as Record<string, unknown> | null | undefined;
  const bytes = number(given?.['bytes']);
  if (given === null || given === undefined || bytes === null) return null;
  const phase = given['phase'];
  return {
    source: typeof given['source'] === 'string' ? given['source'] : view.name,
    phase: phase === 'verify' || phase === 'unpack' ? phase : 'download',
    bytes,
    totalBytes: number(given['totalBytes'] ?? given['total_bytes']),
    bytesPerSecond: number(given['bytesPerSecond'] ?? given['bytes_per_second']) ?? 0,
    etaSeconds: number(given['etaSeconds'] ?? given['eta_seconds']),
  };
}

function number(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** Says where things stand. */
function report(io: Io, view: DeploymentView, server: ServerAddress): void {
  const { green } = coloursFor(io, io.stdout);
  if (view.state === 'ready') {
    io.stdout.write(`${green('ready:')} ${view.name} at ${server.url}/v1/chat/completions\n`);
    const url = server.url === defaultUrl ? '' : ` --url ${server.url}`;
    io.stdout.write(`Talk to it: parlance chat${url} --model ${view.name}\n`);
    return;
  }
  io.stdout.write(`${view.name}: ${view.state}\n`);
}

/** @throws ParlanceError `deployment_failed` with the server's reason */
function refuseFailed(view: DeploymentView): void {
  if (view.state !== 'failed') return;
  const reason = view['reason'];
  const why =
    typeof reason === 'string' ? reason : JSON.stringify(reason ?? 'the server gives no reason');
  throw new ParlanceError('deployment_failed', `The deployment ${view.name} failed: ${why}`);
}
