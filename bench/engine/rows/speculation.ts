/** What drafts from the prompt win where the answer repeats it, and cost where it does not. */

import { decodeRate, streamChat } from '../chat-stream.ts';
import type { RunningServer } from '../contenders/contender.ts';
import { parlanceWith } from '../contenders/parlance.ts';
import { toFigures } from '../figures.ts';
import { makePrompt, makeText, type Message } from '../prompts.ts';
import { takeTurns, type Row } from '../row.ts';

const repeating = 'decode, the answer repeats the prompt';
const predicted = 'decode, the answer was given as prediction';
const plain = 'decode, other text';

export const speculation: Row = {
  name: 'speculation',
  title: 'Speculation',
  about:
    'The same engine with the deployment option `speculation` auto and off, one stream: an answer that repeats a passage of the prompt over and over, the same with that passage as `prediction`, and a plain one. Tokens a second after the first token.',
  async run(context) {
    const maxTokens = context.quick ? 32 : 160;
    const samples = await takeTurns(context, {
      setup: { slots: 4, context: 2048 },
      contenders: [
        parlanceWith('speculation', { speculation: 'auto' }),
        parlanceWith('no speculation', { speculation: 'off' }),
      ],
      warmUp: (server) => streamChat(server, { messages: makePrompt(1, 60), maxTokens: 8 }),
      async measure(server, seed) {
        const passage = makeText(seed, 60);
        const again = repeat(passage);
        const prediction = { type: 'content', content: passage };
        return {
          [repeating]: await rate(server, again, { maxTokens }),
          [predicted]: await rate(server, again, { maxTokens, extra: { prediction } }),
          [plain]: await rate(server, makePrompt(seed + 1, 60), { maxTokens }),
        };
      },
    });
    return {
      figures: toFigures(samples, {
        [repeating]: { unit: 'tok/s' },
        [predicted]: { unit: 'tok/s' },
        [plain]: { unit: 'tok/s', goal: { of: 'ratio', bound: 'at least', value: 0.97 } },
      }),
      notes: [],
    };
  },
};

/** A conversation in which the passage was repeated twice already. */
function repeat(passage: string): Message[] {
  const ask: Message = { role: 'user', content: `Repeat this text word for word: ${passage}` };
  const told: Message = { role: 'assistant', content: passage };
  return [ask, told, ask, told, ask];
}

async function rate(
  server: RunningServer,
  messages: readonly Message[],
  options: { maxTokens: number; extra?: Readonly<Record<string, unknown>> },
): Promise<number> {
  return decodeRate([await streamChat(server, { messages, ...options })]);
}
