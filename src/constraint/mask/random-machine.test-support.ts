/**
 * Reproducible random machines and vocabularies for the tests of masks. A machine is an automaton over
 * groups of characters, with counted chains that have finite loops, read as UTF-8. Tests only.
 */

import type { CharacterClass, Loop, Machine } from '../machine.ts';
import { specialBegin } from '../machine.ts';
import { createTokenTrie, packPieces, specialPiece, type TokenTrie } from './token-trie.ts';

export interface Dice {
  readonly uniform: () => number;
  /** A whole number in [low, high]. */
  readonly whole: (low: number, high: number) => number;
  readonly pick: <T>(items: readonly T[]) => T;
}

/** The same numbers for the same seed. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const whole = (low: number, high: number): number =>
    low + Math.floor(uniform() * (high - low + 1));
  return { uniform, whole, pick: (items) => items[whole(0, items.length - 1)]! };
}

/** Groups of characters: two letters, a quote, other ASCII, everything beyond ASCII. */
const groups = 5;
const groupOf = (byte: number): number => {
  if (byte === 97) return 0;
  if (byte === 98) return 1;
  if (byte === 34) return 2;
  return byte < 128 ? 3 : 4;
};

const classes = new Map<number, CharacterClass>();

/** Interned, of the groups whose bit is set. */
export function classOf(bits: number): CharacterClass {
  const known = classes.get(bits);
  if (known !== undefined) return known;
  const made = {
    ascii: Uint8Array.from({ length: 128 }, (_, byte) => (bits >> groupOf(byte)) & 1),
    beyond: ((bits >> 4) & 1) === 1,
  };
  classes.set(bits, made);
  return made;
}

interface CharacterState {
  /** By group; null refuses. */
  readonly steps: (CharacterState | null)[];
  accepting: boolean;
  loop: Loop | null;
  /** The only special token that it takes, after which it is as it was. */
  special: string | null;
}

interface ByteState {
  readonly at: CharacterState;
  /** Bytes of a character or special token that has begun. */
  readonly begun: readonly number[];
  /** By byte, as far as they were asked for. */
  readonly known: (ByteState | null | undefined)[];
}

const text = new TextDecoder('utf-8', { fatal: true });

/** Is there a character that begins with these bytes? Tried with the endings that UTF-8 knows. */
function beginsCharacter(bytes: readonly number[]): boolean {
  const lead = bytes[0]!;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || bytes.length > length) return false;
  return [0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf].some((next) => {
    const rest = [next, 0x80, 0x80].slice(0, length - bytes.length);
    try {
      text.decode(Uint8Array.from([...bytes, ...rest]));
      return true;
    } catch {
      return false;
    }
  });
}

class RandomMachine implements Machine<ByteState> {
  readonly start: ByteState;
  readonly #known = new Map<CharacterState, Map<string, ByteState>>();

  constructor(start: CharacterState) {
    this.start = this.#intern(start, []);
  }

  step(state: ByteState, byte: number): ByteState | null {
    const known = state.known[byte];
    if (known !== undefined) return known;
    const next = this.#step(state, byte);
    state.known[byte] = next;
    return next;
  }

  #step({ at, begun }: ByteState, byte: number): ByteState | null {
    if (begun.length === 0 && byte < 128) return this.#to(at.steps[groupOf(byte)] ?? null);
    const bytes = [...begun, byte];
    if (bytes[0] === specialBegin) {
      if (at.special === null) return null;
      const name = specialPiece(new TextEncoder().encode(at.special));
      if (bytes.some((one, i) => one !== name[i])) return null;
      return this.#intern(at, bytes.length === name.length ? [] : bytes);
    }
    const next = at.steps[4] ?? null;
    if (next === null || !beginsCharacter(bytes)) return null;
    const lead = bytes[0]!;
    const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    return bytes.length === length ? this.#to(next) : this.#intern(at, bytes);
  }

  accepts({ at, begun }: ByteState): boolean {
    return begun.length === 0 && at.accepting;
  }

  loop({ at, begun }: ByteState): Loop | null {
    return begun.length === 0 ? at.loop : null;
  }

  risky(): boolean {
    return true;
  }

  #to(state: CharacterState | null): ByteState | null {
    return state === null ? null : this.#intern(state, []);
  }

  #intern(at: CharacterState, begun: readonly number[]): ByteState {
    const known = this.#known.get(at) ?? new Map<string, ByteState>();
    this.#known.set(at, known);
    const key = begun.join(' ');
    const state = known.get(key) ?? { at, begun, known: [] };
    known.set(key, state);
    return state;
  }
}

/** `looping`: how likely a state is to take characters back to itself. */
export function randomMachine(dice: Dice, looping = 0.4): Machine {
  const fresh = (): CharacterState => ({
    steps: Array.from({ length: groups }, () => null),
    accepting: dice.uniform() < 0.3,
    loop: null,
    special: dice.uniform() < 0.2 ? '<s>' : null,
  });
  const states = Array.from({ length: dice.whole(2, 6) }, fresh);
  const target = (): CharacterState | null => (dice.uniform() < 0.4 ? null : dice.pick(states));
  for (const state of states) {
    for (let group = 0; group < groups; group += 1) state.steps[group] = target();
  }
  for (const state of states) {
    if (dice.uniform() >= looping) continue;
    const bits = dice.whole(1, 31);
    if (dice.uniform() < 0.5) makeEndless(state, bits);
    else makeCounted(state, bits, dice.whole(1, 20), target());
  }
  return new RandomMachine(dice.pick(states));
}

function makeEndless(state: CharacterState, bits: number): void {
  for (let group = 0; group < groups; group += 1) {
    if (((bits >> group) & 1) === 1) state.steps[group] = state;
  }
  state.loop = { characters: classOf(bits), room: Infinity };
}

/** So many characters of the class lead through copies of the state, one more to `last`. */
function makeCounted(
  state: CharacterState,
  bits: number,
  room: number,
  last: CharacterState | null,
): void {
  const chain = [state];
  for (let i = 0; i < room; i += 1) chain.push({ ...state, steps: [...state.steps] });
  for (const [i, one] of chain.entries()) {
    for (let group = 0; group < groups; group += 1) {
      if (((bits >> group) & 1) === 1) one.steps[group] = chain[i + 1] ?? last;
    }
    one.loop = room === i ? null : { characters: classOf(bits), room: room - i };
  }
}

/** Pieces of bytes that the machines know, whole characters and parts of them, and special tokens. */
export function randomTrie(dice: Dice, size: number): TokenTrie {
  const units: readonly (readonly number[])[] = [
    [97],
    [97],
    [98],
    [34],
    [32],
    [0xc3, 0xa9],
    [0xe2, 0x82, 0xac],
    [0xf0, 0x9f, 0x98, 0x80],
    [0xc3],
    [0x82],
    [0xf0, 0x9f],
    [0xed, 0xa0],
    [0x9f],
  ];
  const special = new TextEncoder().encode('<s>');
  const pieces = Array.from({ length: size }, (_, token) => {
    if (token === 0) return new Uint8Array(0);
    if (token === 1) return specialPiece(special);
    if (token === 2) return specialPiece(new TextEncoder().encode('<end>'));
    const repeat = dice.uniform() < 0.2 ? dice.whole(2, 25) : 1;
    const parts = Array.from({ length: dice.whole(1, 4) }, () => dice.pick(units)).flat();
    return Uint8Array.from(Array.from({ length: repeat }, () => parts).flat());
  });
  return createTokenTrie(packPieces(size, (token) => pieces[token]!));
}

/** Allowed tokens, by reading each of them. */
export function bruteMask(
  machine: Machine,
  trie: TokenTrie,
  endTokens: readonly number[],
  state: object,
): number[] {
  const allowed: number[] = [];
  for (let token = 0; token < trie.pieces.size; token += 1) {
    const from = trie.pieces.offsets[token]!;
    const to = trie.pieces.offsets[token + 1]!;
    let at: object | null = from === to ? null : state;
    for (let i = from; i < to && at !== null; i += 1) at = machine.step(at, trie.pieces.bytes[i]!);
    const may = endTokens.includes(token)
      ? machine.accepts(state) || (at !== null && machine.accepts(at))
      : at !== null;
    if (may) allowed.push(token);
  }
  return allowed;
}

export function tokensOf(mask: Uint32Array): number[] {
  const tokens: number[] = [];
  for (const [word, bits] of mask.entries()) {
    for (let bit = 0; bit < 32; bit += 1)
      if (((bits >>> bit) & 1) === 1) tokens.push(word * 32 + bit);
  }
  return tokens;
}
