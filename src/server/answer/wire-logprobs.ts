/** Log probabilities on the wire: the chat form, and the older form of /v1/completions. */

import type { Logprob, TokenLogprob } from '../../targets/index.ts';

const one = ({ token, logprob, bytes }: Logprob) => ({ token, logprob, bytes });

export interface ChatLogprobs {
  readonly content: readonly unknown[];
  readonly refusal: null;
}

export function toChatLogprobs(tokens: readonly TokenLogprob[]): ChatLogprobs {
  return {
    content: tokens.map((token) => ({ ...one(token), top_logprobs: token.top.map(one) })),
    refusal: null,
  };
}

export interface TextLogprobs {
  readonly tokens: readonly string[];
  readonly token_logprobs: readonly number[];
  readonly top_logprobs: readonly Readonly<Record<string, number>>[];
  /** Where each token starts in the text, in code points. */
  readonly text_offset: readonly number[];
}

/** Bytes 10xxxxxx go on with a character; every other byte begins one. */
const beginsCharacter = (byte: number): boolean => (byte & 0xc0) !== 0x80;

/** Code points that a token begins; a token may be only a part of a character. */
function codePointsOf({ token, bytes }: Logprob): number {
  return bytes === null ? codePoints(token) : bytes.filter(beginsCharacter).length;
}

export function codePoints(text: string): number {
  let found = 0;
  for (const _ of text) found += 1;
  return found;
}

/**
 * @param offset code points of the text before these tokens
 * @returns the wire form, and the offset after them
 */
export function toTextLogprobs(
  tokens: readonly TokenLogprob[],
  offset: number,
): { readonly logprobs: TextLogprobs; readonly next: number } {
  const offsets: number[] = [];
  let next = offset;
  for (const token of tokens) {
    offsets.push(next);
    next += codePointsOf(token);
  }
  const logprobs = {
    tokens: tokens.map(({ token }) => token),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: tokens.map((token) =>
      Object.fromEntries([...token.top, token].map(({ token, logprob }) => [token, logprob])),
    ),
    text_offset: offsets,
  };
  return { logprobs, next };
}
