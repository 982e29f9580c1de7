/**
 * KV states away from the library: cutting and joining them by cells, and the bytes in which they go
 * to a file or to another engine. Pure. The decoder makes them of what the library wrote and turns
 * them back; the prefix cache cuts and joins. A state that was joined holds the parts that it was
 * made of, and they are copied once, when the library gets them.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { KvState, KvStates } from './decoder.ts';
import {
  formBytes,
  parseBodies,
  parseLibraryState,
  sameLayout,
  stateMagic,
  viewOf,
  type Body,
  type LibraryForm,
} from './kv-layout.ts';
import { bytesOf, cellsOf, sum, writeBodies, writeBody, type Slice } from './kv-slices.ts';

/** How the states of a context look. */
export interface StateFormat {
  /** Null: not known, so that states are only of use whole. */
  readonly form: LibraryForm | null;
}

/** Memory with one body of cells for each cache, or for some of them. */
interface Piece {
  readonly memory: Uint8Array;
  readonly bodies: readonly (Body | null)[];
}

class CellState implements KvState {
  readonly pieces: readonly Piece[];
  /** Position of the first cell. */
  readonly first: number;
  readonly length: number;
  readonly bytes: number;
  /** The memory is the library's form of all this, and can be given back as it is. */
  readonly isLibraryForm: boolean;

  constructor(pieces: readonly Piece[], isLibraryForm: boolean) {
    this.pieces = pieces;
    this.first = pieces[0]?.bodies[0]?.first ?? 0;
    this.length = pieces.reduce((sum, { bodies }) => sum + (bodies[0]?.cells ?? 0), 0);
    this.bytes = pieces.reduce((sum, { memory }) => sum + memory.length, 0);
    this.isLibraryForm = isLibraryForm;
  }
}

class WholeState implements KvState {
  readonly memory: Uint8Array;
  readonly length: number;

  constructor(memory: Uint8Array, length: number) {
    this.memory = memory;
    this.length = length;
  }

  get bytes(): number {
    return this.memory.length;
  }
}

/** The encoding: u32 "KVP1", u32 caches (0 = a state that is only of use whole), u32 length, bytes. */
const encodedMagic = 0x3150564b;
const encodedHeaderBytes = 12;

export class LlamaStates implements KvStates {
  readonly cuttable: boolean;
  readonly #form: LibraryForm | null;

  constructor({ form }: StateFormat) {
    this.cuttable = form !== null;
    this.#form = form;
  }

  /** Takes over what the library wrote for `length` tokens. */
  fromLibrary(memory: Uint8Array, length: number): KvState {
    if (this.#form === null) return new WholeState(memory, length);
    const bodies = parseLibraryState(memory, this.#form);
    if (bodies === null || bodies[0]?.cells !== length) {
      throw broken('the library wrote a state in another form than expected');
    }
    return new CellState([{ memory, bodies }], true);
  }

  /** Position of the first cell of which all caches have something. */
  firstInAll(state: KvState): number {
    const caches = state instanceof CellState ? cachesOf(state) : [];
    return Math.max(0, ...caches.map(([head]) => (head?.body.first ?? 0) + (head?.from ?? 0)));
  }

  /**
   * A state from position 0 whose last cache, the one of the layers with a window, has only its last
   * cells, and what the library wrote of the others, the first ones first: one state of it all.
   */
  withWindow(state: KvState, earlier: readonly Uint8Array[]): KvState {
    const form = this.#form;
    if (form === null || !(state instanceof CellState)) throw broken('it has no window');
    const parts = earlier.map((memory): Piece => {
      const [body] = parseLibraryState(memory, { caches: 1, streams: form.streams }) ?? [];
      if (body === undefined) throw broken('the library wrote a window in another form');
      return { memory, bodies: [null, body] };
    });
    const merged = new CellState([...parts, ...state.pieces], false);
    const memory = this.toLibrary(merged, (bytes) => Buffer.allocUnsafeSlow(bytes));
    if (memory === null) throw broken('a window does not belong to it');
    return this.fromLibrary(memory, state.length);
  }

  /**
   * What the library reads, of a state from position 0; null where it cannot be of use here. Made in
   * memory from `allocate` where it is not there yet.
   */
  toLibrary(state: KvState, allocate: (bytes: number) => Uint8Array): Uint8Array | null {
    if (state instanceof WholeState) return this.#form === null ? state.memory : null;
    const form = this.#form;
    if (!(state instanceof CellState) || form === null || state.first !== 0) return null;
    const [only] = state.pieces;
    if (only !== undefined && state.isLibraryForm) return only.memory;
    const caches = cachesOf(state);
    if (caches.length !== form.caches) return null;
    const bytes = formBytes(form) + sum(caches.map(bytesOf));
    const target = allocate(bytes);
    const view = viewOf(target);
    view.setUint32(0, stateMagic, true);
    view.setInt32(4, 0, true);
    let offset = 8;
    for (const slices of caches) {
      view.setUint32(offset, form.streams, true);
      offset = writeBody(target, offset + 4, slices);
      const end = offset + 4 * (form.streams - 1);
      target.fill(0, offset, end);
      offset = end;
    }
    return target;
  }

  cut(state: KvState, from: number, to: number): KvState {
    const whole = from === 0 && to === state.length;
    if (whole && !(state instanceof CellState && state.pieces.length > 1)) return state;
    if (!(state instanceof CellState)) throw broken('this state can only be used whole');
    if (!(0 <= from && from < to && to <= state.length)) {
      throw broken(`cells ${from} to ${to} of ${state.length} cannot be cut`);
    }
    return packed(cachesOf(state, state.first + from, state.first + to));
  }

  join(parts: readonly KvState[]): KvState {
    const [head] = parts;
    if (parts.length === 1 && head !== undefined) return head;
    const pieces: Piece[] = [];
    let end: number | null = null;
    for (const part of parts) {
      if (!(part instanceof CellState)) throw broken('a state of unknown form cannot be joined');
      if (end !== null && part.first !== end) throw broken('states do not follow each other');
      end = part.first + part.length;
      pieces.push(...part.pieces);
    }
    for (const { bodies } of pieces) {
      const fits = (body: Body | null, cache: number): boolean => {
        const layout = pieces[0]?.bodies[cache]?.layout;
        return body !== null && layout !== undefined && sameLayout(layout, body.layout);
      };
      if (!bodies.every(fits)) throw broken('states of different models cannot be joined');
    }
    return new CellState(pieces, false);
  }

  encode(state: KvState): Uint8Array {
    if (state instanceof WholeState) {
      const encoded = startEncoding(0, state.length, state.memory.length);
      encoded.set(state.memory, encodedHeaderBytes);
      return encoded;
    }
    if (!(state instanceof CellState)) throw broken('this is not a state of this engine');
    const caches = cachesOf(state);
    const encoded = startEncoding(caches.length, state.length, sum(caches.map(bytesOf)));
    writeBodies(encoded, encodedHeaderBytes, caches);
    return encoded;
  }

  decode(bytes: Uint8Array): KvState {
    const caches = this.#form?.caches ?? 0;
    if (bytes.length < encodedHeaderBytes) throw damaged();
    const view = viewOf(bytes);
    const length = view.getUint32(8, true);
    if (view.getUint32(0, true) !== encodedMagic || view.getUint32(4, true) !== caches) {
      throw damaged();
    }
    if (caches === 0) return new WholeState(bytes.subarray(encodedHeaderBytes), length);
    const bodies = parseBodies(bytes, encodedHeaderBytes, caches);
    if (bodies === null || bodies[0]?.cells !== length) throw damaged();
    return new CellState([{ memory: bytes, bodies }], false);
  }
}

/** The cells of a state between two positions, cache by cache. */
function cachesOf(state: CellState, from = state.first, to = from + state.length): Slice[][] {
  const count = state.pieces[0]?.bodies.length ?? 0;
  return Array.from({ length: count }, (_, cache) =>
    state.pieces.flatMap(({ memory, bodies }) => {
      const body = bodies[cache];
      if (body === undefined || body === null) return [];
      const first = Math.max(0, from - body.first);
      const last = Math.min(body.cells, to - body.first);
      return first < last ? [{ memory, body, from: first, to: last }] : [];
    }),
  );
}

function packed(caches: readonly Slice[][]): CellState {
  const memory = Buffer.allocUnsafeSlow(sum(caches.map(bytesOf)));
  const offsets = writeBodies(memory, 0, caches);
  const bodies = caches.map((slices, cache) => {
    const [head] = slices;
    if (head === undefined) throw broken('a cache of this state has no cells there');
    return {
      layout: head.body.layout,
      offset: offsets[cache] ?? 0,
      cells: cellsOf(slices),
      first: head.body.first + head.from,
    };
  });
  return new CellState([{ memory, bodies }], false);
}

function startEncoding(caches: number, length: number, bytes: number): Uint8Array {
  const encoded = Buffer.allocUnsafeSlow(encodedHeaderBytes + bytes);
  encoded.writeUInt32LE(encodedMagic, 0);
  encoded.writeUInt32LE(caches, 4);
  encoded.writeUInt32LE(length, 8);
  return encoded;
}

function broken(what: string): ParlanceError {
  return new ParlanceError('internal', `A KV state was misused: ${what}.`);
}

function damaged(): ParlanceError {
  return new ParlanceError('internal', 'These bytes are no KV state of this engine.');
}
