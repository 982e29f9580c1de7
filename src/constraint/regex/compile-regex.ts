/** `guided_regex`, and the regexes of grammars and structural tags: one regex that the whole text matches. */

import { ParlanceError } from '../../contract/errors.ts';
import type { Budget, Machine } from '../machine.ts';
import { compileText } from './compile-text.ts';
import { toBytes } from './to-bytes.ts';

/** Throws `invalid_constraint` where the regex is malformed, not supported, or matches nothing. */
export function compileRegex(pattern: string, budget: Budget): Machine {
  const rules = { patterns: [], whole: [pattern], minLength: 0, maxLength: Infinity };
  const machine = compileText(rules, budget, 'pattern');
  if (machine.empty) {
    throw new ParlanceError('invalid_constraint', 'No text at all matches the regex.', {
      keyword: 'pattern',
    });
  }
  return toBytes(machine);
}
