/** The state machine alone: every state under every event. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ParlanceError } from '../contract/index.ts';
import { step, type DeploymentState, type Lifecycle, type LifecycleEvent } from './lifecycle.ts';

const error = new ParlanceError('engine_failed', 'it broke');
const progress = {
  phase: 'download',
  source: 'a shelf',
  bytes: 1,
  totalBytes: 2,
  bytesPerSecond: 1,
  etaSeconds: 1,
} as const;

const lives: Readonly<Record<DeploymentState, Lifecycle>> = {
  pulling: { state: 'pulling', progress: null },
  loading: { state: 'loading', fraction: null },
  ready: { state: 'ready' },
  failed: { state: 'failed', error },
  draining: { state: 'draining' },
  gone: { state: 'gone' },
};
const states = Object.keys(lives) as DeploymentState[];

const events: Readonly<Record<LifecycleEvent['type'], LifecycleEvent>> = {
  pull: { type: 'pull', progress },
  load: { type: 'load', fraction: 0.5 },
  started: { type: 'started' },
  failed: { type: 'failed', error },
  retry: { type: 'retry', first: lives.pulling },
  remove: { type: 'remove' },
  stopped: { type: 'stopped' },
};

/** Where an event leads; a state that is not named stays what it is. */
const leads: Readonly<
  Record<LifecycleEvent['type'], Partial<Record<DeploymentState, DeploymentState>>>
> = {
  pull: {},
  load: { pulling: 'loading' },
  started: { pulling: 'ready', loading: 'ready' },
  failed: { pulling: 'failed', loading: 'failed', ready: 'failed' },
  retry: { failed: 'pulling' },
  remove: { pulling: 'draining', loading: 'draining', ready: 'draining', failed: 'draining' },
  stopped: { draining: 'gone' },
};

describe('step', () => {
  for (const type of Object.keys(events) as LifecycleEvent['type'][]) {
    it(`${type} leads where it should from every state`, () => {
      const found = states.map((from) => step(lives[from], events[type]).state);
      assert.deepEqual(
        found,
        states.map((from) => leads[type][from] ?? from),
      );
    });
  }

  it('keeps the progress of what it is doing', () => {
    assert.deepEqual(step(lives.pulling, events.pull), { state: 'pulling', progress });
    assert.deepEqual(step(lives.loading, events.load), { state: 'loading', fraction: 0.5 });
    assert.equal(step(lives.loading, events.pull), lives.loading);
  });

  it('keeps the first failure', () => {
    const later = { type: 'failed', error: new ParlanceError('internal', 'later') } as const;
    assert.equal(step(lives.failed, later), lives.failed);
  });
});
