/**
 * Random grammars over two letters, and a slow reading of them that shares nothing with the machine:
 * which rule reads from where to where, to a fixed point. For liveness the end of the text may go on
 * with anything. Tests only.
 */

import type { Dice } from '../mask/random-machine.test-support.ts';

export type Naive =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'class'; readonly letters: string }
  | { readonly kind: 'rule'; readonly name: string }
  | { readonly kind: 'sequence'; readonly parts: readonly Naive[] }
  | { readonly kind: 'either'; readonly of: readonly Naive[] }
  | { readonly kind: 'repeat'; readonly of: Naive; readonly min: number; readonly max: number };

export type NaiveGrammar = ReadonlyMap<string, Naive>;

const letters = ['a', 'b'];

export function randomGrammar(dice: Dice, rules: number): NaiveGrammar {
  const names = Array.from({ length: rules }, (_, index) => (index === 0 ? 'root' : `r${index}`));
  return new Map(names.map((name) => [name, randomExpression(dice, names, 3)]));
}

function randomExpression(dice: Dice, names: readonly string[], depth: number): Naive {
  const inner = (): Naive => randomExpression(dice, names, depth - 1);
  const several = (least: number): Naive[] => Array.from({ length: dice.whole(least, 3) }, inner);
  const kind = depth === 0 ? dice.whole(0, 4) : dice.whole(0, 9);
  if (kind === 0) return { kind: 'text', text: dice.pick(['', 'a', 'b', 'ab', 'aab']) };
  if (kind === 1) return { kind: 'class', letters: dice.pick(['a', 'b', 'ab']) };
  if (kind <= 4) return { kind: 'rule', name: dice.pick(names) };
  if (kind <= 6) return { kind: 'sequence', parts: several(1) };
  if (kind <= 8) return { kind: 'either', of: several(2) };
  const [min, max] = dice.pick<readonly [number, number]>([
    [0, 1],
    [0, Infinity],
    [1, Infinity],
    [2, 2],
    [1, 3],
  ]);
  return { kind: 'repeat', of: inner(), min, max };
}

/** As GBNF. */
export function writeGrammar(grammar: NaiveGrammar): string {
  return [...grammar].map(([name, body]) => `${name} ::= ${write(body)}`).join('\n');
}

function write(expression: Naive): string {
  switch (expression.kind) {
    case 'text':
      return `"${expression.text}"`;
    case 'class':
      return `[${expression.letters}]`;
    case 'rule':
      return expression.name;
    case 'sequence':
      return `(${expression.parts.map(write).join(' ')})`;
    case 'either':
      return `(${expression.of.map(write).join(' | ')})`;
    case 'repeat': {
      const { min, max } = expression;
      return `(${write(expression.of)}){${min},${max === Infinity ? '' : max}}`;
    }
  }
}

/** By the place where a stretch begins: the places where it may end, one bit each. */
type Spans = readonly number[];

export interface Reading {
  readonly accepted: boolean;
  /** Some text that begins like this is accepted. */
  readonly live: boolean;
}

export function readNaively(grammar: NaiveGrammar, text: string): Reading {
  const last = text.length;
  const open = solve(grammar, text, true);
  return {
    accepted: hasBit(solve(grammar, text, false).get('root')![0]!, last),
    live: hasBit(open.get('root')![0]!, last),
  };
}

const hasBit = (bits: number, bit: number): boolean => ((bits >> bit) & 1) === 1;

function solve(grammar: NaiveGrammar, text: string, open: boolean): Map<string, Spans> {
  const none = Array.from({ length: text.length + 1 }, () => 0);
  let known = new Map<string, Spans>([...grammar.keys()].map((name) => [name, none]));
  for (;;) {
    const next = new Map(
      [...grammar].map(([name, body]) => [name, spansOf(body, { known, text, open })] as const),
    );
    if (JSON.stringify([...next]) === JSON.stringify([...known])) return known;
    known = next;
  }
}

interface Place {
  readonly known: ReadonlyMap<string, Spans>;
  readonly text: string;
  readonly open: boolean;
}

function spansOf(expression: Naive, place: Place): Spans {
  const { text, open } = place;
  const starts = Array.from({ length: text.length + 1 }, (_, index) => index);
  const empty: Spans = starts.map((start) => 1 << start);
  switch (expression.kind) {
    case 'text':
      return Array.from(expression.text, (letter) => letterSpans(letter, text, open)).reduce<Spans>(
        chain,
        empty,
      );
    case 'class':
      return letterSpans(expression.letters, text, open);
    case 'rule':
      return place.known.get(expression.name)!;
    case 'sequence':
      return expression.parts.map((part) => spansOf(part, place)).reduce<Spans>(chain, empty);
    case 'either':
      return expression.of.map((one) => spansOf(one, place)).reduce(join);
    case 'repeat': {
      const one = spansOf(expression.of, place);
      let power = empty;
      for (let count = 0; count < expression.min; count++) power = chain(power, one);
      let all = power;
      // Each turn that matters reads at least one letter, or loops at the open end.
      const turns = Math.min(expression.max - expression.min, text.length + 2);
      for (let count = 0; count < turns; count++) all = join(all, (power = chain(power, one)));
      return all;
    }
  }
}

function letterSpans(allowed: string, text: string, open: boolean): Spans {
  return Array.from({ length: text.length + 1 }, (_, start) => {
    if (start === text.length)
      return open && letters.some((one) => allowed.includes(one)) ? 1 << start : 0;
    return allowed.includes(text[start]!) ? 1 << (start + 1) : 0;
  });
}

const join = (one: Spans, other: Spans): Spans => one.map((ends, start) => ends | other[start]!);

function chain(first: Spans, second: Spans): Spans {
  return first.map((middles) =>
    second.reduce((ends, more, middle) => (hasBit(middles, middle) ? ends | more : ends), 0),
  );
}
