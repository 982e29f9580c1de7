/**
 * What stands behind a backslash, in a class or outside: characters and classes of characters. Anchors
 * and word boundaries are the parser's.
 */

import {
  complement,
  digits,
  single,
  spaces,
  unicodeProperty,
  union,
  wordCharacters,
} from './code-points.ts';
import type { Ranges } from './code-points.ts';
import { closeOverCase } from './letter-case.ts';
import type { PatternReader } from './pattern-reader.ts';

/** A character, or a class of them that cannot be the end of a range. */
export type Escape =
  | { readonly type: 'character'; readonly codePoint: number }
  | { readonly type: 'class'; readonly ranges: Ranges };

const controls: Readonly<Record<string, number>> = {
  a: 0x07,
  e: 0x1b,
  f: 0x0c,
  n: 0x0a,
  r: 0x0d,
  t: 0x09,
  v: 0x0b,
};

/** The characters of `\w`: with `(?i)` also the two that differ from ASCII letters in case only. */
export function wordClass(ignoreCase: boolean): Ranges {
  return ignoreCase ? closeOverCase(wordCharacters) : wordCharacters;
}

/** Reads on behind the backslash. */
export function readEscape(reader: PatternReader, ignoreCase: boolean): Escape {
  const letter = reader.next;
  if (letter === '') throw reader.malformed('a backslash has nothing behind it');
  const ranges = readClass(reader, ignoreCase);
  if (ranges !== null) return { type: 'class', ranges };
  const control = controls[letter];
  if (control !== undefined) {
    reader.at += 1;
    return character(control);
  }
  if (letter === 'x' || letter === 'u' || letter === 'U') return character(readHex(reader));
  if (letter === 'c') return character(readControl(reader));
  if (letter >= '0' && letter <= '9') return character(readDigits(reader));
  if (/[A-Za-z]/.test(letter)) {
    if (letter === 'k') throw backreference(reader);
    throw reader.malformed(`\`\\${letter}\` means nothing`, reader.at - 1);
  }
  return character(reader.codePoint());
}

function character(codePoint: number): Escape {
  return { type: 'character', codePoint };
}

function readClass(reader: PatternReader, ignoreCase: boolean): Ranges | null {
  const letter = reader.next;
  if (letter === 'p' || letter === 'P') return readProperty(reader, ignoreCase);
  const positive = { d: digits, s: spaces, w: wordClass(ignoreCase) }[letter.toLowerCase()];
  if (positive === undefined) return null;
  reader.at += 1;
  return letter >= 'a' ? positive : complement(positive);
}

function readProperty(reader: PatternReader, ignoreCase: boolean): Ranges {
  const at = reader.at - 1;
  const found = reader.match(/([pP])(?:\{(\^?)([^{}]*)\}|([A-Z]))/y);
  if (found === null) throw reader.malformed('`\\p` needs a property in braces: `\\p{L}`', at);
  const name = found[3] ?? found[4] ?? '';
  const ranges = unicodeProperty(name);
  if (ranges === null) throw reader.malformed(`there is no Unicode property \`${name}\``, at);
  const negative = (found[1] === 'P') !== (found[2] === '^');
  const set = negative ? complement(ranges) : ranges;
  return ignoreCase ? closeOverCase(set) : set;
}

function readHex(reader: PatternReader): number {
  const at = reader.at - 1;
  const found = reader.match(
    /x([0-9a-fA-F]{2})|[ux]\{([0-9a-fA-F]+)\}|u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})/y,
  );
  if (found === null) throw reader.malformed('an escape lacks hexadecimal digits', at);
  if (found[3] !== undefined && found[4] !== undefined) {
    const high = Number.parseInt(found[3], 16);
    return (high - 0xd800) * 0x400 + Number.parseInt(found[4], 16) - 0xdc00 + 0x10000;
  }
  const codePoint = Number.parseInt(found[1] ?? found[2] ?? found[5] ?? found[6] ?? '', 16);
  if (codePoint > 0x10ffff) throw reader.malformed('there is no such character', at);
  return codePoint;
}

function readControl(reader: PatternReader): number {
  const found = reader.match(/c([A-Za-z])/y);
  if (found === null) throw reader.malformed('`\\c` needs a letter', reader.at - 1);
  return found[1]!.charCodeAt(0) % 32;
}

function readDigits(reader: PatternReader): number {
  const at = reader.at - 1;
  if (reader.next !== '0') throw backreference(reader);
  reader.at += 1;
  if (/[0-9]/.test(reader.next)) throw reader.malformed('octal escapes are not known', at);
  return 0;
}

function backreference(reader: PatternReader): Error {
  return reader.refused(
    'backreference',
    'Write out what the group may match, or check the value after it was generated.',
    reader.at - 1,
  );
}

/** `[...]`; the reader stands behind the opening bracket and is left behind the closing one. */
export function readBrackets(reader: PatternReader, ignoreCase: boolean): Ranges {
  const opening = reader.at - 1;
  const negative = reader.eat('^');
  const sets: Ranges[] = [];
  while (!reader.eat(']')) {
    if (reader.done) throw reader.malformed('a class is not closed', opening);
    const at = reader.at;
    const low = readMember(reader, ignoreCase);
    if (reader.next !== '-' || reader.peek('-]')) {
      sets.push(low.type === 'class' ? low.ranges : single(low.codePoint));
      continue;
    }
    reader.at += 1;
    if (reader.done) throw reader.malformed('a class is not closed', opening);
    const high = readMember(reader, ignoreCase);
    sets.push(...rangeBetween(low, high, () => reader.malformed('a range is backwards', at)));
  }
  const set = union(...sets, []);
  const closed = ignoreCase ? closeOverCase(set) : set;
  return negative ? complement(closed) : closed;
}

function readMember(reader: PatternReader, ignoreCase: boolean): Escape {
  if (!reader.eat('\\')) return character(reader.codePoint());
  if (reader.eat('b')) return character(0x08);
  return readEscape(reader, ignoreCase);
}

/** Where one end is a class, the hyphen stands for itself: `[\w-.]`. */
function rangeBetween(low: Escape, high: Escape, backwards: () => Error): Ranges[] {
  if (low.type === 'character' && high.type === 'character') {
    if (low.codePoint > high.codePoint) throw backwards();
    return [union([low.codePoint, high.codePoint], [])];
  }
  return [low, { type: 'character', codePoint: 0x2d } as const, high].map((end) =>
    end.type === 'class' ? end.ranges : single(end.codePoint),
  );
}
