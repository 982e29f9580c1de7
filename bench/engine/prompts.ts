/**
 * Text for prompts: plain sentences out of common words, so that a token is about a word in every
 * vocabulary, and the same for the same seed. Two seeds share no beginning beyond a few words.
 */

import { createRandom } from '../../test/support/random-numbers.ts';

const subjects = 'captain baker teacher farmer doctor child painter sailor neighbour driver'.split(
  ' ',
);
const verbs = 'found carried painted opened watched followed counted moved cleaned wanted'.split(
  ' ',
);
const qualities = 'old small green quiet heavy bright empty broken yellow strange'.split(' ');
const objects = 'box boat letter door window garden bridge table map basket'.split(' ');
const places = 'near the river,in the morning,behind the house,at the market,after the rain'
  .concat(',before the winter,under the tree,along the road,with a friend,without a word')
  .split(',');

/** Measured with a 49k vocabulary; the report gives the prompts' real lengths. */
const tokensPerWord = 1.13;
/** What a chat template puts around one message. */
const templateTokens = 31;

/** About so many tokens of text. */
export function makeText(seed: number, tokens: number): string {
  const random = createRandom(seed);
  const pick = (words: readonly string[]): string =>
    words[Math.floor(random() * words.length)] ?? '';
  const words: string[] = [];
  while (words.length * tokensPerWord < tokens) {
    const sentence = `The ${pick(qualities)} ${pick(subjects)} ${pick(verbs)} the ${pick(qualities)} ${pick(objects)} ${pick(places)}.`;
    words.push(...sentence.split(' '));
  }
  return words.slice(0, Math.max(1, Math.round(tokens / tokensPerWord))).join(' ');
}

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** One user message that makes a prompt of about so many tokens, the chat template's included. */
export function makePrompt(seed: number, tokens: number): Message[] {
  return [{ role: 'user', content: makeText(seed, Math.max(4, tokens - templateTokens)) }];
}
