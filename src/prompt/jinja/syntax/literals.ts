/** The words and digits that stand for values in an expression. For the parsers. */

import { toInt, type Value } from '../values/value.ts';
import type { TokenStream } from './token-stream.ts';

export const constants = new Map<string, Value>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
]);

export function readInteger(stream: TokenStream, digits: string): number | bigint {
  // Python reads no more digits than these either.
  if (digits.length > 4300) throw stream.fail('the integer has too many digits');
  return toInt(BigInt(digits));
}
