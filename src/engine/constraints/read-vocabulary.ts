/**
 * Reads a model's vocabulary for constraints: the bytes of every token, and which ones are special. The
 * library's vocabulary lives on the engine's thread, so it is read there, in slices between steps.
 */

import { packPieces, specialPiece, type TokenPieces } from '../../constraint/index.ts';
import type { Vocabulary } from '../llama/decoder.ts';

/** What threads need of a vocabulary to make a tree of it. */
export interface VocabularyPieces {
  readonly pieces: TokenPieces;
  readonly specials: readonly string[];
  /** Those of them that are end tokens. */
  readonly ends: readonly string[];
  readonly endTokens: readonly number[];
}

/** Milliseconds that one slice takes at most. */
const slice = 4;
/** Tokens between two looks at the clock. */
const glance = 64;

const none = new Uint8Array(0);

class PieceReader {
  readonly #vocabulary: Vocabulary;
  readonly #pieces: Uint8Array[] = [];
  readonly #specials: string[] = [];
  readonly #ends: string[] = [];

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** False when there is no more. */
  readSome(): boolean {
    const end = Math.min(this.#pieces.length + glance, this.#vocabulary.size);
    for (let token = this.#pieces.length; token < end; token += 1) {
      this.#pieces.push(this.#read(token));
    }
    return end < this.#vocabulary.size;
  }

  #read(token: number): Uint8Array {
    const plain = this.#vocabulary.piece(token, false);
    // Single bytes that no UTF-8 has; they would look like special tokens.
    if (plain.some((byte) => byte >= 0xfe)) return none;
    if (plain.length > 0) return plain;
    const name = this.#vocabulary.piece(token, true);
    if (name.length === 0) return none;
    const text = new TextDecoder().decode(name);
    this.#specials.push(text);
    if (this.#vocabulary.eosIds.includes(token)) this.#ends.push(text);
    return specialPiece(name);
  }

  get result(): VocabularyPieces {
    return {
      pieces: packPieces(this.#vocabulary.size, (token) => this.#pieces[token] ?? none),
      specials: this.#specials,
      ends: this.#ends,
      endTokens: this.#vocabulary.eosIds,
    };
  }
}

/** All at once. */
export function readVocabulary(vocabulary: Vocabulary): VocabularyPieces {
  const reader = new PieceReader(vocabulary);
  while (reader.readSome());
  return reader.result;
}

/** In slices, between which the thread does other work. */
export async function readVocabularySlowly(vocabulary: Vocabulary): Promise<VocabularyPieces> {
  const reader = new PieceReader(vocabulary);
  let begun = performance.now();
  while (reader.readSome()) {
    if (performance.now() - begun < slice) continue;
    await new Promise((resolve) => setImmediate(resolve));
    begun = performance.now();
  }
  return reader.result;
}
