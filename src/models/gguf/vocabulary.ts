/**
 * What the vocabulary of a GGUF file says: the texts of the tokens that its header names, and of those that
 * are no text. `model-metadata.ts` calls it; the vocabulary itself is never kept.
 */

import type { FileWindow } from './file-window.ts';
import {
  GgufDefect,
  readNumbers,
  readStringsAt,
  typeString,
  type GgufHeader,
} from './gguf-header.ts';
import { isKeptArray, isLongArray, tokenId } from './header-values.ts';

export interface SpecialToken {
  readonly id: number;
  /** null where the vocabulary has no such entry. */
  readonly text: string | null;
}

const specialKeys = {
  bos: 'tokenizer.ggml.bos_token_id',
  eos: 'tokenizer.ggml.eos_token_id',
  eot: 'tokenizer.ggml.eot_token_id',
  eom: 'tokenizer.ggml.eom_token_id',
  pad: 'tokenizer.ggml.padding_token_id',
  unknown: 'tokenizer.ggml.unknown_token_id',
} as const;

export type NamedTokens = Record<keyof typeof specialKeys, SpecialToken | null>;

/** The tokens that the header names by their IDs. */
export async function readNamedTokens(
  window: FileWindow,
  header: GgufHeader,
): Promise<NamedTokens> {
  const ids = new Set(
    Object.values(specialKeys)
      .map((key) => tokenId(header, key))
      .filter((id) => id !== null),
  );
  const texts = await readTokenTexts(window, header, ids);
  const special = (key: string): SpecialToken | null => {
    const id = tokenId(header, key);
    return id === null ? null : { id, text: texts.get(id) ?? null };
  };
  return {
    bos: special(specialKeys.bos),
    eos: special(specialKeys.eos),
    eot: special(specialKeys.eot),
    eom: special(specialKeys.eom),
    pad: special(specialKeys.pad),
    unknown: special(specialKeys.unknown),
  };
}

/** ggml's numbers for tokens that no text is cut into: those of the model's own forms. */
const controlType = 3;
const userDefinedType = 4;

/** Texts of all tokens that stand for no text, such as `<|im_end|>`; empty where the file does not say. */
export async function readSpecialTexts(
  window: FileWindow,
  header: GgufHeader,
): Promise<readonly string[]> {
  const types = header.values.get('tokenizer.ggml.token_type');
  if (types === undefined) return [];
  const numbers = isLongArray(types) ? await readNumbers(window, types) : types;
  if (!isKeptArray(numbers)) return [];
  const ids = numbers.flatMap((type, id) =>
    type === controlType || type === userDefinedType ? [id] : [],
  );
  return [...(await readTokenTexts(window, header, new Set(ids))).values()];
}

async function readTokenTexts(
  window: FileWindow,
  header: GgufHeader,
  ids: ReadonlySet<number>,
): Promise<ReadonlyMap<number, string>> {
  const tokens = header.values.get('tokenizer.ggml.tokens');
  if (tokens === undefined) return new Map();
  if (isKeptArray(tokens)) {
    return new Map(
      [...ids].filter((id) => id < tokens.length).map((id) => [id, String(tokens[id])]),
    );
  }
  if (!isLongArray(tokens) || tokens.elementType !== typeString) {
    throw new GgufDefect('has a vocabulary that is not an array of strings');
  }
  return await readStringsAt(window, tokens, ids);
}
