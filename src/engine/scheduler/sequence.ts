/**
 * One choice of one request on its way: how much of it the KV cache holds, what comes next, and how
 * a row of logits becomes text. The scheduler owns it and moves it between slots; it knows no other
 * sequence and never touches the decoder.
 */

import type { Vocabulary } from '../llama/decoder.ts';
import type { ChoiceStep, Finish, Sampling, TokenLogprob } from '../protocol.ts';
import { createSampler, type Sampled, type Sampler } from '../sampler/index.ts';
import { startText, toLogprob, type CompiledRules, type TextAssembler } from '../text/index.ts';

/** A request that was accepted and is not over. */
export interface ActiveRequest {
  readonly id: number;
  readonly sampling: Sampling;
  /** Its stop strings, prepared once for all choices. */
  readonly textRules: CompiledRules;
  readonly promptTokens: readonly number[];
  readonly maxTokens: number;
  /** How often each step of a sequence is told: greedy choices are all the same, so one is run. */
  readonly copies: number;
  readonly sequences: readonly Sequence[];
}

/** A piece of a step that is the same for all copies of a choice. */
export type StepPart = Omit<ChoiceStep, 'id' | 'choice'>;

export class Sequence {
  readonly request: ActiveRequest;
  readonly choice: number;
  /** Null before the first step and after the last. */
  slot: number | null = null;
  /** Tokens that the slot holds. */
  cachedTokens = 0;
  done = false;
  #generated = 0;
  #pending = 0;
  #sampler: Sampler | null = null;
  readonly #assembler: TextAssembler;

  constructor(request: ActiveRequest, choice: number) {
    this.request = request;
    this.choice = choice;
    this.#assembler = startText(request.textRules);
  }

  get prefilling(): boolean {
    return this.cachedTokens < this.request.promptTokens.length;
  }

  get promptTokensLeft(): number {
    return Math.max(0, this.request.promptTokens.length - this.cachedTokens);
  }

  /** The next tokens to compute: up to `limit` of the prompt, or the one sampled last. */
  nextTokens(limit: number): readonly number[] {
    if (!this.prefilling) return [this.#pending];
    return this.request.promptTokens.slice(this.cachedTokens, this.cachedTokens + limit);
  }

  /** Samples the next token and says what it adds to the answer. */
  advance(logits: Float32Array, vocabulary: Vocabulary): StepPart {
    const { request } = this;
    this.#sampler ??= createSampler(request.sampling, {
      vocabSize: vocabulary.size,
      eosIds: vocabulary.eosIds,
      promptTokens: request.promptTokens,
      choice: this.choice,
    });
    const sampled = this.#sampler.sample(logits);
    this.#pending = sampled.token;
    this.#generated += 1;
    const part = this.#toStep(sampled, vocabulary);
    this.done = part.finish !== undefined;
    return part;
  }

  #toStep(sampled: Sampled, vocabulary: Vocabulary): StepPart {
    const { sampling } = this.request;
    const { token } = sampled;
    const end = findEnd(token, sampling, vocabulary.eosIds);
    const texts: string[] = [];
    const logprobs: TokenLogprob[] = [];
    let finish: Finish | undefined = end ?? undefined;

    // An end token adds no text, unless the caller named it and wants to see what matched.
    if (end === null || (end.stopReason !== null && sampling.includeStop)) {
      const piece = vocabulary.piece(token, !sampling.skipSpecialTokens);
      const named = describeToken(sampled, vocabulary);
      const pushed = this.#assembler.push(piece, named);
      texts.push(pushed.text);
      logprobs.push(...pushed.logprobs);
      if (pushed.matched !== null) {
        return this.#part(texts, logprobs, { reason: 'stop', stopReason: pushed.matched });
      }
    }
    if (finish === undefined && this.#generated >= this.request.maxTokens) {
      finish = { reason: 'length', stopReason: null };
    }
    if (finish !== undefined) {
      const rest = this.#assembler.end();
      texts.push(rest.text);
      logprobs.push(...rest.logprobs);
    }
    return this.#part(texts, logprobs, finish);
  }

  #part(texts: readonly string[], logprobs: TokenLogprob[], finish: Finish | undefined): StepPart {
    return {
      text: texts.join(''),
      ...(this.request.sampling.topLogprobs === null ? {} : { logprobs }),
      tokens: this.#generated,
      ...(finish === undefined ? {} : { finish }),
    };
  }
}

/** Tokens that the caller named end always, the model's own ones unless they are ignored. */
function findEnd(token: number, sampling: Sampling, eosIds: readonly number[]): Finish | null {
  if (sampling.stopTokenIds.includes(token)) return { reason: 'stop', stopReason: token };
  if (!sampling.ignoreEos && eosIds.includes(token)) return { reason: 'stop', stopReason: null };
  return null;
}

function describeToken(sampled: Sampled, vocabulary: Vocabulary): TokenLogprob | undefined {
  if (sampled.logprob === null) return undefined;
  const named = (token: number, logprob: number) =>
    toLogprob(vocabulary.piece(token, true), logprob);
  return {
    ...named(sampled.token, sampled.logprob),
    top: (sampled.top ?? []).map(({ token, logprob }) => named(token, logprob)),
  };
}
