/** Interned character classes, as masks know them: any subset of ASCII, and all or none beyond it. */

import type { CharacterClass } from '../machine.ts';

const known = new Map<string, CharacterClass>();
/** Regexes of requests bring ever new ones. What is found of a class twice costs time and nothing else. */
const mostKnown = 4096;

/** The same object for the same flags, as long as there are few. `ascii` has 128 flags and is copied. */
export function internClass(ascii: Uint8Array, beyond: boolean): CharacterClass {
  const key = `${beyond ? 1 : 0}${ascii.join('')}`;
  let interned = known.get(key);
  if (interned === undefined) {
    interned = { ascii: Uint8Array.from(ascii), beyond };
    if (known.size >= mostKnown) known.clear();
    known.set(key, interned);
  }
  return interned;
}
