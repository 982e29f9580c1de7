/**
 * XGrammar in WASM. Its package is UMD under `"type": "module"`: it needs Node's CommonJS names as
 * globals and leaves its exports on one. It prints what it does not like; that is kept off the console.
 */

import { createRequire } from 'node:module';

import { pieceOf, specialBegin, type TokenPieces } from '../../src/constraint/index.ts';
import type { Contender } from './contender.ts';

type XGrammar = typeof import('@mlc-ai/web-xgrammar');

async function loadXGrammar(): Promise<XGrammar> {
  const require = createRequire(import.meta.url);
  const path = require.resolve('@mlc-ai/web-xgrammar');
  Object.assign(globalThis, { require, __filename: path, __dirname: path.replace(/\/[^/]*$/, '') });
  await import(path);
  return (globalThis as unknown as { xgrammar: XGrammar }).xgrammar;
}

export async function createXGrammar(
  pieces: TokenPieces,
  endTokens: readonly number[],
): Promise<Contender> {
  const { TokenizerInfo, GrammarCompiler, GrammarMatcher } = await loadXGrammar();
  const vocabulary = Array.from({ length: pieces.size }, (_, token) =>
    toByteLevel(pieceOf(pieces, token)),
  );
  const info = await quietly(() =>
    TokenizerInfo.createTokenizerInfo(vocabulary, 'byte_level', false, pieces.size, [...endTokens]),
  );
  return {
    name: 'XGrammar (WASM)',
    compile: async (schema) => {
      // A compiler of its own for each schema: what others left in its cache would not be there either.
      const compiler = await quietly(() => GrammarCompiler.createGrammarCompiler(info, false));
      const compiled = await quietly(() =>
        compiler.compileJSONSchema(schema, true, undefined, undefined, false),
      );
      return {
        open: async () => {
          const matcher = await quietly(() => GrammarMatcher.createGrammarMatcher(compiled));
          return {
            mask: () => matcher.getNextTokenBitmask(),
            take: (token) => matcher.acceptToken(token),
            close: () => matcher.dispose(),
          };
        },
        close: () => {
          compiled.dispose();
          compiler.dispose();
        },
      };
    },
  };
}

/** Without what it prints. */
async function quietly<Result>(act: () => Promise<Result>): Promise<Result> {
  const { log, error, warn } = console;
  const silent = (): void => undefined;
  Object.assign(console, { log: silent, error: silent, warn: silent });
  try {
    return await act();
  } finally {
    Object.assign(console, { log, error, warn });
  }
}

/** Bytes as GPT-2's vocabularies write them; special tokens as nothing, so that no text holds them. */
function toByteLevel(piece: Uint8Array): string {
  if (piece[0] === specialBegin) return '';
  return Array.from(piece, (byte) => byteLetters[byte] ?? '').join('');
}

const byteLetters = Array.from({ length: 256 }, (_, byte) => byte).map((byte) => {
  const printable = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  if (printable) return String.fromCharCode(byte);
  const rank = Array.from({ length: byte }, (_, one) => one).filter(
    (one) => !((one > 32 && one < 127) || (one > 160 && one !== 173)),
  ).length;
  return String.fromCharCode(256 + rank);
});
