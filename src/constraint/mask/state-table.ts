/**
 * The states of a machine by number, and the steps between them that are known already: a walk over tens
 * of thousands of tokens takes an array access a byte where the machine was asked before. One for each
 * masker. It never changes what the machine says.
 */

import type { Loop, Machine } from '../machine.ts';

/** In `steps`: the machine has not been asked. */
export const unknown = -2;
const dead = -1;

/** Rows of 256 steps (1 kB each) that are kept; beyond, the machine is asked each time. */
const mostRows = 16_384;
/** Questions about a state after which it is worth a row. */
const worthRow = 6;
/** States that are known by number (about 150 bytes each) before all is forgotten. */
const mostStates = 200_000;

/** Bytes that no text has, neither as UTF-8 nor around the name of a special token. */
const isNever = (byte: number): boolean =>
  byte === 0xc0 || byte === 0xc1 || (byte > 0xf4 && byte < 0xfe);

/** Those of ordinary text first. */
const likelyFirst = Uint8Array.from(
  Array.from({ length: 256 }, (_, byte) => byte)
    .filter((byte) => !isNever(byte))
    .toSorted((a, b) => Number(a < 32) - Number(b < 32)),
);

export class StateTable {
  readonly #machine: Machine;
  #numbers = new Map<object, number>();
  #states: object[] = [];
  /** For the inner loops of walks, which read again after each `ask`: where a state's row begins in
   * `steps`; -1 = it has none yet. */
  rowOf = new Int32Array(64).fill(-1);
  /** Numbers of the next states by byte; -1 = refused, -2 = unknown. */
  steps = new Int32Array(64 * 256);
  #rows = 0;
  /** How often the machine was asked about a state; up to `worthRow`. */
  #asked = new Uint8Array(64);
  #loops: (Loop | null | undefined)[] = [];
  #only: (number | undefined)[] = [];

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  get bytes(): number {
    return this.steps.byteLength + this.#states.length * 150;
  }

  /** Forgets all numbers where there are too many; called between walks. */
  tidy(): void {
    if (this.#states.length < mostStates && this.#rows < mostRows) return;
    this.#numbers = new Map();
    this.#states = [];
    this.rowOf = new Int32Array(64).fill(-1);
    this.steps = new Int32Array(64 * 256);
    this.#rows = 0;
    this.#asked = new Uint8Array(64);
    this.#loops = [];
    this.#only = [];
  }

  /** States that are alike have one number. */
  numberOf(state: object): number {
    return this.#numberOf(this.alike(state));
  }

  alike(state: object): object {
    return this.#machine.alike?.(state) ?? state;
  }

  #numberOf(state: object): number {
    const known = this.#numbers.get(state);
    if (known !== undefined) return known;
    const fresh = this.#states.length;
    this.#states.push(state);
    this.#numbers.set(state, fresh);
    if (fresh >= this.rowOf.length) {
      const longer = new Int32Array(this.rowOf.length * 2).fill(-1);
      longer.set(this.rowOf);
      this.rowOf = longer;
      const asked = new Uint8Array(longer.length);
      asked.set(this.#asked);
      this.#asked = asked;
    }
    return fresh;
  }

  /** The number of the state after one more byte; -1 where the machine refuses it. */
  step(number: number, byte: number): number {
    const row = this.rowOf[number]!;
    if (row !== -1) {
      const known = this.steps[row + byte]!;
      if (known !== unknown) return known;
    }
    return this.ask(number, byte);
  }

  /** Asks the machine, and keeps what it says. */
  ask(number: number, byte: number): number {
    const row = this.#rowFor(number);
    const state = this.#machine.step(this.#states[number]!, byte);
    const next = state === null ? dead : this.numberOf(state);
    if (row !== -1) this.steps[row + byte] = next;
    return next;
  }

  #rowFor(number: number): number {
    const known = this.rowOf[number]!;
    if (known !== -1 || this.#rows >= mostRows) return known;
    this.#asked[number]! += 1;
    if (this.#asked[number]! < worthRow) return -1;
    this.#asked[number] = 0;
    const row = this.#rows * 256;
    this.#rows += 1;
    if (row + 256 > this.steps.length) {
      const longer = new Int32Array(this.steps.length * 2);
      longer.set(this.steps);
      this.steps = longer;
    }
    this.steps.fill(unknown, row, row + 256);
    this.rowOf[number] = row;
    return row;
  }

  loop(number: number): Loop | null {
    const known = this.#loops[number];
    if (known !== undefined) return known;
    const loop = this.#machine.loop(this.#states[number]!);
    this.#loops[number] = loop;
    return loop;
  }

  /** The one byte that may follow; -1 where there are several, -2 where there is none. */
  only(number: number): number {
    const known = this.#only[number];
    if (known !== undefined) return known;
    const found = this.loop(number) === null ? this.#findOnly(number) : -1;
    this.#only[number] = found;
    return found;
  }

  #findOnly(number: number): number {
    let found = -2;
    for (const byte of likelyFirst) {
      if (this.step(number, byte) < 0) continue;
      if (found >= 0) return -1;
      found = byte;
    }
    return found;
  }
}
