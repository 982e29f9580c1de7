/**
 * Lengths of prompts and answers like those of LMSYS-Chat-1M (Zheng et al. 2023, arXiv 2309.11998,
 * table 1): 69.5 tokens a prompt and 214.5 an answer on average. Only means are published there; a
 * log-normal shape with sigma 1 is assumed, about what mean and median of the answers in Azure's 2023
 * conversation trace (211 and 129 tokens) give: sigma = sqrt(2 ln(mean / median)). Pure.
 */

import { createRandom } from '../../../test/support/random-numbers.ts';

const sigma = 1;
const meanPrompt = 69.5;
const meanOutput = 214.5;
/** What a chat template puts around a message comes on top of the user's words. */
const templateTokens = 31;
const longestPrompt = 1000;

export interface Lengths {
  /** With the chat template. */
  readonly prompt: number;
  readonly output: number;
}

export function sampleLengths(seed: number, count: number, longestOutput: number): Lengths[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => {
    const prompt = logNormal(random, meanPrompt);
    const output = logNormal(random, meanOutput);
    return {
      prompt: templateTokens + Math.round(Math.min(longestPrompt, Math.max(4, prompt))),
      output: Math.round(Math.min(longestOutput, Math.max(1, output))),
    };
  });
}

/** A draw with this mean: exp(mu + sigma z), where mean = exp(mu + sigma^2 / 2). */
function logNormal(random: () => number, mean: number): number {
  const mu = Math.log(mean) - sigma ** 2 / 2;
  // Box and Muller; 1 - random() is never 0.
  const z = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.exp(mu + sigma * z);
}
