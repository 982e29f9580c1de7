/**
 * One choice whose text is under a constraint: like a plain choice, but each token is drawn from what
 * the constraint's session allows, forced stretches go in without a draw, and a dead end is left by
 * taking tokens back. What may have to be taken back is told to nobody. The sampling driver has one for
 * each sequence of a constrained request.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { Decoder } from '../llama/decoder.ts';
import type { ConstraintSession } from '../constraints/index.ts';
import { createSampler, type Sampled, type Sampler } from '../sampler/index.ts';
import { createNgramDrafter, type NgramDrafter } from '../speculation/index.ts';
import type { Rows } from './active-request.ts';
import {
  endAnswer,
  startAnswer,
  stepAnswer,
  type AnswerPart,
  type AnswerState,
} from './answer-text.ts';
import type { ChoiceOptions, ChoicePart } from './choice.ts';
import type { Sequence } from './sequence.ts';

export interface ConstrainedOptions extends ChoiceOptions {
  readonly session: ConstraintSession;
  /** Forced tokens that one pass gives log-probabilities of, at least 1. */
  readonly forcedInPass: number;
  /** Text that the answer may repeat; null = no drafts. */
  readonly drafts: { readonly prediction: readonly number[] | null } | null;
}

/** A token that has been taken, and how to take it back. */
interface Taken {
  readonly token: number;
  /** False: nothing else could have been taken. */
  readonly drawn: boolean;
  readonly logprob: number;
  readonly before: AnswerState;
  readonly part: AnswerPart;
}

/** Tokens that are kept back at most, and so can be taken back. */
const mostHeld = 128;
/** Dead ends after which a request is given up. */
const mostRetreats = 200;
const draftsAhead = 4;
const mostForcedInPass = 8;

/** Forced tokens with rows that each sequence may have in a pass, so that those of all slots fit. */
export const forcedInPass = ({ batchTokens, slots }: Pick<Decoder, 'batchTokens' | 'slots'>) =>
  Math.max(1, Math.min(mostForcedInPass, Math.floor(batchTokens / slots) - 1));

export class ConstrainedChoice {
  readonly #options: ConstrainedOptions;
  readonly #session: ConstraintSession;
  #state: AnswerState;
  #sampler: Sampler | null = null;
  #drafter: NgramDrafter | null = null;
  /** Everything generated, for a sampler that has to begin again. */
  #history: { readonly token: number; readonly drawn: boolean }[] = [];
  #logprobs = 0;
  #held: Taken[] = [];
  /** Taken by the session, and still to be computed with their rows. */
  #forced: readonly number[] = [];
  #looked: readonly number[] = [];
  /** By position: what led to a dead end. */
  readonly #except = new Map<number, Set<number>>();
  #retreats = 0;
  /** What the open question is; null = the view is taken in. */
  #asked: 'take' | 'look' | null = 'take';
  #ended = false;
  verified = 0;
  accepted = 0;

  constructor(options: ConstrainedOptions) {
    this.#options = options;
    this.#session = options.session;
    this.#state = startAnswer(options.rules);
  }

  get tokens(): number {
    return this.#state.tokens;
  }

  get meanLogprob(): number {
    return this.tokens === 0 ? 0 : this.#logprobs / this.tokens;
  }

  get awaits(): boolean {
    return this.#asked !== null;
  }

  get drafts(): readonly number[] {
    return this.#looked;
  }

  close(): void {
    this.#session.close();
    this.#sampler = null;
    this.#drafter = null;
  }

  /** Takes the rows of forced tokens, then draws as a plain choice does. */
  advance(sequence: Sequence, rows: Rows): ChoicePart | null {
    const { forced, drafts } = sequence;
    sequence.forced = [];
    sequence.drafts = [];
    for (const [index, token] of forced.entries()) {
      const sampled = this.#samplerNow().force(token, rows.row(index));
      if (this.#take(sequence, sampled, false)) return this.#finish(sequence);
    }
    if (this.#forced.length > 0) return this.#nextForced(sequence);
    if (this.#ended) return this.#finishComplete(sequence);
    return this.#draw(sequence, drafts, { rows, first: forced.length });
  }

  /** The session's answer, where it is there. Null where there is nothing to tell. */
  settle(sequence: Sequence, patience: number): ChoicePart | null {
    if (this.#asked === null) return null;
    if (!this.#session.ready && !this.#session.wait(patience)) return null;
    const { view } = this.#session;
    if (this.#asked === 'look') {
      this.#asked = null;
      this.#looked = this.#looked.slice(0, view.drafts);
      return null;
    }
    this.#asked = null;
    if (view.dead || this.#allTried(view.mask(0), view.complete)) {
      this.#retreat(sequence, view.forced.length);
      return null;
    }
    this.#ended = view.ended;
    if (this.#takeForced(sequence, view.forced)) return this.#finish(sequence);
    if (sequence.forced.length === 0) {
      if (view.ended) return this.#finishComplete(sequence);
      this.#lookAhead(sequence);
    }
    if (view.risky) return this.#tellOldest();
    return this.#held.length === 0 ? null : this.#tellAll(null);
  }

  /** Whether the answer is over. */
  #takeForced(sequence: Sequence, forced: readonly number[]): boolean {
    if (this.#needsRows) {
      this.#forced = forced;
      if (forced.length > 0) this.#nextForced(sequence);
      return false;
    }
    for (const token of forced) {
      if (this.#take(sequence, this.#samplerNow().force(token, null), false)) return true;
    }
    return false;
  }

  #nextForced(sequence: Sequence): null {
    const { forcedInPass: inPass, rules } = this.#options;
    // Behind the last token that the answer may have, the context may have no room.
    const most = Math.min(inPass, rules.maxTokens - this.tokens);
    sequence.forced = this.#forced.slice(0, most);
    this.#forced = this.#forced.slice(most);
    return null;
  }

  #draw(
    sequence: Sequence,
    drafts: readonly number[],
    { rows, first }: { readonly rows: Rows; readonly first: number },
  ): ChoicePart | null {
    const { view } = this.#session;
    const drawn: number[] = [];
    let verified = 0;
    for (let row = 0; first + row < rows.count && row <= view.drafts; row += 1) {
      const except = row === 0 ? (this.#except.get(this.tokens) ?? null) : null;
      const allowed = { mask: view.mask(row), except };
      const sampled = this.#samplerNow().sample(rows.row(first + row), allowed);
      drawn.push(sampled.token);
      if (this.#take(sequence, sampled, true)) return this.#finish(sequence);
      if (drafts[row] !== sampled.token || this.#looked[row] !== sampled.token) break;
      verified += 1;
    }
    this.verified += drafts.length;
    this.accepted += verified;
    this.#looked = [];
    this.#session.take(drawn);
    this.#asked = 'take';
    return null;
  }

  /** Whether the answer is over with it. */
  #take(sequence: Sequence, sampled: Sampled, drawn: boolean): boolean {
    const before = this.#state;
    const { state, part } = stepAnswer(this.#options.rules, before, sampled);
    const logprob = sampled.logprob ?? 0;
    this.#state = state;
    this.#logprobs += logprob;
    this.#history.push({ token: sampled.token, drawn });
    this.#held.push({ token: sampled.token, drawn, logprob, before, part });
    this.#drafter?.append(sampled.token);
    sequence.append(sampled.token);
    return part.finish !== null;
  }

  /** Every token that the mask has was tried here, and the text may not end. */
  #allTried(mask: Uint32Array, complete: boolean): boolean {
    const tried = this.#except.get(this.tokens);
    if (tried === undefined || complete) return false;
    return mask.every((word, index) => {
      let left = word;
      for (const id of tried) if (id >>> 5 === index) left &= ~(1 << (id & 31));
      return left === 0;
    });
  }

  /** Leaves a dead end: back to the last token that could have been another one. */
  #retreat(sequence: Sequence, untaken: number): void {
    this.#retreats += 1;
    const at = this.#held.findLastIndex(({ drawn }) => drawn);
    const wrong = this.#held[at];
    if (wrong === undefined || this.#retreats > mostRetreats) throw notMet();
    const count = this.#held.length - at;
    const position = this.tokens - count;
    for (const later of this.#except.keys()) if (later > position) this.#except.delete(later);
    const tried = this.#except.get(position) ?? new Set();
    this.#except.set(position, tried.add(wrong.token));
    for (const { logprob } of this.#held.slice(at)) this.#logprobs -= logprob;
    this.#held = this.#held.slice(0, at);
    this.#history = this.#history.slice(0, -count);
    this.#state = wrong.before;
    this.#sampler = null;
    this.#drafter = null;
    sequence.drop(count);
    this.#session.rewind(count + untaken);
    this.#asked = 'take';
  }

  #lookAhead(sequence: Sequence): void {
    const { drafts } = this.#options;
    if (drafts === null) return;
    this.#drafter ??= createNgramDrafter(sequence.tokens, drafts.prediction);
    const room = this.#options.rules.maxTokens - this.tokens - 1;
    const ahead = this.#drafter.draft(Math.min(draftsAhead, room));
    if (ahead.length === 0) return;
    this.#looked = ahead;
    this.#session.look(ahead);
    this.#asked = 'look';
  }

  /** The text is whole, and no token follows. */
  #finishComplete(sequence: Sequence): ChoicePart {
    const rest = endAnswer(this.#options.rules, this.#state);
    const finish = { reason: 'stop', stopReason: null } as const;
    return this.#finish(sequence, { ...rest, finish });
  }

  #finish(sequence: Sequence, last: AnswerPart | null = null): ChoicePart {
    sequence.done = true;
    sequence.forced = [];
    const part = this.#tellAll(last);
    this.close();
    return part;
  }

  #tellAll(last: AnswerPart | null): ChoicePart {
    const parts = this.#held.map(({ part }) => part);
    this.#held = [];
    this.#except.clear();
    return this.#joined(last === null ? parts : [...parts, last]);
  }

  /** What is too long ago to be taken back. */
  #tellOldest(): ChoicePart | null {
    const old = this.#held.length - mostHeld;
    if (old <= 0) return null;
    const parts = this.#held.slice(0, old).map(({ part }) => part);
    this.#held = this.#held.slice(old);
    return this.#joined(parts);
  }

  #joined(parts: readonly AnswerPart[]): ChoicePart {
    return {
      text: parts.map(({ text }) => text).join(''),
      logprobs: parts.flatMap(({ logprobs }) => logprobs),
      finish: parts.at(-1)?.finish ?? null,
      tokens: this.tokens,
    };
  }

  get #needsRows(): boolean {
    return this.#options.needLogprob || this.#options.rules.sampling.topLogprobs !== null;
  }

  #samplerNow(): Sampler {
    if (this.#sampler !== null) return this.#sampler;
    const { rules, promptTokens, choice, needLogprob } = this.#options;
    const { vocabulary } = rules;
    const sampler = createSampler(rules.sampling, {
      vocabulary,
      promptTokens,
      choice,
      needLogprob,
    });
    for (const { token, drawn } of this.#history) {
      if (drawn) sampler.skip(token);
      else sampler.force(token, null);
    }
    this.#sampler = sampler;
    return sampler;
  }
}

function notMet(): ParlanceError {
  return new ParlanceError(
    'constraint_not_met',
    'The model found no text that satisfies the constraint. Try again, with another seed or a simpler constraint.',
  );
}
