/**
 * The library's buffer of logits as JavaScript sees it: one view of all rows, and one of each row,
 * kept from pass to pass for as long as the library keeps its buffer. The decoder asks it after each
 * pass; nobody may write into the rows.
 */

import koffi from 'koffi';

import type { Pointer } from './bind-library.ts';

export class LogitsView {
  readonly #vocabSize: number;
  /** Rows that the library's buffer has at least. */
  readonly #leastRows: number;
  #pointer: Pointer | null = null;
  #rows: Float32Array[] = [];

  constructor(vocabSize: number, leastRows: number) {
    this.#vocabSize = vocabSize;
    this.#leastRows = leastRows;
  }

  /** The buffer is at `pointer` and has `rows` rows that count. */
  update(pointer: Pointer, rows: number): void {
    // The library moves its buffer when a pass needs more rows than any before.
    if (pointer === this.#pointer && rows <= this.#rows.length) return;
    const viewed = Math.max(rows, this.#leastRows);
    const bytes = this.#vocabSize * Float32Array.BYTES_PER_ELEMENT;
    const memory = koffi.view(pointer, viewed * bytes);
    this.#pointer = pointer;
    this.#rows = Array.from(
      { length: viewed },
      (_, row) => new Float32Array(memory, row * bytes, this.#vocabSize),
    );
  }

  row(index: number): Float32Array | null {
    return this.#rows[index] ?? null;
  }

  clear(): void {
    this.#pointer = null;
    this.#rows = [];
  }
}
