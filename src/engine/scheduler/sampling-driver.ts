/**
 * Drives requests that are sampled: each sequence is a choice of its own. The choices are told as they
 * go, or, where more are generated than asked for, the best of them when all are over.
 */

import { ParlanceError } from '../../contract/errors.ts';
import { isGreedy } from '../sampler/index.ts';
import { createNgramDrafter } from '../speculation/index.ts';
import type { PreparedConstraint } from '../constraints/index.ts';
import type { ConstrainedDriver, Driver, Ready, ToldStep } from './active-request.ts';
import type { AnswerRules } from './answer-text.ts';
import { Choice, type ChoicePart } from './choice.ts';
import { ConstrainedChoice } from './constrained-choice.ts';
import type { Sequence } from './sequence.ts';

export interface SamplingPlan {
  readonly rules: AnswerRules;
  readonly promptTokens: readonly number[];
  /** Choices that are told. */
  readonly choices: number;
  /** Choices that count as generated, at least as many. */
  readonly bestOf: number;
  readonly prediction: readonly number[] | null;
  readonly constraint: PreparedConstraint | null;
  /** Forced tokens that one pass gives log-probabilities of. */
  readonly forcedInPass: number;
  /** Drafts are of use. */
  readonly speculation: boolean;
}

/** Sequences that must be run: greedy choices are all the same, so one stands for them. */
export const sequencesNeeded = ({ rules, bestOf }: SamplingPlan): number =>
  isGreedy(rules.sampling) ? 1 : bestOf;

/** All that was said of a choice whose request is told at the end. */
interface Kept {
  readonly choice: Choice | ConstrainedChoice;
  readonly parts: ChoicePart[];
}

export class SamplingDriver implements Driver {
  readonly together = false;
  readonly constrained: ConstrainedDriver | null;
  readonly #plan: SamplingPlan;
  readonly #kept: readonly Kept[];
  /** How often each choice is told. */
  readonly #copies: number;
  readonly #atEnd: boolean;
  #open: number;

  constructor(plan: SamplingPlan) {
    this.#plan = plan;
    const needed = sequencesNeeded(plan);
    this.#copies = needed === 1 ? plan.choices : 1;
    this.#atEnd = plan.bestOf > plan.choices && needed > 1;
    this.#open = needed;
    this.#kept = Array.from({ length: needed }, (_, choice) => ({
      choice: this.#createChoice(choice),
      parts: [],
    }));
    this.constrained = plan.constraint === null ? null : this.#constrained();
  }

  #createChoice(choice: number): Choice | ConstrainedChoice {
    const { rules, promptTokens, constraint, speculation, prediction, forcedInPass } = this.#plan;
    const options = { rules, promptTokens, choice, needLogprob: this.#atEnd };
    if (constraint === null) return new Choice(options);
    const drafts = speculation ? { prediction } : null;
    return new ConstrainedChoice({ ...options, session: constraint.open(), drafts, forcedInPass });
  }

  #constrained(): ConstrainedDriver {
    const choiceOf = (sequence: Sequence): ConstrainedChoice | null => {
      const choice = this.#choiceOf(sequence);
      return choice instanceof ConstrainedChoice ? choice : null;
    };
    return {
      awaits: (sequence) => choiceOf(sequence)?.awaits ?? false,
      settle: (sequence, patience) =>
        this.#tell(sequence, choiceOf(sequence)?.settle(sequence, patience) ?? null),
      close: () => {
        for (const { choice } of this.#kept) {
          if (choice instanceof ConstrainedChoice) choice.close();
        }
        this.#plan.constraint?.release();
      },
    };
  }

  room(sequence: Sequence): number {
    const choice = this.#choiceOf(sequence);
    if (choice instanceof ConstrainedChoice) return choice.drafts.length;
    return this.#plan.rules.maxTokens - this.#choiceOf(sequence).tokens - 1;
  }

  draft(sequence: Sequence, most: number): readonly number[] {
    const choice = this.#choiceOf(sequence);
    if (choice instanceof ConstrainedChoice) return choice.drafts.slice(0, most);
    choice.drafter ??= createNgramDrafter(sequence.tokens, this.#plan.prediction);
    return choice.drafter.draft(most);
  }

  /** Begins the answer with tokens that another request has drawn. */
  prime(sequence: Sequence, tokens: readonly number[]): ToldStep[] {
    const choice = this.#choiceOf(sequence);
    // Admission lets no constraint and no handed context together.
    if (choice instanceof ConstrainedChoice) return [];
    return this.#tell(sequence, choice.prime(sequence, tokens));
  }

  advance(ready: readonly Ready[]): ToldStep[] {
    return ready.flatMap(({ sequence, rows }) =>
      this.#tell(sequence, this.#choiceOf(sequence).advance(sequence, rows)),
    );
  }

  #tell(sequence: Sequence, part: ChoicePart | null): ToldStep[] {
    if (part === null) return [];
    if (part.finish !== null) {
      sequence.done = true;
      this.#open -= 1;
    }
    if (this.#atEnd) {
      this.#kept[sequence.index]?.parts.push(part);
      return this.#open === 0 ? this.#tellBest() : [];
    }
    const choice = this.#choiceOf(sequence);
    const step = this.#toStep([part], choice);
    return Array.from({ length: this.#copies }, (_, copy) => ({
      ...step,
      ...(copy === this.#copies - 1 ? this.#untold(part, choice.tokens) : {}),
      choice: sequence.index + copy,
    }));
  }

  /** Greedy choices beyond those told are generated in name only, and are counted. */
  #untold(part: ChoicePart, tokens: number): { untoldTokens?: number } {
    const { bestOf, choices } = this.#plan;
    if (part.finish === null || bestOf === choices) return {};
    return { untoldTokens: (bestOf - choices) * tokens };
  }

  /** The choices with the highest mean raw logprob, best first; the lower index between equals. */
  #tellBest(): ToldStep[] {
    const { choices } = this.#plan;
    const ranked = this.#kept.toSorted((a, b) => b.choice.meanLogprob - a.choice.meanLogprob);
    const untold = ranked.slice(choices).reduce((sum, { choice }) => sum + choice.tokens, 0);
    return ranked.slice(0, choices).map(({ choice, parts }, index) => ({
      ...this.#toStep(parts, choice),
      choice: index,
      ...(index === choices - 1 ? { untoldTokens: untold } : {}),
    }));
  }

  #toStep(
    parts: readonly ChoicePart[],
    choice: Choice | ConstrainedChoice,
  ): Omit<ToldStep, 'choice'> {
    const finish = parts.at(-1)?.finish ?? null;
    const { verified, accepted } = choice;
    return {
      text: parts.map(({ text }) => text).join(''),
      ...(this.#plan.rules.sampling.topLogprobs === null
        ? {}
        : { logprobs: parts.flatMap(({ logprobs }) => logprobs) }),
      tokens: choice.tokens,
      ...(finish === null ? {} : { finish }),
      ...(finish === null || verified === 0 ? {} : { drafts: { verified, accepted } }),
    };
  }

  #choiceOf(sequence: Sequence): Choice | ConstrainedChoice {
    const kept = this.#kept[sequence.index];
    if (kept === undefined) {
      throw new ParlanceError('internal', `There is no choice ${sequence.index}.`);
    }
    return kept.choice;
  }
}
