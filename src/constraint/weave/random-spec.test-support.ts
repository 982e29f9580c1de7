/** Random combinator trees, and the same as JavaScript's regexes, which read them slowly. Tests only. */

import type { Dice } from '../mask/random-machine.test-support.ts';
import type { ConstraintSpec } from '../spec.ts';

/** The characters of the texts. */
export const letters = ['a', 'b', '<', 'é'] as const;

export function randomSpec(dice: Dice, depth: number): ConstraintSpec {
  const inner = (): ConstraintSpec => randomSpec(dice, depth - 1);
  const several = (least: number): ConstraintSpec[] =>
    Array.from({ length: dice.whole(least, 3) }, inner);
  switch (depth === 0 ? dice.whole(0, 4) : dice.whole(0, 10)) {
    case 0:
    case 1:
      return { kind: 'literal', text: dice.pick(['', 'a', '<', 'b<a', 'é', 'ab']) };
    case 2:
      return { kind: 'text' };
    case 3:
      return { kind: 'text-until', until: dice.pick(['', 'a', '<b', 'aab', 'éé', '<<']) };
    case 4:
      return randomLeaf(dice);
    case 5:
    case 6:
      return { kind: 'sequence', parts: several(0) };
    case 7:
    case 8:
      return { kind: 'either', of: several(1) };
    case 9: {
      const min = dice.whole(0, 2);
      const max = dice.pick([null, min, min + 1]);
      return { kind: 'repeat', of: inner(), min, max, separator: dice.pick(['', '<', 'ab']) };
    }
    default:
      return randomTags(dice, depth - 1);
  }
}

function randomLeaf(dice: Dice): ConstraintSpec {
  return dice.uniform() < 0.5
    ? { kind: 'choice', options: dice.pick([['a', 'ab'], ['b'], ['', 'é'], ['<a', '<b', 'a']]) }
    : { kind: 'regex', pattern: dice.pick(['a+', '(a|b)*<', '[^<]', 'é?', '(ab|a)(b|<)?']) };
}

function randomTags(dice: Dice, depth: number): ConstraintSpec {
  const trigger = dice.pick(['<', '<a', 'ab', 'éa']);
  const tags = Array.from({ length: dice.whole(1, 2) }, () => ({
    begin: trigger + dice.pick(['', 'b', '<', 'a']),
    content: randomSpec(dice, depth),
    end: dice.pick(['', 'b', '<', '>a', 'a<']),
  }));
  return {
    kind: 'tags',
    triggers: [trigger],
    tags,
    atLeastOne: dice.uniform() < 0.3,
    stopAfterFirst: dice.uniform() < 0.3,
  };
}

/** By the place where a stretch begins: the places where it may end, one bit each. */
type Spans = readonly number[];

/** Whether the whole text is one of those that the constraint means, found out piece by piece. */
export function matchesNaively(spec: ConstraintSpec, text: string): boolean {
  return ((spansOf(spec, text)[0]! >> text.length) & 1) === 1;
}

function spansOf(spec: ConstraintSpec, text: string): Spans {
  const where = (holds: (stretch: string) => boolean): Spans => spansWhere(text, holds);
  switch (spec.kind) {
    case 'literal':
      return where((stretch) => stretch === spec.text);
    case 'text':
      return where(() => true);
    case 'text-until':
      return where((stretch) => isUntil(stretch, spec.until));
    case 'choice':
      return where((stretch) => spec.options.includes(stretch));
    case 'regex': {
      const regex = new RegExp(`^(?:${spec.pattern})$`, 'u');
      return where((stretch) => regex.test(stretch));
    }
    case 'sequence':
      return spec.parts.map((part) => spansOf(part, text)).reduce(chain, emptySpans(text));
    case 'either':
      return spec.of.map((one) => spansOf(one, text)).reduce(join);
    case 'repeat': {
      const one = spansOf(spec.of, text);
      const more = chain(
        where((stretch) => stretch === spec.separator),
        one,
      );
      const empty = emptySpans(text);
      if (spec.max === 0) return empty;
      const rest = power(more, Math.max(spec.min - 1, 0), spec.max === null ? null : spec.max - 1);
      return spec.min === 0 ? join(empty, chain(one, rest)) : chain(one, rest);
    }
    case 'tags':
      return tagSpans(spec, text);
    default:
      throw new Error(`no reading of ${spec.kind}`);
  }
}

const isUntil = (stretch: string, until: string): boolean =>
  until === ''
    ? stretch === ''
    : stretch.indexOf(until) === stretch.length - until.length && stretch.endsWith(until);

/** With one trigger. */
function tagSpans(spec: Extract<ConstraintSpec, { kind: 'tags' }>, text: string): Spans {
  const trigger = spec.triggers[0]!;
  const free = spansWhere(text, (stretch) => !stretch.includes(trigger));
  const bodies = spec.tags.map(({ begin, content, end }) => {
    const last = spansWhere(text, (stretch) => stretch === end);
    const inside =
      content.kind === 'text' && end !== ''
        ? spansWhere(text, (stretch) => isUntil(stretch, end))
        : chain(spansOf(content, text), last);
    return chain(
      spansWhere(text, (stretch) => stretch === begin.slice(trigger.length)),
      inside,
    );
  });
  // Free text ends with the first byte at which a trigger has been written.
  const one = chain(
    spansWhere(text, (stretch) => isUntil(stretch, trigger)),
    bodies.reduce(join),
  );
  if (spec.stopAfterFirst) return spec.atLeastOne ? one : join(one, free);
  return chain(power(one, spec.atLeastOne ? 1 : 0, null), free);
}

function spansWhere(text: string, holds: (stretch: string) => boolean): Spans {
  return Array.from({ length: text.length + 1 }, (_, start) => {
    let ends = 0;
    for (let end = start; end <= text.length; end++) {
      if (holds(text.slice(start, end))) ends |= 1 << end;
    }
    return ends;
  });
}

const emptySpans = (text: string): Spans => spansWhere(text, (stretch) => stretch === '');

const join = (one: Spans, other: Spans): Spans => one.map((ends, start) => ends | other[start]!);

function chain(first: Spans, second: Spans): Spans {
  return first.map((middles) =>
    second.reduce(
      (ends, more, middle) => (((middles >> middle) & 1) === 1 ? ends | more : ends),
      0,
    ),
  );
}

function power(one: Spans, min: number, max: number | null): Spans {
  let last: Spans = one.map((_, start) => 1 << start);
  for (let count = 0; count < min; count++) last = chain(last, one);
  let all = last;
  const turns = Math.min(max === null ? Infinity : max - min, one.length + 1);
  for (let count = 0; count < turns; count++) {
    last = chain(last, one);
    all = join(all, last);
  }
  return all;
}
