/**
 * A list of tokens that grows, in one block of memory: 4 bytes a token, doubled when it is full. The
 * drafter keeps a sequence in it, and n-gram tables point into it.
 */

export interface TokenList {
  readonly length: number;
  /** The token at an index below the length. */
  at(index: number): number;
  push(token: number): void;
}

export function createTokenList(start: ArrayLike<number>): TokenList {
  let length = start.length;
  let tokens = new Int32Array(Math.max(64, 2 * length));
  tokens.set(start);
  return {
    get length() {
      return length;
    },
    at: (index) => tokens[index] as number,
    push: (token) => {
      if (length === tokens.length) {
        const wider = new Int32Array(2 * length);
        wider.set(tokens);
        tokens = wider;
      }
      tokens[length++] = token;
    },
  };
}
