/**
 * How many drafted tokens are worth verifying in the next pass. The scheduler asks before each pass and
 * tells afterwards how many were taken. Pure: the same inputs give the same answer; what it answers
 * decides how long an output takes and never what it is.
 *
 * A draft of k tokens, each taken with probability a once those before it were, gives a + ... + a^k
 * tokens for nothing but a wider pass. So the draft tokens of all sequences compete: the likeliest first,
 * as many as make the most tokens a millisecond.
 */

import { passMilliseconds } from '../pass-cost.ts';
import type { PassCost } from '../pass-cost.ts';

/** What is known of one sequence's drafts. */
export interface Acceptance {
  /** Tokens taken, and tokens that a verdict was given on; the older ones count less. */
  readonly taken: number;
  readonly judged: number;
  /** Steps in a row in which there was a draft and none of it was verified. */
  readonly idle: number;
  /** Idle steps after which a few tokens are tried all the same. */
  readonly patience: number;
}

/** One sequence of the pass. */
export interface DraftChance {
  readonly acceptance: Acceptance;
  /** Tokens that its drafter offers and its limits allow; 0 where it has none. */
  readonly available: number;
}

export interface DraftPass {
  /** Tokens that the pass has without drafts: one for each decoding sequence, and prompts' tokens. */
  readonly tokens: number;
  /** The most draft tokens that still fit into it. */
  readonly room: number;
  /** Sequences that decode in it, also those that have no drafts. */
  readonly decoding: number;
  readonly cost: PassCost;
}

/** Draft tokens of one sequence in one pass, at most. */
export const mostDraftTokens = 8;

/** Drafts must make the pass so much better in tokens a millisecond. */
const leastGain = 1.05;

/** A sequence begins as if a little more than half of two tokens had been taken. */
const priorJudged = 2;
const priorTaken = 1.2;

/** What a verdict keeps of its weight with each later one: about the last 20 count. */
const keptWeight = 0.95;

const probeTokens = 2;
const shortestPatience = 32;
const longestPatience = 256;

/** Of a new sequence. Its first draft is tried at once. */
export function startAcceptance(): Acceptance {
  return { taken: 0, judged: 0, idle: shortestPatience, patience: shortestPatience };
}

/**
 * After a step in which the sequence had a draft: `verified` tokens of it were in the pass (0: none was
 * worth it), the first `accepted` of them were taken. Those behind the first wrong one say nothing.
 */
export function stepAcceptance(
  acceptance: Acceptance,
  verified: number,
  accepted: number,
): Acceptance {
  const { idle, patience } = acceptance;
  if (verified === 0) return { ...acceptance, idle: idle + 1 };
  const judged = Math.min(verified, accepted + 1);
  let weights = { taken: acceptance.taken, judged: acceptance.judged };
  for (let index = 0; index < judged; index++) {
    weights = {
      taken: keptWeight * weights.taken + (index < accepted ? 1 : 0),
      judged: keptWeight * weights.judged + 1,
    };
  }
  if (accepted === verified)
    return { ...weights, idle: shortestPatience, patience: shortestPatience };
  const failedAgain = accepted === 0 && idle >= patience;
  return {
    ...weights,
    idle: 0,
    patience: failedAgain ? Math.min(longestPatience, 2 * patience) : shortestPatience,
  };
}

/** The probability that a draft token is taken when those before it were, 0..1. */
export function acceptanceOf({ taken, judged }: Acceptance): number {
  return (taken + priorTaken) / (judged + priorJudged);
}

/**
 * Draft tokens to verify for each sequence, in the order given, each at most what is available and
 * `mostDraftTokens`, together at most the room. Where none is worth it, one sequence that was idle for
 * long tries a few, so that its drafts can come back. None while the cost of a pass is unknown.
 */
export function chooseDrafts(pass: DraftPass, sequences: readonly DraftChance[]): number[] {
  const counts = sequences.map(() => 0);
  const plain = passMilliseconds(pass.cost, pass.tokens);
  if (plain === null) return counts;
  const order = likeliestFirst(sequences).slice(0, pass.room);
  let gained = 0;
  let best = { rate: (leastGain * pass.decoding) / plain, drafts: 0 };
  for (const [index, { probability }] of order.entries()) {
    gained += probability;
    const drafts = index + 1;
    const rate =
      (pass.decoding + gained) / (passMilliseconds(pass.cost, pass.tokens + drafts) ?? Infinity);
    if (rate > best.rate) best = { rate, drafts };
  }
  for (const { sequence } of order.slice(0, best.drafts)) counts[sequence]!++;
  if (best.drafts === 0) probe(counts, sequences, pass.room);
  return counts;
}

interface DraftToken {
  readonly sequence: number;
  /** That it and all before it in its draft are taken. */
  readonly probability: number;
}

/** All draft tokens. Within a sequence the probabilities fall, so it is taken from in order. */
function likeliestFirst(sequences: readonly DraftChance[]): DraftToken[] {
  return sequences
    .flatMap(({ acceptance, available }, sequence) => {
      const each = acceptanceOf(acceptance);
      const count = Math.max(0, Math.min(available, mostDraftTokens));
      return Array.from({ length: count }, (_, index) => ({
        sequence,
        probability: each ** (index + 1),
      }));
    })
    .toSorted((one, other) => other.probability - one.probability);
}

/** A few tokens for the sequence that is over its patience by most, if there is one. */
function probe(counts: number[], sequences: readonly DraftChance[], room: number): void {
  const overdue = sequences.map(({ acceptance, available }) =>
    available > 0 ? acceptance.idle - acceptance.patience : -1,
  );
  const most = Math.max(-1, ...overdue);
  const at = overdue.indexOf(most);
  if (most < 0) return;
  counts[at] = Math.max(0, Math.min(probeTokens, sequences[at]!.available, room));
}
