/**
 * Puts the rooms together into one program: the store, deployments with their runtimes, routing,
 * access and the HTTP server. The one place that knows all of them; it decides nothing.
 */

import { createAccess } from '../../access/index.ts';
import { isLoopback, type Options } from '../../config/index.ts';
import {
  createDeployments,
  createEmbeddedRuntime,
  createExternalRuntime,
  type Deployments,
} from '../../deployments/index.ts';
import {
  describeMachine,
  findGpuLibraries,
  measureWeights,
  quantiseWeights,
  readFreeMemory,
} from '../../engine/index.ts';
import type { RequantiseTools } from '../../models/index.ts';
import { InferenceLog, type Store } from '../../records/index.ts';
import { createRouting } from '../../routing/index.ts';
import {
  createApp,
  defaultSettings,
  openApiDocument,
  type App,
  type HealthView,
} from '../../server/index.ts';
import { createTargetServices, type TargetServices } from '../../targets/index.ts';
import { createMetrics, type Log } from '../../telemetry/index.ts';

export interface Program {
  readonly app: App;
  readonly deployments: Deployments;
  readonly services: TargetServices;
  /** To be stopped once no request is left, before the store is closed. */
  readonly inferences: InferenceLog;
  /** From now on `/health` says that the server is going. */
  leave(): void;
  readonly leaving: boolean;
}

export interface ComposeOptions {
  readonly options: Options;
  readonly store: Store;
  readonly log: Log;
  readonly version: string;
}

export function compose({ options, store, log, version }: ComposeOptions): Program {
  const metrics = createMetrics();
  const services = createTargetServices(options);
  const runtimes = {
    embedded: createEmbeddedRuntime({
      home: options.home,
      services,
      machine: machineOf(options),
      requantise: toolsOf(options),
      maxWaiting: options.queue,
      prefixCacheDir: options.prefixCacheDir,
      onReleased: (milliseconds) => metrics.released(milliseconds / 1000),
      onNote: (deployment, note) => log.info({ deployment }, note),
      onFault: (deployment, message) => log.warn({ deployment }, message),
    }),
    external: createExternalRuntime({
      services,
      allowApiKeyEnv: options.allowApiKeyEnv,
      env: process.env,
    }),
  };
  const deployments = createDeployments({ records: store.deployments, runtimes, log });
  metrics.observeLoad(() => deployments.load());
  metrics.observeEngines(() => deployments.engines());
  const inferences = new InferenceLog({
    records: store.inferences,
    days: options.recordDays,
    log,
  });
  metrics.observeRecords(() => inferences.counts);
  const routing = createRouting(deployments);
  let leaving = false;
  const app = createApp({
    access: createAccess(store, { loopbackOnly: isLoopback(options.host) }),
    routing,
    deployments,
    models: routing,
    health: { check: () => (leaving ? { status: 'draining' } : healthOf(deployments)) },
    inferences,
    openapi: () => openApiDocument({ version }),
    settings: {
      ...defaultSettings,
      maxBodyBytes: options.maxBody,
      heartbeatMs: options.heartbeat * 1000,
      usageChunk: options.usageChunk,
      host: options.host,
      allowedHosts: options.allowedHosts,
    },
    version,
    log,
    metrics,
  });
  return {
    app,
    deployments,
    services,
    inferences,
    leave: () => {
      leaving = true;
    },
    get leaving() {
      return leaving;
    },
  };
}

/** Speeds were measured on processors: on a GPU the weights are taken as they are. */
function machineOf({ requantise }: Options): string | null {
  return requantise === 'auto' && findGpuLibraries().length === 0 ? describeMachine() : null;
}

function toolsOf(options: Options): RequantiseTools | null {
  const machine = machineOf(options);
  if (machine === null) return null;
  return {
    machine,
    quantise: quantiseWeights,
    measure: measureWeights,
    freeMemory: readFreeMemory,
  };
}

/** The server is ready when its start model is; without one it is ready when it listens. */
function healthOf(deployments: Deployments): HealthView {
  const model = deployments.startModel();
  if (model === null || model.state === 'ready') return { status: 'ok' };
  return { status: model.state === 'failed' ? 'failed' : 'starting' };
}
