/**
 * What Ajv says of a finished text: the second opinion beside our own evaluation. Ajv works on doubles
 * and on JavaScript's objects; where those cannot say what was written, it has no opinion.
 */

import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createRequire } from 'node:module';

import { ParlanceError } from '../../contract/errors.ts';
import { canonicalNumber, isInteger, isMultipleOf } from '../json/decimal.ts';
import type { JsonValue } from '../json/json-value.ts';
import { readJson } from '../json/read-json.ts';
import { uriTemplate } from '../json-schema/read/read-node.ts';
import { formatPatterns } from '../regex/formats.ts';
import type { FormatName } from '../json-schema/node.ts';
import { toAjvSchema, toPlain } from './ajv-schema.ts';
import type { AjvSchema } from './ajv-schema.ts';
import type { TextTests } from './evaluate.ts';

// Its types name a default export that Node does not see.
const Ajv04 = createRequire(import.meta.url)('ajv-draft-04') as typeof Ajv;

export class AjvOpinion {
  readonly #validate: ValidateFunction | null;
  readonly #strictIntegers: boolean;

  /** Throws `invalid_constraint` as `readSchema` does. */
  constructor(schema: string, texts: TextTests) {
    const made = toAjvSchema(schema);
    this.#strictIntegers = made.draft === 4 && schema.includes('integer');
    // It does not follow the standard where unevaluated properties and items depend on what holds.
    const isPlain = isPlainValue(readJson(schema), false) && !schema.includes('"unevaluated');
    this.#validate = isPlain ? compile(made, texts) : null;
  }

  /** Whether the value is valid; null: no opinion. */
  of(value: JsonValue): boolean | null {
    if (this.#validate === null || !isPlainValue(value, this.#strictIntegers)) return null;
    try {
      return this.#validate(toPlain(value));
    } catch (error) {
      // Its code overflows the stack, or fails, on some schemas; refusals of patterns are ours.
      if (error instanceof ParlanceError) throw error;
      return null;
    }
  }
}

/** null where Ajv cannot compile it. */
function compile({ draft, schema }: AjvSchema, texts: TextTests): ValidateFunction | null {
  const Maker = draft === 4 ? Ajv04 : draft <= 7 ? Ajv : draft === 2019 ? Ajv2019 : Ajv2020;
  const names = Object.keys(formatPatterns) as FormatName[];
  const ajv = new Maker({
    strict: false,
    logger: false,
    meta: false,
    validateSchema: false,
    addUsedSchema: false,
    // Whether a reference may be inlined is looked for in time that doubles with each list in a list.
    inlineRefs: false,
    messages: false,
    ownProperties: true,
    formats: {
      ...Object.fromEntries(
        names.map((name) => [name, (text: string) => texts.isFormat(name, text)]),
      ),
      'uri-template': (text: string) => texts.finds(uriTemplate, text),
    },
    code: { regExp: linearRegExp(texts) },
  });
  // Ajv divides doubles.
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    validate: (step: number, value: number) => isMultipleOf(String(value), String(step)),
  });
  try {
    return ajv.compile(schema);
  } catch {
    return null;
  }
}

type RegExpEngine = NonNullable<
  NonNullable<ConstructorParameters<typeof Ajv>[0]>['code']
>['regExp'];

function linearRegExp(texts: TextTests): NonNullable<RegExpEngine> {
  // Ajv takes regexes whose `toString` is the same for one.
  const make = (pattern: string): { test: (text: string) => boolean; toString: () => string } => ({
    test: (text) => texts.finds(pattern, text),
    toString: () => pattern,
  });
  return Object.assign(make, { code: 'linearRegExp' });
}

/** Whether doubles and plain objects hold the value exactly; `strict`: 1.0 is not 1. */
function isPlainValue(value: JsonValue, strict: boolean): boolean {
  switch (value.type) {
    case 'number': {
      if (strict && isInteger(value.text, false) && !isInteger(value.text, true)) return false;
      const double = Number(value.text);
      return (
        Number.isFinite(double) && canonicalNumber(String(double)) === canonicalNumber(value.text)
      );
    }
    case 'array':
      return value.items.every((item) => isPlainValue(item, strict));
    case 'object':
      return value.members.every(
        ([name, member]) => name !== '__proto__' && isPlainValue(member, strict),
      );
    default:
      return true;
  }
}
