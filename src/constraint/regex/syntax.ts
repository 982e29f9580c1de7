/**
 * The syntax tree of a regex, with what the translation needs to know of each part: how wide it can be
 * and whether it has anchors. `parse-regex.ts` makes it, `build-language.ts` reads it.
 */

import type { Ranges } from './code-points.ts';

interface Part {
  /** Characters that it takes at least. */
  readonly min: number;
  /** Whether it never takes a character. */
  readonly flat: boolean;
  /** Whether it asks if it stands at the start of the text. */
  readonly start: boolean;
  /** Whether it asks if it stands at the end, other than inside a lookahead. */
  readonly end: boolean;
}

export type Syntax = Part &
  (
    | { readonly type: 'set'; readonly ranges: Ranges }
    | { readonly type: 'cat'; readonly parts: readonly Syntax[] }
    | { readonly type: 'alt'; readonly options: readonly Syntax[] }
    | {
        readonly type: 'repeat';
        readonly body: Syntax;
        readonly least: number;
        readonly most: number;
      }
    | { readonly type: 'ahead'; readonly body: Syntax; readonly negative: boolean }
    | { readonly type: 'behind'; readonly body: Syntax; readonly negative: boolean }
    /** `\b`, or `\B` where negative; the characters that make words. */
    | { readonly type: 'boundary'; readonly word: Ranges; readonly negative: boolean }
    | { readonly type: 'start' }
    | { readonly type: 'end' }
  );

const zero = { min: 0, flat: true, start: false, end: false };

export const startAnchor: Syntax = { type: 'start', ...zero, start: true };
export const endAnchor: Syntax = { type: 'end', ...zero, end: true };

export function setOf(ranges: Ranges): Syntax {
  return { type: 'set', ranges, min: 1, flat: false, start: false, end: false };
}

export function catOf(parts: readonly Syntax[]): Syntax {
  if (parts.length === 1) return parts[0]!;
  return {
    type: 'cat',
    parts,
    min: parts.reduce((sum, part) => sum + part.min, 0),
    flat: parts.every((part) => part.flat),
    start: parts.some((part) => part.start),
    end: parts.some((part) => part.end),
  };
}

export const nothing: Syntax = catOf([]);

export function altOf(options: readonly Syntax[]): Syntax {
  if (options.length === 1) return options[0]!;
  return {
    type: 'alt',
    options,
    min: options.reduce((least, option) => Math.min(least, option.min), Infinity),
    flat: options.every((option) => option.flat),
    start: options.some((option) => option.start),
    end: options.some((option) => option.end),
  };
}

export function repeatOf(body: Syntax, least: number, most: number): Syntax {
  if (least === 1 && most === 1) return body;
  return {
    type: 'repeat',
    body,
    least,
    most,
    min: body.min * least,
    flat: body.flat || most === 0,
    start: body.start,
    end: body.end,
  };
}

export function aheadOf(body: Syntax, negative: boolean): Syntax {
  return { type: 'ahead', body, negative, ...zero, start: body.start };
}

export function behindOf(body: Syntax, negative: boolean): Syntax {
  return { type: 'behind', body, negative, ...zero };
}

export function boundaryOf(word: Ranges, negative: boolean): Syntax {
  return { type: 'boundary', word, negative, ...zero };
}
