/**
 * A JSON schema in normal form: a graph of nodes, whatever dialect it was written in. `read-schema.ts`
 * makes it, the machine evaluates it. Types only. An absent assertion is null (or an empty list).
 */

import type { JsonValue } from '../json/json-value.ts';

export type TypeName = 'null' | 'boolean' | 'object' | 'array' | 'number' | 'string';

/** Index into `SchemaGraph.nodes`. */
export type NodeId = number;

export interface SchemaGraph {
  readonly nodes: readonly SchemaNode[];
  readonly root: NodeId;
  /** Draft-04: 1.0 is no integer. */
  readonly strictIntegers: boolean;
}

/** `true` and `{}` are nodes without assertions; `false` has `never`. */
export interface SchemaNode {
  /** Where it stands, as a JSON pointer; for messages. */
  readonly path: string;
  /** Nothing satisfies it; whatever else it says does not count. */
  readonly never: boolean;
  /** Types that it allows; null = all. `integer` is `number` with `integer: true`. */
  readonly types: readonly TypeName[] | null;
  /** Numbers must be integers. Says nothing about other types. */
  readonly integer: boolean;
  /** `enum` or `const`; null = any value. */
  readonly values: readonly JsonValue[] | null;
  readonly number: NumberRules | null;
  readonly string: StringRules | null;
  readonly array: ArrayRules | null;
  readonly object: ObjectRules | null;
  /** In-place applicators, all of which hold. `$ref` is an entry of `allOf`. */
  readonly allOf: readonly NodeId[];
  /** Each list on its own: one of its nodes holds. */
  readonly anyOf: readonly (readonly NodeId[])[];
  /** Each list on its own: exactly one of its nodes holds. */
  readonly oneOf: readonly (readonly NodeId[])[];
  readonly not: readonly NodeId[];
  readonly conditions: readonly {
    readonly if: NodeId;
    readonly then: NodeId | null;
    readonly else: NodeId | null;
  }[];
}

/** Exact decimals as they were written: `-1.50e3`. */
export interface NumberRules {
  readonly minimum: { readonly value: string; readonly exclusive: boolean } | null;
  readonly maximum: { readonly value: string; readonly exclusive: boolean } | null;
  readonly multipleOf: readonly string[];
}

/** Lengths are in code points. */
export interface StringRules {
  readonly minLength: number;
  /** Infinity = no limit. */
  readonly maxLength: number;
  /** Regexes (ECMA-262, `u` flag) of which each is found somewhere in the string. */
  readonly patterns: readonly string[];
  /** One of the asserted formats; others are annotations and do not get here. */
  readonly formats: readonly FormatName[];
}

export type FormatName =
  | 'date-time'
  | 'date'
  | 'time'
  | 'duration'
  | 'email'
  | 'hostname'
  | 'ipv4'
  | 'ipv6'
  | 'uri'
  | 'uuid';

export interface ArrayRules {
  readonly minItems: number;
  readonly maxItems: number;
  readonly prefix: readonly NodeId[];
  /** For the items behind `prefix`; null = anything. */
  readonly rest: NodeId | null;
  readonly unique: boolean;
  /** Between `min` and `max` (Infinity = no limit) of the items satisfy the node. */
  readonly contains: readonly {
    readonly node: NodeId;
    readonly min: number;
    readonly max: number;
  }[];
}

export interface ObjectRules {
  readonly minProperties: number;
  readonly maxProperties: number;
  /** In the order of the schema. */
  readonly properties: readonly (readonly [name: string, node: NodeId])[];
  readonly patterns: readonly (readonly [regex: string, node: NodeId])[];
  /** For names that neither of the two covers; null = anything. */
  readonly additional: NodeId | null;
  readonly required: readonly string[];
  /** Every name, as a string, satisfies these. */
  readonly names: readonly NodeId[];
  /** Where the name is there, so are the others. */
  readonly dependentRequired: readonly (readonly [name: string, others: readonly string[]])[];
  /** Where the name is there, the whole object satisfies the node. */
  readonly dependentSchemas: readonly (readonly [name: string, node: NodeId])[];
}
