/**
 * A prefix cache without a tree, for tests: a flat list of runs, each with its whole prompt, searched
 * from end to end every time. Also the states that tests store: the tokens themselves, so that what is
 * read can be compared with the prompt. Nothing but tests uses it.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { Dice } from '../sampler/random-rows.test-support.ts';
import type { KvState, KvStates } from '../llama/decoder.ts';

interface TokenState extends KvState {
  readonly cells: readonly number[];
}

/** Not proportional to the cells, as real states are not. */
export const stateBytes = (cells: number): number => 10 * cells + 7;

export function tokenState(cells: readonly number[]): KvState {
  const state: TokenState = { cells, length: cells.length, bytes: stateBytes(cells.length) };
  return state;
}

export const cellsOf = (state: KvState): readonly number[] => (state as TokenState).cells;

export function tokenStates(cuttable: boolean): KvStates {
  const mustCut = (): void => {
    if (!cuttable) throw new ParlanceError('internal', 'An opaque state was cut.');
  };
  return {
    cuttable,
    cut: (state, from, to) => {
      mustCut();
      return tokenState(cellsOf(state).slice(from, to));
    },
    join: (parts) => {
      mustCut();
      return tokenState(parts.flatMap((part) => cellsOf(part)));
    },
    encode: (state) => Buffer.from(JSON.stringify(cellsOf(state))),
    decode: (bytes) => tokenState(JSON.parse(Buffer.from(bytes).toString()) as number[]),
  };
}

/** Prompts that share beginnings: of few different tokens, and often made of earlier ones. */
export function createPrompts(dice: Dice): () => number[] {
  const earlier: number[][] = [[]];
  return () => {
    const base = dice.pick(earlier);
    const prompt = [
      ...base.slice(0, dice.uniform() < 0.5 ? base.length : dice.whole(0, base.length)),
      ...Array.from({ length: dice.whole(0, 12) }, () => dice.whole(0, 2)),
    ].slice(0, 60);
    earlier.push(prompt);
    if (earlier.length > 40) earlier.splice(dice.whole(0, 39), 1);
    return prompt;
  };
}

interface Run {
  readonly space: string;
  /** From position 0 on. */
  readonly path: readonly number[];
  readonly start: number;
  usedAt: number;
}

const common = (one: readonly number[], other: readonly number[]): number => {
  const differs = one.findIndex((token, index) => token !== other[index]);
  return differs === -1 ? one.length : differs;
};

const sizeOf = (run: Run): number => stateBytes(run.path.length - run.start);

export class NaiveCache {
  runs: Run[] = [];
  evictions = 0;
  #clock = 0;
  readonly #options: { cuttable: boolean; maxBytes: number; minTokens: number };

  constructor(options: { cuttable: boolean; maxBytes: number; minTokens: number }) {
    this.#options = options;
  }

  get bytes(): number {
    return this.runs.reduce((sum, run) => sum + sizeOf(run), 0);
  }

  match(space: string, tokens: readonly number[], limit: number): number {
    const wanted = tokens.slice(0, limit);
    const matches = this.runs
      .filter((run) => run.space === space)
      .map((run) => [common(run.path, wanted), run.path.length] as const)
      .filter(([length, whole]) => this.#options.cuttable || length === whole);
    return Math.max(0, ...matches.map(([length]) => length));
  }

  /** What a read of so many tokens uses. */
  use(space: string, tokens: readonly number[], length: number): void {
    this.#clock += 1;
    for (const run of this.#path(space, tokens, length)) run.usedAt = this.#clock;
  }

  insert(space: string, tokens: readonly number[], length: number): number {
    const { cuttable, maxBytes, minTokens } = this.#options;
    const stored = this.match(space, tokens, length);
    const run: Run = {
      space,
      path: tokens.slice(0, length),
      start: cuttable ? stored : 0,
      usedAt: 0,
    };
    const above = cuttable ? this.#path(space, tokens, length) : [];
    const needed = above.reduce((sum, one) => {
      const covered = Math.min(one.path.length, stored) - one.start;
      return sum + (sizeOf(one) * covered) / (one.path.length - one.start);
    }, sizeOf(run));
    if (length - stored < minTokens || needed > maxBytes) {
      this.use(space, tokens, length);
      return 0;
    }
    const cut = above.find((one) => one.path.length > stored);
    if (cut !== undefined) {
      const { usedAt } = cut;
      this.runs.splice(
        this.runs.indexOf(cut),
        1,
        { space, path: cut.path.slice(0, stored), start: cut.start, usedAt },
        { space, path: cut.path, start: stored, usedAt },
      );
    }
    this.runs.push(run);
    this.use(space, tokens, length);
    this.#evict(maxBytes);
    return this.runs.includes(run) ? length - stored : 0;
  }

  /** The runs that a prompt goes through. */
  #path(space: string, tokens: readonly number[], length: number): Run[] {
    const wanted = tokens.slice(0, length);
    return this.runs.filter((run) => {
      if (run.space !== space) return false;
      const depth = common(run.path, wanted);
      return this.#options.cuttable ? depth > run.start : depth === run.path.length;
    });
  }

  #evict(maxBytes: number): void {
    while (this.bytes > maxBytes) {
      const leaves = this.runs.filter((run) => !this.#isAboveAny(run));
      leaves.sort((one, two) => one.usedAt - two.usedAt || two.path.length - one.path.length);
      this.runs.splice(this.runs.indexOf(leaves[0]!), 1);
      this.evictions += 1;
    }
  }

  #isAboveAny(run: Run): boolean {
    if (!this.#options.cuttable) return false;
    return this.runs.some(
      (other) =>
        other.space === run.space &&
        other.start === run.path.length &&
        common(run.path, other.path) === run.path.length,
    );
  }
}
