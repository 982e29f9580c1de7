/**
 * Values of a GGUF header by their key and with the type that they should have. For the readers of this
 * folder; a value of another type is a defect of the file.
 */

import { GgufDefect, type GgufHeader, type GgufValue, type LongArray } from './gguf-header.ts';

export function isKeptArray(
  value: GgufValue,
): value is readonly (number | bigint | boolean | string)[] {
  return Array.isArray(value);
}

export function isLongArray(value: GgufValue): value is LongArray {
  return typeof value === 'object' && !isKeptArray(value);
}

export function text(header: GgufHeader, key: string): string | null {
  const value = header.values.get(key);
  if (value === undefined || typeof value === 'string') return value ?? null;
  throw new GgufDefect(`has no text where its ${key} should be`);
}

export function flag(header: GgufHeader, key: string): boolean | null {
  const value = header.values.get(key);
  if (value === undefined || typeof value === 'boolean') return value ?? null;
  throw new GgufDefect(`has neither true nor false where its ${key} should be`);
}

/** Some files write -1 for a token that the model does not have. */
export function tokenId(header: GgufHeader, key: string): number | null {
  const value = header.values.get(key);
  return typeof value === 'number' && value < 0 ? null : count(header, key);
}

/** A count of at least 0; of a list with one count a layer, the largest. */
export function count(header: GgufHeader, key: string): number | null {
  const value = header.values.get(key);
  if (value === undefined) return null;
  const largest = isKeptArray(value) ? Math.max(0, ...value.map(Number)) : value;
  if (typeof largest === 'number' && Number.isInteger(largest) && largest >= 0) return largest;
  throw new GgufDefect(`has no count where its ${key} should be`);
}
