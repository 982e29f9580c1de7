/**
 * Text to tokens by the library's tokeniser. `llama-model.ts` makes one for its vocabulary. A long text
 * is given to the library in parts, each of which begins with a special token: the library's time grows
 * with the square of the number of special tokens in a text (14 seconds for 83,000 of them), and no
 * other request gets on meanwhile.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { LlamaLibrary, Pointer } from './bind-library.ts';
import type { Vocabulary } from './decoder.ts';

/** Characters, at least. */
const partLength = 16_384;

/** `specials`: how the control tokens are written; asked for once, when a long text comes. */
export function createTokenizer(
  library: LlamaLibrary,
  vocab: Pointer,
  specials: () => readonly string[],
): Vocabulary['tokenize'] {
  let pattern: RegExp | null = null;
  const read = (text: string, addSpecial: boolean): number[] =>
    tokenize(library, vocab, text, addSpecial);
  return (text, addSpecial) => {
    if (text.length <= 2 * partLength) return read(text, addSpecial);
    const parts = cutAtSpecials(text, (pattern ??= patternOf(specials())));
    const tokens = parts.flatMap((part) => read(part, false));
    return addSpecial ? frame(tokens, read('', true), library.vocabBos(vocab)) : tokens;
  };
}

/** Between BOS and EOS, where the model is configured so: they are what an empty text becomes. */
function frame(tokens: number[], added: readonly number[], bosId: number): number[] {
  const begin = added[0] === bosId ? 1 : 0;
  return [...added.slice(0, begin), ...tokens, ...added.slice(begin)];
}

/**
 * The text in parts that may be tokenised one by one. No part ends with whitespace, because a special
 * token may take that away. Pure.
 */
export function cutAtSpecials(text: string, pattern: RegExp, least = partLength): string[] {
  const parts: string[] = [];
  const finder = new RegExp(pattern.source, 'g');
  let from = 0;
  finder.lastIndex = least;
  for (let found = finder.exec(text); found !== null; found = finder.exec(text)) {
    if (/\s/.test(text.charAt(found.index - 1))) continue;
    parts.push(text.slice(from, found.index));
    from = found.index;
    finder.lastIndex = from + least;
  }
  parts.push(text.slice(from));
  return parts;
}

/** Longer ones first, as the library looks for them; without any, what is in no text. */
function patternOf(specials: readonly string[]): RegExp {
  const written = specials.filter((one) => one !== '').toSorted((a, b) => b.length - a.length);
  return written.length === 0 ? /(?!)/ : new RegExp(written.map(literal).join('|'));
}

/** A pattern of exactly this text. */
const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);

function tokenize(
  library: LlamaLibrary,
  vocab: Pointer,
  text: string,
  addSpecial: boolean,
): number[] {
  const bytes = Buffer.from(text, 'utf8');
  // A token stands for at least one byte; the rest is for BOS, EOS and a space put in front.
  let out = new Int32Array(bytes.length + 8);
  let count = library.tokenize(vocab, bytes, bytes.length, out, out.length, addSpecial, true);
  if (count < 0) {
    out = new Int32Array(-count);
    count = library.tokenize(vocab, bytes, bytes.length, out, out.length, addSpecial, true);
  }
  if (count < 0) throw new ParlanceError('invalid_value', 'The prompt cannot be tokenised.');
  return Array.from(out.subarray(0, count));
}
