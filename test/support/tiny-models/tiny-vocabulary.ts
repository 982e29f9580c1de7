/**
 * Small vocabularies that are real all the same: a byte-level BPE, a SentencePiece one with byte
 * fallback, and one of a few letters for searches that try everything. They give the tokenizer's
 * entries of a GGUF file and what the output layer should know about them.
 */

import type { GgufEntry } from '../gguf-writer.ts';

/**
 * `bpe`: 256 bytes, 55 merges, 4 special tokens. `spm`: SentencePiece with byte fallback, BOS in
 * front. `letters`: so many letters from `a` on and one end token, nothing else; characters that are
 * no letter of it vanish from the prompt.
 */
export type VocabularyKind = 'bpe' | 'spm' | { readonly letters: number };

export interface TinyVocabulary {
  readonly size: number;
  readonly entries: Readonly<Record<string, GgufEntry>>;
  /** Tokens that a sensible text has hardly ever: control characters, bytes that are no ASCII. */
  isOdd(token: number): boolean;
}

export const chatTemplate =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + " +
  "'<|im_end|>' + '\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}" +
  '{% endif %}';

/** Pairs of pieces in order of their rank; `_` is the space in front of a word. */
const mergeList =
  '_ t,h e,i n,_ a,_t he,e r,o n,_ s,r e,_ w,a t,n d,_ o,e n,_ b,_ c,o u,i s,_ i,i t,_ f,' +
  'e s,_ m,_ p,o r,_a nd,in g,_o f,a n,_t o,a r,_ h,a l,_i s,_ d,e d,l l,_i n,_ l,_b e,s t,' +
  'v e,_s he,_h e,i on,_ n,_ e,_a re,o w,l e,_ y,l y,_f or,_w h,_c an';

const merges = (): [left: string, right: string][] =>
  mergeList.split(',').map((pair) => pair.split(' ') as [string, string]);

const type = { normal: 1, unknown: 2, control: 3, byte: 6 } as const;

interface Token {
  readonly text: string;
  readonly type: number;
  readonly score?: number;
  readonly odd?: boolean;
}

const control = (text: string, odd = true): Token => ({ text, type: type.control, odd });

/** Of `bpe` only. */
export interface SpecialTokens {
  /** Behind all others. */
  readonly more?: readonly string[];
  /** What ends a turn; default `<|im_end|>`. */
  readonly end?: string;
}

export function createVocabulary(
  kind: VocabularyKind,
  specials: SpecialTokens = {},
): TinyVocabulary {
  if (kind === 'bpe') return createBpe(specials);
  if (kind === 'spm') return createSpm();
  return createLetters(kind.letters);
}

function createBpe({ more = [], end = '<|im_end|>' }: SpecialTokens): TinyVocabulary {
  const space = byteSymbol(0x20);
  const toSymbols = (piece: string): string => piece.replaceAll('_', space);
  const pairs = merges().map((pair) => pair.map(toSymbols));
  const tokens: Token[] = [
    ...Array.from({ length: 256 }, (_, byte) => ({
      text: byteSymbol(byte),
      type: type.normal,
      odd: isOddByte(byte),
    })),
    ...pairs.map((pair) => ({ text: pair.join(''), type: type.normal })),
    control('<|begin|>'),
    control('<|im_start|>'),
    control(end, false),
    control('<|endoftext|>'),
    ...more.map((text) => control(text)),
  ];
  return finish(tokens, {
    'tokenizer.ggml.model': { type: 'string', value: 'gpt2' },
    'tokenizer.ggml.pre': { type: 'string', value: 'gpt-2' },
    'tokenizer.ggml.merges': { array: 'string', values: pairs.map((pair) => pair.join(' ')) },
    'tokenizer.ggml.bos_token_id': idOf(tokens, '<|begin|>'),
    'tokenizer.ggml.eos_token_id': idOf(tokens, end),
    'tokenizer.ggml.eot_token_id': idOf(tokens, end),
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: false },
    'tokenizer.chat_template': { type: 'string', value: chatTemplate },
  });
}

function createSpm(): TinyVocabulary {
  const toPiece = (piece: string): string => piece.replaceAll('_', '\u2581');
  const characters = Array.from({ length: 0x7f - 0x21 }, (_, i) => String.fromCharCode(0x21 + i));
  const pieces = merges().map((pair) => toPiece(pair.join('')));
  const tokens: Token[] = [
    { text: '<unk>', type: type.unknown, odd: true },
    control('<s>'),
    control('</s>'),
    ...Array.from({ length: 256 }, (_, byte) => ({
      text: `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
      type: type.byte,
      // Those of ASCII have tokens of their own.
      odd: byte !== 0x0a,
    })),
    ...pieces.map((text, index) => ({ text, type: type.normal, score: -index })),
    ...['\u2581', ...characters].map((text, index) => ({
      text,
      type: type.normal,
      score: -1000 - index,
    })),
    control('<|im_start|>'),
    control('<|im_end|>', false),
  ];
  return finish(tokens, {
    'tokenizer.ggml.model': { type: 'string', value: 'llama' },
    'tokenizer.ggml.bos_token_id': idOf(tokens, '<s>'),
    'tokenizer.ggml.eos_token_id': idOf(tokens, '<|im_end|>'),
    'tokenizer.ggml.unknown_token_id': idOf(tokens, '<unk>'),
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: true },
    'tokenizer.chat_template': { type: 'string', value: chatTemplate },
  });
}

function createLetters(count: number): TinyVocabulary {
  const letters = Array.from({ length: count }, (_, i) => String.fromCharCode(0x61 + i));
  const tokens: Token[] = [
    ...letters.map((text) => ({ text, type: type.normal })),
    control('<|im_end|>', false),
  ];
  return finish(tokens, {
    'tokenizer.ggml.model': { type: 'string', value: 'gpt2' },
    'tokenizer.ggml.pre': { type: 'string', value: 'gpt-2' },
    'tokenizer.ggml.merges': { array: 'string', values: [] },
    'tokenizer.ggml.eos_token_id': idOf(tokens, '<|im_end|>'),
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: false },
    'tokenizer.chat_template': { type: 'string', value: '{{ messages[-1].content }}' },
  });
}

const idOf = (tokens: readonly Token[], text: string): GgufEntry => ({
  type: 'u32',
  value: tokens.findIndex((token) => token.text === text),
});

function finish(
  tokens: readonly Token[],
  entries: Readonly<Record<string, GgufEntry>>,
): TinyVocabulary {
  return {
    size: tokens.length,
    entries: {
      ...entries,
      'tokenizer.ggml.tokens': { array: 'string', values: tokens.map(({ text }) => text) },
      'tokenizer.ggml.token_type': { array: 'i32', values: tokens.map((token) => token.type) },
      'tokenizer.ggml.scores': { array: 'f32', values: tokens.map(({ score }) => score ?? 0) },
    },
    isOdd: (token) => tokens[token]?.odd ?? false,
  };
}

const isOddByte = (byte: number): boolean => (byte < 0x20 && byte !== 0x0a) || byte >= 0x7f;

/**
 * The character that stands for a byte in a byte-level BPE: printable Latin-1 stands for itself, the
 * other bytes follow from U+0100 on.
 */
function byteSymbol(byte: number): string {
  const isPrintable = (one: number): boolean =>
    (one >= 0x21 && one <= 0x7e) || (one >= 0xa1 && one <= 0xff && one !== 0xad);
  if (isPrintable(byte)) return String.fromCodePoint(byte);
  let before = 0;
  for (let other = 0; other < byte; other += 1) if (!isPrintable(other)) before += 1;
  return String.fromCodePoint(0x100 + before);
}
