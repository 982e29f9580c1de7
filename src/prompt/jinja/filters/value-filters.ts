/** Filters on numbers and on values of any type. */

import { getAttribute, hasAttribute } from '../values/attributes.ts';
import { builtin, type One, type Two } from '../values/callable.ts';
import { TemplateFailure, typeError } from '../values/failure.ts';
import { parseFloatText, parseIntText, roundTo, truncate } from '../values/numbers.ts';
import { negate, toFloat } from '../values/operators.ts';
import type { Render } from '../values/render.ts';
import { quoteText } from '../values/quote.ts';
import {
  PyFloat,
  Undefined,
  describeType,
  intOf,
  isTrue,
  textOf,
  typeName,
  type Value,
} from '../values/value.ts';
import { intOr } from './attribute-path.ts';
import { fileSize } from './text-filters.ts';

/** Python's `float(value)`; null where it would fail. */
function asFloat(render: Render, value: Value): number | null {
  if (value instanceof Undefined) throw value.failure();
  if (value instanceof PyFloat) return value.value;
  const int = intOf(value);
  if (int !== undefined) return toFloat(int);
  const text = textOf(value);
  if (text === undefined) return null;
  render.charge(text.length);
  return parseFloatText(text);
}

const toInteger = builtin(
  'int(value, default?, base?)',
  (render, [value, otherwise, base]: One) => {
    const absent = otherwise ?? 0;
    if (value instanceof Undefined) throw value.failure();
    const text = textOf(value);
    if (text !== undefined) {
      render.charge(1 + Math.ceil(Math.min(text.length, 4300) ** 2 / 256));
      const int = parseIntText(text, intOr(base, 10));
      if (int !== null) return int;
    } else if (intOf(value) !== undefined) return intOf(value) ?? absent;
    const float = asFloat(render, value);
    return float === null || !Number.isFinite(float) ? overflowing(value, absent) : truncate(float);
  },
);

/** `int(float('inf'))` overflows, which only the text's way catches. */
function overflowing(value: Value, absent: Value): Value {
  if (value instanceof PyFloat && !Number.isNaN(value.value)) {
    throw new TemplateFailure('OverflowError', 'cannot convert float infinity to integer');
  }
  return absent;
}

const round = builtin(
  'round(value, precision?, method?)',
  (render, [value, precision, method]: One) => {
    render.charge(100);
    const way = method ?? 'common';
    if (way !== 'common' && way !== 'ceil' && way !== 'floor') {
      throw new TemplateFailure('FilterArgumentError', 'method must be common, ceil or floor');
    }
    if (value instanceof Undefined) {
      throw typeError("type Undefined doesn't define __round__ method");
    }
    const digits = intOr(precision, 0);
    const int = intOf(value);
    if (way === 'common') {
      if (int !== undefined) {
        return digits >= 0 || typeof int === 'bigint' ? int : roundTo(int, digits);
      }
      if (value instanceof PyFloat) return new PyFloat(roundTo(value.value, digits));
      throw typeError(`type ${typeName(value)} doesn't define __round__ method`);
    }
    const number = value instanceof PyFloat ? value.value : int;
    if (number === undefined) throw typeError(`must be real number, not ${typeName(value)}`);
    const scale = 10 ** digits;
    const scaled = Number(number) * scale;
    return new PyFloat((way === 'ceil' ? Math.ceil(scaled) : Math.floor(scaled)) / scale);
  },
);

const byDefault = (name: string) =>
  builtin(
    `${name}(value, default_value?, boolean?)`,
    (_render, [value, otherwise, boolean]: One) => {
      const isEmpty = boolean !== undefined && isTrue(boolean) && !isTrue(value);
      return value instanceof Undefined || isEmpty
        ? otherwise === undefined
          ? ''
          : otherwise
        : value;
    },
  );

export const valueFilters = [
  byDefault('default'),
  byDefault('d'),
  toInteger,
  round,
  builtin('float(value, default?)', (render, [value, otherwise]: One) => {
    const float = asFloat(render, value);
    return float === null ? (otherwise ?? new PyFloat(0)) : new PyFloat(float);
  }),
  builtin('abs(x)', (_render, [value]: One) => {
    if (value instanceof PyFloat) return new PyFloat(Math.abs(value.value));
    const int = intOf(value);
    if (int === undefined) throw typeError(`bad operand type for abs(): '${typeName(value)}'`);
    return int < 0 ? negate(int) : int;
  }),
  builtin('attr(obj, name)', (render, [value, name]: Two) => {
    const text = textOf(name) ?? '';
    if (hasAttribute(value, text)) return getAttribute(render, value, text);
    if (value instanceof Undefined) throw value.failure();
    return new Undefined(
      () => `${quoteText(describeType(value))} has no attribute ${quoteText(text)}`,
    );
  }),
  builtin('filesizeformat(value, binary?)', (render, [value, binary]: One) => {
    const bytes = asFloat(render, value);
    if (bytes === null) throw new TemplateFailure('ValueError', 'could not convert to float');
    return fileSize(bytes, binary !== undefined && isTrue(binary));
  }),
];
