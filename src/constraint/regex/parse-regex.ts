/**
 * Regex text to syntax tree: ECMA-262 with the `u` flag, and what people write beside it (needless
 * escapes, Python's anchors and named groups, inline flags). Says in words and with the place what is
 * malformed, and by name what cannot be supported.
 */

import {
  anything,
  complement,
  lineTerminators,
  notLineTerminators,
  single,
} from './code-points.ts';
import type { Ranges } from './code-points.ts';
import { closeOverCase } from './letter-case.ts';
import { PatternReader } from './pattern-reader.ts';
import { readBrackets, readEscape, wordClass } from './read-escape.ts';
import {
  aheadOf,
  altOf,
  behindOf,
  boundaryOf,
  catOf,
  endAnchor,
  nothing,
  repeatOf,
  setOf,
  startAnchor,
} from './syntax.ts';
import type { Syntax } from './syntax.ts';

/** In code units. */
const longest = 250_000;
/** Groups inside groups. */
const deepest = 200;
/** Characters of the shortest match; nobody writes more, and counting there would pass any budget. */
const longestLeast = 1_000_000;

interface Flags {
  readonly i: boolean;
  readonly s: boolean;
  readonly m: boolean;
}

interface Group {
  readonly at: number;
  readonly flags: Flags;
  readonly close: (body: Syntax) => Syntax;
}

/** Throws `invalid_constraint` for what is malformed (keyword `pattern`) or not supported. */
export function parseRegex(pattern: string): Syntax {
  const reader = new PatternReader(pattern);
  if (pattern.length > longest) {
    throw reader.malformed(`it is longer than ${longest} characters`, longest);
  }
  const syntax = new Parser(reader).alternatives(0);
  if (!reader.done) throw reader.malformed('a `)` closes nothing');
  return checkLength(syntax, reader, 0);
}

class Parser {
  readonly #reader: PatternReader;
  #flags: Flags = { i: false, s: false, m: false };

  constructor(reader: PatternReader) {
    this.#reader = reader;
  }

  /** Up to the end, or to the `)` that closes the group. */
  alternatives(depth: number): Syntax {
    const reader = this.#reader;
    if (depth > deepest) throw reader.malformed(`groups are nested deeper than ${deepest}`);
    const options: Syntax[] = [];
    let parts: Syntax[] = [];
    while (!reader.done && reader.next !== ')') {
      if (reader.eat('|')) {
        options.push(catOf(parts));
        parts = [];
      } else parts.push(this.#term(depth));
    }
    options.push(catOf(parts));
    return altOf(options);
  }

  #term(depth: number): Syntax {
    const reader = this.#reader;
    const anchor = this.#anchor();
    if (anchor !== null) {
      this.#expectNoQuantifier();
      return anchor;
    }
    const body = this.#atom(depth);
    const at = reader.at;
    const quantifier = readQuantifier(reader);
    if (quantifier === null) return body;
    if (reader.next === '+') {
      throw reader.refused('possessive quantifier', 'Leave the `+` away.', at);
    }
    reader.eat('?');
    const second = reader.at;
    if (readQuantifier(reader) !== null) {
      throw reader.malformed('a quantifier follows a quantifier', second);
    }
    if (body.flat && quantifier.least > 0) return body;
    return checkLength(repeatOf(body, quantifier.least, quantifier.most), reader, at);
  }

  #anchor(): Syntax | null {
    const reader = this.#reader;
    const { m, i } = this.#flags;
    if (!'^$\\'.includes(reader.next)) return null;
    if (reader.eat('^')) return m ? behindOf(setOf(notLineTerminators), true) : startAnchor;
    if (reader.eat('$')) return m ? aheadOf(setOf(notLineTerminators), true) : endAnchor;
    if (reader.eat('\\A')) return startAnchor;
    if (reader.eat('\\Z') || reader.eat('\\z')) return endAnchor;
    if (reader.eat('\\b')) return boundaryOf(wordClass(i), false);
    if (reader.eat('\\B')) return boundaryOf(wordClass(i), true);
    return null;
  }

  #atom(depth: number): Syntax {
    const reader = this.#reader;
    const { i, s } = this.#flags;
    if (reader.eat('(')) return this.#group(depth);
    if (reader.eat('[')) return setOf(readBrackets(reader, i));
    if (reader.eat('.')) return setOf(s ? anything : complement(lineTerminators));
    if (reader.eat('\\')) {
      const escape = readEscape(reader, i);
      return setOf(escape.type === 'class' ? escape.ranges : this.#character(escape.codePoint));
    }
    this.#expectNoQuantifier();
    return setOf(this.#character(reader.codePoint()));
  }

  #expectNoQuantifier(): void {
    const at = this.#reader.at;
    if (readQuantifier(this.#reader) === null) return;
    throw this.#reader.malformed('there is nothing to repeat', at);
  }

  #character(codePoint: number): Ranges {
    const set = single(codePoint);
    return this.#flags.i ? closeOverCase(set) : set;
  }

  /** The reader stands behind the `(`. */
  #group(depth: number): Syntax {
    const reader = this.#reader;
    const group = this.#opening(reader.at - 1);
    if (group === null) return nothing;
    const outer = this.#flags;
    this.#flags = group.flags;
    const body = this.alternatives(depth + 1);
    if (!reader.eat(')')) throw reader.malformed('a group is not closed', group.at);
    this.#flags = outer;
    return group.close(body);
  }

  /** null: it was a comment, or flags for the rest of the group that it stands in. */
  #opening(at: number): Group | null {
    const reader = this.#reader;
    const flags = this.#flags;
    const plain = (close: Group['close'] = (body) => body): Group => ({ at, flags, close });
    if (reader.next !== '?') return plain();
    if (reader.eat('?:') || reader.match(/\?P?<[\p{ID_Start}$_][\p{ID_Continue}$]*>/uy) !== null) {
      return plain();
    }
    if (reader.eat('?=')) return plain((body) => aheadOf(body, false));
    if (reader.eat('?!')) return plain((body) => aheadOf(body, true));
    if (reader.eat('?<=')) return plain((body) => behindOf(body, false));
    if (reader.eat('?<!')) return plain((body) => behindOf(body, true));
    if (reader.match(/\?#[^)]*\)/y) !== null) return null;
    const found = reader.match(/\?([aimsu]*)(?:-([ims]*))?([:)])/y);
    if (found === null) throw this.#strange(at);
    const changed = changeFlags(flags, found[1] ?? '', found[2] ?? '');
    if (found[3] === ':') return { at, flags: changed, close: (body) => body };
    this.#flags = changed;
    return null;
  }

  #strange(at: number): Error {
    const reader = this.#reader;
    if (reader.peek('?>')) {
      return reader.refused('atomic group', 'Write `(?:` in place of `(?>`.', at);
    }
    if (reader.peek('?P=')) {
      return reader.refused('backreference', 'Write out what the group may match.', at);
    }
    if (/^\?(?:R|[+-]?\d|&|P>)/.test(reader.pattern.slice(reader.at, reader.at + 4))) {
      return reader.refused('recursion', 'A grammar (`guided_grammar`) can say this.', at);
    }
    if (reader.peek('?(')) {
      return reader.refused('conditional group', 'Write both cases as alternatives.', at);
    }
    if (reader.peek('?|')) {
      return reader.refused('branch reset', 'Write `(?:` in place of `(?|`.', at);
    }
    if (/^\?[a-z]*x/.test(reader.pattern.slice(reader.at, reader.at + 8))) {
      return reader.refused('verbose flag', 'Write the regex without spaces and comments.', at);
    }
    return reader.malformed('a group begins in an unknown way', at);
  }
}

function changeFlags(flags: Flags, on: string, off: string): Flags {
  const flag = (letter: 'i' | 's' | 'm'): boolean =>
    (flags[letter] || on.includes(letter)) && !off.includes(letter);
  return { i: flag('i'), s: flag('s'), m: flag('m') };
}

/** Also of parts: an alternative that nobody can write is a mistake. */
function checkLength(syntax: Syntax, reader: PatternReader, at: number): Syntax {
  if (syntax.min <= longestLeast) return syntax;
  throw reader.tooLong(`what matches it has more than ${longestLeast} characters`, at);
}

interface Quantifier {
  readonly least: number;
  readonly most: number;
}

/** null, and nothing read, where none stands here; a brace that opens none stands for itself. */
function readQuantifier(reader: PatternReader): Quantifier | null {
  if (reader.eat('*')) return { least: 0, most: Infinity };
  if (reader.eat('+')) return { least: 1, most: Infinity };
  if (reader.eat('?')) return { least: 0, most: 1 };
  if (reader.next !== '{') return null;
  const at = reader.at;
  const found = reader.match(/\{(?:(\d+)(,?)|,)(\d*)\}/y);
  if (found === null) return null;
  const least = Number(found[1] ?? '0');
  const isExact = found[1] !== undefined && found[2] === '';
  const most = isExact ? least : found[3] === '' ? Infinity : Number(found[3]);
  if (least > most) throw reader.malformed('the numbers of a quantifier are out of order', at);
  if (least > 2 ** 31) throw reader.malformed('a quantifier asks for too much', at);
  return { least, most: most > 2 ** 31 ? Infinity : most };
}
