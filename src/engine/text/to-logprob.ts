/**
 * A token's bytes and log-probability in the shape that the protocol carries. Called by the scheduler
 * for the sampled token and for each of the best ones.
 */

import type { Logprob } from '../protocol.ts';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** `piece` are the token's bytes; part of a character reads U+FFFD in `token` but not in `bytes`. */
export function toLogprob(piece: Uint8Array, logprob: number): Logprob {
  return { token: decoder.decode(piece), bytes: Array.from(piece), logprob };
}
