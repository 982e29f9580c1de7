/** What a long prompt does to those who are already reading their answers. */

import { firstTokenMs, streamChat } from '../chat-stream.ts';
import type { RunningServer } from '../contenders/contender.ts';
import { toFigures, type Sample } from '../figures.ts';
import { makePrompt } from '../prompts.ts';
import { takeTurns, type Row } from '../row.ts';
import { percentile } from '../statistics.ts';
import { whileOthersDecode } from './others.ts';

const streams = 8;

export const fairness: Row = {
  name: 'fairness',
  title: 'Fairness',
  about:
    '8 streams decode; after a while a prompt of about 6,000 tokens arrives. Time between the tokens of the 8 streams, p99, before it came and from its sending to its first token. 9 slots of 8,192 tokens.',
  async run(context) {
    const samples = await takeTurns(context, {
      setup: { slots: streams + 1, context: 8192 },
      contenders: [context.parlance, context.llamaServer],
      warmUp: (server) => streamChat(server, { messages: makePrompt(1, 60), maxTokens: 8 }),
      measure: (server, seed) => interrupt(server, seed, context.quick),
    });
    return {
      figures: toFigures(samples, {
        'p99 during over p99 before': {
          unit: 'x',
          goal: { of: 'value', bound: 'at most', value: 3 },
        },
        'between tokens before, p99': { unit: 'ms' },
        'between tokens during, p99': { unit: 'ms' },
        'between tokens before, p50': { unit: 'ms' },
        'between tokens during, p50': { unit: 'ms' },
        'first token of the long prompt': { unit: 'ms' },
      }),
      notes: [],
    };
  },
};

async function interrupt(server: RunningServer, seed: number, quick: boolean): Promise<Sample> {
  const pieces = Array.from({ length: streams }, (): number[] => []);
  const onPiece = (stream: number, at: number): void => void pieces[stream]?.push(at);
  const calmMs = quick ? 2000 : 8000;
  return whileOthersDecode(server, { streams, seed, maxTokens: 7000, onPiece }, async () => {
    const calmFrom = performance.now();
    await new Promise((resolve) => setTimeout(resolve, calmMs));
    const messages = makePrompt(seed + 100, quick ? 1500 : 6000);
    const long = await streamChat(server, { messages, maxTokens: 1 });
    const first = long.times[0] ?? long.endedAt;
    const before = gapsWithin(pieces, calmFrom, long.sentAt);
    const during = gapsWithin(pieces, long.sentAt, first);
    return {
      'p99 during over p99 before': percentile(during, 0.99) / percentile(before, 0.99),
      'between tokens before, p99': percentile(before, 0.99),
      'between tokens during, p99': percentile(during, 0.99),
      'between tokens before, p50': percentile(before, 0.5),
      'between tokens during, p50': percentile(during, 0.5),
      'first token of the long prompt': firstTokenMs(long),
    };
  });
}

/**
 * Gaps that end in this time; a silence that lasts to the end of it counts as a gap too, or a server
 * that stands still all the while would have none.
 */
function gapsWithin(pieces: readonly (readonly number[])[], from: number, to: number): number[] {
  return pieces.flatMap((times) => {
    const last = times.findLast((at) => at <= to);
    const gaps = times.flatMap((at, index) => {
      const before = times[index - 1];
      return before !== undefined && at > from && at <= to ? [at - before] : [];
    });
    const silence = last === undefined ? [] : [to - last];
    return gaps.length === 0 || (silence[0] ?? 0) > Math.max(...gaps)
      ? [...gaps, ...silence]
      : gaps;
  });
}
