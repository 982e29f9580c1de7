/** What a Lark grammar says, as it is written: names not looked up, templates not filled. Types only. */

export type LarkExpression =
  | { readonly kind: 'text'; readonly text: string; readonly anyCase: boolean }
  | { readonly kind: 'range'; readonly first: number; readonly last: number }
  | { readonly kind: 'regex'; readonly pattern: string; readonly at: number }
  /** JSON text that satisfies a schema, given as JSON text. */
  | { readonly kind: 'json'; readonly schema: string }
  | { readonly kind: 'special'; readonly bytes: readonly number[] }
  | {
      readonly kind: 'name';
      readonly name: string;
      /** What a template is filled with; null: no template. */
      readonly filling: readonly LarkExpression[] | null;
      readonly at: number;
    }
  | { readonly kind: 'sequence'; readonly parts: readonly LarkExpression[] }
  | { readonly kind: 'either'; readonly of: readonly LarkExpression[] }
  | {
      readonly kind: 'repeat';
      readonly of: LarkExpression;
      readonly min: number;
      readonly max: number | null;
    };

export interface LarkDefinition {
  readonly parameters: readonly string[];
  readonly body: LarkExpression;
  readonly at: number;
}

export interface LarkFile {
  readonly source: string;
  readonly definitions: ReadonlyMap<string, LarkDefinition>;
  readonly ignored: readonly LarkExpression[];
  readonly imports: readonly {
    readonly name: string;
    readonly as: string;
    readonly at: number;
  }[];
}

/** Terminals are written in capitals, rules in small letters; either may begin with `_`. */
export const isTerminal = (name: string): boolean => /^_*[A-Z]/.test(name);
