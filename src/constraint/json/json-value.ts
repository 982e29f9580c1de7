/**
 * JSON as its author wrote it: numbers keep their spelling, objects their order and every member, also
 * those whose names repeat. `read-json.ts` makes it. Types only.
 */

export type JsonValue =
  | { readonly type: 'null' }
  | { readonly type: 'boolean'; readonly value: boolean }
  /** The source text: `1.50e3`. */
  | { readonly type: 'number'; readonly text: string }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'array'; readonly items: readonly JsonValue[] }
  | {
      readonly type: 'object';
      readonly members: readonly (readonly [name: string, value: JsonValue])[];
    };
