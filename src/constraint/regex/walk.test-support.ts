/** Walking char machines in tests. Nothing but tests uses it. */

import type { Budget } from '../machine.ts';
import type { CharMachine, TextMachine, TextRules } from './char-machine.ts';
import { compileText } from './compile-text.ts';

/** A busy machine must not fail a test. */
export const unlimited: Budget = { spend: () => undefined };

export function compile(rules: Partial<TextRules>): TextMachine {
  const all = { patterns: [], whole: [], minLength: 0, maxLength: Infinity, ...rules };
  return compileText(all, unlimited, 'pattern');
}

/** The state after the text; null where it was refused. */
export function walk(machine: CharMachine, text: string): object | null {
  let state: object | null = machine.start;
  for (const character of text) {
    if (state === null) return null;
    state = machine.step(state, character.codePointAt(0)!);
  }
  return state;
}

export function accepts(machine: CharMachine, text: string): boolean {
  const state = walk(machine, text);
  return state !== null && machine.accepts(state);
}

/** Whether an accepted state can be reached by these letters; goes deep first, to `most` states. */
export function canFinish(
  machine: CharMachine,
  from: object,
  letters: readonly string[],
  most = 20_000,
): boolean {
  const seen = new Set([from]);
  const waiting = [from];
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    if (machine.accepts(state)) return true;
    if (seen.size > most) return false;
    for (const letter of letters) {
      const next = machine.step(state, letter.codePointAt(0)!);
      if (next === null || seen.has(next)) continue;
      seen.add(next);
      waiting.push(next);
    }
  }
  return false;
}
