/**
 * The state of one rendering: what it may still spend, what it wrote, and the names it sees. All work
 * is paid for here, so that a hostile template ends by count and not by the clock.
 */

import { TemplateFailure } from './failure.ts';
import type { Value } from './value.ts';

export interface Limits {
  /** Units of work; a node of the template costs one, bulk work a unit for some tens of characters. */
  readonly steps: number;
  /** Characters of one text, the output among them. */
  readonly textLength: number;
  /** Calls within calls, of macros and recursive loops. */
  readonly callDepth: number;
}

export const defaultLimits: Limits = {
  steps: 800_000,
  textLength: 16_000_000,
  callDepth: 150,
};

/** How characters are paid: what native code does with them costs a unit for so many. */
const charactersPerStep = 32;

/** How attributes and items are found, for the methods that do so themselves. */
export interface Lookups {
  attribute(render: Render, value: Value, name: string): Value;
  item(render: Render, value: Value, key: Value): Value;
}

export class Render {
  out = '';
  /** The line of the statement that runs. */
  line = 1;
  readonly now: Date;
  readonly limits: Limits;
  readonly lookups: Lookups;
  readonly #context: ReadonlyMap<string, Value>;
  readonly #globals: ReadonlyMap<string, Value>;
  /** What the template itself set at its top. */
  readonly #own = new Map<string, Value>();
  #steps: number;
  #depth = 0;

  constructor(
    context: ReadonlyMap<string, Value>,
    options: {
      readonly now: Date;
      readonly limits: Limits;
      readonly lookups: Lookups;
      readonly globals: ReadonlyMap<string, Value>;
    },
  ) {
    this.now = options.now;
    this.limits = options.limits;
    this.lookups = options.lookups;
    this.#context = context;
    this.#globals = options.globals;
    this.#steps = options.limits.steps;
  }

  /** Pays for work. @throws TemplateFailure LimitError when nothing is left */
  charge(units: number): void {
    this.#steps -= units;
    if (this.#steps < 0) {
      throw new TemplateFailure(
        'LimitError',
        `the template does more work than is allowed (${this.limits.steps} steps)`,
      );
    }
  }

  /** Steps that were paid so far. */
  get spent(): number {
    return this.limits.steps - this.#steps;
  }

  /** Pays for native work on a text of this length, such as one that is about to be made. */
  chargeText(length: number): void {
    if (length > this.limits.textLength) {
      throw new TemplateFailure(
        'LimitError',
        `the template makes a text of more than ${this.limits.textLength} characters`,
      );
    }
    this.charge(1 + Math.floor(length / charactersPerStep));
  }

  write(text: string): void {
    this.out += text;
    if (this.out.length > this.limits.textLength) this.chargeText(this.out.length);
  }

  /** @throws TemplateFailure RecursionError where calls are nested too deeply */
  enter(): void {
    this.charge(12);
    if (++this.#depth > this.limits.callDepth) {
      throw new TemplateFailure('RecursionError', 'maximum recursion depth exceeded');
    }
  }

  leave(): void {
    this.#depth--;
  }

  resolve(name: string): Value | undefined {
    const own = this.#own.get(name);
    if (own !== undefined) return own;
    const given = this.#context.get(name);
    return given === undefined ? this.#globals.get(name) : given;
  }

  /** Makes a name of the template's top visible to blocks and macros that look it up. */
  publish(name: string, value: Value): void {
    this.#own.set(name, value);
  }
}
