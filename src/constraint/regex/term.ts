/**
 * The two kinds of terms that stand for regexes: fragments, which take a piece of the text, and
 * languages, which speak of all the rest of it. Only languages have intersection and complement, so that
 * a lookahead is a condition on the rest. `term-factory.ts` makes them, interned. Types only.
 */

/** How many characters are taken. */
export interface Width {
  readonly min: number;
  readonly max: number;
  /** Every number from `min` to `max` occurs; otherwise these are bounds only. */
  readonly dense: boolean;
}

interface TermBase {
  readonly id: number;
  readonly width: Width;
  /** Free of intersection, complement and conditions. */
  readonly pure: boolean;
  /** Bit i: it asks tracker i, or one that asks it, about what stands before. */
  readonly trackers: number;
}

/** Whether it can take no character at all: never, in any case, or under conditions. */
export type Empties = 'never' | 'always' | 'sometimes';

export type Fragment = TermBase & { readonly empties: Empties } & (
    | { readonly kind: 'none' }
    | { readonly kind: 'empty' }
    | { readonly kind: 'set'; readonly set: number }
    | { readonly kind: 'cat'; readonly head: Fragment; readonly tail: Fragment }
    | { readonly kind: 'alt'; readonly of: readonly Fragment[] }
    | {
        readonly kind: 'repeat';
        readonly body: Fragment;
        readonly least: number;
        readonly most: number;
      }
    /** Takes nothing; the rest of the text is of the language. */
    | { readonly kind: 'ahead'; readonly language: Language }
    /** Takes nothing; the text so far is of the tracker's language, or is not. */
    | { readonly kind: 'behind'; readonly tracker: number; readonly negative: boolean }
  );

interface LanguageBase extends TermBase {
  /** Some text is of the language, whatever stood before; false: not known. */
  readonly inhabited: boolean;
  /** Derivatives by character class, for terms without trackers; grows as they are asked for. */
  readonly derivatives: Language[];
  /** Whether the empty text is of the language; undefined: not yet known, or it depends on trackers. */
  nullable: boolean | undefined;
}

export type Language = LanguageBase &
  (
    | { readonly kind: 'none' }
    /** The empty text. */
    | { readonly kind: 'end' }
    | { readonly kind: 'all' }
    | { readonly kind: 'seq'; readonly first: Fragment; readonly rest: Language }
    | { readonly kind: 'or'; readonly of: readonly Language[] }
    | { readonly kind: 'and'; readonly of: readonly Language[] }
    | { readonly kind: 'not'; readonly of: Language }
  );

/** For each tracker, the language that is left of it after the text so far. */
export type Past = readonly Language[];

/** A term without what interning adds. */
export type ShapeOf<Term> = Term extends unknown
  ? Omit<Term, 'id' | 'derivatives' | 'nullable'>
  : never;
