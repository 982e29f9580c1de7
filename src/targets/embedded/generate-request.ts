/** From a request in normal form to what the engine is asked: every default is filled in here. */

import type { ChatRequest, Parameters } from '../../contract/index.ts';
import {
  neutralRequest,
  type BeamOptions,
  type GenerateRequest,
  type Sampling,
} from '../../engine/index.ts';

import type { PreparedRequest } from './prepare-request.ts';

/** What chat clients expect when they name no limit; and clients of raw completions. */
const defaultMaxTokens = { messages: 4096, prompt: 16 } as const;

export function toGenerateRequest(
  request: ChatRequest,
  prepared: Pick<PreparedRequest, 'prompt' | 'constraint' | 'shownSpecials' | 'readsStops'>,
): GenerateRequest {
  const { parameters, input } = request;
  const { prompt: text, constraint, shownSpecials, readsStops } = prepared;
  const sampling = toSampling(parameters, defaultMaxTokens[input.kind]);
  const addSpecial = parameters.add_special_tokens ?? input.kind === 'prompt';
  return {
    ...neutralRequest,
    prompt: typeof text === 'string' ? { text, addSpecial } : { tokens: text },
    truncatePromptTokens: parameters.truncate_prompt_tokens ?? null,
    choices: parameters.n ?? 1,
    bestOf: parameters.best_of ?? parameters.n ?? 1,
    beam: parameters.use_beam_search === true ? toBeam(parameters) : null,
    sampling: readsStops ? { ...sampling, stop: [] } : sampling,
    constraint,
    shownSpecials,
    prediction: toPrediction(parameters.prediction),
    priority: parameters.priority ?? 0,
    cacheSalt: parameters.cache_salt ?? null,
    dryRun: request.dryRun,
  };
}

function toBeam(parameters: Parameters): BeamOptions {
  return {
    lengthPenalty: parameters.length_penalty ?? 1,
    earlyStopping: parameters.early_stopping ?? false,
  };
}

/** Parts follow each other without anything between them: it is one text in pieces. */
function toPrediction(prediction: Parameters['prediction']): string | null {
  if (prediction === undefined) return null;
  const { content } = prediction;
  if (typeof content === 'string') return content;
  return content.map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}

function toSampling(parameters: Parameters, defaultMaxTokens: number): Sampling {
  return {
    ...toFilters(parameters),
    ...toEnds(parameters),
    seed: parameters.seed === undefined ? null : String(parameters.seed),
    frequencyPenalty: parameters.frequency_penalty ?? 0,
    presencePenalty: parameters.presence_penalty ?? 0,
    repetitionPenalty: parameters.repetition_penalty ?? 1,
    logitBias: Object.entries(parameters.logit_bias ?? {}).map(([id, bias]) => [Number(id), bias]),
    badTokenIds: once(parameters.bad_token_ids),
    bad: [parameters.bad ?? []].flat(),
    minTokens: parameters.min_tokens ?? 0,
    maxTokens: parameters.max_tokens ?? null,
    defaultMaxTokens,
    skipSpecialTokens: parameters.skip_special_tokens ?? true,
    spacesBetweenSpecialTokens: parameters.spaces_between_special_tokens ?? true,
    topLogprobs: parameters.logprobs ? (parameters.top_logprobs ?? 0) : null,
  };
}

/** Each ID once: lists are gone through for every token. */
const once = (ids: readonly number[] | undefined): number[] => [...new Set(ids)];

function toFilters(parameters: Parameters) {
  return {
    temperature: parameters.temperature ?? 1,
    topP: parameters.top_p ?? 1,
    topK: parameters.top_k ?? 0,
    minP: parameters.min_p ?? 0,
    topPMin: parameters.top_p_min ?? 0,
    topPDecay: parameters.top_p_decay ?? 1,
    topPResetIds: once(parameters.top_p_reset_ids),
  };
}

function toEnds(parameters: Parameters) {
  return {
    stop: [parameters.stop ?? []].flat(),
    stopTokenIds: once(parameters.stop_token_ids),
    includeStop: parameters.include_stop_str_in_output ?? false,
    ignoreEos: parameters.ignore_eos ?? false,
  };
}
