/** Reproducible random regexes and texts over a tiny alphabet. Nothing but tests uses it. */

export interface Dice {
  /** A whole number from 0 to `below` - 1. */
  readonly under: (below: number) => number;
  readonly pick: <T>(items: readonly T[]) => T;
  readonly chance: (probability: number) => boolean;
}

export function createDice(seed: number): Dice {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const under = (below: number): number => Math.floor(uniform() * below);
  return {
    under,
    pick: (items) => items[under(items.length)]!,
    chance: (probability) => uniform() < probability,
  };
}

/** What a random regex may be made of. */
export interface Diet {
  readonly atoms: readonly string[];
  readonly anchors: readonly string[];
  /** Openings of groups; lookarounds only if they are here. */
  readonly groups: readonly string[];
}

export const plainDiet: Diet = {
  atoms: ['a', 'b', 'c', '.', '[ab]', '[^a]', '\\w', '\\W', '[b-d]', '\\u{e9}', '-'],
  anchors: [],
  groups: ['(?:', '('],
};

export const anchoredDiet: Diet = { ...plainDiet, anchors: ['^', '$', '\\b', '\\B'] };

export const lookaheadDiet: Diet = { ...anchoredDiet, groups: ['(?:', '(?=', '(?!', '('] };

export const tinyDiet: Diet = {
  atoms: ['a', 'b', '[ab]', 'a', 'b'],
  anchors: ['^', '$', '\\B'],
  groups: ['(?:', '(?=', '(?!', '(?:'],
};

const quantifiers = ['*', '+', '?', '*?', '{2}', '{1,2}', '{0,3}', '{2,}'];

/** Valid for JavaScript with the `u` flag, and small enough for its backtracking. */
export function randomRegex(dice: Dice, diet: Diet, depth = 3): string {
  const options = dice.chance(0.25) ? 2 : 1;
  return Array.from({ length: options }, () =>
    Array.from({ length: dice.under(3) + 1 }, () => term(dice, diet, depth)).join(''),
  ).join('|');
}

function term(dice: Dice, diet: Diet, depth: number): string {
  if (diet.anchors.length > 0 && dice.chance(0.12)) return dice.pick(diet.anchors);
  if (depth > 0 && dice.chance(0.35)) {
    const opening = dice.pick(diet.groups);
    const group = `${opening}${randomRegex(dice, diet, depth - 1)})`;
    const isLook = /^\(\?<?[=!]/.test(opening);
    return isLook ? group : quantified(dice, group);
  }
  return quantified(dice, dice.pick(diet.atoms));
}

function quantified(dice: Dice, atom: string): string {
  return dice.chance(0.3) ? atom + dice.pick(quantifiers) : atom;
}

export function randomText(dice: Dice, letters: readonly string[], longest: number): string {
  return Array.from({ length: dice.under(longest + 1) }, () => dice.pick(letters)).join('');
}
