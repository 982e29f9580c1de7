/** A runtime that does what a test tells it, when it tells it. */

import { capabilityRecords, type Answer, type AnswerEvent, type Target } from '../targets/index.ts';
import type { Running, Runtime, StartContext } from './runtimes/runtime.ts';
import type { DeploymentSpec } from './spec.ts';

export interface FakeStart<S> {
  readonly spec: S;
  readonly context: StartContext;
  /** The runtime is up. */
  succeed(running?: Partial<Running>): void;
  fail(error: unknown): void;
}

export interface FakeRuntime<S> extends Runtime<S> {
  /** Every start so far. */
  readonly starts: FakeStart<S>[];
  /** The start with this index, as soon as it was asked for. */
  started(index: number): Promise<FakeStart<S>>;
  /** Names of what was stopped. */
  readonly stopped: string[];
}

export function createFakeRuntime<S extends DeploymentSpec>(
  check: (spec: S) => S = (spec) => spec,
): FakeRuntime<S> {
  const starts: FakeStart<S>[] = [];
  const stopped: string[] = [];
  let waiters: (() => void)[] = [];
  return {
    starts,
    stopped,
    check,
    async started(index) {
      while (starts.length <= index) {
        await new Promise<void>((resolve) => waiters.push(resolve));
      }
      return starts[index] as FakeStart<S>;
    },
    start(spec, context) {
      const { promise, resolve, reject } = Promise.withResolvers<Running>();
      context.signal.addEventListener('abort', () => reject(context.signal.reason as Error));
      starts.push({
        spec,
        context,
        succeed: (running = {}) =>
          resolve({
            target: createFakeTarget(spec.name).target,
            details: () => ({ slots: 8 }),
            load: () => null,
            stop: () => Promise.resolve(void stopped.push(spec.name)),
            ...running,
          }),
        fail: reject,
      });
      for (const wake of waiters) wake();
      waiters = [];
      return promise;
    },
  };
}

export interface FakeTarget {
  readonly target: Target;
  /** Ends the answers that are running. */
  finish(): void;
}

/** A target whose answers are one text, and end when the test says so. */
export function createFakeTarget(name: string): FakeTarget {
  const { promise, resolve } = Promise.withResolvers<void>();
  async function* events(): AsyncGenerator<AnswerEvent[]> {
    yield [{ type: 'text', choice: 0, text: name }];
    await promise;
  }
  return {
    finish: () => resolve(),
    target: {
      name: `fake:${name}`,
      kind: 'embedded',
      capabilities: capabilityRecords.embedded,
      run: () => Promise.resolve<Answer>({ kind: 'events', notes: [], events: events() }),
      plan: () => Promise.reject(new Error('not used')),
    },
  };
}
