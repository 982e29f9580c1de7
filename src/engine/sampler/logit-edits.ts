/**
 * Everything that changes logits before a token is chosen: bans of tokens and phrases, the min_tokens
 * mask, biases and the three penalties, in that order. Called by the sampler on its copy of a row; owns
 * the counts of the tokens seen so far. It must not touch the row that the model gave.
 */

import type { Sampling } from '../protocol.ts';
import { compileBadPhrases } from './bad-phrases.ts';
import type { SamplerContext } from './sampler.ts';

/**
 * Repetition penalties act as if inside this range: 0 is then its own limit from above without an
 * infinite logit, and no penalty, however large, turns into a ban.
 */
const SMALLEST_PENALTY = 1e-20;
const LARGEST_PENALTY = 1e20;

export interface LogitEdits {
  /** False when `apply` would leave every row as it is, for the next token and all after it. */
  readonly active: () => boolean;
  /** True while end tokens are masked because of min_tokens. */
  readonly masking: () => boolean;
  /** Edits `row` in place; `mask` false leaves the min_tokens mask out. */
  readonly apply: (row: Float32Array, mask: boolean) => void;
  /** Counts a generated token. */
  readonly count: (token: number) => void;
}

/** The edits of one choice. Costs O(IDs named + tokens seen) for each token, not O(vocabulary). */
export function createLogitEdits(sampling: Sampling, context: SamplerContext): LogitEdits {
  const banned = Int32Array.from(sampling.badTokenIds);
  const ends = Int32Array.from(new Set([...context.vocabulary.eosIds, ...sampling.stopTokenIds]));
  const biasIds = Int32Array.from(sampling.logitBias, ([id]) => id);
  const biases = Float64Array.from(sampling.logitBias, ([, bias]) => bias);
  const phrases = compileBadPhrases(sampling, context.vocabulary);
  const penalties = createPenalties(sampling, context);
  const changesAll =
    banned.length > 0 || biasIds.length > 0 || phrases.active || penalties !== null;
  let begun = phrases.start();
  let generated = 0;
  const masking = (): boolean => generated < sampling.minTokens;
  return {
    active: () => changesAll || masking(),
    masking,
    apply: (row, mask) => {
      ban(row, banned);
      for (const ids of phrases.banned(begun)) ban(row, ids);
      if (mask && masking()) ban(row, ends);
      for (let i = 0; i < biasIds.length; i++) {
        const id = biasIds[i] as number;
        row[id] = (row[id] as number) + (biases[i] as number);
      }
      penalties?.apply(row);
    },
    count: (token) => {
      generated++;
      begun = phrases.next(begun, token);
      penalties?.count(token);
    },
  };
}

function ban(row: Float32Array, ids: Int32Array): void {
  for (let i = 0; i < ids.length; i++) row[ids[i] as number] = -Infinity;
}

interface Penalties {
  readonly apply: (row: Float32Array) => void;
  readonly count: (token: number) => void;
}

/** null when no penalty is in force. */
function createPenalties(sampling: Sampling, context: SamplerContext): Penalties | null {
  const { frequencyPenalty: frequency, presencePenalty: presence } = sampling;
  const repetition = Math.min(
    Math.max(sampling.repetitionPenalty, SMALLEST_PENALTY),
    LARGEST_PENALTY,
  );
  if (repetition === 1 && frequency === 0 && presence === 0) return null;
  const seen = createSeenTokens(repetition === 1 ? [] : context.promptTokens);
  return {
    count: seen.count,
    apply: (row) => {
      const { ids, counts, size } = seen.view();
      for (let i = 0; i < size; i++) {
        const id = ids[i] as number;
        const outputCount = counts[i] as number;
        const logit = row[id] as number;
        const repeated = logit > 0 ? logit / repetition : logit * repetition;
        row[id] = repeated - frequency * outputCount - (outputCount > 0 ? presence : 0);
      }
    },
  };
}

interface SeenTokens {
  readonly count: (token: number) => void;
  readonly view: () => { ids: Int32Array; counts: Int32Array; size: number };
}

/** Distinct tokens of prompt and output, each with its count in the output (0: prompt only). */
function createSeenTokens(promptTokens: readonly number[]): SeenTokens {
  const places = new Map<number, number>();
  for (const id of promptTokens) if (!places.has(id)) places.set(id, places.size);
  let ids = Int32Array.from(places.keys());
  let counts = new Int32Array(ids.length);
  return {
    view: () => ({ ids, counts, size: places.size }),
    count: (token) => {
      let place = places.get(token);
      if (place === undefined) {
        place = places.size;
        places.set(token, place);
        if (place === ids.length) {
          ids = grown(ids);
          counts = grown(counts);
        }
        ids[place] = token;
      }
      counts[place] = (counts[place] ?? 0) + 1;
    },
  };
}

function grown(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(64, numbers.length * 2));
  larger.set(numbers);
  return larger;
}
