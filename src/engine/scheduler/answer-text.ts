/**
 * What a chosen token means for the answer: its text, its log-probabilities, whether the answer ends
 * with it. A pure step over a state that may be copied, so that a beam can go on in several ways. The
 * drivers of sampling and of beam search use it.
 */

import type { Vocabulary } from '../llama/decoder.ts';
import type { Finish, Sampling, TokenLogprob } from '../protocol.ts';
import type { Sampled } from '../sampler/index.ts';
import {
  initialText,
  stepText,
  toLogprob,
  type CompiledRules,
  type TextState,
} from '../text/index.ts';

export interface AnswerRules {
  readonly sampling: Sampling;
  readonly text: CompiledRules;
  /** Tokens after which the answer ends. */
  readonly maxTokens: number;
  readonly vocabulary: Vocabulary;
  /** Special tokens that are shown whatever the sampling says. */
  readonly shown: ReadonlySet<number>;
}

export interface AnswerState {
  readonly text: TextState;
  /** Tokens so far, the end token included. */
  readonly tokens: number;
  /** The last token was a special one that is shown. */
  readonly afterSpecial: boolean;
}

export interface AnswerPart {
  readonly text: string;
  /** Only where they were asked for. */
  readonly logprobs: readonly TokenLogprob[];
  readonly finish: Finish | null;
}

export const startAnswer = (rules: AnswerRules): AnswerState => ({
  text: initialText(rules.text),
  tokens: 0,
  afterSpecial: false,
});

/** The next state, and what the token adds to the answer. Pure. */
export function stepAnswer(
  rules: AnswerRules,
  state: AnswerState,
  sampled: Sampled,
): { readonly state: AnswerState; readonly part: AnswerPart } {
  const { sampling, vocabulary } = rules;
  const tokens = state.tokens + 1;
  const end = findEnd(sampled.token, sampling, vocabulary.eosIds);
  let text = state.text;
  let afterSpecial = false;
  const out: { text: string; logprobs: readonly TokenLogprob[] }[] = [];
  const done = (finish: Finish | null) => ({
    state: { text, tokens, afterSpecial },
    part: {
      text: out.map((one) => one.text).join(''),
      logprobs: out.flatMap((one) => one.logprobs),
      finish,
    },
  });

  // An end token adds no text, unless the caller named it and wants to see what matched.
  if (end === null || (end.stopReason !== null && sampling.includeStop)) {
    const shown = showToken(sampled.token, rules, state.afterSpecial);
    afterSpecial = shown.special;
    const logprob = describeToken(sampled, rules);
    const next = stepText(rules.text, text, { type: 'token', piece: shown.piece, logprob });
    text = next.state;
    out.push(next.parts);
    if (next.parts.matched !== null) {
      return done({ reason: 'stop', stopReason: next.parts.matched });
    }
  }
  const finish = end ?? (tokens >= rules.maxTokens ? atLimit : null);
  if (finish !== null) {
    const rest = stepText(rules.text, text, { type: 'end' });
    text = rest.state;
    out.push(rest.parts);
  }
  return done(finish);
}

/** What was held for stop strings, where the answer ends behind its last token. Pure. */
export function endAnswer(rules: AnswerRules, state: AnswerState): Omit<AnswerPart, 'finish'> {
  const { text, logprobs } = stepText(rules.text, state.text, { type: 'end' }).parts;
  return { text, logprobs };
}

const atLimit: Finish = { reason: 'length', stopReason: null };
const space = Uint8Array.of(0x20);

function showToken(token: number, rules: AnswerRules, afterSpecial: boolean) {
  const { sampling, vocabulary, shown } = rules;
  const piece = vocabulary.piece(token, !sampling.skipSpecialTokens || shown.has(token));
  if (sampling.skipSpecialTokens || !sampling.spacesBetweenSpecialTokens) {
    return { piece, special: false };
  }
  const special = piece.length > 0 && vocabulary.piece(token, false).length === 0;
  const apart = special && afterSpecial;
  return { piece: apart ? Uint8Array.from([...space, ...piece]) : piece, special };
}

/** Tokens that the caller named end always, the model's own ones unless they are ignored. */
function findEnd(token: number, sampling: Sampling, eosIds: readonly number[]): Finish | null {
  if (sampling.stopTokenIds.includes(token)) return { reason: 'stop', stopReason: token };
  if (!sampling.ignoreEos && eosIds.includes(token)) return { reason: 'stop', stopReason: null };
  return null;
}

function describeToken(
  { token, logprob, top }: Sampled,
  { sampling, vocabulary }: AnswerRules,
): TokenLogprob | undefined {
  if (logprob === null || sampling.topLogprobs === null) return undefined;
  const named = (id: number, value: number) => toLogprob(vocabulary.piece(id, true), value);
  return {
    ...named(token, logprob),
    top: (top ?? []).map((one) => named(one.token, one.logprob)),
  };
}
