/** What runs a deployment, behind one interface. Tests put their own runtimes in place of ours. */

import type { ParlanceError } from '../../contract/index.ts';
import type { EngineStats } from '../../engine/index.ts';
import type { Target } from '../../targets/index.ts';
import type { PullProgress } from '../lifecycle.ts';
import type { AdapterSpec, EmbeddedSpec, ExternalSpec } from '../spec.ts';

export interface Load {
  readonly running: number;
  readonly waiting: number;
}

export interface StartContext {
  /** Aborted when the deployment is removed; `start` then rejects, and leaves nothing behind. */
  readonly signal: AbortSignal;
  onPull(progress: PullProgress): void;
  /** @param fraction 0..1, null while nothing is known */
  onLoad(fraction: number | null): void;
  /** It was running and has ended for good. */
  onFailed(error: ParlanceError): void;
}

/** Something that answers, until it is stopped. */
export interface Attached {
  readonly target: Target;
  /** Facts for people, as plain JSON; null when there is nothing to tell. */
  details(): Readonly<Record<string, unknown>> | null;
  /** null: it does not know, and what went through it is counted instead. */
  load(): Load | null;
  /** Ends it at once; whatever still runs fails. */
  stop(): Promise<void>;
}

export interface Running extends Attached {
  /** What its engine counts; null until it has told. Absent where there is no engine of ours. */
  stats?(): EngineStats | null;
  /** Makes an adapter on it. Absent where it takes none. @throws ParlanceError `invalid_adapter` */
  attach?(spec: AdapterSpec, context: StartContext): Promise<Attached>;
}

export interface Runtime<S> {
  /** The spec with its model or address in one spelling. @throws ParlanceError `invalid_deployment` */
  check(spec: S): S;
  start(spec: S, context: StartContext): Promise<Running>;
}

export interface Runtimes {
  readonly embedded: Runtime<EmbeddedSpec>;
  readonly external: Runtime<ExternalSpec>;
}
