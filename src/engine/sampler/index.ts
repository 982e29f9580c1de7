/** The sampler's contract: what the scheduler may use of this folder. */

export { checkSampling, checkTokenIds } from './check-sampling.ts';
export { createSampler } from './create-sampler.ts';
export { isGreedy } from './greedy.ts';
export type { Probability, RankedToken, Sampled, Sampler, SamplerContext } from './sampler.ts';
