/** How long a cold prompt waits for its first token, alone and while others decode. */

import { firstTokenMs, streamChat } from '../chat-stream.ts';
import type { RunningServer } from '../contenders/contender.ts';
import { toFigures } from '../figures.ts';
import { makePrompt } from '../prompts.ts';
import { takeTurns, type Row } from '../row.ts';
import { median } from '../statistics.ts';
import { whileOthersDecode } from './others.ts';

const promptTokens = 200;
const alone = 'first token, alone';
const loaded = 'first token, 4 others decode';

export const firstToken: Row = {
  name: 'first-token',
  title: 'Time to first token',
  about:
    'Prompts of about 200 tokens that were never seen before (but for the chat template’s own beginning, which either server may have kept), one after the other: the median of 5, alone and while 4 streams decode. 8 slots of 2,048 tokens.',
  async run(context) {
    const count = context.quick ? 2 : 5;
    const samples = await takeTurns(context, {
      setup: { slots: 8, context: 2048 },
      contenders: [context.parlance, context.llamaServer],
      warmUp: (server) => streamChat(server, { messages: makePrompt(1, 60), maxTokens: 8 }),
      measure: async (server, seed) => ({
        [alone]: await medianFirst(server, seed, count),
        [loaded]: await whileOthersDecode(
          server,
          { streams: 4, seed: seed + 500, maxTokens: 1900 },
          () => medianFirst(server, seed + 100, count),
        ),
      }),
    });
    const goal = { of: 'ratio', bound: 'at most', value: 1 } as const;
    return {
      figures: toFigures(samples, {
        [alone]: { unit: 'ms', goal },
        [loaded]: { unit: 'ms', goal },
      }),
      notes: [],
    };
  },
};

async function medianFirst(server: RunningServer, seed: number, count: number): Promise<number> {
  const waits: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const messages = makePrompt(seed + index, promptTokens);
    waits.push(firstTokenMs(await streamChat(server, { messages, maxTokens: 1 })));
  }
  return median(waits);
}
