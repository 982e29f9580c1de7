/**
 * A decoder without a model, for tests: a byte vocabulary and logits that are a pure function of the
 * tokens a slot holds and of the adapters that they were computed with. It refuses what a real library
 * would get wrong (a gap in positions, a slot out of range, too many tokens, a state that does not
 * begin at 0), counts the passes a real one would need, and fails on request.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { Decoder, KvState, KvStates, TokenRun, Vocabulary } from './decoder.ts';
import { asFake, createFakeStates, FakeState } from './fake-states.ts';

export interface FakeOptions {
  readonly slots: number;
  readonly context: number;
  readonly batchTokens: number;
  /** Whether the model can forget a part of a sequence (recurrent ones cannot). */
  readonly forgetsParts?: boolean;
  /** One in so many tokens is the end token; 0 = never. */
  readonly endEvery?: number;
  /** Draft tokens that one pass may verify for each slot; 8. */
  readonly maxDraftTokens?: number;
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
  /** How many of the next calls of `seqCopy`, `saveState` and `restoreState` fail. */
  failingCopies = 0;
  failingSaves = 0;
  failingRestores = 0;
  /** Tokens computed, and passes that a real library would have needed. */
  computed = 0;
  passes = 0;
  decodes = 0;
  /** Times that the adapter of a pass was another than that of the one before. */
  adapterChanges = 0;
  saves = 0;
  restores = 0;
  readonly #endEvery: number;
  readonly #held: number[][];
  readonly #adapters = new Map<string, number>();
  #adaptersLoaded = 0;
  #adapter: string | null = null;
  #logits: Float32Array[][] = [];

  constructor(options: FakeOptions) {
    this.slots = options.slots;
    this.context = options.context;
    this.batchTokens = options.batchTokens;
    this.maxOutputs = options.slots * (1 + (options.maxDraftTokens ?? 8));
    this.forgetsParts = options.forgetsParts ?? true;
    this.states = createFakeStates(this.forgetsParts);
    this.#endEvery = options.endEvery ?? 0;
    this.#held = Array.from({ length: options.slots }, () => []);
  }

  decode(runs: readonly TokenRun[], adapter: string | null): number {
    this.decodes += 1;
    // Views of the last pass are overwritten, so whoever kept one computes nonsense.
    for (const row of this.#logits.flat()) row.fill(Number.NaN);
    this.#logits = [];
    this.#check(runs);
    const salt = this.#useAdapter(adapter);
    const failure = this.failures.shift() ?? 0;
    if (failure !== 0) return this.#fail(failure, runs);
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

  #useAdapter(adapter: string | null): number {
    const salt = adapter === null ? 0 : this.#adapters.get(adapter);
    if (salt === undefined) throw broken(`adapter ${adapter} is not loaded`);
    if (adapter !== this.#adapter) this.adapterChanges += 1;
    this.#adapter = adapter;
    return salt;
  }

  /** What cannot be forgotten in part is lost. */
  #fail(status: number, runs: readonly TokenRun[]): number {
    if (status !== 1 && !this.forgetsParts) {
      for (const { slot } of runs) this.seqRemove(slot, 0);
    }
    return status;
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

  seqCopy(from: number, to: number): boolean {
    const fails = this.failingCopies > 0;
    this.failingCopies -= fails ? 1 : 0;
    this.#held[to] = fails ? [] : [...this.#slot(from)];
    return !fails;
  }

  seqLength(slot: number): number {
    return this.#slot(slot).length;
  }

  saveState(slot: number, from = 0): KvState {
    this.saves += 1;
    if (this.failingSaves > 0) {
      this.failingSaves -= 1;
      throw new ParlanceError('internal', 'The fake decoder was told not to save a state.');
    }
    if (from > 0 && !this.states.cuttable) throw broken('a part of a whole state is saved');
    return new FakeState(from, this.#slot(slot).slice(from));
  }

  restoreState(slot: number, state: KvState): boolean {
    this.restores += 1;
    if (this.#slot(slot).length > 0) throw broken(`slot ${slot} is not empty`);
    const { first, cells } = asFake(state);
    if (first !== 0) throw broken(`a state from position ${first} is restored`);
    if (this.failingRestores > 0 || cells.length > this.context) {
      this.failingRestores = Math.max(0, this.failingRestores - 1);
      return false;
    }
    this.#held[slot] = [...cells];
    return true;
  }

  loadAdapter(name: string): void {
    if (this.#adapters.has(name)) throw broken(`adapter ${name} is loaded twice`);
    this.#adaptersLoaded += 1;
    this.#adapters.set(name, this.#adaptersLoaded * 1000);
  }

  unloadAdapter(name: string): void {
    this.#adapters.delete(name);
    if (this.#adapter === name) this.#adapter = null;
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
