/**
 * The schemas by which arguments are constrained, as JSON text: of a whole function, or of one parameter
 * where each is written on its own. Pure.
 */

import {
  parseSchema,
  propertyNames,
  propertySchema,
  requiredNames,
  typesOf,
  type JsonType,
  type Types,
} from '../bodies/parameter-types.ts';

export type Schema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly types: Types;
  /** With the definitions of the whole, so that references still lead somewhere. */
  readonly schema: Schema;
  /** The only values it may have; null = others too. */
  readonly values: readonly unknown[] | null;
}

export interface FunctionSchema {
  readonly parameters: readonly Parameter[];
  /** Parameters that the schema does not name are allowed, and it names none. */
  readonly open: boolean;
  /** What references go by. */
  readonly root: Schema;
}

/** Arguments are always an object, whatever the schema says or leaves out. */
export function objectSchemaText(parameters: string | null): string {
  const schema = parseSchema(parameters);
  if (parameters === null || schema === null) return '{"type":"object"}';
  if ('type' in schema) return parameters;
  const inner = parameters.trim().slice(1);
  return `{"type":"object"${inner.trim() === '}' ? '' : ','}${inner}`;
}

export function readFunctionSchema(text: string | null): FunctionSchema {
  const root = parseSchema(text) ?? {};
  const required = new Set(requiredNames(root));
  const parameters = propertyNames(root).map((name): Parameter => {
    const schema = propertySchema(root, name) ?? {};
    return {
      name,
      required: required.has(name),
      types: typesOf(root, name),
      schema: { ...definitionsOf(root), ...schema },
      values: valuesOf(schema),
    };
  });
  const open = parameters.length === 0 && root['additionalProperties'] !== false;
  return { parameters, open, root };
}

export function definitionsOf(root: Schema): Schema {
  const kept = ['$schema', '$defs', 'definitions'].filter((keyword) => keyword in root);
  return Object.fromEntries(kept.map((keyword) => [keyword, root[keyword]]));
}

export function valuesOf(schema: Schema): readonly unknown[] | null {
  if ('const' in schema) return [schema['const']];
  return Array.isArray(schema['enum']) ? schema['enum'] : null;
}

/** The schema's part for one type: what a union is where its type is told. */
export const narrowed = (schema: Schema, type: JsonType): Schema => {
  const said = schema['type'];
  const integer =
    said === 'integer' ||
    (Array.isArray(said) && said.includes('integer') && !said.includes('number'));
  return said === undefined
    ? { allOf: [schema], ...definitionsOf(schema), type }
    : { ...schema, type: type === 'number' && integer ? 'integer' : type };
};

export const schemaText = (schema: Schema): string => JSON.stringify(schema);
