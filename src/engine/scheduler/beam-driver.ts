/**
 * Drives requests that are searched with beams: all beams advance together, one token a pass, each in
 * a slot of its own, and the best hypotheses are told when the search is over. Bans of tokens and
 * phrases, min_tokens and stops hold for every beam; nothing is drawn.
 */

import { ParlanceError } from '../../contract/errors.ts';
import {
  bestHypotheses,
  startBeams,
  stepBeams,
  topCandidates,
  type BeamRules,
  type BeamSearch,
  type Candidate,
} from '../beam/index.ts';
import {
  compileBadPhrases,
  rawLogprobs,
  type BadPhrases,
  type PhraseState,
} from '../sampler/index.ts';
import type { CopySequence, Driver, Ready, ToldStep } from './active-request.ts';
import {
  startAnswer,
  stepAnswer,
  type AnswerPart,
  type AnswerRules,
  type AnswerState,
} from './answer-text.ts';
import type { Sequence } from './sequence.ts';

/** What a beam has said, last part first; beams share their beginnings. */
interface Said {
  readonly part: AnswerPart;
  readonly before: Said | null;
}

interface BeamState {
  readonly answer: AnswerState;
  readonly bad: PhraseState;
  readonly said: Said | null;
}

export class BeamDriver implements Driver {
  readonly together = true;
  readonly constrained = null;
  readonly #rules: AnswerRules;
  readonly #choices: number;
  readonly #phrases: BadPhrases;
  readonly #banned: ReadonlySet<number>;
  readonly #ends: ReadonlySet<number>;
  #search: BeamSearch<BeamState>;
  /** The sequences of the live beams, in their order. */
  #live: Sequence[] = [];

  constructor(rules: AnswerRules, beam: BeamRules) {
    const { sampling, vocabulary } = rules;
    this.#rules = rules;
    this.#choices = beam.choices;
    this.#phrases = compileBadPhrases(sampling, vocabulary);
    this.#banned = new Set(sampling.badTokenIds);
    this.#ends = new Set([...vocabulary.eosIds, ...sampling.stopTokenIds]);
    this.#search = startBeams(beam, {
      answer: startAnswer(rules),
      bad: this.#phrases.start(),
      said: null,
    });
  }

  room(): number {
    return 0;
  }

  draft(): readonly number[] {
    return [];
  }

  advance(ready: readonly Ready[], copy: CopySequence): ToldStep[] {
    if (this.#live.length === 0) this.#live = ready.slice(0, 1).map(({ sequence }) => sequence);
    const rows = this.#live.map((sequence) => this.#rowOf(sequence, ready));
    const { width } = this.#search.rules;
    // Enough that `width` live on though every token that can end an answer is among the best.
    const count = width + Math.max(width, this.#ends.size);
    const candidates = this.#search.live.map(({ state }, beam) =>
      topCandidates(rows[beam] as Float32Array, count, (token) => this.#allows(state, token)),
    );
    const step = stepBeams(this.#search, candidates, (state, candidate, parent) =>
      this.#extend(state, candidate, rows[parent] as Float32Array),
    );
    this.#search = step.search;
    if (step.done) return this.#end(ready[0]?.sequence.request.sequences ?? []);
    this.#follow(step.parents, copy);
    return [];
  }

  #rowOf(sequence: Sequence, ready: readonly Ready[]): Float32Array {
    const row = ready.find((one) => one.sequence === sequence)?.rows.row(0);
    if (row === undefined) throw new ParlanceError('internal', 'A beam was not computed.');
    return row;
  }

  #allows({ answer, bad }: BeamState, token: number): boolean {
    if (this.#banned.has(token)) return false;
    if (answer.tokens < this.#rules.sampling.minTokens && this.#ends.has(token)) return false;
    return !this.#phrases.completes(bad, token);
  }

  #extend(state: BeamState, { token, logprob }: Candidate, row: Float32Array) {
    const { topLogprobs } = this.#rules.sampling;
    const told =
      topLogprobs === null ? { logprob, top: null } : rawLogprobs(row, token, topLogprobs);
    const next = stepAnswer(this.#rules, state.answer, { token, ...told });
    return {
      state: {
        answer: next.state,
        bad: this.#phrases.next(state.bad, token),
        said: { part: next.part, before: state.said },
      },
      // A beam at the limit of tokens is the search's own business.
      ends: next.part.finish?.reason === 'stop',
    };
  }

  /** The first child of a beam goes on in its sequence, the others in copies of it. */
  #follow(parents: readonly number[], copy: CopySequence): void {
    const before = this.#live;
    const kept = new Set(parents.map((parent) => before[parent]));
    const all = before[0]?.request.sequences ?? [];
    const spare = all.filter((sequence) => !kept.has(sequence));
    const used = new Set<Sequence>();
    this.#live = parents.map((parent) => {
      const source = before[parent] as Sequence;
      if (!used.has(source)) {
        used.add(source);
        return source;
      }
      const sequence = spare.pop();
      if (sequence === undefined) throw new ParlanceError('internal', 'Beams ran out of slots.');
      copy(source, sequence);
      return sequence;
    });
    this.#search.live.forEach(({ path }, beam) => {
      const token = path?.candidate.token;
      if (token !== undefined) this.#live[beam]?.append(token);
    });
    for (const sequence of all) sequence.idle = !this.#live.includes(sequence);
  }

  #end(sequences: readonly Sequence[]): ToldStep[] {
    for (const sequence of sequences) sequence.done = true;
    const best = bestHypotheses(this.#search);
    if (best.length < this.#choices) {
      throw new ParlanceError(
        'invalid_value',
        `The bans of this request left ${best.length} of ${this.#choices} answers possible; ban less or ask for fewer.`,
      );
    }
    const others = this.#search.finished.slice(this.#choices);
    const untold = others.reduce((sum, { length }) => sum + length, 0);
    return best.map(({ state }, choice) => ({
      ...this.#toStep(state),
      choice,
      ...(choice === this.#choices - 1 && untold > 0 ? { untoldTokens: untold } : {}),
    }));
  }

  #toStep({ answer, said }: BeamState): Omit<ToldStep, 'choice'> {
    const parts: AnswerPart[] = [];
    for (let one = said; one !== null; one = one.before) parts.unshift(one.part);
    const finish = parts.at(-1)?.finish ?? null;
    return {
      text: parts.map(({ text }) => text).join(''),
      ...(this.#rules.sampling.topLogprobs === null
        ? {}
        : { logprobs: parts.flatMap(({ logprobs }) => logprobs) }),
      tokens: answer.tokens,
      ...(finish === null ? {} : { finish }),
    };
  }
}
