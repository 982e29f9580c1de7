/**
 * Patterns and formats of strings, tested in linear time by the same regex engine that the mask uses.
 * One for each verification or reading; it keeps what it compiled.
 */

import { ParlanceError } from '../../contract/errors.ts';
import { TimedBudget } from '../budget.ts';
import type { FormatName, StringRules } from '../json-schema/node.ts';
import type { Budget } from '../machine.ts';
import type { TextMachine } from '../regex/char-machine.ts';
import { compileText } from '../regex/compile-text.ts';
import { formatPatterns } from '../regex/formats.ts';
import type { TextTests } from './evaluate.ts';

/** For finding out that no text follows some rules; where it does not suffice, some text may. */
const triedMilliseconds = 20;
const triedStates = 2000;

/** Whether no text at all follows these rules. Certain where it says so. */
export function isImpossible(rules: StringRules): boolean {
  const { minLength, maxLength, patterns, formats } = rules;
  const whole = formats.map((format) => formatPatterns[format]);
  const budget = new TimedBudget({ milliseconds: triedMilliseconds, kept: triedStates });
  try {
    return compileText({ patterns, whole, minLength, maxLength }, budget, 'pattern').empty;
  } catch (error) {
    if (error instanceof ParlanceError) return false;
    throw error;
  }
}

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
