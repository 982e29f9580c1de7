/** What every way of measuring sends: about 200 prompt tokens, 64 generated, greedy, no early end. */

export const generatedTokens = 64;
export const streamCounts: readonly number[] = [1, 4, 16];

const sentences = [
  'The harbour was quiet in the early morning, and the boats lay still beside the long wooden pier.',
  'A baker carried warm bread across the square while the first market stalls were being set up.',
  'Two children counted the steps to the lighthouse and wrote the number down in a small blue book.',
  'By noon the wind had turned, and the fishermen spoke of rain before the evening.',
];

/** The messages of request number `index`; no two tell the same story in the same order. */
export function makeMessages(index: number): { role: 'user'; content: string }[] {
  return [{ role: 'user', content: makePrompt(index) }];
}

function makePrompt(index: number): string {
  const story = Array.from(
    { length: 8 },
    (_, i) => sentences[(i + index) % sentences.length] ?? '',
  ).join(' ');
  return `Story number ${index + 1}. ${story} Then`;
}
