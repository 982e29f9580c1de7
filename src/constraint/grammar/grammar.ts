/**
 * A grammar as both notations mean it: rules over characters, fixed texts, regexes and each other.
 * `read-gbnf.ts` and the Lark reader make it, `draw-grammar.ts` draws it as a network. Types only.
 */

import type { CodePointRanges } from '../weave/network.ts';

export type Expression =
  /** UTF-8, or a special token's name between its two bytes. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'character'; readonly ranges: CodePointRanges }
  | { readonly kind: 'regex'; readonly pattern: string; readonly at: number }
  /** JSON text that satisfies a schema, given as JSON text. */
  | { readonly kind: 'json'; readonly schema: string }
  | { readonly kind: 'rule'; readonly name: string; readonly at: number }
  | { readonly kind: 'sequence'; readonly parts: readonly Expression[] }
  | { readonly kind: 'either'; readonly of: readonly Expression[] }
  | {
      readonly kind: 'repeat';
      readonly of: Expression;
      readonly min: number;
      /** null: no limit. */
      readonly max: number | null;
    }
  /** What Lark's lexer would read as one; the ignored terminals may follow. */
  | { readonly kind: 'token'; readonly of: Expression };

export interface Grammar {
  readonly source: string;
  readonly root: string;
  /** Every name that is referred to is here. */
  readonly rules: ReadonlyMap<string, Expression>;
  /** May stand before and after every token. */
  readonly ignored: readonly Expression[];
}
