/** Many clients with requests of very different lengths, as in a trace of real chats. */

import { firstTokenMs, gapsOf, streamChat, type ChatResult } from '../chat-stream.ts';
import type { RunningServer } from '../contenders/contender.ts';
import { toFigures, type Sample } from '../figures.ts';
import { makePrompt } from '../prompts.ts';
import { takeTurns, type Row } from '../row.ts';
import { percentile } from '../statistics.ts';
import { sampleLengths } from './trace-lengths.ts';

const clients = 16;

export const mixedLoad: Row = {
  name: 'mixed-load',
  title: 'Mixed load',
  about:
    '16 clients, each sending its next request when the last is answered. Lengths are log-normal with the means of LMSYS-Chat-1M (69.5 prompt and 214.5 generated tokens; the shape, sigma 1, is our assumption), the same for both servers. Tokens a second from the first send until the last answer. 16 slots of 2,048 tokens.',
  async run(context) {
    const perClient = context.quick ? 1 : 3;
    const longest = context.quick ? 40 : 900;
    const samples = await takeTurns(context, {
      setup: { slots: 16, context: 2048 },
      contenders: [context.parlance, context.llamaServer],
      warmUp: (server) => streamChat(server, { messages: makePrompt(1, 60), maxTokens: 8 }),
      measure: (server, seed, run) => load(server, { seed, run, perClient, longest }),
    });
    const more = { of: 'ratio', bound: 'at least', value: 1 } as const;
    const less = { of: 'ratio', bound: 'at most', value: 1 } as const;
    return {
      figures: toFigures(samples, {
        'generated tokens a second': { unit: 'tok/s', goal: more },
        'first token, p50': { unit: 'ms', goal: less },
        'first token, p99': { unit: 'ms', goal: less },
        'between tokens, p50': { unit: 'ms' },
        'between tokens, p99': { unit: 'ms' },
      }),
      notes: [],
    };
  },
};

interface LoadOptions {
  readonly seed: number;
  /** Chooses the lengths, so that all contenders of a run have the same. */
  readonly run: number;
  readonly perClient: number;
  readonly longest: number;
}

async function load(
  server: RunningServer,
  { seed, run, perClient, longest }: LoadOptions,
): Promise<Sample> {
  const lengths = sampleLengths(run, clients * perClient, longest);
  const results: ChatResult[] = [];
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let turn = 0; turn < perClient; turn += 1) {
        const index = client * perClient + turn;
        const { prompt = 0, output = 1 } = lengths[index] ?? {};
        const messages = makePrompt(seed + index, prompt);
        results.push(await streamChat(server, { messages, maxTokens: output }));
      }
    }),
  );
  const seconds = (performance.now() - begin) / 1000;
  const firsts = results.map(firstTokenMs);
  const gaps = results.flatMap(gapsOf);
  return {
    'generated tokens a second':
      results.reduce((sum, one) => sum + one.completionTokens, 0) / seconds,
    'first token, p50': percentile(firsts, 0.5),
    'first token, p99': percentile(firsts, 0.99),
    'between tokens, p50': percentile(gaps, 0.5),
    'between tokens, p99': percentile(gaps, 0.99),
  };
}
