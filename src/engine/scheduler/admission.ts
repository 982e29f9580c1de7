/**
 * Whether a request can be run at all: tokenises its prompt, checks token IDs and lengths, and works
 * out the limit of tokens. Pure but for the vocabulary; the scheduler calls it on arrival.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { Vocabulary } from '../llama/decoder.ts';
import type { Accepted, GenerateRequest } from '../protocol.ts';
import { checkSampling, checkTokenIds } from '../sampler/index.ts';

export interface Admission {
  readonly promptTokens: readonly number[];
  readonly accepted: Accepted;
}

/**
 * Throws `invalid_token_id`, `context_length_exceeded`, `conflicting_fields` or `invalid_value`, each
 * with the parameter at fault. `context` is the number of tokens that one slot holds, prompt and output together.
 */
export function admitRequest(
  request: GenerateRequest,
  vocabulary: Vocabulary,
  context: number,
): Admission {
  const { sampling } = request;
  checkSampling(sampling, vocabulary.size);

  const whole = readPrompt(request, vocabulary);
  const keep = request.truncatePromptTokens ?? whole.length;
  const promptTokens = keep < whole.length ? whole.slice(whole.length - keep) : whole;
  if (promptTokens.length >= context) {
    throw new ParlanceError(
      'context_length_exceeded',
      `The prompt is ${promptTokens.length} tokens long, and the context of this model here is ` +
        `${context} tokens for prompt and answer together. Shorten it, or cut it with truncate_prompt_tokens.`,
      'tokens' in request.prompt ? { param: 'prompt' } : {},
    );
  }
  const left = context - promptTokens.length;
  const maxTokens = Math.min(sampling.maxTokens ?? sampling.defaultMaxTokens, left);
  if (sampling.minTokens > maxTokens) throw tooManyAtLeast(sampling.minTokens, maxTokens, left);
  const accepted: Accepted = {
    promptTokens: promptTokens.length,
    truncatedTokens: whole.length - promptTokens.length,
    maxTokens,
    maxTokensReduced: sampling.maxTokens !== null && maxTokens < sampling.maxTokens,
  };
  if (!request.dryRun) return { promptTokens, accepted };
  return { promptTokens, accepted: { ...accepted, prompt: spellOut(promptTokens, vocabulary) } };
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
