/** The sampler's contract: what the scheduler may use of this folder. */

export { compileBadPhrases, type BadPhrases, type PhraseState } from './bad-phrases.ts';
export { checkSampling, checkTokenIds } from './check-sampling.ts';
export { createSampler } from './create-sampler.ts';
export { isGreedy } from './greedy.ts';
export { pieceIndexOf } from './piece-index.ts';
export { rawLogprobs } from './raw-logprobs.ts';
export type { Probability, RankedToken, Sampled, Sampler, SamplerContext } from './sampler.ts';
