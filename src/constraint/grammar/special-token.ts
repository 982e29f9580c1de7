/** Special tokens in grammars: `<|name|>` outside of quotes. Called by the readers of both notations. */

import { specialBegin, specialEnd } from '../machine.ts';
import type { Expression } from './grammar.ts';
import type { TextReader } from './text-reader.ts';

/** @throws ParlanceError `invalid_constraint` where the vocabulary has no such token */
export function specialToken(text: TextReader, specials: readonly string[]): Expression {
  const { at } = text;
  const found = text.match(/<[^<>\s]+>/y);
  if (found === null) return text.fail('<', 'a special token is expected here: <|name|>');
  const [token] = found;
  if (!specials.includes(token)) {
    text.fail(token, `the vocabulary has no special token ${token}`, at);
  }
  const bytes = Uint8Array.of(specialBegin, ...new TextEncoder().encode(token), specialEnd);
  return { kind: 'bytes', bytes };
}
