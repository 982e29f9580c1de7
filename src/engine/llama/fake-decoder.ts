/**
 * A decoder without a model, for tests: a byte vocabulary and logits that are a pure function of the
 * tokens a slot holds. It refuses what a real library would get wrong (a gap in positions, a slot
 * out of range, too many tokens), counts the passes a real one would need, and fails on request.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { Decoder, KvState, KvStates, TokenRun, Vocabulary } from './decoder.ts';

export interface FakeOptions {
  readonly slots: number;
  readonly context: number;
  readonly batchTokens: number;
  /** Whether the model can forget a part of a sequence (recurrent ones cannot). */
  readonly forgetsParts?: boolean;
  /** One in so many tokens is the end token; 0 = never. */
  readonly endEvery?: number;
}

/** 0..255 are bytes, then these. */
export const fakeTokens = { bos: 256, eos: 257, control: 258, euro: 259, size: 260 } as const;

const specialPieces = new Map([
  [fakeTokens.bos as number, '<bos>'],
  [fakeTokens.eos, '<eos>'],
  [fakeTokens.control, '<control>'],
]);

export class FakeDecoder implements Decoder {
  readonly vocabulary: Vocabulary = fakeVocabulary;
  readonly slots: number;
  readonly context: number;
  readonly batchTokens: number;
  readonly maxOutputs: number;
  readonly forgetsParts: boolean;
  readonly states: KvStates;
  /** Statuses that the next calls of `decode` return instead of working. */
  readonly failures: number[] = [];
  /** Tokens computed, and passes that a real library would have needed. */
  computed = 0;
  passes = 0;
  decodes = 0;
  readonly #endEvery: number;
  readonly #held: number[][];
  readonly #adapters = new Map<string, number>();
  #logits: Float32Array[][] = [];

  constructor(options: FakeOptions) {
    this.slots = options.slots;
    this.context = options.context;
    this.batchTokens = options.batchTokens;
    this.maxOutputs = options.slots * 9;
    this.forgetsParts = options.forgetsParts ?? true;
    this.states = createFakeStates(this.forgetsParts);
    this.#endEvery = options.endEvery ?? 0;
    this.#held = Array.from({ length: options.slots }, () => []);
  }

  decode(runs: readonly TokenRun[], adapter: string | null): number {
    this.decodes += 1;
    // Views of the last pass are overwritten, so whoever kept one computes nonsense.
    for (const row of this.#logits.flat()) row.fill(Number.NaN);
    const failure = this.failures.shift();
    if (failure !== undefined && failure !== 0) return failure;
    this.#check(runs);
    const salt = adapter === null ? 0 : this.#adapters.get(adapter);
    if (salt === undefined) throw broken(`adapter ${adapter} is not loaded`);
    let previous = Number.NaN;
    this.#logits = runs.map((run) => {
      this.computed += run.tokens.length;
      if (run.slot !== previous + 1) this.passes += 1;
      previous = run.slot;
      const rows: Float32Array[] = [];
      Array.from(run.tokens).forEach((token, index) => {
        this.#slot(run.slot).push(token + salt);
        if (index >= run.tokens.length - run.outputs) rows.push(this.#row(run.slot));
      });
      return rows;
    });
    return 0;
  }

  logits(run: number, row: number): Float32Array {
    const logits = this.#logits[run]?.[row];
    if (logits === undefined) throw broken(`no logits at ${run}, ${row}`);
    return logits;
  }

  seqRemove(slot: number, from: number): boolean {
    const held = this.#slot(slot);
    if (from > 0 && from < held.length && !this.forgetsParts) return false;
    held.length = Math.min(held.length, Math.max(0, from));
    return true;
  }

  seqCopy(from: number, to: number): void {
    this.#held[to] = [...this.#slot(from)];
  }

  seqLength(slot: number): number {
    return this.#slot(slot).length;
  }

  saveState(slot: number): KvState {
    return fakeState(this.#slot(slot));
  }

  restoreState(slot: number, state: KvState): boolean {
    if (this.#slot(slot).length > 0) throw broken(`slot ${slot} is not empty`);
    this.#held[slot] = [...cellsOf(state)];
    return true;
  }

  loadAdapter(name: string): void {
    this.#adapters.set(name, (this.#adapters.size + 1) * 1000);
  }

  unloadAdapter(name: string): void {
    this.#adapters.delete(name);
  }

  close(): void {
    this.#logits = [];
  }

  #slot(slot: number): number[] {
    const held = this.#held[slot];
    if (held === undefined) throw broken(`slot ${slot} does not exist`);
    return held;
  }

  #check(runs: readonly TokenRun[]): void {
    let total = 0;
    let highest = -1;
    for (const run of runs) {
      const held = this.#slot(run.slot);
      total += run.tokens.length;
      if (run.slot <= highest) throw broken(`slot ${run.slot} is listed after ${highest}`);
      highest = run.slot;
      if (run.tokens.length === 0) throw broken(`slot ${run.slot} has no tokens`);
      if (run.position !== held.length) {
        throw broken(`slot ${run.slot} holds ${held.length} tokens, not ${run.position}`);
      }
      if (held.length + run.tokens.length > this.context) throw broken(`slot ${run.slot} is full`);
    }
    const outputs = runs.reduce((sum, run) => sum + run.outputs, 0);
    if (outputs > this.maxOutputs) throw broken(`${outputs} rows in one pass`);
    if (total > this.batchTokens) throw broken(`${total} tokens in one pass`);
  }

  #row(slot: number): Float32Array {
    const row = new Float32Array(fakeTokens.size);
    let hash = 2166136261;
    for (const token of this.#slot(slot)) hash = mix(hash ^ token);
    for (let token = 0; token < row.length; token += 1) {
      row[token] = (mix(hash ^ (token * 2654435761)) >>> 16) / 65536;
    }
    // Printable letters are likely, so that text is readable and stop strings can match.
    for (let token = 97; token < 123; token += 1) row[token] = (row[token] ?? 0) * 6;
    row[fakeTokens.bos] = -10;
    row[fakeTokens.eos] = this.#endEvery > 0 && hash % this.#endEvery === 0 ? 50 : -10;
    return row;
  }
}

interface FakeState extends KvState {
  readonly cells: readonly number[];
}

function fakeState(cells: readonly number[]): FakeState {
  return { cells: [...cells], length: cells.length, bytes: cells.length * 10 };
}

const cellsOf = (state: KvState): readonly number[] => (state as FakeState).cells;

function createFakeStates(cuttable: boolean): KvStates {
  return {
    cuttable,
    cut: (state, from, to) => fakeState(cellsOf(state).slice(from, to)),
    join: (parts) => fakeState(parts.flatMap((part) => [...cellsOf(part)])),
    encode: (state) => Buffer.from(JSON.stringify(cellsOf(state))),
    decode: (bytes) => fakeState(JSON.parse(Buffer.from(bytes).toString()) as number[]),
  };
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 15), 2246822519);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 3266489917);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function broken(what: string): ParlanceError {
  return new ParlanceError('internal', `The fake decoder was misused: ${what}.`);
}

const encoder = new TextEncoder();

const fakeVocabulary: Vocabulary = {
  size: fakeTokens.size,
  eosIds: [fakeTokens.eos],
  bosId: fakeTokens.bos,
  bosToken: '<bos>',
  eosToken: '<eos>',
  tokenize: (text, addSpecial) => [
    ...(addSpecial ? [fakeTokens.bos] : []),
    ...encoder.encode(text),
  ],
  piece: (token, special) => {
    if (token < 256) return Uint8Array.of(token);
    if (token === fakeTokens.euro) return encoder.encode('\u20ac');
    return special ? encoder.encode(specialPieces.get(token) ?? '') : new Uint8Array(0);
  },
};
