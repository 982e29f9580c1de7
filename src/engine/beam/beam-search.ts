/**
 * Beam search as a state machine over log-probabilities: which continuations live on, which
 * hypotheses are finished, and when to stop. The scheduler drives it with one step for each pass of
 * the model. It knows no model, slot, text or sampler, and changes nothing that it is given.
 *
 * A hypothesis scores (sum of raw log-probabilities) / (generated tokens)^lengthPenalty, an end token
 * being one of the tokens. Beyond the range of a double such scores become 0 or -Infinity and tie.
 * Ties have one rule: the lower parent first, then the earlier candidate, and among finished ones the
 * one that was finished first.
 */

import { ParlanceError } from '../../contract/errors.ts';

export interface BeamRules {
  /** Beams that live at a time, and finished hypotheses that are kept. At least 1. */
  readonly width: number;
  /** Any number; above 0 favours long hypotheses, below 0 short ones. */
  readonly lengthPenalty: number;
  /**
   * true: stop when `width` hypotheses are finished. false: also go on until the best live beam, as if
   * it ended with its present length, is no better than the worst finished one kept (a heuristic
   * where lengthPenalty is above 0). 'never': go on until no live beam can get among the best
   * `choices`, whatever follows.
   */
  readonly earlyStopping: boolean | 'never';
  /** At least 1; a beam of that many tokens is finished by its length, where the search still goes on. */
  readonly maxTokens: number;
  /** Hypotheses to return, 1..width. */
  readonly choices: number;
}

export interface Candidate {
  readonly token: number;
  /** Log-softmax of the raw row, at most 0. */
  readonly logprob: number;
}

/** The tokens of a beam, last one first. Beams share their common beginnings. */
interface Path {
  readonly candidate: Candidate;
  readonly before: Path | null;
}

/** A beginning of an answer. `S` is what the caller keeps for each beam; it must be immutable. */
export interface Beam<S> {
  readonly path: Path | null;
  /** Generated tokens. */
  readonly length: number;
  /** Sum of their raw log-probabilities. */
  readonly sum: number;
  readonly state: S;
}

interface Finished<S> extends Beam<S> {
  readonly score: number;
  readonly finish: 'end' | 'length';
}

export interface BeamSearch<S> {
  readonly rules: BeamRules;
  /** Best first, all of one length, at most `width`; none when the search is over. */
  readonly live: readonly Beam<S>[];
  /** Best first, at most `width`. */
  readonly finished: readonly Finished<S>[];
}

export interface BeamStep<S> {
  readonly search: BeamSearch<S>;
  /** For each beam that lives now, the index of the beam that it goes on from. */
  readonly parents: readonly number[];
  readonly done: boolean;
}

/** A finished hypothesis. */
export interface Hypothesis<S> {
  readonly tokens: readonly number[];
  /** Of each token, raw. */
  readonly logprobs: readonly number[];
  readonly score: number;
  /** `end`: the caller said that it ends there. */
  readonly finish: 'end' | 'length';
  readonly state: S;
}

/**
 * The state behind one more token, and whether the hypothesis ends with it. `parent` is the index of
 * the live beam. Called only for continuations that are good enough to matter, best first; it must be
 * pure, because some of those are dropped.
 */
export type Extend<S> = (
  state: S,
  candidate: Candidate,
  parent: number,
) => { readonly state: S; readonly ends: boolean };

/** One beam without tokens. */
export function startBeams<S>(rules: BeamRules, state: S): BeamSearch<S> {
  return { rules, live: [{ path: null, length: 0, sum: 0, state }], finished: [] };
}

/**
 * One token more for every beam. `candidates` has a list for each live beam: its best allowed tokens,
 * best first. 2 * width of them are enough where at most `width` of those end it; with more end tokens,
 * width + end tokens. Fewer where fewer are allowed; a beam with none is given up. Of all
 * continuations, best sum first, those that end are finished if they are among the first `width`, and
 * the `width` best that do not end live on. Throws `internal` where lists and beams do not fit.
 */
export function stepBeams<S>(
  search: BeamSearch<S>,
  candidates: readonly (readonly Candidate[])[],
  extend: Extend<S>,
): BeamStep<S> {
  const { rules, live } = search;
  if (candidates.length !== live.length) {
    throw new ParlanceError(
      'internal',
      `A step of beam search had candidates for ${candidates.length} of ${live.length} beams.`,
    );
  }
  const next: Beam<S>[] = [];
  const parents: number[] = [];
  let finished = search.finished;
  let rank = 0;
  for (const { parent, candidate, sum } of bestFirst(live, candidates)) {
    const beam = live[parent]!;
    const { state, ends } = extend(beam.state, candidate, parent);
    const path = { candidate, before: beam.path };
    const extended = { path, length: beam.length + 1, sum, state };
    if (!ends) {
      next.push(extended);
      parents.push(parent);
      if (next.length === rules.width) break;
    } else if (rank < rules.width) {
      finished = keep(rules, finished, finish(rules, extended, 'end'));
    }
    rank++;
  }
  if (next.length > 0 && canImprove(rules, next[0]!, finished)) {
    if (next[0]!.length < rules.maxTokens) {
      return { search: { rules, live: next, finished }, parents, done: false };
    }
    for (const beam of next) finished = keep(rules, finished, finish(rules, beam, 'length'));
  }
  return { search: { rules, live: [], finished }, parents: [], done: true };
}

/**
 * The `choices` best finished hypotheses, best first; fewer only where the allowed tokens made fewer
 * than that possible, or before the search is over.
 */
export function bestHypotheses<S>(search: BeamSearch<S>): readonly Hypothesis<S>[] {
  return search.finished.slice(0, search.rules.choices).map((one) => {
    const path = candidatesOf(one.path);
    return {
      tokens: path.map(({ token }) => token),
      logprobs: path.map(({ logprob }) => logprob),
      score: one.score,
      finish: one.finish,
      state: one.state,
    };
  });
}

interface Continuation {
  readonly parent: number;
  readonly candidate: Candidate;
  readonly sum: number;
}

/** All continuations, best sum first: a merge of the beams' lists, as far as it is read. */
function* bestFirst<S>(
  live: readonly Beam<S>[],
  candidates: readonly (readonly Candidate[])[],
): Generator<Continuation> {
  const places = live.map(() => 0);
  for (;;) {
    let best: Continuation | null = null;
    for (const [parent, beam] of live.entries()) {
      const candidate = candidates[parent]![places[parent]!];
      if (candidate === undefined) continue;
      const sum = beam.sum + candidate.logprob;
      if (best === null || sum > best.sum) best = { parent, candidate, sum };
    }
    if (best === null) return;
    places[best.parent]!++;
    yield best;
  }
}

/** Of sums that are 0, the score is 0, though 0 / tokens^lengthPenalty may not be a number. */
function scoreOf(sum: number, tokens: number, lengthPenalty: number): number {
  return sum === 0 ? 0 : sum / tokens ** lengthPenalty;
}

function finish<S>(rules: BeamRules, beam: Beam<S>, how: Finished<S>['finish']): Finished<S> {
  return { ...beam, score: scoreOf(beam.sum, beam.length, rules.lengthPenalty), finish: how };
}

/** The finished ones with one more, behind all that are at least as good; `width` of them stay. */
function keep<S>(
  rules: BeamRules,
  finished: readonly Finished<S>[],
  one: Finished<S>,
): readonly Finished<S>[] {
  const at = finished.findIndex(({ score }) => score < one.score);
  const place = at === -1 ? finished.length : at;
  return place >= rules.width ? finished : finished.toSpliced(place, 0, one).slice(0, rules.width);
}

/**
 * Whether it is worth going on, given the best live beam. Sums only fall, so with a lengthPenalty
 * above 0 no score beats the present sum at the greatest length, and otherwise none beats the present
 * score: these are the bounds of 'never'.
 */
function canImprove<S>(rules: BeamRules, best: Beam<S>, finished: readonly Finished<S>[]): boolean {
  const { width, choices, earlyStopping, lengthPenalty, maxTokens } = rules;
  const worst = finished[(earlyStopping === 'never' ? choices : width) - 1];
  if (worst === undefined) return true;
  if (earlyStopping === true) return false;
  const length = earlyStopping === 'never' && lengthPenalty > 0 ? maxTokens : best.length;
  return scoreOf(best.sum, length, lengthPenalty) > worst.score;
}

function candidatesOf(path: Path | null): Candidate[] {
  const reversed: Candidate[] = [];
  for (let at = path; at !== null; at = at.before) reversed.push(at.candidate);
  return reversed.toReversed();
}
