/** What reproducible results cost: our own engine with and without. */

import { parlanceWith } from '../contenders/parlance.ts';
import { toFigures } from '../figures.ts';
import { decodeRate, firstTokenMs, streamChat } from '../chat-stream.ts';
import { makePrompt } from '../prompts.ts';
import { takeTurns, type Row } from '../row.ts';

export const deterministic: Row = {
  name: 'deterministic',
  title: 'The cost of reproducible results',
  about:
    'The same engine with the deployment option `deterministic` on and off. Decode as in the row of that name, from prompts of about 200 tokens; the first token of a cold prompt of about 600 tokens.',
  async run(context) {
    const maxTokens = context.quick ? 24 : 96;
    const counts = context.quick ? [1] : [1, 8];
    const samples = await takeTurns(context, {
      setup: { slots: 8, context: 2048 },
      contenders: [
        parlanceWith('deterministic', { deterministic: true }),
        parlanceWith('not deterministic', { deterministic: false }),
      ],
      warmUp: (server) => streamChat(server, { messages: makePrompt(1, 60), maxTokens: 8 }),
      async measure(server, seed) {
        const cold = await streamChat(server, { messages: makePrompt(seed, 600), maxTokens: 1 });
        const sample: Record<string, number> = { 'first token, 600 tokens': firstTokenMs(cold) };
        for (const streams of counts) {
          const results = await Promise.all(
            Array.from({ length: streams }, (_, index) =>
              streamChat(server, {
                messages: makePrompt(seed + streams * 20 + index, 200),
                maxTokens,
              }),
            ),
          );
          sample[`decode, ${streams} at a time`] = decodeRate(results);
        }
        return sample;
      },
    });
    const shape = Object.fromEntries([
      ['first token, 600 tokens', { unit: 'ms' }] as const,
      ...counts.map((streams) => [`decode, ${streams} at a time`, { unit: 'tok/s' }] as const),
    ]);
    return { figures: toFigures(samples, shape), notes: [] };
  },
};
