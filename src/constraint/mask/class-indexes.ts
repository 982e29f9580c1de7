/** What is known of character classes; shared by all maskers of a vocabulary, and bounded. */

import type { CharacterClass } from '../machine.ts';
import { createClassIndex, type ClassIndex } from './class-index.ts';
import { findPureNodes } from './pure-nodes.ts';
import type { TokenTrie } from './token-trie.ts';

export interface ClassIndexes {
  index(characterClass: CharacterClass): ClassIndex;
  stretch(characterClass: CharacterClass): Stretch;
}

/** What a walk needs to know of a class where all of its characters lead back to a state. */
export interface Stretch {
  /** By byte: 1 where it is a character of the class. */
  readonly ascii: Uint8Array;
  /** `findPureNodes`; null for classes with which a walk ends soon anyway. */
  readonly pure: Uint8Array | null;
}

/** Classes whose index (up to 10 bytes for each byte of the vocabulary) is kept. */
const mostClasses = 48;
/** ASCII characters of a class that it pays for to know its pure nodes. */
const manyCharacters = 64;

export function createClassIndexes(trie: TokenTrie): ClassIndexes {
  const indexes = new Map<CharacterClass, ClassIndex>();
  const stretches = new Map<CharacterClass, Stretch>();
  return {
    index: (characterClass) =>
      keep(indexes, characterClass, () => createClassIndex(trie, characterClass)),
    stretch: (characterClass) =>
      keep(stretches, characterClass, () => {
        const ascii = Uint8Array.from({ length: 256 }, (_, byte) =>
          (characterClass.ascii[byte] ?? 0) === 0 ? 0 : 1,
        );
        const many = ascii.reduce((sum, flag) => sum + flag, 0) >= manyCharacters;
        return { ascii, pure: many ? findPureNodes(trie, characterClass) : null };
      }),
  };
}

/** The least recently used are forgotten. */
function keep<Value extends object>(
  known: Map<CharacterClass, Value>,
  characterClass: CharacterClass,
  make: () => Value,
): Value {
  let value = known.get(characterClass);
  if (value !== undefined) {
    if (known.size < mostClasses) return value;
    known.delete(characterClass);
  } else {
    value = make();
  }
  known.set(characterClass, value);
  for (const oldest of known.keys()) {
    if (known.size <= mostClasses) break;
    known.delete(oldest);
  }
  return value;
}
