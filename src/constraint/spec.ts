/**
 * The one internal form of every constraint of the contract. Plain JSON: it is made beside the request,
 * sent to the engine's process, hashed, and compiled there. Types only.
 */

/** JSON text that satisfies a schema. */
export interface JsonSpec {
  readonly kind: 'json';
  /** The schema as JSON text, as its author wrote it: spelling of numbers and order of keys count. */
  readonly schema: string;
  /** Regex for the whitespace between JSON tokens; null: one space at most, or a newline and up to 16. */
  readonly whitespace: string | null;
}

/** One of several ways to write something that begins with a fixed text. */
export interface TagSpec {
  readonly begin: string;
  readonly content: ConstraintSpec;
  readonly end: string;
}

/**
 * Texts in `literal`, `begin`, `end`, `triggers` and `until` may name special tokens of the vocabulary
 * (`<|python_tag|>`): where the vocabulary has such a token, only the token itself matches.
 */
export type ConstraintSpec =
  | JsonSpec
  /** The whole text matches. */
  | { readonly kind: 'regex'; readonly pattern: string }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  /** EBNF in GBNF style, or Lark; the text tells which. */
  | { readonly kind: 'grammar'; readonly source: string }
  | { readonly kind: 'literal'; readonly text: string }
  /** Any text without special tokens. */
  | { readonly kind: 'text' }
  /** Any text up to and with the first occurrence of `until`. */
  | { readonly kind: 'text-until'; readonly until: string }
  | { readonly kind: 'sequence'; readonly parts: readonly ConstraintSpec[] }
  | { readonly kind: 'either'; readonly of: readonly ConstraintSpec[] }
  | {
      readonly kind: 'repeat';
      readonly of: ConstraintSpec;
      readonly min: number;
      /** null: no limit. */
      readonly max: number | null;
      /** Between two of them. */
      readonly separator: string;
    }
  /**
   * Free text in which a trigger, wherever it occurs, begins one of the tags (each `begin` starts with a
   * trigger), after whose `end` free text goes on.
   */
  | {
      readonly kind: 'tags';
      readonly triggers: readonly string[];
      readonly tags: readonly TagSpec[];
      readonly atLeastOne: boolean;
      readonly stopAfterFirst: boolean;
    };
