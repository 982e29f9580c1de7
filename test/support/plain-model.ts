/**
 * A model computed in the plainest way, for tests to compare with: one sequence, one text after the
 * other, through the library's own calls. No batches, no cache, no sampler; formulas are
 * written anew in Float64 over whole rows.
 */

import assert from 'node:assert/strict';

import type { Decoder } from '../../src/engine/llama/decoder.ts';
import { openLibrary } from '../../src/engine/llama/library.ts';
import { createLlamaDecoder } from '../../src/engine/llama/llama-decoder.ts';
import { loadModel } from '../../src/engine/llama/llama-model.ts';

export interface PlainToken {
  readonly bytes: readonly number[];
  readonly logprob: number;
  /** The best of the row, best first. */
  readonly top: readonly { readonly bytes: readonly number[]; readonly logprob: number }[];
}

export interface PlainAnswer {
  readonly text: string;
  /** Without the end token. */
  readonly tokens: readonly PlainToken[];
  /** With the end token. */
  readonly count: number;
  readonly finish: 'stop' | 'length';
}

export interface PlainBeams {
  readonly width: number;
  readonly choices: number;
  readonly lengthPenalty: number;
  readonly earlyStopping: boolean | 'never';
  readonly maxTokens: number;
}

export interface PlainModel {
  tokenize(text: string): number[];
  greedy(prompt: readonly number[], maxTokens: number, top: number): PlainAnswer;
  /** The best first. */
  beams(prompt: readonly number[], rules: PlainBeams): PlainAnswer[];
  close(): void;
}

export function openPlainModel(path: string, context = 1024): PlainModel {
  const library = openLibrary();
  const decoder = createLlamaDecoder(
    library,
    loadModel(library, path, () => {}),
    {
      slots: 1,
      context,
      kvType: 'q8_0/f16',
      threads: 1,
      threadsFixed: true,
      batchTokens: 256,
      maxDraftTokens: 0,
      keepWholeWindow: true,
    },
  );
  return {
    tokenize: (text) => decoder.vocabulary.tokenize(text, false),
    greedy: (prompt, maxTokens, top) => greedy(new Text(decoder, prompt), maxTokens, top),
    beams: (prompt, rules) => searchBeams(new Text(decoder, prompt), rules),
    close: () => decoder.close(),
  };
}

/** A prompt in the only slot, and what follows it, which may be taken back token by token. */
class Text {
  readonly decoder: Decoder;
  readonly #promptLength: number;
  #held: readonly number[] = [];
  readonly #first: Float64Array;

  constructor(decoder: Decoder, prompt: readonly number[]) {
    this.decoder = decoder;
    this.#promptLength = prompt.length;
    decoder.seqRemove(0, 0);
    for (let start = 0; start < prompt.length; start += decoder.batchTokens) {
      this.#decode(prompt.slice(start, start + decoder.batchTokens), start);
    }
    this.#first = logSoftmax(decoder.logits(0, 0));
  }

  /** Log-probabilities of every token behind the prompt and these. */
  behind(tokens: readonly number[]): Float64Array {
    if (tokens.length === 0) return this.#first;
    let same = 0;
    while (same < tokens.length - 1 && this.#held[same] === tokens[same]) same += 1;
    assert.ok(this.decoder.seqRemove(0, this.#promptLength + same));
    this.#decode(tokens.slice(same), this.#promptLength + same);
    this.#held = tokens;
    return logSoftmax(this.decoder.logits(0, 0));
  }

  #decode(tokens: readonly number[], position: number): void {
    assert.equal(this.decoder.decode([{ slot: 0, position, tokens, outputs: 1 }], null), 0);
  }
}

function logSoftmax(logits: Float32Array): Float64Array {
  const row = Float64Array.from(logits);
  const max = row.reduce((best, value) => Math.max(best, value), -Infinity);
  const sum = row.reduce((total, value) => total + Math.exp(value - max), 0);
  const normaliser = Math.log(sum);
  return row.map((value) => value - max - normaliser);
}

/** The best tokens of a row, best first, the lower ID first among equals. */
function bestOf(row: Float64Array, count: number): number[] {
  if (count === 0) return [];
  const best: number[] = [];
  let least = -Infinity;
  for (let token = 0; token < row.length; token += 1) {
    const value = row[token] as number;
    if (best.length === count && value <= least) continue;
    // Behind all that are at least as good.
    const at = best.findIndex((other) => (row[other] as number) < value);
    best.splice(at === -1 ? best.length : at, 0, token);
    best.length = Math.min(best.length, count);
    least = row[best.at(-1) as number] as number;
  }
  return best;
}

function greedy(text: Text, maxTokens: number, top: number): PlainAnswer {
  const { vocabulary } = text.decoder;
  const chosen: number[] = [];
  const told: PlainToken[] = [];
  while (chosen.length < maxTokens) {
    const row = text.behind(chosen);
    const [token] = bestOf(row, 1) as [number];
    chosen.push(token);
    if (vocabulary.eosIds.includes(token)) return toAnswer(text, chosen, told);
    told.push(toToken(text, row, token, top));
  }
  return toAnswer(text, chosen, told);
}

function toToken(text: Text, row: Float64Array, token: number, top: number): PlainToken {
  const { vocabulary } = text.decoder;
  const describe = (id: number) => ({
    bytes: [...vocabulary.piece(id, true)],
    logprob: row[id] as number,
  });
  return { ...describe(token), top: bestOf(row, top).map(describe) };
}

function toAnswer(
  text: Text,
  chosen: readonly number[],
  tokens: readonly PlainToken[],
): PlainAnswer {
  const { vocabulary } = text.decoder;
  const ended = vocabulary.eosIds.includes(chosen.at(-1) as number);
  const shown = ended ? chosen.slice(0, -1) : chosen;
  const bytes = Buffer.concat(shown.map((token) => vocabulary.piece(token, false)));
  return {
    // Half a character at the end is no text.
    text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true }),
    tokens,
    count: chosen.length,
    finish: ended ? 'stop' : 'length',
  };
}

interface Beam {
  readonly tokens: readonly number[];
  readonly told: readonly PlainToken[];
  readonly sum: number;
}

interface Finished extends Beam {
  readonly score: number;
}

/** Textbook beam search: see the words of `early_stopping` in `docs/sampling.md`. */
function searchBeams(text: Text, rules: PlainBeams): PlainAnswer[] {
  const { width, choices, maxTokens, lengthPenalty, earlyStopping } = rules;
  const score = (sum: number, tokens: number): number => sum / tokens ** lengthPenalty;
  let live: Beam[] = [{ tokens: [], told: [], sum: 0 }];
  let finished: Finished[] = [];
  const finish = (beam: Beam): void => {
    finished.push({ ...beam, score: score(beam.sum, beam.tokens.length) });
    finished = finished.toSorted((a, b) => b.score - a.score).slice(0, width);
  };
  const isOver = (best: Beam): boolean => {
    const worst = finished[(earlyStopping === 'never' ? choices : width) - 1];
    if (worst === undefined) return false;
    if (earlyStopping === true) return true;
    const optimistic = earlyStopping === 'never' && lengthPenalty > 0;
    return score(best.sum, optimistic ? maxTokens : best.tokens.length) <= worst.score;
  };
  for (let length = 1; ; length += 1) {
    const next = continuations(text, live, width);
    next
      .slice(0, width)
      .filter((beam) => hasEnded(text, beam))
      .forEach(finish);
    live = next.filter((beam) => !hasEnded(text, beam)).slice(0, width);
    const [best] = live;
    if (best === undefined || isOver(best)) break;
    if (length < maxTokens) continue;
    live.forEach(finish);
    break;
  }
  return finished.slice(0, choices).map(({ tokens, told }) => {
    return toAnswer(text, tokens, hasEnded(text, { tokens }) ? told.slice(0, -1) : told);
  });
}

const hasEnded = ({ decoder }: Text, { tokens }: Pick<Beam, 'tokens'>): boolean =>
  decoder.vocabulary.eosIds.includes(tokens.at(-1) as number);

/** Best first: the lower beam first among equals. Enough of them that `width` do not end. */
function continuations(text: Text, live: readonly Beam[], width: number): Beam[] {
  const count = 2 * width + text.decoder.vocabulary.eosIds.length;
  return live
    .flatMap((beam) => {
      const row = text.behind(beam.tokens);
      return bestOf(row, count).map((token) => ({
        tokens: [...beam.tokens, token],
        told: [...beam.told, toToken(text, row, token, 0)],
        sum: beam.sum + (row[token] as number),
      }));
    })
    .toSorted((a, b) => b.sum - a.sum);
}
