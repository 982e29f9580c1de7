/** Compiles and walks grammars for tests. Tests only. */

import { TimedBudget } from '../budget.ts';
import { compileConstraint } from '../compile.ts';
import type { Machine } from '../machine.ts';

export function compileGrammar(source: string, specials: readonly string[] = []): Machine {
  return compileConstraint({ kind: 'grammar', source }, { specials, budget: new TimedBudget() });
}

/** Where the text is refused; its length where it is only begun; null where it is accepted. */
export function refusalOf(machine: Machine, text: string): number | null {
  const bytes = Buffer.from(text);
  let state: object | null = machine.start;
  for (const [index, byte] of bytes.entries()) {
    state = machine.step(state, byte);
    if (state === null) return index;
  }
  return machine.accepts(state) ? null : bytes.length;
}
