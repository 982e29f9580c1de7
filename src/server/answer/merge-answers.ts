/**
 * Several answers as one: the prompts of a legacy completions request run together. Choices are
 * numbered prompt-major, usage adds up. The first failure aborts the others and ends the whole.
 */

import type { AnswerEvent, AnswerEvents, Usage } from '../../targets/index.ts';
import { addUsage } from './wire-usage.ts';

interface Arrival {
  readonly from: number;
  readonly result: IteratorResult<readonly AnswerEvent[]>;
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
  const pending = new Map<number, Promise<Arrival>>();
  const advance = (from: number): void => {
    const next = iterators[from]?.next();
    if (next !== undefined) {
      pending.set(
        from,
        next.then((result) => ({ from, result })),
      );
    }
  };
  try {
    for (const from of iterators.keys()) advance(from);
    while (pending.size > 0) {
      const { from, result } = await Promise.race(pending.values());
      pending.delete(from);
      if (result.done === true) continue;
      advance(from);
      yield result.value.map((event) => renumber(event, from, { usages, ...options }));
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
