/**
 * The memory that a row of logits goes through on its way to a token, and the first look at it: the
 * best token, and whether the row is usable. Owns one workspace that all samplers of the process
 * share, so what lies in it holds until the next row is loaded. Called by the candidate filter, the
 * raw log-probabilities and the sampler.
 */

import { ParlanceError } from '../../contract/errors.ts';
import { kernels } from './kernels.ts';

/** Logits of one maximum; `kernels.wat` counts on it. */
const BLOCK = 64;
/** Elements behind each array that a kernel may read or write. */
const SLACK = 64;
const PAGE_BYTES = 65_536;
export const BINS = 1024;
/** Each bin is four sums. */
const BIN_SUMS = BINS * 4;

/** Where small things lie, in bytes (512 to 1536 are the kernels' own); the arrays come behind them. */
const PLACE_AT = 64;
const BINS_AT = 2048;
const ARRAYS_AT = BINS_AT + BIN_SUMS * 8;

type ArrayName =
  | 'row'
  | 'maxima'
  | 'ids'
  | 'logits'
  | 'weights'
  | 'someIds'
  | 'someLogits'
  | 'someWeights';

export interface Workspace {
  /** Rows up to this length fit; a multiple of 64. */
  readonly capacity: number;
  /** Addresses for the kernels, in bytes. */
  readonly at: Readonly<Record<ArrayName | 'bins' | 'place', number>>;
  readonly row: Float32Array;
  /** The largest value of each 64 of the row. */
  readonly maxima: Float32Array;
  /** The tokens that a filter has left, in order of ID: parallel arrays. */
  readonly ids: Int32Array;
  readonly logits: Float32Array;
  readonly weights: Float64Array;
  /** Some of them, copied out to be looked at more closely. */
  readonly someIds: Int32Array;
  readonly someLogits: Float32Array;
  readonly someWeights: Float64Array;
  readonly bins: Float64Array;
  /** Small results of kernels. */
  readonly place: { readonly whole: Int32Array; readonly floats: Float32Array };
}

/** A row in the workspace. `values` may be edited until `scanRow` has looked at it. */
export interface LoadedRow {
  readonly values: Float32Array;
}

export interface ScannedRow extends LoadedRow {
  /** The token with the largest logit, the lowest ID among equals; -1 when none is possible. */
  readonly best: number;
  readonly max: number;
}

let shared = createWorkspace(BLOCK);

/** The workspace as it is now; a later `loadRow` may replace it. */
export const currentWorkspace = (): Workspace => shared;

/** Copies a model's row into the workspace. */
export function loadRow(logits: Float32Array): LoadedRow {
  const size = logits.length;
  if (size > shared.capacity) shared = createWorkspace(padded(size));
  shared.row.set(logits);
  shared.row.fill(-Infinity, size, padded(size));
  return { values: shared.row.subarray(0, size) };
}

/** Finds the best token of the row in the workspace. Throws `internal` on a NaN or +Infinity. */
export function scanRow({ values }: LoadedRow): ScannedRow {
  const { at, maxima } = shared;
  const ordered = kernels.blockMaxima(at.row, at.row + padded(values.length) * 4, at.maxima);
  const blocks = blockCount(values.length);
  let block = -1;
  let max = -Infinity;
  for (let i = 0; i < blocks; i++) {
    const value = maxima[i] as number;
    if (value > max) {
      block = i;
      max = value;
    }
  }
  if (ordered === 0 || max === Infinity) throw unusable(values);
  if (block < 0) return { values, best: -1, max };
  let best = block * BLOCK;
  while (values[best] !== max) best++;
  return { values, best, max };
}

/** The tokens of the scanned row at or above `floor` (finite) become `ids` and `logits`: how many. */
export function gatherFrom(length: number, floor: number): number {
  const { at } = shared;
  const end = at.row + padded(length) * 4;
  return kernels.gather(at.row, end, at.maxima, Math.max(floor, LOWEST_FLOAT32), at.ids, at.logits);
}

/** Groups of so many weights are summed together. */
export const GROUP = 16;

/** The sum of the first `size` weights, in the order that `reachedBefore` goes through them. */
export function sumWeights(size: number): number {
  const { at, weights } = shared;
  weights.fill(0, size, size + GROUP);
  return kernels.sum(at.weights, size, Infinity, at.place);
}

/** How many maxima belong to a row of this length. */
export const blockCount = (size: number): number => Math.ceil(size / BLOCK);

const padded = (size: number): number => blockCount(size) * BLOCK;

const LOWEST_FLOAT32 = -3.402_823_466_385_288_6e38;

function unusable(values: Float32Array): ParlanceError {
  const id = values.findIndex((value) => !(value < Infinity));
  return new ParlanceError(
    'internal',
    `The model gave no usable number for token ${id}, so nothing can be chosen. Its weights file may be damaged: fetch it again, or try another file of the same model.`,
  );
}

function createWorkspace(capacity: number): Workspace {
  const elements = capacity + SLACK;
  let end = ARRAYS_AT;
  const reserve = (bytes: number): number => {
    const start = end;
    end += elements * bytes;
    return start;
  };
  const at = {
    place: PLACE_AT,
    bins: BINS_AT,
    row: reserve(4),
    maxima: reserve(4),
    ids: reserve(4),
    logits: reserve(4),
    someIds: reserve(4),
    someLogits: reserve(4),
    weights: reserve(8),
    someWeights: reserve(8),
  };
  const { memory } = kernels;
  const missing = end - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
  const { buffer } = memory;
  const ints = (start: number): Int32Array => new Int32Array(buffer, start, elements);
  const floats = (start: number): Float32Array => new Float32Array(buffer, start, elements);
  const doubles = (start: number): Float64Array => new Float64Array(buffer, start, elements);
  return {
    capacity,
    at,
    row: floats(at.row),
    maxima: floats(at.maxima),
    ids: ints(at.ids),
    logits: floats(at.logits),
    weights: doubles(at.weights),
    someIds: ints(at.someIds),
    someLogits: floats(at.someLogits),
    someWeights: doubles(at.someWeights),
    bins: new Float64Array(buffer, BINS_AT, BIN_SUMS),
    place: {
      whole: new Int32Array(buffer, PLACE_AT, 8),
      floats: new Float32Array(buffer, PLACE_AT, 8),
    },
  };
}
