/** Words for schemas and values in validation errors: "an integer from 1 to 128", `the string "x"`. */

/** The part of JSON Schema that the contract uses. */
export interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly description?: string;
}

const shown = 60;

/** A value as an error quotes it. Long strings are not quoted: they may be a prompt or a key. */
export function preview(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (value !== null && typeof value === 'object') return 'an object';
  if (typeof value === 'bigint') return previewInteger(value);
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return JSON.stringify(value);
  return value.length > shown
    ? `a string of ${characters(value)} characters`
    : JSON.stringify(value);
}

/** Length in code points, as JSON Schema counts it. */
export function characters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; count += 1) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return count;
}

/** Only integers beyond 2^53 arrive as BigInt, and only 64-bit fields take them. */
function previewInteger(value: bigint): string {
  const digits = value.toString();
  const text = digits.length > 24 ? `an integer of ${digits.length} digits` : digits;
  return `${text} (beyond 2^53)`;
}

function range(low: number | undefined, high: number | undefined, unit = ''): string {
  if (low !== undefined && high !== undefined) return ` from ${low} to ${high}${unit}`;
  if (low !== undefined) return ` of at least ${low}${unit}`;
  if (high !== undefined) return ` of at most ${high}${unit}`;
  return '';
}

function describeArray(schema: Schema): string {
  if (schema.minItems === 1 && schema.maxItems === undefined) return 'a non-empty array';
  return `an array${range(schema.minItems, schema.maxItems, ' elements').replace(' from', ' of')}`;
}

function describeString(schema: Schema): string {
  if (schema.format !== undefined) return `a string in ${schema.format} form`;
  if (schema.minLength === 1 && schema.maxLength === undefined) return 'a non-empty string';
  return `a string${range(schema.minLength, schema.maxLength, ' characters').replace(' from', ' of')}`;
}

/** What a schema wants, as a noun phrase. */
export function describe(schema: Schema): string {
  if (schema.anyOf !== undefined) return describeUnion(schema.anyOf);
  if (schema.enum !== undefined) return oneOf(schema.enum);
  if ('const' in schema) return JSON.stringify(schema.const);
  switch (schema.type) {
    case 'integer':
      return `an integer${range(schema.minimum, schema.maximum)}`;
    case 'number':
      return `a number${range(schema.minimum, schema.maximum)}`;
    case 'string':
      return describeString(schema);
    case 'boolean':
      return 'true or false';
    case 'array':
      return describeArray(schema);
    case 'object':
      return 'an object';
    case 'null':
      return 'null';
    default:
      return 'any value';
  }
}

export function oneOf(values: readonly unknown[]): string {
  const words = values.map((value) => JSON.stringify(value));
  return words.length === 1 ? String(words[0]) : `one of ${words.join(', ')}`;
}

function describeUnion(branches: readonly Schema[]): string {
  const words = branches
    .filter((branch) => branch.type !== 'null' && branch.type !== 'bigint')
    .map(describe);
  const different = [...new Set(words)];
  return different.length < 2
    ? different.join('')
    : `${different.slice(0, -1).join(', ')} or ${different.at(-1)}`;
}
