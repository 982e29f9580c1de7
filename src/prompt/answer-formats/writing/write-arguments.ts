/**
 * What the model may write for the arguments of a call, in the manner of its family: JSON that satisfies the
 * function's schema, or its parameters one by one in the schema's order, required ones always. Pure.
 */

import type { ConstraintSpec } from '../../../constraint/index.ts';
import type { JsonType } from '../bodies/parameter-types.ts';
import type { ParameterLayout } from '../tool-format.ts';
import {
  narrowed,
  readFunctionSchema,
  schemaText,
  type Parameter,
  type Schema,
} from './argument-schemas.ts';
import { writeNested } from './write-nested.ts';
import {
  anyNumber,
  either,
  json,
  literal,
  optional,
  regex,
  sequence,
  textUntil,
  unknownKey,
  writePattern,
} from './parts.ts';

/** One element for each parameter; what parts two of them stands behind each. */
export function writeElements(layout: ParameterLayout, schema: string | null): ConstraintSpec {
  const { parameters, open } = readFunctionSchema(schema);
  const behind = writePattern(layout.between, {});
  if (open && layout.nested !== null) return literal('');
  if (open) return anyNumber(sequence(unknownElement(layout), behind));
  return sequence(
    ...parameters.map((parameter) => {
      const element = sequence(writeElement(layout, parameter), behind);
      return parameter.required ? element : optional(element);
    }),
  );
}

function unknownElement(layout: ParameterLayout): ConstraintSpec {
  const text = (type: string) => [
    writePattern(layout.open, { key: unknownKey, type }),
    freeText(layout, ''),
  ];
  if (layout.types === null) return sequence(...text(''));
  return sequence(...text(layout.types === 'is-string' ? 'true' : 'string'));
}

const closeOf = (layout: ParameterLayout, key: string): string =>
  (layout.lines ? '\n' : '') + layout.close.replace('«key»', key);

const jsonTypes: readonly JsonType[] = ['number', 'boolean', 'null', 'object', 'array'];

function writeElement(layout: ParameterLayout, parameter: Parameter): ConstraintSpec {
  const { types } = parameter;
  const tell = (type: string, value: ConstraintSpec): ConstraintSpec =>
    sequence(writePattern(layout.open, { key: literal(parameter.name), type }), value);
  if (layout.types === null) return tell('', plainValue(layout, parameter));
  const close = literal(closeOf(layout, parameter.name));
  const ways: ConstraintSpec[] = [];
  if (types === null || types.has('string')) {
    const word = layout.types === 'is-string' ? 'true' : 'string';
    ways.push(tell(word, stringValue(layout, parameter)));
  }
  for (const type of jsonTypes) {
    if (types !== null && !types.has(type)) continue;
    const values = parameter.values?.some((value) => typeof value !== 'string') ?? true;
    if (!values) continue;
    const word = layout.types === 'is-string' ? 'false' : type;
    ways.push(tell(word, sequence(json(schemaText(narrowed(parameter.schema, type))), close)));
  }
  return either(ways);
}

/** A value without a word about its type, up to and with what closes it. */
function plainValue(layout: ParameterLayout, parameter: Parameter): ConstraintSpec {
  const { types, schema, name } = parameter;
  if (types === null || types.has('string')) return stringValue(layout, parameter);
  const close = literal(closeOf(layout, name));
  if (layout.nested !== null) return sequence(writeNested(schema, schema, layout.nested), close);
  return sequence(json(schemaText(schema)), close);
}

/** Raw text up to and with what closes it; the listed values where there are such. */
function stringValue(layout: ParameterLayout, parameter: Parameter): ConstraintSpec {
  const close = literal(closeOf(layout, parameter.name));
  const texts = rawTexts(parameter);
  if (texts !== null) return sequence({ kind: 'choice', options: texts }, close);
  const limited = limitedText(parameter.schema);
  return limited === null ? freeText(layout, parameter.name) : sequence(limited, close);
}

/** Any text up to the first closing tag; a line break before it is the model's matter. */
function freeText(layout: ParameterLayout, key: string): ConstraintSpec {
  const close = layout.close.replace('«key»', key);
  if (!layout.cdata) return textUntil(close);
  return either([
    sequence(regex('[^<]*'), literal(close)),
    sequence(literal('<![CDATA['), textUntil(`]]>${close}`)),
  ]);
}

/** The values that may stand there bare, where they are listed. */
function rawTexts({ values }: Parameter): readonly string[] | null {
  if (values === null || values.length === 0) return null;
  return values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
}

/** Limits of length are kept by leaving out what might begin a tag. */
function limitedText(schema: Schema): ConstraintSpec | null {
  const { minLength, maxLength } = schema;
  const least = typeof minLength === 'number' ? minLength : 0;
  const most = typeof maxLength === 'number' ? maxLength : null;
  if (least === 0 && most === null) return null;
  return { kind: 'regex', pattern: `[^<\\]]{${least},${most ?? ''}}` };
}
