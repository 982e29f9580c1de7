/** Random requests: prompts that share beginnings, and every way to choose tokens. */

import type { Body } from '../../support/ask.ts';
import { createRandom } from '../../support/random-numbers.ts';

const documents = [
  'The old lighthouse stands on a cliff above the sea. Its keeper climbs the stairs each evening and ' +
    'lights the lamp. Ships far away see the light and turn. In winter the storms are loud, and the ' +
    'keeper reads by the stove until the morning comes.',
  'To bake bread you need flour, water, salt and yeast. Mix the flour with the water and let it rest. ' +
    'Add the salt and the yeast, knead it well and wait for an hour. Then bake it in a hot oven until ' +
    'the crust is brown.',
  'const total = items.reduce((sum, item) => sum + item.price, 0); const tax = total * 0.2; if (total > ' +
    'limit) throw new Error("too much"); return { total, tax, items: items.length };',
];

const questions = [
  'What comes next?',
  'Summarise it in a few words.',
  'Repeat the last sentence.',
  'Count from one to ten.',
  'Name three colours, please.',
  'Continue.',
];

const pieces = [' the', '.', '\n', ',', ' a', 'ing', ' is', 'and', '"', 'e'];

export interface Dice {
  /** An integer, 0..count-1. */
  below(count: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  between(least: number, most: number): number;
}

export function createDice(seed: number): Dice {
  const random = createRandom(seed);
  const below = (count: number): number => Math.floor(random() * count);
  return {
    below,
    chance: (probability) => random() < probability,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    between: (least, most) => least + random() * (most - least),
  };
}

export interface Sizes {
  /** Token IDs below it are all tokens of the model. */
  readonly tokenIds: number;
  /** Words that prompts share. */
  readonly words: readonly number[];
  readonly longest: number;
}

/** The same list for the same seed; every one has a seed of its own and is valid. */
export function randomRequests(count: number, seed: number, sizes: Sizes): Body[] {
  const dice = createDice(seed);
  return Array.from({ length: count }, () => randomRequest(dice, sizes));
}

function randomRequest(dice: Dice, sizes: Sizes): Body {
  const someId = (): number => dice.below(dice.chance(0.5) ? 300 : sizes.tokenIds);
  const common = {
    ...randomPrompt(dice, sizes),
    max_tokens: 4 + dice.below(sizes.longest - 3),
    ...sometimes(dice, 0.5, () => ({ logprobs: true, top_logprobs: dice.below(6) })),
    ...sometimes(dice, 0.3, () => ({ stop: [dice.pick(pieces), dice.pick(pieces)] })),
    ...sometimes(dice, 0.1, () => ({ include_stop_str_in_output: true })),
    ...sometimes(dice, 0.25, () => ({ bad: [dice.pick(pieces), dice.pick(pieces)] })),
    ...sometimes(dice, 0.2, () => ({ bad_token_ids: [someId(), someId()] })),
    ...sometimes(dice, 0.3, () => ({ min_tokens: 1 + dice.below(4) })),
    ...sometimes(dice, 0.3, () => ({ ignore_eos: true })),
    ...sometimes(dice, 0.1, () => ({ skip_special_tokens: false })),
    ...sometimes(dice, 0.2, () => ({ stop_token_ids: [someId()] })),
  };
  if (dice.chance(0.1)) {
    const n = 1 + dice.below(2);
    return { ...common, use_beam_search: true, n, best_of: n + dice.below(2) };
  }
  return { ...common, ...randomSampling(dice, someId) };
}

function randomPrompt(dice: Dice, sizes: Sizes): Body {
  const text = dice.pick(documents);
  const words = text.split(' ');
  // Most of them share their first words with many others.
  const beginning = words.slice(0, dice.pick(sizes.words)).join(' ');
  const question = dice.pick(questions);
  if (dice.chance(0.5)) return { messages: undefined, prompt: `${beginning}\n${question}\n` };
  return { messages: [{ role: 'user', content: `${beginning}\n\n${question}` }] };
}

function randomSampling(dice: Dice, someId: () => number): Body {
  const n = dice.pick([1, 1, 1, 1, 2, 3]);
  return {
    temperature: dice.pick([0, 0.3, 0.8, 1, 1.5]),
    seed: dice.below(2 ** 31) - 2 ** 30,
    n,
    ...sometimes(dice, 0.2, () => ({ best_of: n + 1 })),
    ...sometimes(dice, 0.4, () => ({ top_p: dice.between(0.3, 1) })),
    ...sometimes(dice, 0.3, () => ({ top_k: 1 + dice.below(60) })),
    ...sometimes(dice, 0.3, () => ({ min_p: dice.between(0, 0.3) })),
    ...sometimes(dice, 0.1, () => ({ top_p: 0.9, top_p_min: 0.2, top_p_decay: 0.7 })),
    ...sometimes(dice, 0.3, () => ({ frequency_penalty: dice.between(-1, 2) })),
    ...sometimes(dice, 0.3, () => ({ presence_penalty: dice.between(-1, 2) })),
    ...sometimes(dice, 0.3, () => ({ repetition_penalty: dice.between(0.8, 1.6) })),
    ...sometimes(dice, 0.3, () => ({
      logit_bias: Object.fromEntries(
        Array.from({ length: 5 }, () => [someId(), dice.between(-5, 5)]),
      ),
    })),
  };
}

const sometimes = (dice: Dice, probability: number, make: () => Body): Body =>
  dice.chance(probability) ? make() : {};

/** A random order. */
export function shuffled<T>(items: readonly T[], dice: Dice): T[] {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = dice.below(last + 1);
    [order[last], order[other]] = [order[other] as T, order[last] as T];
  }
  return order;
}
