/**
 * What the model may write for a value as nested elements: members and items each between tags behind a
 * prefix, everything else bare. Pure.
 */

import type { ConstraintSpec } from '../../../constraint/index.ts';
import {
  memberSchema,
  propertyNames,
  requiredNames,
  typesOfSchema,
} from '../bodies/parameter-types.ts';
import { definitionsOf, schemaText, valuesOf, type Schema } from './argument-schemas.ts';
import { anyNumber, json, literal, optional, regex, sequence, textUntil } from './parts.ts';

const deepest = 8;

/** The inside of an element whose close is written by the caller; no strings at the top. */
export function writeNested(
  root: Schema,
  schema: Schema,
  prefix: string,
  depth = 0,
): ConstraintSpec {
  const types = typesOfSchema(root, schema);
  const only = types !== null && types.size === 1;
  if (only && types.has('object') && depth < deepest) return members(root, schema, prefix, depth);
  if (only && types.has('array') && depth < deepest) {
    return anyNumber(
      element(root, memberSchema(root, schema, null), { prefix, depth, name: 'item' }),
    );
  }
  if (types === null || types.has('object') || types.has('array')) return regex('[^\\]]*');
  return json(schemaText({ ...definitionsOf(root), ...schema }));
}

function members(root: Schema, schema: Schema, prefix: string, depth: number): ConstraintSpec {
  const required = new Set(requiredNames(schema));
  return sequence(
    ...propertyNames(schema).map((name) => {
      const one = element(root, memberSchema(root, schema, name), { prefix, depth, name });
      return required.has(name) ? one : optional(one);
    }),
  );
}

function element(
  root: Schema,
  schema: Schema | null,
  place: { readonly prefix: string; readonly depth: number; readonly name: string },
): ConstraintSpec {
  const { prefix, depth, name } = place;
  const open = literal(`${prefix}<${name}>`);
  const close = `${prefix}</${name}>`;
  const types = schema === null ? null : typesOfSchema(root, schema);
  if (schema === null || types === null || types.has('string')) {
    const values = schema === null ? null : valuesOf(schema);
    if (values === null || values.length === 0) return sequence(open, textUntil(close));
    const options = values.map((value) =>
      typeof value === 'string' ? value : JSON.stringify(value),
    );
    return sequence(open, { kind: 'choice', options }, literal(close));
  }
  return sequence(open, writeNested(root, schema, prefix, depth + 1), literal(close));
}
