/** A deployment as `GET /deploy` shows it: plain JSON in the words of the API. Pure. */

import type { CapabilityRecord } from '../contract/index.ts';
import type { DeploymentState, Lifecycle } from './lifecycle.ts';
import type { DeploymentSpec } from './spec.ts';

export interface DeploymentView {
  readonly object: 'deployment';
  readonly name: string;
  readonly runtime: string;
  /** Not of an adapter. */
  readonly model?: string;
  /** Of an adapter: the deployment that it changes, and its file. */
  readonly adapter_of?: string;
  readonly path?: string;
  /** Of an external one. */
  readonly base_url?: string;
  readonly api_key_env?: string | null;
  readonly options: Readonly<Record<string, unknown>>;
  readonly state: DeploymentState;
  /** Why it failed. */
  readonly reason?: string;
  /** While it is pulling or loading. */
  readonly progress?: ProgressView;
  /** Whole seconds since 1970. */
  readonly created: number;
  /** Of a ready embedded one: slots, context, memory. */
  readonly engine?: Readonly<Record<string, unknown>>;
  /** Of a ready one: what becomes of each parameter; `depends` on its value. */
  readonly capabilities?: Readonly<Record<string, CapabilityWord>>;
}

export type ProgressView =
  | {
      readonly phase: 'download' | 'verify' | 'unpack';
      readonly source: string;
      readonly bytes: number;
      readonly total_bytes: number | null;
      readonly bytes_per_second: number;
      readonly eta_seconds: number | null;
    }
  | { readonly phase: 'load'; readonly fraction: number };

export type CapabilityWord = 'honoured' | 'emulated' | 'refused' | 'depends';

export interface DeploymentFacts {
  readonly spec: DeploymentSpec;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly life: Lifecycle;
  readonly engine: Readonly<Record<string, unknown>> | null;
  readonly capabilities: CapabilityRecord | null;
}

export function toView({
  spec,
  created,
  life,
  engine,
  capabilities,
}: DeploymentFacts): DeploymentView {
  const progress = toProgress(life);
  return {
    object: 'deployment',
    ...spec,
    options: { ...spec.options },
    state: life.state,
    ...(life.state === 'failed' ? { reason: life.error.message } : {}),
    ...(progress === null ? {} : { progress }),
    created: Math.floor(created / 1000),
    ...(engine === null ? {} : { engine }),
    ...(capabilities === null ? {} : { capabilities: toWords(capabilities) }),
  };
}

function toProgress(life: Lifecycle): ProgressView | null {
  if (life.state === 'loading') {
    return life.fraction === null ? null : { phase: 'load', fraction: life.fraction };
  }
  if (life.state !== 'pulling' || life.progress === null) return null;
  const { phase, source, bytes, totalBytes, bytesPerSecond, etaSeconds } = life.progress;
  return {
    phase,
    source,
    bytes,
    total_bytes: totalBytes,
    bytes_per_second: Math.round(bytesPerSecond),
    eta_seconds: etaSeconds,
  };
}

function toWords(record: CapabilityRecord): Record<string, CapabilityWord> {
  return Object.fromEntries(
    Object.entries(record).map(([name, decide]) => [
      name,
      typeof decide === 'function' ? 'depends' : decide.how,
    ]),
  );
}
