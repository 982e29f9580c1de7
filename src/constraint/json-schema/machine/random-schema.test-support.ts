/**
 * Small random schemas and documents, so alike that they often fit. Names come in one order everywhere:
 * `a` to `d` are declared by every schema that speaks of objects, `x` and `y` by none.
 */

export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    // The low bits of such a generator repeat soon.
    const mixed = Math.imul(this.#state ^ (this.#state >>> 15), 0x2c1b3c6d);
    return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32;
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(of: readonly T[]): T {
    return of[this.below(of.length)]!;
  }
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const declared = ['a', 'b', 'c', 'd'];
const words = ['', 'a', 'ab', 'b', 'abc', 'é', '"', '\\', '\n', '😀', 'ba'];
const numbers = [0, 1, 2, 3, 5, 10, 12, -1, -3, 0.5, 2.5, 1e21, 1e-7, 100, 0.25];

const scalar = (dice: Dice): Json =>
  dice.pick<Json>([null, true, false, dice.pick(numbers), dice.pick(words), dice.pick(words)]);

export function randomDocument(dice: Dice, depth = 2): Json {
  const kind = dice.below(depth > 0 ? 6 : 3);
  if (kind < 3) return scalar(dice);
  if (kind === 3)
    return Array.from({ length: dice.below(4) }, () => randomDocument(dice, depth - 1));
  const out: { [name: string]: Json } = {};
  for (const name of [...declared, 'x', 'y']) {
    if (dice.chance(name > 'd' ? 0.15 : 0.45)) out[name] = randomDocument(dice, depth - 1);
  }
  return out;
}

/** A document as text: usual spelling, or with spaces and escapes. */
export function writeDocument(dice: Dice, value: Json): string {
  const gap = dice.pick(['', ' ', '\n  ']);
  const write = (one: Json): string => {
    if (Array.isArray(one)) return `[${one.map(write).join(`,${gap}`)}]`;
    if (typeof one !== 'object' || one === null) return JSON.stringify(one);
    const members = Object.entries(one).map(([name, own]) => `"${name}":${gap}${write(own)}`);
    return `{${members.join(`,${gap}`)}}`;
  };
  return write(value);
}

export function randomSchema(dice: Dice, depth = 3): Json {
  const roll = dice.next();
  if (roll < 0.04) return true;
  if (roll < 0.06) return false;
  if (depth > 0 && roll < 0.34) return applicator(dice, depth);
  const out: { [keyword: string]: Json } = {};
  const type = dice.pick(['string', 'number', 'integer', 'array', 'object', 'object', 'boolean']);
  if (dice.chance(0.7)) out['type'] = dice.chance(0.2) ? [type, 'null'] : type;
  if (dice.chance(0.12))
    out['enum'] = [randomDocument(dice, 1), randomDocument(dice, 1), scalar(dice)];
  if (type === 'string') Object.assign(out, stringRules(dice));
  else if (type === 'array') Object.assign(out, arrayRules(dice, depth));
  else if (type === 'object') Object.assign(out, objectRules(dice, depth));
  else if (type !== 'boolean') Object.assign(out, numberRules(dice));
  return dice.chance(0.15) && depth > 0 ? { ...applicator(dice, depth), ...out } : out;
}

function applicator(dice: Dice, depth: number): { [keyword: string]: Json } {
  const some = (): Json[] =>
    Array.from({ length: 1 + dice.below(3) }, () => randomSchema(dice, depth - 1));
  switch (dice.below(7)) {
    case 0:
      return { not: randomSchema(dice, depth - 1) };
    case 1:
    case 2:
      return { oneOf: some() };
    case 3:
      return { allOf: some() };
    case 4:
      return Object.fromEntries(
        ['if', 'then', 'else'].map((keyword) => [keyword, randomSchema(dice, depth - 1)]),
      );
    default:
      return { anyOf: some() };
  }
}

function stringRules(dice: Dice): { [keyword: string]: Json } {
  const out: { [keyword: string]: Json } = {};
  if (dice.chance(0.3)) out['minLength'] = dice.below(3);
  if (dice.chance(0.3)) out['maxLength'] = dice.below(4);
  if (dice.chance(0.4)) out['pattern'] = dice.pick(['^a', 'b$', '^[ab]*$', '[^a]', '^\\W', 'a.c']);
  return out;
}

function numberRules(dice: Dice): { [keyword: string]: Json } {
  const out: { [keyword: string]: Json } = {};
  if (dice.chance(0.4)) out['minimum'] = dice.pick(numbers);
  if (dice.chance(0.4)) out['maximum'] = dice.pick(numbers);
  if (dice.chance(0.15)) out['exclusiveMinimum'] = dice.pick(numbers);
  if (dice.chance(0.15)) out['exclusiveMaximum'] = dice.pick(numbers);
  if (dice.chance(0.2)) out['multipleOf'] = dice.pick([2, 3, 0.5, 0.25, 5]);
  return out;
}

function arrayRules(dice: Dice, depth: number): { [keyword: string]: Json } {
  const out: { [keyword: string]: Json } = {};
  const part = (): Json => randomSchema(dice, depth - 1);
  if (dice.chance(0.5)) out['items'] = part();
  if (dice.chance(0.3)) out['prefixItems'] = [part(), part()];
  if (dice.chance(0.3)) out['minItems'] = dice.below(3);
  if (dice.chance(0.3)) out['maxItems'] = dice.below(4);
  if (dice.chance(0.25)) out['uniqueItems'] = true;
  if (dice.chance(0.25)) {
    out['contains'] = part();
    if (dice.chance(0.4)) out['minContains'] = dice.below(3);
    if (dice.chance(0.4)) out['maxContains'] = dice.below(3);
  }
  return out;
}

function objectRules(dice: Dice, depth: number): { [keyword: string]: Json } {
  const part = (): Json => randomSchema(dice, depth - 1);
  const out: { [keyword: string]: Json } = {};
  const properties: { [name: string]: Json } = {};
  for (const name of declared) properties[name] = dice.chance(0.5) ? part() : true;
  out['properties'] = properties;
  const names = [...declared, 'x'];
  if (dice.chance(0.4)) out['required'] = [...new Set([dice.pick(names), dice.pick(names)])];
  if (dice.chance(0.4)) out['additionalProperties'] = dice.chance(0.6) ? false : part();
  if (dice.chance(0.2)) out['patternProperties'] = { [dice.pick(['^x', '[ay]', '^b'])]: part() };
  if (dice.chance(0.15)) out['propertyNames'] = { pattern: dice.pick(['^[a-x]$', '[^b]', 'a|c']) };
  if (dice.chance(0.2)) out['minProperties'] = dice.below(4);
  if (dice.chance(0.2)) out['maxProperties'] = dice.below(4);
  if (dice.chance(0.15)) out['dependentRequired'] = { [dice.pick(names)]: [dice.pick(names)] };
  if (dice.chance(0.15)) out['dependentSchemas'] = { [dice.pick(names)]: part() };
  return out;
}
