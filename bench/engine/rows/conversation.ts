/** A conversation of many turns, each turn sent whole, as chat clients do. */

import { firstTokenMs, streamChat, type ChatResult } from '../chat-stream.ts';
import type { RunningServer } from '../contenders/contender.ts';
import { toFigures, type Sample } from '../figures.ts';
import { makeText, type Message } from '../prompts.ts';
import { takeTurns, type Row } from '../row.ts';
import { median } from '../statistics.ts';

const answerTokens = 40;
const questionTokens = 30;

export const conversation: Row = {
  name: 'conversation',
  title: 'Conversation',
  about:
    '20 turns of about 30 tokens from the user and 40 from the model, the whole conversation sent each time. "Computed again" is what a turn computed of the tokens that were there after the turn before: prompt_tokens - cached_tokens - new tokens; the most in any turn. 8 slots of 4,096 tokens.',
  async run(context) {
    const turns = context.quick ? 5 : 20;
    const samples = await takeTurns(context, {
      setup: { slots: 8, context: 4096 },
      contenders: [context.parlance, context.llamaServer],
      warmUp: (server) =>
        streamChat(server, { messages: [{ role: 'user', content: 'Hello' }], maxTokens: 8 }),
      measure: (server, seed) => converse(server, seed, turns),
    });
    return {
      figures: toFigures(samples, {
        'all turns': { unit: 's', goal: { of: 'ratio', bound: 'at most', value: 1 } },
        'first token, later half of the turns': {
          unit: 'ms',
          goal: { of: 'ratio', bound: 'at most', value: 1 },
        },
        'prompt tokens computed': { unit: 'tokens' },
        'computed again, most in a turn': {
          unit: 'tokens',
          // The last token of an answer was never decoded, and a text may be cut into tokens anew there.
          goal: { of: 'value', bound: 'at most', value: 4 },
        },
      }),
      notes: [],
    };
  },
};

async function converse(server: RunningServer, seed: number, turns: number): Promise<Sample> {
  const messages: Message[] = [];
  const results: ChatResult[] = [];
  const begin = performance.now();
  for (let turn = 0; turn < turns; turn += 1) {
    messages.push({ role: 'user', content: makeText(seed + turn, questionTokens) });
    const result = await streamChat(server, { messages, maxTokens: answerTokens });
    messages.push({ role: 'assistant', content: result.text });
    results.push(result);
  }
  const seconds = (performance.now() - begin) / 1000;
  const computed = results.map((one) => one.promptTokens - one.cachedTokens);
  const again = results.slice(1).map((one, index) => {
    const before = results[index];
    const there = (before?.promptTokens ?? 0) + (before?.completionTokens ?? 0);
    return Math.max(0, there - one.cachedTokens);
  });
  return {
    'all turns': seconds,
    'first token, later half of the turns': median(
      results.slice(Math.floor(turns / 2)).map(firstTokenMs),
    ),
    'prompt tokens computed': computed.reduce((sum, one) => sum + one, 0),
    'computed again, most in a turn': Math.max(...again),
  };
}
