/**
 * Random trees of conditional log-probabilities, and two slow ways to search them: exhaustive search,
 * and a plain beam that keeps whole token lists and sorts everything. Nothing but tests uses it.
 */

import { createRandom } from '../../../test/support/random-numbers.ts';
import type { BeamRules, Candidate } from './beam-search.ts';

/** A tiny model. */
export interface Tree {
  /** Every allowed token behind a prefix, best first, the lower one first among equals. */
  readonly candidates: (tokens: readonly number[]) => readonly Candidate[];
  readonly ends: (tokens: readonly number[]) => boolean;
}

export interface TreeShape {
  readonly vocabSize: number;
  /** Log-probabilities are rounded to this, so that equal ones are common; 0 = not. */
  readonly grain: number;
  /** How often a token is not allowed, 0..1. */
  readonly banned: number;
  /** Tokens below this end a hypothesis. */
  readonly endTokens: number;
  /** Whether the last token behind itself ends it too, like a stop string across a token border. */
  readonly endsAtPair: boolean;
}

export interface Found {
  readonly tokens: readonly number[];
  readonly score: number;
  readonly finish: 'end' | 'length';
}

export function randomTree(seed: number, shape: TreeShape): Tree {
  const random = createRandom(seed);
  const rows = new Map<string, readonly Candidate[]>();
  return {
    candidates: (tokens) => {
      const key = tokens.join();
      const row = rows.get(key) ?? randomRow(random, shape);
      rows.set(key, row);
      return row;
    },
    ends: (tokens) => {
      const [last, before] = [tokens.at(-1)!, tokens.at(-2)];
      return (
        last < shape.endTokens ||
        (shape.endsAtPair && last === shape.vocabSize - 1 && before === last)
      );
    },
  };
}

function randomRow(random: () => number, { vocabSize, grain, banned }: TreeShape): Candidate[] {
  const logits = Array.from({ length: vocabSize }, () => 6 * random() - 3);
  const normaliser = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
  return logits
    .map((logit, token) => {
      const logprob = logit - normaliser;
      return { token, logprob: grain === 0 ? logprob : Math.round(logprob / grain) * grain };
    })
    .filter(() => random() >= banned)
    .toSorted((one, other) => other.logprob - one.logprob);
}

/** A hypothesis on its way. */
interface Begun {
  readonly tokens: readonly number[];
  readonly sum: number;
}

function goOn(tree: Tree, { tokens, sum }: Begun): Begun[] {
  return tree
    .candidates(tokens)
    .map(({ token, logprob }) => ({ tokens: [...tokens, token], sum: sum + logprob }));
}

function found({ tokens, sum }: Begun, lengthPenalty: number, finish: Found['finish']): Found {
  return { tokens, score: sum / Math.pow(tokens.length, lengthPenalty), finish };
}

function best(all: readonly Found[], count: number): Found[] {
  return all.toSorted((one, other) => other.score - one.score).slice(0, count);
}

/** All hypotheses that there are, best first. */
export function searchAll(tree: Tree, rules: BeamRules): Found[] {
  const all: Found[] = [];
  const visit = (begun: Begun): void => {
    if (begun.tokens.length > 0 && tree.ends(begun.tokens)) {
      all.push(found(begun, rules.lengthPenalty, 'end'));
    } else if (begun.tokens.length === rules.maxTokens) {
      all.push(found(begun, rules.lengthPenalty, 'length'));
    } else {
      goOn(tree, begun).forEach(visit);
    }
  };
  visit({ tokens: [], sum: 0 });
  return best(all, all.length);
}

/** The widest level of the tree: continuations of one length, ended ones included. */
export function widestLevel(tree: Tree, maxTokens: number): number {
  let widest = 0;
  let level: Begun[] = [{ tokens: [], sum: 0 }];
  for (let length = 1; length <= maxTokens; length++) {
    level = level.flatMap((begun) => goOn(tree, begun));
    widest = Math.max(widest, level.length);
    level = level.filter(({ tokens }) => !tree.ends(tokens));
  }
  return widest;
}

/**
 * Beam search as it is told in words. For 'never' it never stops before the end of the tree, so that
 * a bound which stops the other one too early would show.
 */
export function searchPlainly(tree: Tree, rules: BeamRules): Found[] {
  const { width, lengthPenalty, earlyStopping, maxTokens } = rules;
  const finished: Found[] = [];
  let live: Begun[] = [{ tokens: [], sum: 0 }];
  for (let length = 1; length <= maxTokens && live.length > 0; length++) {
    const all = live
      .flatMap((begun) => goOn(tree, begun))
      .toSorted((one, other) => other.sum - one.sum);
    for (const begun of all.slice(0, width).filter(({ tokens }) => tree.ends(tokens))) {
      finished.push(found(begun, lengthPenalty, 'end'));
    }
    live = all.filter(({ tokens }) => !tree.ends(tokens)).slice(0, width);
    if (earlyStopping === true && finished.length >= width) break;
    const worst = best(finished, width)[width - 1];
    const first = live[0];
    if (earlyStopping === false && worst !== undefined && first !== undefined) {
      if (found(first, lengthPenalty, 'length').score <= worst.score) break;
    }
    if (length < maxTokens) continue;
    for (const begun of live) finished.push(found(begun, lengthPenalty, 'length'));
  }
  return best(finished, rules.choices);
}
