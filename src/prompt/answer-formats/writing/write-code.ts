/**
 * What the model may write for arguments in formats that look like code: `city='Paris', days=2` in Python,
 * `{city:<|"|>Paris<|"|>,days:2}` with bare keys. Pure.
 */

import type { ConstraintSpec } from '../../../constraint/index.ts';
import { readFunctionSchema, schemaText, type Parameter, type Schema } from './argument-schemas.ts';
import { either, json, literal, optional, regex, sequence, textUntil } from './parts.ts';

type WriteValue = (parameter: Parameter) => ConstraintSpec;

interface Manner {
  readonly assign: string;
  readonly separator: string;
  readonly value: WriteValue;
}

/** Beyond so many optional parameters without a required one, the first is always one of these. */
const mostFirsts = 32;

/** Inside the brackets of a Python call, the closing one left out. */
export function writePython(schema: string | null): ConstraintSpec {
  return members(schema, { assign: '=', separator: ', ', value: pythonValue });
}

/** With its braces. */
export function writeBareKeys(schema: string | null, quote: string): ConstraintSpec {
  const value: WriteValue = (parameter) => bareValue(parameter, quote);
  return sequence(
    literal('{'),
    members(schema, { assign: ':', separator: ',', value }),
    literal('}'),
  );
}

/** Required ones first, in the schema's order; the order means nothing in these formats. */
function members(schema: string | null, manner: Manner): ConstraintSpec {
  const { parameters } = readFunctionSchema(schema);
  const written = (parameter: Parameter): ConstraintSpec =>
    sequence(literal(parameter.name + manner.assign), manner.value(parameter));
  const further = (parameter: Parameter): ConstraintSpec =>
    sequence(literal(manner.separator), written(parameter));
  const required = parameters.filter((parameter) => parameter.required);
  const others = parameters.filter((parameter) => !parameter.required);
  const rest = (from: number): ConstraintSpec[] =>
    others.slice(from).map((parameter) => optional(further(parameter)));
  const [first, ...more] = required;
  if (first !== undefined) return sequence(written(first), ...more.map(further), ...rest(0));
  if (others.length === 0) return literal('');
  const firsts = others
    .slice(0, mostFirsts)
    .map((parameter, index) => sequence(written(parameter), ...rest(index + 1)));
  return optional(either(firsts));
}

const pythonString = `'(?:[^'\\\\\\n]|\\\\[^\\n])*'`;

function pythonValue({ types, schema, values }: Parameter): ConstraintSpec {
  if (values !== null) return { kind: 'choice', options: values.map(pythonLiteral) };
  const ways: ConstraintSpec[] = [];
  if (types === null || types.has('string')) ways.push(limited(schema) ?? regex(pythonString));
  if (types === null || types.has('boolean'))
    ways.push({ kind: 'choice', options: ['True', 'False'] });
  if (types === null || types.has('null')) ways.push(literal('None'));
  // JSON numbers, lists and objects are Python too, as far as our reader goes.
  const others = (['number', 'array', 'object'] as const).filter(
    (type) => types === null || types.has(type),
  );
  if (others.length > 0) ways.push(json(schemaText(typed(schema, others))));
  return either(ways);
}

function pythonLiteral(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'string') return JSON.stringify(value);
  return `'${value.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`;
}

function bareValue({ types, schema, values }: Parameter, quote: string): ConstraintSpec {
  const quoted = (text: string): string => `${quote}${text}${quote}`;
  if (values !== null) {
    return either(
      values.map((value) =>
        literal(typeof value === 'string' ? quoted(value) : JSON.stringify(value)),
      ),
    );
  }
  const ways: ConstraintSpec[] = [];
  if (types === null || types.has('string')) {
    ways.push(limited(schema) ?? sequence(literal(quote), textUntil(quote)));
  }
  const others = (['number', 'boolean', 'null', 'array', 'object'] as const).filter(
    (type) => types === null || types.has(type),
  );
  if (others.length > 0) ways.push(json(schemaText(typed(schema, others))));
  return either(ways);
}

/** A string of which more is asked than being one is written as in JSON, which these formats read too. */
function limited(schema: Schema): ConstraintSpec | null {
  const asked = ['minLength', 'maxLength', 'pattern', 'format'].some(
    (keyword) => keyword in schema,
  );
  return asked ? json(schemaText(typed(schema, ['string']))) : null;
}

/** The schema for these types alone. */
function typed(schema: Schema, types: readonly string[]): Schema {
  const said = schema['type'];
  if (said === undefined) return { ...schema, type: types };
  const kept = [said]
    .flat()
    .filter((type) => types.some((one) => type === one || isInteger(type, one)));
  return { ...schema, type: kept.length === 1 ? kept[0] : kept };
}

const isInteger = (type: unknown, of: string): boolean => type === 'integer' && of === 'number';
