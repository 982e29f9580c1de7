/** Texts that may name special tokens, as the bytes that machines read. Called by `weave.ts`. */

import { specialBegin, specialEnd } from '../machine.ts';

const encoder = new TextEncoder();

export interface Spelled {
  readonly bytes: Uint8Array;
  /** Where each piece, plain text or one special token, ends: in the text, and in the bytes. */
  readonly ends: readonly (readonly [text: number, bytes: number])[];
}

/** Makes the function that spells texts with the names of a vocabulary's special tokens. */
export function createSpeller(specials: readonly string[]): (text: string) => Spelled {
  // By first letter, the longest first.
  const byLetter = new Map<string, string[]>();
  for (const name of specials.toSorted((one, other) => other.length - one.length)) {
    if (name === '') continue;
    const names = byLetter.get(name[0]!);
    if (names === undefined) byLetter.set(name[0]!, [name]);
    else names.push(name);
  }
  return (text) => spell(text, byLetter);
}

function spell(text: string, byLetter: ReadonlyMap<string, readonly string[]>): Spelled {
  const pieces: Uint8Array[] = [];
  const ends: [number, number][] = [];
  let length = 0;
  const push = (piece: Uint8Array, end: number): void => {
    pieces.push(piece);
    length += piece.length;
    ends.push([end, length]);
  };
  let plain = 0;
  let at = 0;
  while (at < text.length) {
    const name = byLetter.get(text[at]!)?.find((one) => text.startsWith(one, at));
    if (name === undefined) {
      at++;
      continue;
    }
    if (plain < at) push(encoder.encode(text.slice(plain, at)), at);
    at += name.length;
    push(Uint8Array.of(specialBegin, ...encoder.encode(name), specialEnd), at);
    plain = at;
  }
  if (plain < at) push(encoder.encode(text.slice(plain)), at);
  return { bytes: Buffer.concat(pieces), ends };
}
