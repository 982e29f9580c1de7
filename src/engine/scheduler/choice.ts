/**
 * One choice that is sampled: its sampler, its answer so far, its drafts. The sampling driver has one
 * for each of the request's sequences.
 */

import { createSampler, type Sampler } from '../sampler/index.ts';
import type { NgramDrafter } from '../speculation/index.ts';
import type { Rows } from './active-request.ts';
import {
  startAnswer,
  stepAnswer,
  type AnswerPart,
  type AnswerRules,
  type AnswerState,
} from './answer-text.ts';
import type { Sequence } from './sequence.ts';

export interface ChoiceOptions {
  readonly rules: AnswerRules;
  readonly promptTokens: readonly number[];
  /** Index of the random stream. */
  readonly choice: number;
  readonly needLogprob: boolean;
}

/** What several tokens add to an answer. */
export interface ChoicePart extends AnswerPart {
  /** Tokens generated so far. */
  readonly tokens: number;
}

export class Choice {
  readonly #rules: AnswerRules;
  readonly #options: ChoiceOptions;
  #sampler: Sampler | null = null;
  #state: AnswerState;
  #logprobs = 0;
  verified = 0;
  accepted = 0;
  drafter: NgramDrafter | null = null;

  constructor(options: ChoiceOptions) {
    this.#rules = options.rules;
    this.#options = options;
    this.#state = startAnswer(options.rules);
  }

  get tokens(): number {
    return this.#state.tokens;
  }

  /** What ranks it among the choices of its request. */
  get meanLogprob(): number {
    return this.#state.tokens === 0 ? 0 : this.#logprobs / this.#state.tokens;
  }

  /** Takes tokens that were chosen elsewhere, as if they had been drawn here. */
  prime(sequence: Sequence, tokens: readonly number[]): ChoicePart {
    const parts: AnswerPart[] = [];
    for (const token of tokens) {
      this.#samplerNow().skip(token);
      sequence.append(token);
      if (this.#take({ token, logprob: null, top: null }, parts)) break;
    }
    return this.#joined(parts);
  }

  /**
   * Draws a token from each row as long as the draft before it was what was drawn, and appends them to
   * the sequence. Each row is drawn from exactly once, so drafts change nothing but the speed.
   */
  advance(sequence: Sequence, rows: Rows): ChoicePart {
    const { drafts } = sequence;
    const parts: AnswerPart[] = [];
    let taken = 0;
    for (let index = 0; index < rows.count; index += 1) {
      const sampled = this.#samplerNow().sample(rows.row(index));
      sequence.append(sampled.token);
      this.drafter?.append(sampled.token);
      this.#logprobs += sampled.logprob ?? 0;
      const asDrafted = drafts[index] === sampled.token;
      taken += asDrafted ? 1 : 0;
      sequence.done = this.#take(sampled, parts);
      if (sequence.done || !asDrafted) break;
    }
    this.verified += drafts.length;
    this.accepted += taken;
    sequence.drafts = [];
    if (sequence.done) this.#forget();
    return this.#joined(parts);
  }

  #take(sampled: Parameters<typeof stepAnswer>[2], parts: AnswerPart[]): boolean {
    const next = stepAnswer(this.#rules, this.#state, sampled);
    this.#state = next.state;
    parts.push(next.part);
    return next.part.finish !== null;
  }

  /** Of the choices that are over, which may be many, only the answers are kept. */
  #forget(): void {
    this.#sampler = null;
    this.drafter = null;
  }

  #joined(parts: readonly AnswerPart[]): ChoicePart {
    return {
      text: parts.map(({ text }) => text).join(''),
      logprobs: parts.flatMap(({ logprobs }) => logprobs),
      finish: parts.at(-1)?.finish ?? null,
      tokens: this.#state.tokens,
    };
  }

  #samplerNow(): Sampler {
    const { rules, promptTokens, choice, needLogprob } = this.#options;
    this.#sampler ??= createSampler(rules.sampling, {
      vocabulary: rules.vocabulary,
      promptTokens,
      choice,
      needLogprob,
    });
    return this.#sampler;
  }
}
