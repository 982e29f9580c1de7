/** Whether both servers say the same, greedily, and how near a tie was where they do not. */

import { streamChat, type ChatResult } from '../chat-stream.ts';
import { startReady, type RunningServer } from '../contenders/contender.ts';
import type { Figure } from '../figures.ts';
import { setupOf, type Row, type RowContext } from '../row.ts';

const questions = [
  "What's the capital of France? Answer in one sentence.",
  'Write a short story about a lighthouse.',
  'List three colours of the rainbow.',
  'Explain why the sky is blue to a child.',
  'Give me a recipe for pancakes.',
  'What is the difference between a frog and a toad?',
  'Write a poem about the sea.',
  'How does a bicycle stay upright?',
  'Name five animals that live in Africa.',
  'Translate "good morning" into Spanish.',
  'What should I pack for a week in the mountains?',
  'Summarise the story of the tortoise and the hare.',
  'Why do leaves fall in autumn?',
  'Write an email that asks for a day off.',
  'What is 12 times 12?',
  'Describe a busy market in the morning.',
  'How do I plant tomatoes?',
  'Tell me a fact about the moon.',
  'What does a librarian do?',
  'Give three tips for learning a language.',
];

export const agreement: Row = {
  name: 'agreement',
  title: 'Agreement',
  about:
    '20 questions, at most 48 tokens each, greedy, one after the other, with the two best log probabilities at each position. Compared with llama-server as it is (F16 KV) and with a Q8_0 KV cache.',
  async run(context) {
    const asked = context.quick ? questions.slice(0, 5) : questions;
    const ours = await answers(context, context.parlance, asked);
    const notes: string[] = [];
    const figures: Figure[] = [];
    for (const rival of [context.llamaServer, context.llamaServerQ8]) {
      const theirs = await answers(context, rival, asked);
      const differing = asked.flatMap((question, index) => {
        const difference = compare(ours[index], theirs[index]);
        return difference === null ? [] : [`"${question}" ${difference}`];
      });
      const same = asked.length - differing.length;
      context.log(`  ${rival.name}: ${same} of ${asked.length} agree`);
      figures.push({
        label: `same text as ${rival.name}`,
        unit: `of ${asked.length}`,
        goal: null,
        values: { [context.parlance.name]: [same] },
      });
      notes.push(...differing.map((text) => `${rival.name}: ${text}`));
    }
    return { figures, notes };
  },
};

async function answers(
  context: RowContext,
  contender: RowContext['parlance'],
  asked: readonly string[],
): Promise<ChatResult[]> {
  const server: RunningServer = await startReady(
    contender,
    setupOf(context, { slots: 4, context: 2048 }),
  );
  try {
    const results: ChatResult[] = [];
    for (const content of asked) {
      const messages = [{ role: 'user', content }] as const;
      const options = { messages, maxTokens: 48, logprobs: true, mayEnd: true };
      results.push(await streamChat(server, options));
    }
    return results;
  } finally {
    await server.stop();
  }
}

/** Null where both are the same; else where they part and by how much each preferred its own token. */
function compare(ours: ChatResult | undefined, theirs: ChatResult | undefined): string | null {
  if (ours === undefined || theirs === undefined || ours.text === theirs.text) return null;
  if (ours.promptTokens !== theirs.promptTokens) {
    return `has ${ours.promptTokens} and ${theirs.promptTokens} prompt tokens`;
  }
  const at = ours.choices.findIndex(({ token }, index) => token !== theirs.choices[index]?.token);
  const margins = [ours, theirs].map(({ choices }) => {
    const [best, second] = choices[at]?.top ?? [];
    return ((best?.logprob ?? Number.NaN) - (second?.logprob ?? Number.NaN)).toFixed(3);
  });
  return `parts at token ${at + 1}, where the best led by ${margins.join(' and ')} (nats)`;
}
