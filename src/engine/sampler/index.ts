/** The sampler's contract: what the scheduler may use of this folder. */

export { createSampler } from './create-sampler.ts';
export type { Probability, RankedToken, Sampled, Sampler, SamplerContext } from './sampler.ts';
