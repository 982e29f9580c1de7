/** Requests that come together and share a long beginning that was never seen before. */

import { streamChat, type ChatResult } from '../chat-stream.ts';
import { toFigures } from '../figures.ts';
import { makeText } from '../prompts.ts';
import { takeTurns, type Row } from '../row.ts';

const prefixTokens = 600;
const ownTokens = 50;
const total = (count: number): string => `${count} requests, total time`;
const computed = (count: number): string => `${count} requests, prompt tokens computed`;

export const sharedPrefix: Row = {
  name: 'shared-prefix',
  title: 'Shared prefix',
  about:
    'All at once: requests that share a beginning of about 600 tokens and have about 50 of their own, 32 generated for each; from the first send to the last token. The beginning is new in each run. 8 slots of 2,048 tokens; llama-server with its own prompt cache on (cache_prompt, --cache-ram and --slot-prompt-similarity as they are by default).',
  async run(context) {
    const counts = context.quick ? [4] : [8, 32];
    const samples = await takeTurns(context, {
      setup: { slots: 8, context: 2048 },
      contenders: [context.parlance, context.llamaServer],
      warmUp: (server) =>
        streamChat(server, { messages: [{ role: 'user', content: 'Hello' }], maxTokens: 8 }),
      async measure(server, seed) {
        const sample: Record<string, number> = {};
        for (const count of counts) {
          const prefix = makeText(seed + count, prefixTokens);
          const begin = performance.now();
          const results = await Promise.all(
            Array.from({ length: count }, (_, index) => {
              const own = makeText(seed + 100 + index, ownTokens);
              const content = `${prefix} Number ${index + 1}: ${own}`;
              return streamChat(server, { messages: [{ role: 'user', content }], maxTokens: 32 });
            }),
          );
          sample[total(count)] = (performance.now() - begin) / 1000;
          sample[computed(count)] = results.reduce((sum, one) => sum + computedTokens(one), 0);
        }
        return sample;
      },
    });
    const goal = { of: 'ratio', bound: 'at most', value: 1 / 3 } as const;
    const shape = counts.flatMap((count) => [
      [total(count), { unit: 's', goal }] as const,
      [computed(count), { unit: 'tokens' }] as const,
    ]);
    return {
      figures: toFigures(samples, Object.fromEntries(shape)),
      notes: ['Computed tokens are prompt_tokens less cached_tokens, as each server reports them.'],
    };
  },
};

const computedTokens = ({ promptTokens, cachedTokens }: ChatResult): number =>
  promptTokens - cachedTokens;
