/**
 * The life of a deployment as a state machine: pulling -> loading -> ready or failed -> draining ->
 * gone. Pure; an event that means nothing in a state changes nothing, so late news does no harm.
 */

import type { ParlanceError } from '../contract/index.ts';

/** A fetch of weights, as it stands. */
export interface PullProgress {
  readonly phase: 'download' | 'verify' | 'unpack';
  /** Where the bytes come from, for people. */
  readonly source: string;
  readonly bytes: number;
  readonly totalBytes: number | null;
  readonly bytesPerSecond: number;
  /** Whole seconds. */
  readonly etaSeconds: number | null;
}

export type Lifecycle =
  | { readonly state: 'pulling'; readonly progress: PullProgress | null }
  /** 0..1, null while nothing is known. */
  | { readonly state: 'loading'; readonly fraction: number | null }
  | { readonly state: 'ready' }
  | { readonly state: 'failed'; readonly error: ParlanceError }
  | { readonly state: 'draining' }
  | { readonly state: 'gone' };

export type DeploymentState = Lifecycle['state'];

export type LifecycleEvent =
  | { readonly type: 'pull'; readonly progress: PullProgress }
  | { readonly type: 'load'; readonly fraction: number | null }
  | { readonly type: 'started' }
  | { readonly type: 'failed'; readonly error: ParlanceError }
  /** A failed one is tried again. */
  | { readonly type: 'retry'; readonly first: Lifecycle }
  | { readonly type: 'remove' }
  | { readonly type: 'stopped' };

/** Whether it is on its way to ready. */
export function isStarting(life: Lifecycle): boolean {
  return life.state === 'pulling' || life.state === 'loading';
}

export function step(life: Lifecycle, event: LifecycleEvent): Lifecycle {
  switch (event.type) {
    case 'pull':
      return life.state === 'pulling' ? { state: 'pulling', progress: event.progress } : life;
    case 'load':
      return isStarting(life) ? { state: 'loading', fraction: event.fraction } : life;
    case 'started':
      return isStarting(life) ? { state: 'ready' } : life;
    case 'failed':
      return isStarting(life) || life.state === 'ready'
        ? { state: 'failed', error: event.error }
        : life;
    case 'retry':
      return life.state === 'failed' ? event.first : life;
    case 'remove':
      return life.state === 'gone' ? life : { state: 'draining' };
    case 'stopped':
      return life.state === 'draining' ? { state: 'gone' } : life;
  }
}
