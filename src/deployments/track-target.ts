/**
 * Counts the requests that run on a target, so that a deployment can wait for them before it stops.
 * A request counts from `run` until its answer ended, failed, or its signal was aborted.
 */

import type { Answer, Target } from '../targets/index.ts';

export interface TrackedTarget {
  readonly target: Target;
  inFlight(): number;
  /** Resolves when nothing runs any more, or when the signal is aborted. */
  idle(until: AbortSignal): Promise<void>;
}

export function trackTarget(target: Target): TrackedTarget {
  let count = 0;
  let waiters: (() => void)[] = [];
  const enter = (): (() => void) => {
    let running = true;
    count += 1;
    return () => {
      if (!running) return;
      running = false;
      count -= 1;
      if (count > 0) return;
      for (const wake of waiters) wake();
      waiters = [];
    };
  };
  return {
    target: {
      name: target.name,
      kind: target.kind,
      capabilities: target.capabilities,
      plan: (run) => target.plan(run),
      async run(run) {
        const leave = enter();
        const done = (): void => {
          run.signal.removeEventListener('abort', done);
          leave();
        };
        run.signal.addEventListener('abort', done, { once: true });
        try {
          return withEnd(await target.run(run), done);
        } catch (error) {
          done();
          throw error;
        }
      },
    },
    inFlight: () => count,
    async idle(until) {
      if (count === 0 || until.aborted) return;
      await new Promise<void>((resolve) => {
        waiters.push(resolve);
        until.addEventListener('abort', () => resolve(), { once: true });
      });
    },
  };
}

function withEnd(answer: Answer, done: () => void): Answer {
  return answer.kind === 'wire'
    ? { ...answer, payloads: untilEnd(answer.payloads, done) }
    : { ...answer, events: untilEnd(answer.events, done) };
}

/** Written out, because a generator around every step would cost the hot path more. */
function untilEnd<T>(source: AsyncIterable<T>, done: () => void): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const inner = source[Symbol.asyncIterator]();
      const seen = (result: IteratorResult<T>): IteratorResult<T> => {
        if (result.done === true) done();
        return result;
      };
      const failed = (error: unknown): never => {
        done();
        throw error;
      };
      return {
        next: () => inner.next().then(seen, failed),
        async return(value?: unknown) {
          done();
          await inner.return?.(value);
          return { done: true, value: undefined };
        },
      };
    },
  };
}
