/** Interned character classes, as masks know them: any subset of ASCII, and all or none beyond it. */

import type { CharacterClass } from '../machine.ts';

const known = new Map<string, CharacterClass>();

/** The same object for the same flags. `ascii` has 128 flags and is copied. */
export function internClass(ascii: Uint8Array, beyond: boolean): CharacterClass {
  const key = `${beyond ? 1 : 0}${ascii.join('')}`;
  let interned = known.get(key);
  if (interned === undefined) {
    interned = { ascii: Uint8Array.from(ascii), beyond };
    known.set(key, interned);
  }
  return interned;
}
