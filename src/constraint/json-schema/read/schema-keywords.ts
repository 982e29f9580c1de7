/**
 * The keywords of one schema object, read with their types. Only keywords that the dialect knows are
 * there. A value of a wrong type is refused here, in one form of words.
 */

import { ParlanceError } from '../../../contract/errors.ts';
import { compareNumbers, isInteger, readDecimal, toBigInt } from '../../json/decimal.ts';
import type { JsonValue } from '../../json/json-value.ts';
import { membersOf } from '../../json/members.ts';
import { childrenOf } from './dialect.ts';
import type { Place } from './schema-documents.ts';

/** A JSON pointer as it is shown in messages. */
export const shorten = (pointer: string): string =>
  pointer.length <= 200 ? pointer : `${pointer.slice(0, 120)}…${pointer.slice(-60)}`;

/** A refusal of a schema: what is wrong where, and what would work. */
export function refuse(place: Place, keyword: string, words: string): ParlanceError {
  return new ParlanceError(
    'invalid_constraint',
    `\`${keyword}\` at ${shorten(place.pointer)} of the schema ${words}`,
    { keyword },
  );
}

export class SchemaKeywords {
  readonly place: Place;
  readonly #members: ReadonlyMap<string, JsonValue>;

  constructor(place: Place) {
    this.place = place;
    this.#members = membersOf(place.value);
  }

  /** In the order in which they were written. */
  names(): readonly string[] {
    return [...this.#members.keys()].filter((name) => this.#knows(name));
  }

  get(name: string): JsonValue | null {
    return this.#knows(name) ? (this.#members.get(name) ?? null) : null;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  /** A length or a count; `otherwise` where it is absent, Infinity where it is beyond 2^53. */
  count(name: string, otherwise: number): number {
    const found = this.get(name);
    if (found === null) return otherwise;
    if (
      found.type !== 'number' ||
      !isInteger(found.text, false) ||
      compareNumbers(found.text, '0') < 0
    ) {
      throw refuse(this.place, name, 'must be an integer that is not negative.');
    }
    const exact = toBigInt(readDecimal(found.text), 16);
    return exact === null || exact > BigInt(Number.MAX_SAFE_INTEGER) ? Infinity : Number(exact);
  }

  /** A number's spelling. */
  number(name: string): string | null {
    const found = this.get(name);
    if (found === null) return null;
    if (found.type !== 'number') throw refuse(this.place, name, 'must be a number.');
    return found.text;
  }

  string(name: string): string | null {
    const found = this.get(name);
    if (found === null) return null;
    if (found.type !== 'string') throw refuse(this.place, name, 'must be a string.');
    return found.value;
  }

  flag(name: string): boolean {
    const found = this.get(name);
    if (found === null) return false;
    if (found.type !== 'boolean') throw refuse(this.place, name, 'must be true or false.');
    return found.value;
  }

  /** The items of an array; empty where it is absent. */
  items(name: string): readonly JsonValue[] {
    const found = this.get(name);
    if (found === null) return [];
    if (found.type !== 'array') throw refuse(this.place, name, 'must be an array.');
    return found.items;
  }

  /** The members of an object, in their order; empty where it is absent. */
  members(name: string): ReadonlyMap<string, JsonValue> {
    const found = this.get(name);
    if (found === null) return new Map();
    if (found.type !== 'object') throw refuse(this.place, name, 'must be an object.');
    return membersOf(found);
  }

  /** The texts of an array of strings, without repetitions. */
  strings(name: string): readonly string[] {
    return this.textsOf(name, this.items(name));
  }

  textsOf(name: string, items: readonly JsonValue[]): readonly string[] {
    const texts = items.map((item) => {
      if (item.type !== 'string') throw refuse(this.place, name, 'must hold strings only.');
      return item.value;
    });
    return [...new Set(texts)];
  }

  #knows(name: string): boolean {
    return childrenOf(this.place.dialect, name) !== null;
  }
}
