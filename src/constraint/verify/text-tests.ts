/**
 * Patterns and formats of strings, tested in linear time by the same regex engine that the mask uses.
 * One for each verification or reading; it keeps what it compiled.
 */

import type { FormatName } from '../json-schema/node.ts';
import type { Budget } from '../machine.ts';
import type { TextMachine } from '../regex/char-machine.ts';
import { compileText } from '../regex/compile-text.ts';
import type { TextTests } from './evaluate.ts';

/** Until the regex room has its own: date and time by shape. */
const formatPatterns: Readonly<Record<FormatName, string>> = {
  'date-time': String.raw`\d{4}-\d\d-\d\d[tT]([01]\d|2[0-3]):\d\d:\d\d(\.\d+)?([zZ]|[+-]\d\d:\d\d)`,
  date: String.raw`\d{4}-(0\d|1[012])-([012]\d|3[01])`,
  time: String.raw`([01]\d|2[0-3]):\d\d:\d\d(\.\d+)?([zZ]|[+-]\d\d:\d\d)`,
  duration: 'P.*',
  email: String.raw`[^@\s]+@[^@\s]+`,
  hostname: String.raw`[-.\w]+`,
  ipv4: String.raw`[.\d]+`,
  ipv6: String.raw`[:.\da-fA-F]+`,
  uri: String.raw`[A-Za-z][-+.\w]*:[^\s<>"{}|\\^\x60]*`,
  uuid: '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}',
};

/** More than a schema's own patterns hold is not kept. */
const maxKept = 1000;

export class RegexTests implements TextTests {
  readonly #budget: Budget;
  readonly #machines = new Map<string, TextMachine>();

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** Throws `invalid_constraint` where the pattern is malformed or not supported. */
  finds(pattern: string, text: string): boolean {
    return this.#runs(this.#machine(pattern, 'pattern'), text, 'pattern');
  }

  isFormat(format: FormatName, text: string): boolean {
    return this.#runs(this.#machine(formatPatterns[format], 'format'), text, 'format');
  }

  #machine(pattern: string, keyword: 'pattern' | 'format'): TextMachine {
    const key = `${keyword} ${pattern}`;
    const known = this.#machines.get(key);
    if (known !== undefined) return known;
    const sources =
      keyword === 'format'
        ? { patterns: [], whole: [pattern] }
        : { patterns: [pattern], whole: [] };
    const made = compileText(
      { ...sources, minLength: 0, maxLength: Infinity },
      this.#budget,
      keyword,
    );
    if (this.#machines.size >= maxKept) this.#machines.clear();
    this.#machines.set(key, made);
    return made;
  }

  #runs(machine: TextMachine, text: string, keyword: string): boolean {
    this.#budget.spend(1 + text.length / 10, 0, keyword);
    let state: object = machine.start;
    for (const character of text) {
      const next = machine.step(state, character.codePointAt(0) ?? 0);
      if (next === null) return false;
      state = next;
    }
    return machine.accepts(state);
  }
}
