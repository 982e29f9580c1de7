/** From starting the program to the first text it sends. */

import { streamChat } from '../chat-stream.ts';
import { untilReady, type Contender } from '../contenders/contender.ts';
import { toFigures, type Sample } from '../figures.ts';
import { makePrompt } from '../prompts.ts';
import { measureQuietly, setupOf, type Row, type RowContext } from '../row.ts';

const goal = { of: 'ratio', bound: 'at most', value: 1 } as const;

export const coldStart: Row = {
  name: 'cold-start',
  title: 'Cold start',
  about:
    'From spawning the process to the first text of a request of about 60 prompt tokens, sent as soon as /health answers 200 (asked every 5 ms). Weights and program lie in the page cache. 8 slots of 8,192 tokens.',
  async run(context) {
    const contenders = [context.parlance, context.llamaServer];
    const samples = new Map<string, Sample[]>(contenders.map(({ name }) => [name, []]));
    for (const contender of contenders) await measureStart(context, contender, 1);
    for (let run = 0; run < context.runs; run += 1) {
      for (const contender of run % 2 === 0 ? contenders : contenders.toReversed()) {
        const attempt = { server: contender.name, run, pids: [] };
        const sample = await measureQuietly(context, attempt, (seed) =>
          measureStart(context, contender, seed),
        );
        samples.get(contender.name)?.push(sample);
      }
    }
    return {
      figures: toFigures(samples, {
        'start to first text': { unit: 'ms', goal },
        'start to ready': { unit: 'ms' },
      }),
      notes: [],
    };
  },
};

async function measureStart(
  context: RowContext,
  contender: Contender,
  seed: number,
): Promise<Sample> {
  const setup = setupOf(context, { slots: 8, context: 8192 });
  const begin = performance.now();
  const server = await contender.launch(setup);
  try {
    await untilReady(server, 5);
    const ready = performance.now();
    const { times } = await streamChat(server, { messages: makePrompt(seed, 60), maxTokens: 1 });
    return {
      'start to first text': (times[0] ?? Number.NaN) - begin,
      'start to ready': ready - begin,
    };
  } finally {
    await server.stop();
  }
}
