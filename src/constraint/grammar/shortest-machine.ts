/**
 * Regexes that end with a lazy repetition and what closes it (`/".*?"/`) stop at their first match in
 * Lark's lexer; as a condition on a whole text they would run on over it. Called by `draw-grammar.ts`.
 */

import type { Machine } from '../machine.ts';

/** Whether nothing behind the last lazy repetition is optional or repeated: the first match is the only one. */
export function stopsEarly(pattern: string): boolean {
  const plain = pattern.replaceAll(/\\[^]|\[(?:\\[^]|[^\]\\])*\]/g, 'x');
  const lazy = [...plain.matchAll(/[*+?}]\?/g)].at(-1);
  return lazy !== undefined && !/[*+?{|]/.test(plain.slice(lazy.index + 2));
}

/** The same machine without what follows its first match. */
export function shortest(machine: Machine): Machine {
  return {
    start: machine.start,
    step: (state, byte) => (machine.accepts(state) ? null : machine.step(state, byte)),
    accepts: (state) => machine.accepts(state),
    loop: (state) => (machine.accepts(state) ? null : machine.loop(state)),
    risky: (state) => !machine.accepts(state) && machine.risky(state),
  };
}
