/**
 * Makes fragments and languages: the same object for the same term, simplified where that is cheap and
 * keeps the number of derivatives finite and small. One for each machine. It holds the sets of
 * characters by number and the trackers, and counts every new term against the budget.
 */

import type { Budget } from '../machine.ts';
import { anything } from './code-points.ts';
import type { Ranges } from './code-points.ts';
import type { Empties, Fragment, Language, ShapeOf, Width } from './term.ts';
import { dropImplied, mergeCounts } from './simplify-or.ts';
import { TermTable } from './term-table.ts';
import {
  anyWidth,
  commonOf,
  joins,
  oneWide,
  repeated,
  sumOf,
  unionOf,
  unknownWidth,
  zeroWidth,
} from './width.ts';

const plain = { pure: true, trackers: 0 } as const;

export class TermFactory {
  readonly none: Fragment;
  readonly empty: Fragment;
  readonly noText: Language;
  readonly end: Language;
  readonly all: Language;
  /** One character, whichever; any text, as a fragment. */
  readonly any: Fragment;
  readonly anyText: Fragment;
  /** The characters of each set. */
  readonly sets: Ranges[] = [];
  /** What each tracker follows: the text so far is of the language. */
  readonly trackers: Language[] = [];
  readonly #setNumbers = new Map<string, number>();
  readonly #table: TermTable;

  constructor(budget: Budget, keyword: string) {
    this.#table = new TermTable(budget, keyword);
    const narrow = { min: Infinity, max: 0, dense: true };
    const dead = { pure: false, trackers: 0, width: narrow };
    this.none = this.#fragment('none', { kind: 'none', empties: 'never', ...dead });
    const flat = { ...plain, width: zeroWidth };
    this.empty = this.#fragment('empty', { kind: 'empty', empties: 'always', ...flat });
    this.noText = this.#language('none', { kind: 'none', inhabited: false, ...dead });
    this.end = this.#language('end', { kind: 'end', inhabited: true, ...flat });
    this.all = this.#language('all', {
      kind: 'all',
      inhabited: true,
      ...plain,
      width: anyWidth,
    });
    this.any = this.set(anything);
    this.anyText = this.repeat(this.any, 0, Infinity);
  }

  set(ranges: Ranges): Fragment {
    if (ranges.length === 0) return this.none;
    const key = ranges.join();
    let set = this.#setNumbers.get(key);
    if (set === undefined) {
      set = this.sets.push(ranges) - 1;
      this.#setNumbers.set(key, set);
    }
    return this.#fragment(`s${set}`, {
      kind: 'set',
      set,
      empties: 'never',
      ...plain,
      width: oneWide,
    });
  }

  /** Right-nested: what a derivative leaves of it is one of its tails. */
  cat(head: Fragment, tail: Fragment): Fragment {
    if (head === this.none || tail === this.none) return this.none;
    if (head === this.empty) return tail;
    if (tail === this.empty) return head;
    if (head.kind === 'cat') return this.#append(head, tail);
    const next = tail.kind === 'cat' ? tail.head : tail;
    const joined = joinedRepeats(head, next);
    if (joined !== null) {
      const repeat = this.repeat(joined.body, joined.least, joined.most);
      return tail.kind === 'cat' ? this.cat(repeat, tail.tail) : repeat;
    }
    return this.#fragment(`c${head.id},${tail.id}`, {
      kind: 'cat',
      head,
      tail,
      empties: emptiest([tail.empties, head.empties], 'never'),
      pure: head.pure && tail.pure,
      trackers: head.trackers | tail.trackers,
      width: sumOf(head.width, tail.width),
    });
  }

  /** The parts of a chain before `tail`, without recursion: chains can be as long as a regex. */
  #append(chain: Fragment, tail: Fragment): Fragment {
    const heads: Fragment[] = [];
    let part = chain;
    for (; part.kind === 'cat'; part = part.tail) heads.push(part.head);
    return heads.reduceRight((rest, head) => this.cat(head, rest), this.cat(part, tail));
  }

  alt(options: readonly Fragment[]): Fragment {
    const kept = new Map<number, Fragment>();
    for (const option of options.flatMap((one) => (one.kind === 'alt' ? one.of : [one]))) {
      if (option !== this.none) kept.set(option.id, option);
    }
    const of = [...kept.values()].sort((a, b) => a.id - b.id);
    if (of.length === 0) return this.none;
    if (of.length === 1) return of[0]!;
    return this.#fragment(`a${of.map((one) => one.id).join()}`, {
      kind: 'alt',
      of,
      empties: emptiest(
        of.map((one) => one.empties),
        'always',
      ),
      ...together(of),
      width: unionOf(of.map((one) => one.width)),
    });
  }

  /** Repetitions of repetitions become one where no count is left out between them. */
  repeat(body: Fragment, least: number, most: number): Fragment {
    if (most === 0 || body === this.empty) return this.empty;
    if (body === this.none) return least === 0 ? this.empty : this.none;
    if (body.empties === 'always') least = 0;
    if (body.width.max === 0) return least === 0 ? this.empty : body;
    if (least === 1 && most === 1) return body;
    if (body.kind === 'repeat' && mayJoin(body, least, most)) {
      const max = body.most * most;
      return this.repeat(body.body, body.least * least, max);
    }
    return this.#fragment(`r${body.id},${least},${most}`, {
      kind: 'repeat',
      body,
      least,
      most,
      empties: least === 0 ? 'always' : body.empties,
      pure: body.pure,
      trackers: body.trackers,
      width: repeated(body.width, least, most),
    });
  }

  ahead(language: Language): Fragment {
    if (language === this.all) return this.empty;
    if (language === this.noText) return this.none;
    return this.#fragment(`l${language.id}`, {
      kind: 'ahead',
      language,
      empties: 'sometimes',
      pure: false,
      trackers: language.trackers,
      width: zeroWidth,
    });
  }

  behind(tracker: number, negative: boolean): Fragment {
    return this.#fragment(`b${tracker},${negative}`, {
      kind: 'behind',
      tracker,
      negative,
      empties: 'sometimes',
      pure: false,
      trackers: (1 << tracker) | this.trackers[tracker]!.trackers,
      width: zeroWidth,
    });
  }

  seq(first: Fragment, rest: Language): Language {
    if (first === this.none || rest === this.noText) return this.noText;
    if (first === this.empty) return rest;
    if (rest === this.all && first.empties === 'always') return rest;
    if (first.kind === 'ahead') return this.and([first.language, rest]);
    if (first.kind === 'cat' && first.head.kind === 'ahead') {
      return this.and([first.head.language, this.seq(first.tail, rest)]);
    }
    if (first.kind === 'alt' && !first.pure) {
      return this.or(first.of.map((one) => this.seq(one, rest)));
    }
    const sum = sumOf(first.width, rest.width);
    return this.#language(`s${first.id},${rest.id}`, {
      kind: 'seq',
      first,
      rest,
      inhabited: first.pure && rest.inhabited,
      pure: first.pure && rest.pure,
      trackers: first.trackers | rest.trackers,
      width: sum,
    });
  }

  or(options: readonly Language[]): Language {
    const kept = new Map<number, Language>();
    for (const option of options) {
      if (option === this.all) return this.all;
      for (const one of option.kind === 'or' ? option.of : [option]) {
        if (one !== this.noText) kept.set(one.id, one);
      }
    }
    mergeCounts(kept, this);
    dropImplied(kept);
    const of = [...kept.values()].sort((a, b) => a.id - b.id);
    if (of.length === 0) return this.noText;
    if (of.length === 1) return of[0]!;
    if (kept.has(this.all.id)) return this.all;
    return this.#language(`o${of.map((one) => one.id).join()}`, {
      kind: 'or',
      of,
      inhabited: of.some((one) => one.inhabited),
      ...together(of),
      width: unionOf(of.map((one) => one.width)),
    });
  }

  and(conditions: readonly Language[]): Language {
    const kept = new Map<number, Language>();
    for (const condition of conditions) {
      if (condition === this.noText) return this.noText;
      for (const one of condition.kind === 'and' ? condition.of : [condition]) {
        if (one !== this.all) kept.set(one.id, one);
      }
    }
    const of = [...kept.values()].sort((a, b) => a.id - b.id);
    if (of.length === 0) return this.all;
    if (of.length === 1) return of[0]!;
    if (of.some((one) => one.kind === 'not' && kept.has(one.of.id))) return this.noText;
    const width: Width = commonOf(of.map((one) => one.width));
    if (width.min > width.max) return this.noText;
    return this.#language(`n${of.map((one) => one.id).join()}`, {
      kind: 'and',
      of,
      inhabited: false,
      ...together(of),
      pure: false,
      width,
    });
  }

  not(language: Language): Language {
    if (language.kind === 'not') return language.of;
    if (language === this.all) return this.noText;
    if (language === this.noText) return this.all;
    return this.#language(`!${language.id}`, {
      kind: 'not',
      of: language,
      inhabited: false,
      pure: false,
      trackers: language.trackers,
      width: unknownWidth,
    });
  }

  #fragment(key: string, shape: ShapeOf<Fragment>): Fragment {
    return this.#table.fragment(key, shape);
  }

  #language(key: string, shape: ShapeOf<Language>): Language {
    return this.#table.language(key, shape);
  }
}

/** `x{a,b}x{c,d}` is `x{a+c,b+d}`; null for other neighbours, or where both are single. */
function joinedRepeats(
  first: Fragment,
  second: Fragment,
): { body: Fragment; least: number; most: number } | null {
  if (first.kind !== 'repeat' && second.kind !== 'repeat') return null;
  const body = first.kind === 'repeat' ? first.body : first;
  if (body !== (second.kind === 'repeat' ? second.body : second)) return null;
  if (body.empties === 'sometimes') return null;
  const [a, b] = [countsOf(first), countsOf(second)];
  return { body, least: a.least + b.least, most: a.most + b.most };
}

function countsOf(fragment: Fragment): { readonly least: number; readonly most: number } {
  return fragment.kind === 'repeat' ? fragment : { least: 1, most: 1 };
}

/** `strongest` where one says so, else `sometimes` where one says so, else what all say. */
function emptiest(of: readonly Empties[], strongest: Empties): Empties {
  if (of.includes(strongest)) return strongest;
  return of.includes('sometimes') ? 'sometimes' : of[0]!;
}

function together(of: readonly { readonly pure: boolean; readonly trackers: number }[]): {
  pure: boolean;
  trackers: number;
} {
  return {
    pure: of.every((one) => one.pure),
    trackers: of.reduce((bits, one) => bits | one.trackers, 0),
  };
}

/** Whether `(x{a,b}){least,most}` is `x{a*least,b*most}`: the counts must leave nothing out. */
function mayJoin(body: Fragment & { kind: 'repeat' }, least: number, most: number): boolean {
  if (body.body.empties === 'sometimes') return false;
  const counts: Width = { min: body.least, max: body.most, dense: true };
  return least === most || joins(counts, least);
}
