/** Reads a grammar in either notation; the text tells which. Called by `draw-grammar.ts`. */

import type { Budget } from '../machine.ts';
import type { Grammar } from './grammar.ts';
import { readGbnf } from './read-gbnf.ts';
import { readLark } from './read-lark.ts';

/** Whether a rule is defined with `::=` somewhere. */
export function isGbnf(source: string): boolean {
  return /^\s*[A-Za-z0-9_-]+\s*::=/m.test(source);
}

/** @throws ParlanceError `invalid_constraint` */
export function readGrammar(source: string, specials: readonly string[], budget: Budget): Grammar {
  // Indexes count after this in messages; columns and lines stay what they were.
  const text = source.replaceAll('\r\n', '\n');
  return isGbnf(text) ? readGbnf(text, specials) : readLark(text, specials, budget);
}
