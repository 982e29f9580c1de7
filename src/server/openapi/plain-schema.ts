/**
 * From a schema of the contract to a JSON Schema that any OpenAPI tool reads: big integers become
 * int64, unions inside unions one list, records `additionalProperties`. Pure.
 */

import type { Schema } from '../../contract/index.ts';

type Json = Record<string, unknown>;

/** A JSON copy of the schema, for OpenAPI 3.1 (JSON Schema 2020-12). */
export function plainSchema(schema: Schema): Json {
  const { anyOf, properties, patternProperties, items, additionalProperties, ...rest } = schema;
  const plain: Json = Object.fromEntries(
    Object.entries(rest).filter(([key]) => !key.startsWith('~') && !key.startsWith('x-')),
  );
  if (properties !== undefined) plain['properties'] = mapSchemas(properties);
  if (items !== undefined) plain['items'] = plainSchema(items);
  if (additionalProperties !== undefined) {
    plain['additionalProperties'] =
      typeof additionalProperties === 'object'
        ? plainSchema(additionalProperties)
        : additionalProperties;
  }
  if (patternProperties !== undefined) Object.assign(plain, plainRecord(patternProperties, plain));
  return anyOf === undefined ? plain : { ...plainUnion(anyOf), ...plain };
}

const mapSchemas = (schemas: Readonly<Record<string, Schema>>): Json =>
  Object.fromEntries(Object.entries(schemas).map(([key, one]) => [key, plainSchema(one)]));

const anyKey = '^.*$';

/** A record whose keys may be anything needs no pattern. */
function plainRecord(patterns: Readonly<Record<string, Schema>>, plain: Json): Json {
  const value = patterns[anyKey];
  if (value === undefined) return { patternProperties: mapSchemas(patterns) };
  const open = Object.keys(value).length === 0;
  return { additionalProperties: plain['additionalProperties'] ?? (open || plainSchema(value)) };
}

function plainUnion(branches: readonly Schema[]): Json {
  const all = flatten(branches);
  const exact = all.some((branch) => branch.type === 'bigint');
  const plain = all
    .filter((branch) => branch.type !== 'bigint')
    .map((branch) =>
      exact && branch.type === 'integer'
        ? { ...plainSchema(branch), format: 'int64' }
        : plainSchema(branch),
    );
  const [single] = plain;
  return plain.length === 1 && single !== undefined ? single : { anyOf: plain };
}

const flatten = (branches: readonly Schema[]): Schema[] =>
  branches.flatMap((branch) => (branch.anyOf === undefined ? [branch] : flatten(branch.anyOf)));
