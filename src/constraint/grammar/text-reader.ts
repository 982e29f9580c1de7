/**
 * A place in a grammar's source that moves on. Both readers are written over it; it knows what their
 * notations have in common: comments, escapes of characters, counts.
 */

import { grammarError } from './grammar-error.ts';

/** Groups in groups. */
export const deepest = 200;

/** More copies than this are refused before they are counted. */
const mostCopies = 1_000_000;

export class TextReader {
  readonly source: string;
  readonly #comment: RegExp;
  at = 0;

  /** @param comment matches a comment at the place where it is tried; sticky */
  constructor(source: string, comment: RegExp) {
    this.source = source;
    this.#comment = comment;
  }

  get done(): boolean {
    return this.at >= this.source.length;
  }

  /** The character here; '' at the end. */
  get here(): string {
    return this.source[this.at] ?? '';
  }

  startsWith(text: string): boolean {
    return this.source.startsWith(text, this.at);
  }

  /** Moves over the text if it is here. */
  take(text: string): boolean {
    if (!this.startsWith(text)) return false;
    this.at += text.length;
    return true;
  }

  /** Moves over what a sticky regex matches here; null where it does not. */
  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source);
    if (found !== null) this.at += found[0].length;
    return found;
  }

  /** Moves over blanks and comments, and over line ends if they mean nothing here. */
  skip(lines: boolean): void {
    const blanks = lines ? /\s+/y : /[^\S\n]+/y;
    while (this.match(blanks) !== null || this.match(this.#comment) !== null);
  }

  /** @throws ParlanceError `invalid_constraint` */
  fail(keyword: string, what: string, at: number = this.at): never {
    throw grammarError({ source: this.source, at }, keyword, what);
  }

  /** A code point as it is written. */
  character(): number {
    const point = this.source.codePointAt(this.at)!;
    this.at += point > 0xffff ? 2 : 1;
    return point;
  }

  /** What `\xHH`, `\uHHHH` and `\UHHHHHHHH` mean, behind the backslash; null where they are not here. */
  hexEscape(): number | null {
    const found = this.match(/x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})/y);
    if (found === null) return null;
    const point = Number.parseInt(found[1] ?? found[2] ?? found[3]!, 16);
    if (point > 0x10ffff) this.fail('escape', `${found[0]} is no character`);
    return point;
  }

  /** `{m}`, `{m,}`, `{,n}` and `{m,n}`; null where none of them is here. */
  counts(): { readonly min: number; readonly max: number | null } | null {
    const { at } = this;
    const found = this.match(/\{\s*(\d*)\s*(?:(,)\s*(\d*)\s*)?\}/y);
    if (found === null || (found[1] === '' && (found[3] ?? '') === '')) {
      this.at = at;
      return null;
    }
    const min = Number(found[1]);
    const max = found[2] === undefined ? min : found[3] === '' ? null : Number(found[3]);
    return this.checkCounts({ min, max }, found[0], at);
  }

  checkCounts<Counts extends { readonly min: number; readonly max: number | null }>(
    counts: Counts,
    text: string,
    at: number,
  ): Counts {
    const { min, max } = counts;
    if (max !== null && max < min) this.fail(text, `${text} ends before it begins`, at);
    if ((max ?? min) > mostCopies) this.fail(text, `${text} repeats too often`, at);
    return counts;
  }
}
