/** When a sampling draws nothing: the best token is taken, whatever the seed. */

import type { Sampling } from '../protocol.ts';

/** vLLM's threshold: below this temperature the best token is taken without a draw. */
const greedyBelow = 1e-5;

export const isGreedy = ({ temperature, topK }: Sampling): boolean =>
  temperature < greedyBelow || topK === 1;
