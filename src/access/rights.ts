/** The rights that a key can have. Each is given by name; only `admin` brings the others with it. */

import { didYouMean, ParlanceError } from '../contract/index.ts';

export const allRights = ['chat', 'deploy', 'admin'] as const;

export type Right = (typeof allRights)[number];

/** Who is calling. */
export interface Principal {
  /** null: nobody in particular, while no key is asked for. */
  readonly id: string | null;
  readonly name: string;
  readonly rights: ReadonlySet<Right>;
}

const isRight = (word: string): word is Right => (allRights as readonly string[]).includes(word);

/** @throws ParlanceError `invalid_option` for an unknown right, or for none at all */
export function parseRights(words: readonly string[]): Right[] {
  const unknown = words.find((word) => !isRight(word));
  if (unknown !== undefined || words.length === 0) {
    const got = unknown === undefined ? 'none' : `"${unknown}"${didYouMean(unknown, allRights)}`;
    throw new ParlanceError(
      'invalid_option',
      `The rights of a key are some of ${allRights.join(', ')}; got ${got}.`,
      { param: 'rights' },
    );
  }
  return allRights.filter((right) => words.includes(right));
}

/** What a stored key may do: `admin` stands for all, and words of another version for nothing. */
export function toRights(words: readonly string[]): ReadonlySet<Right> {
  return new Set(words.includes('admin') ? allRights : words.filter(isRight));
}
