/**
 * Whether a request can be run at all: tokenises its prompt, checks token IDs and lengths, and works
 * out the limit of tokens. Pure but for the vocabulary; the scheduler calls it on arrival.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { Decoder, Vocabulary } from '../llama/decoder.ts';
import type { Accepted, GenerateRequest } from '../protocol.ts';
import { checkSampling, checkTokenIds, pieceIndexOf } from '../sampler/index.ts';

export interface Admission {
  readonly promptTokens: readonly number[];
  readonly accepted: Accepted;
}

/**
 * Throws `invalid_token_id`, `context_length_exceeded`, `conflicting_fields` or `invalid_value`, each
 * with the parameter at fault. The decoder is asked for its sizes only.
 */
export function admitRequest(
  request: GenerateRequest,
  { vocabulary, context, slots }: Pick<Decoder, 'vocabulary' | 'context' | 'slots'>,
): Admission {
  const { sampling } = request;
  checkSampling(sampling, vocabulary.size);
  checkBeams(request, slots);
  checkConstraint(request);
  checkHandover(request, vocabulary.size);
  checkTextLength(request, vocabulary, context);

  const whole = readPrompt(request, vocabulary);
  const keep = request.truncatePromptTokens ?? whole.length;
  const promptTokens = keep < whole.length ? whole.slice(whole.length - keep) : whole;
  if (promptTokens.length >= context) {
    throw new ParlanceError(
      'context_length_exceeded',
      `The prompt is ${promptTokens.length} tokens long, and the context of this model here is ` +
        `${context} tokens for prompt and answer together. Shorten it, or cut it: ` +
        `truncate_prompt_tokens may be up to ${context - 1}.`,
      'tokens' in request.prompt ? { param: 'prompt' } : {},
    );
  }
  const left = context - promptTokens.length;
  // A held context goes no further than its first token; the rest is the next request's.
  const holds = request.handover?.type === 'hold';
  const asked = holds ? 1 : sampling.maxTokens;
  const maxTokens = Math.min(asked ?? sampling.defaultMaxTokens, left);
  if (!holds && sampling.minTokens > maxTokens) {
    throw tooManyAtLeast(sampling.minTokens, maxTokens, left);
  }
  checkLogprobs(request, maxTokens);
  const accepted: Accepted = {
    promptTokens: promptTokens.length,
    truncatedTokens: whole.length - promptTokens.length,
    maxTokens,
    maxTokensReduced: !holds && sampling.maxTokens !== null && maxTokens < sampling.maxTokens,
  };
  if (!request.dryRun) return { promptTokens, accepted };
  return { promptTokens, accepted: { ...accepted, prompt: spellOut(promptTokens, vocabulary) } };
}

/** Log-probabilities of one answer that are kept or sent together, about 100 bytes each. */
const mostLogprobs = 2_000_000;

function checkLogprobs({ sampling, bestOf }: GenerateRequest, maxTokens: number): void {
  if (sampling.topLogprobs === null) return;
  const count = bestOf * maxTokens * (1 + sampling.topLogprobs);
  if (count <= mostLogprobs) return;
  throw new ParlanceError(
    'invalid_value',
    `top_logprobs: ${bestOf} choices of up to ${maxTokens} tokens with ${sampling.topLogprobs} alternatives each ` +
      `are ${count} log-probabilities, and at most ${mostLogprobs} are given in one answer; ` +
      'ask for fewer choices, fewer top_logprobs or a lower max_tokens.',
    { param: 'top_logprobs' },
  );
}

/** Beams live side by side, so there must be a slot for each. */
function checkBeams({ beam, bestOf, choices }: GenerateRequest, slots: number): void {
  if (beam === null || bestOf <= slots) return;
  const field = bestOf === choices ? 'n' : 'best_of';
  throw new ParlanceError(
    'invalid_value',
    `${field}: beam search with ${bestOf} beams needs as many slots, and this deployment has ${slots}; ` +
      'ask for fewer beams, or deploy the model with more `slots`.',
    { param: field },
  );
}

function checkConstraint({ constraint, beam, handover }: GenerateRequest): void {
  if (constraint === null) return;
  if (beam !== null) {
    throw new ParlanceError(
      'conflicting_fields',
      'use_beam_search: beams are not searched under a constraint; leave out use_beam_search (best_of works), or the constraint.',
      { param: 'use_beam_search' },
    );
  }
  if (handover !== null) {
    throw new ParlanceError(
      'conflicting_fields',
      'disaggregated_params: a text under a constraint is not handed over; leave out one of the two.',
      { param: 'disaggregated_params' },
    );
  }
}

function checkHandover(request: GenerateRequest, vocabSize: number): void {
  const { handover } = request;
  if (handover === null) return;
  if (request.choices !== 1 || request.bestOf !== 1 || request.beam !== null) {
    throw new ParlanceError(
      'conflicting_fields',
      'disaggregated_params: a context is handed over for one choice; leave out n, best_of and use_beam_search.',
      { param: 'disaggregated_params' },
    );
  }
  if (handover.type !== 'hold') {
    checkTokenIds('disaggregated_params.first_gen_tokens', handover.firstTokens, vocabSize);
  }
}

/** Characters for each token of the context that need no closer look. */
const plainCharacters = 16;
/** A text that is to be cut may be so many times as long as one that is not, and always so long. */
const cutTextShare = 4;
const cutTextLeast = 1_000_000;

/**
 * Refuses a text that is too long whatever its tokens are: a megabyte takes a second or two to tokenise,
 * and no other request gets on meanwhile.
 */
function checkTextLength(
  { prompt, truncatePromptTokens }: GenerateRequest,
  vocabulary: Vocabulary,
  context: number,
): void {
  if (!('text' in prompt) || prompt.text.length <= plainCharacters * context) return;
  const isCut = truncatePromptTokens !== null;
  const holds = context * pieceIndexOf(vocabulary, true).longest;
  const most = isCut ? Math.max(cutTextShare * holds, cutTextLeast) : holds;
  if (prompt.text.length <= most) return;
  throw new ParlanceError(
    'context_length_exceeded',
    `The prompt is ${prompt.text.length} characters long, and the context of this model here is ` +
      `${context} tokens for prompt and answer together. ` +
      (isCut
        ? `truncate_prompt_tokens cuts texts of up to ${most} characters; send the end of it only.`
        : 'Shorten it.'),
  );
}

/** The contract has judged `min_tokens` by the limit that was sent; this is the limit that counts. */
function tooManyAtLeast(minTokens: number, maxTokens: number, left: number): ParlanceError {
  const why =
    maxTokens === left
      ? `the context has ${left} tokens left behind the prompt; lower it or shorten the prompt`
      : `without \`max_tokens\` the answer ends after ${maxTokens} tokens; lower it or send \`max_tokens\``;
  return new ParlanceError('conflicting_fields', `min_tokens: ${minTokens} is too much, ${why}.`, {
    param: 'min_tokens',
  });
}

function readPrompt({ prompt }: GenerateRequest, vocabulary: Vocabulary): readonly number[] {
  if ('tokens' in prompt) checkTokenIds('prompt', prompt.tokens, vocabulary.size);
  const tokens =
    'tokens' in prompt ? prompt.tokens : vocabulary.tokenize(prompt.text, prompt.addSpecial);
  if (tokens.length > 0) return tokens;
  if (vocabulary.bosId !== null) return [vocabulary.bosId];
  throw new ParlanceError(
    'invalid_value',
    'prompt: it has no tokens, and this model has no token to begin a text with; give at least one.',
    { param: 'prompt' },
  );
}

function spellOut(tokens: readonly number[], vocabulary: Vocabulary): string {
  return Buffer.concat(tokens.map((token) => vocabulary.piece(token, true))).toString('utf8');
}
