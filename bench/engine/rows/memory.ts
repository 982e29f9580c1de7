/** Memory at its height, with all slots in use. */

import { streamChat } from '../chat-stream.ts';
import {
  memoryOf,
  startReady,
  type Contender,
  type RunningServer,
} from '../contenders/contender.ts';
import { toFigures, type Sample } from '../figures.ts';
import { makePrompt } from '../prompts.ts';
import { setupOf, tell, type Row, type RowContext } from '../row.ts';

const slots = 8;
const goal = { of: 'ratio', bound: 'at most', value: 1.1 } as const;

export const memory: Row = {
  name: 'memory',
  title: 'Memory',
  about:
    '8 slots of 8,192 tokens; 8 requests at once of about 1,000 prompt tokens and 32 generated. One server at a time, all of its processes. "Resident" is the sum of each process’s peak (VmHWM), in which pages that two processes share, such as the program, count twice; "proportional" the highest sum of PSS, looked at ten times a second, in which this benchmark’s own process carries a part of what it shares with ours.',
  async run(context) {
    const contenders = [context.parlance, context.llamaServer, context.llamaServerQ8];
    const samples = new Map<string, Sample[]>(contenders.map(({ name }) => [name, []]));
    // Memory varies little between runs.
    for (let run = 0; run < Math.min(context.runs, 2); run += 1) {
      for (const contender of contenders) {
        const sample = await measureMemory(context, contender, 1000 * (run + 1));
        samples.get(contender.name)?.push(sample);
        context.log(`  run ${run + 1}, ${contender.name}: ${tell(sample)}`);
      }
    }
    return {
      figures: toFigures(samples, {
        'peak resident': { unit: 'MB', goal },
        'peak proportional': { unit: 'MB', goal },
        'proportional before the first request': { unit: 'MB' },
      }),
      notes: [],
    };
  },
};

async function measureMemory(
  context: RowContext,
  contender: Contender,
  seed: number,
): Promise<Sample> {
  const server = await startReady(contender, setupOf(context, { slots, context: 8192 }));
  try {
    const { proportional: before } = memoryOf(server.pid);
    const peak = watchPeak(server);
    const promptTokens = context.quick ? 150 : 1000;
    try {
      await Promise.all(
        Array.from({ length: slots }, (_, index) =>
          streamChat(server, { messages: makePrompt(seed + index, promptTokens), maxTokens: 32 }),
        ),
      );
    } finally {
      peak.stop();
    }
    return {
      'peak resident': memoryOf(server.pid).peakResident / 1e6,
      'peak proportional': peak.proportional() / 1e6,
      'proportional before the first request': before / 1e6,
    };
  } finally {
    await server.stop();
  }
}

function watchPeak({ pid }: RunningServer) {
  let highest = 0;
  const look = (): void => {
    highest = Math.max(highest, memoryOf(pid).proportional);
  };
  const timer = setInterval(look, 100);
  return {
    proportional: () => highest,
    stop: () => {
      look();
      clearInterval(timer);
    },
  };
}
