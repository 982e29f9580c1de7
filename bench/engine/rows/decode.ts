/** How fast text grows with 1, 4 and 16 requests at a time. */

import { decodeRate, streamChat } from '../chat-stream.ts';
import { toFigures, type Sample } from '../figures.ts';
import { makePrompt } from '../prompts.ts';
import { takeTurns, type Row } from '../row.ts';

const label = (streams: number): string =>
  `decode, ${streams} ${streams === 1 ? 'stream' : 'streams'}`;

export const decode: Row = {
  name: 'decode',
  title: 'Decode',
  about:
    'Prompts of about 60 tokens, 128 generated for each. Tokens a second of all streams together, between the last stream’s first token and the first stream’s last. 16 slots of 2,048 tokens.',
  async run(context) {
    const counts = context.quick ? [1, 4] : [1, 4, 16];
    const maxTokens = context.quick ? 32 : 128;
    const samples = await takeTurns(context, {
      setup: { slots: 16, context: 2048 },
      contenders: [context.parlance, context.llamaServer],
      warmUp: (server) => streamChat(server, { messages: makePrompt(1, 60), maxTokens: 8 }),
      async measure(server, seed) {
        const sample: Record<string, number> = {};
        for (const streams of counts) {
          const results = await Promise.all(
            Array.from({ length: streams }, (_, index) =>
              streamChat(server, {
                messages: makePrompt(seed + streams * 20 + index, 60),
                maxTokens,
              }),
            ),
          );
          sample[label(streams)] = decodeRate(results);
        }
        return sample satisfies Sample;
      },
    });
    const goal = { of: 'ratio', bound: 'at least', value: 1 } as const;
    const shape = Object.fromEntries(
      counts.map((streams) => [label(streams), { unit: 'tok/s', goal }]),
    );
    return { figures: toFigures(samples, shape), notes: [] };
  },
};
