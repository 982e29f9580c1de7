/**
 * A place that moves through the text of a regex: what the parser, the class reader and the escape
 * reader share.
 */

import type { ParlanceError } from '../../contract/errors.ts';
import { malformed, refused, tooLong } from './refusals.ts';

export class PatternReader {
  readonly pattern: string;
  /** In code units. */
  at = 0;

  constructor(pattern: string) {
    this.pattern = pattern;
  }

  get done(): boolean {
    return this.at >= this.pattern.length;
  }

  /** The next code unit; empty at the end. */
  get next(): string {
    return this.pattern[this.at] ?? '';
  }

  peek(text: string): boolean {
    return this.pattern.startsWith(text, this.at);
  }

  eat(text: string): boolean {
    if (!this.peek(text)) return false;
    this.at += text.length;
    return true;
  }

  /** What the sticky regex matches here, taken; null where it does not. */
  match(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.at;
    const found = sticky.exec(this.pattern);
    if (found !== null) this.at += found[0].length;
    return found;
  }

  /** One whole character. */
  codePoint(): number {
    const codePoint = this.pattern.codePointAt(this.at);
    if (codePoint === undefined) throw this.malformed('it ends too early');
    this.at += codePoint > 0xffff ? 2 : 1;
    return codePoint;
  }

  malformed(what: string, at: number = this.at): ParlanceError {
    return malformed({ pattern: this.pattern, at }, what);
  }

  tooLong(what: string, at: number): ParlanceError {
    return tooLong({ pattern: this.pattern, at }, what);
  }

  refused(construct: string, instead: string, at: number = this.at): ParlanceError {
    return refused({ pattern: this.pattern, at }, construct, instead);
  }
}
