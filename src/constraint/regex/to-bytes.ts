/**
 * A machine over characters as a machine over the bytes of UTF-8: the decoder is in the states. A byte
 * that cannot begin or continue a character that the machine takes is refused at once.
 */

import type { Loop, Machine } from '../machine.ts';
import type { CharMachine } from './char-machine.ts';

interface Place {
  readonly state: object;
  /** The bits of the character that have come, and the least character of its length in bytes. */
  readonly bits: number;
  readonly shortest: number;
  /** Bytes of the character that are still to come. */
  readonly missing: number;
  readonly next: (Place | null | undefined)[];
  loop: Loop | null | undefined;
}

const blank = { bits: 0, shortest: 0, missing: 0, loop: undefined };

/** Loops over fewer characters of ASCII, and none beyond, are not worth being told. */
const fewest = 8;

/** Same text, same states: places are interned as the machine's states are. */
export function toBytes(machine: CharMachine): Machine {
  return new ByteMachine(machine);
}

class ByteMachine implements Machine<Place> {
  readonly start: Place;
  readonly #machine: CharMachine;
  readonly #places = new WeakMap<object, Place>();

  constructor(machine: CharMachine) {
    this.#machine = machine;
    this.start = this.#between(machine.start);
  }

  step(place: Place, byte: number): Place | null {
    const known = place.next[byte];
    if (known !== undefined) return known;
    const next = place.missing === 0 ? this.#begin(place.state, byte) : this.#goOn(place, byte);
    place.next[byte] = next;
    return next;
  }

  accepts(place: Place): boolean {
    return place.missing === 0 && this.#machine.accepts(place.state);
  }

  loop(place: Place): Loop | null {
    if (place.missing > 0) return null;
    if (place.loop === undefined) {
      const characters = this.#machine.loop(place.state);
      const isFew =
        characters === null ||
        (!characters.beyond && characters.ascii.reduce((sum, flag) => sum + flag, 0) < fewest);
      place.loop = isFew ? null : { characters, room: Infinity };
    }
    return place.loop;
  }

  risky(place: Place): boolean {
    return this.#machine.risky(place.state);
  }

  #between(state: object): Place {
    const known = this.#places.get(state);
    if (known !== undefined) return known;
    const made: Place = { ...blank, state, next: [] };
    this.#places.set(state, made);
    return made;
  }

  #begin(state: object, byte: number): Place | null {
    if (byte < 0x80) return this.#complete(state, byte);
    const begun = { ...blank, state };
    if (byte >= 0xc2 && byte < 0xe0) {
      return this.#within({ ...begun, bits: byte & 0x1f, missing: 1, shortest: 0x80 });
    }
    if (byte >= 0xe0 && byte < 0xf0) {
      return this.#within({ ...begun, bits: byte & 0x0f, missing: 2, shortest: 0x800 });
    }
    if (byte >= 0xf0 && byte < 0xf5) {
      return this.#within({ ...begun, bits: byte & 0x07, missing: 3, shortest: 0x10000 });
    }
    return null;
  }

  #goOn(place: Place, byte: number): Place | null {
    if ((byte & 0xc0) !== 0x80) return null;
    const bits = place.bits * 64 + (byte & 0x3f);
    if (place.missing === 1) return this.#complete(place.state, bits);
    return this.#within({ ...place, bits, missing: place.missing - 1 });
  }

  /** null where no character can come of it: overlong forms, surrogates, or none that the machine takes. */
  #within(place: Omit<Place, 'next'>): Place | null {
    const span = 64 ** place.missing;
    const low = Math.max(place.bits * span, place.shortest);
    const high = Math.min(place.bits * span + span - 1, 0x10ffff);
    if (low > high || (low >= 0xd800 && high <= 0xdfff)) return null;
    return this.#machine.reaches(place.state, low, high) ? { ...place, next: [] } : null;
  }

  #complete(state: object, codePoint: number): Place | null {
    const next = this.#machine.step(state, codePoint);
    return next === null ? null : this.#between(next);
  }
}
