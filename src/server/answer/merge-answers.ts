/**
 * Several answers as one: the prompts of a legacy completions request run together. Choices are
 * numbered prompt-major, usage adds up. The first failure aborts the others and ends the whole.
 */

import type { AnswerEvent, AnswerEvents, Usage } from '../../targets/index.ts';
import { addUsage } from './wire-usage.ts';

interface Arrival {
  readonly from: number;
  readonly result: Promise<IteratorResult<readonly AnswerEvent[]>>;
}

export interface MergeOptions {
  /** Choices that each answer has. */
  readonly choicesEach: number;
  /** Ends the answers that still run; called once, also after all have ended. */
  readonly abort: () => void;
}

export async function* mergeAnswers(
  answers: readonly AnswerEvents[],
  options: MergeOptions,
): AsyncGenerator<readonly AnswerEvent[]> {
  const iterators = answers.map((answer) => answer[Symbol.asyncIterator]());
  const usages: Usage[] = [];
  // A queue and no race: a race leaves something behind on every answer that still waits, each time.
  const arrived: Arrival[] = [];
  const pending = new Map<number, Promise<unknown>>();
  let wake = (): void => {};
  const advance = (from: number): void => {
    const result = iterators[from]?.next();
    if (result === undefined) return;
    const arrive = (): void => {
      arrived.push({ from, result });
      wake();
    };
    pending.set(from, result.then(arrive, arrive));
  };
  try {
    for (const from of iterators.keys()) advance(from);
    while (pending.size > 0) {
      const next = arrived.shift();
      if (next === undefined) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
        continue;
      }
      const { done, value } = await next.result;
      pending.delete(next.from);
      if (done === true) continue;
      advance(next.from);
      yield value.map((event) => renumber(event, next.from, { usages, ...options }));
    }
  } finally {
    options.abort();
    // The failure that ended the loop is the one to report; what the others say is of no interest.
    await Promise.allSettled([
      ...pending.values(),
      ...iterators.map((iterator) => iterator.return?.()),
    ]);
  }
}

interface Merge {
  /** The latest usage of each answer. */
  readonly usages: Usage[];
  readonly choicesEach: number;
}

function renumber(event: AnswerEvent, from: number, merge: Merge): AnswerEvent {
  if (event.type !== 'usage') return { ...event, choice: from * merge.choicesEach + event.choice };
  merge.usages[from] = event.usage;
  return { type: 'usage', usage: addUsage(merge.usages.filter((usage) => usage !== undefined)) };
}
