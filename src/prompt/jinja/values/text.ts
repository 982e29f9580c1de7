/** Python's `str` and `repr` of every value. Called wherever a template prints, joins or formats. */

import { TemplateFailure, valueError } from './failure.ts';
import { floatText, quoteText } from './quote.ts';
import type { Render } from './render.ts';
import {
  DictView,
  Markup,
  PyDict,
  PyFloat,
  PyIterator,
  PyRange,
  PyTuple,
  Undefined,
  type PyObject,
  type Value,
} from './value.ts';

/** Python refuses to print longer integers, as the time for it grows with their square. */
const maxDigits = 4300;

export function intText(value: number | bigint): string {
  // The hexadecimal form costs little: four digits of it are less than five decimal ones.
  const isLong = typeof value === 'bigint' && value.toString(16).length > maxDigits;
  const text = isLong ? '' : String(value);
  if (isLong || text.length > maxDigits + 1) {
    throw valueError(`Exceeds the limit (${maxDigits} digits) for integer string conversion`);
  }
  return text;
}

/** What a value looks like where it is printed. */
export function toText(render: Render, value: Value): string {
  if (typeof value === 'string') return value;
  if (value instanceof Undefined) return '';
  return value instanceof Markup ? value.text : reprOf(render, value);
}

/** What a value looks like inside a list. */
export function reprOf(render: Render, value: Value): string {
  switch (typeof value) {
    case 'string':
      render.chargeText(value.length * 2);
      return quoteText(value);
    case 'number':
      return String(value);
    case 'bigint': {
      const text = intText(value);
      render.charge(Math.ceil(text.length ** 2 / 2048));
      return text;
    }
    case 'boolean':
      return value ? 'True' : 'False';
    default:
  }
  if (value === null) return 'None';
  if (value instanceof PyFloat) return floatText(value.value);
  if (value instanceof Undefined) return 'Undefined';
  if (value instanceof PyRange) {
    const step = value.step === 1 ? '' : `, ${value.step}`;
    return `range(${value.start}, ${value.stop}${step})`;
  }
  if (value instanceof Markup) return `Markup(${quoteText(value.text)})`;
  if (value instanceof PyIterator) return `<${value.typeName} object>`;
  return containerText(render, value);
}

function containerText(
  render: Render,
  value: readonly Value[] | PyTuple | PyDict | DictView | PyObject,
): string {
  const show = (item: Value): string => reprOf(render, item);
  if (Array.isArray(value)) return bounded(render, `[${joined(render, value as Value[])}]`);
  if (value instanceof PyTuple) {
    const comma = value.items.length === 1 ? ',' : '';
    return bounded(render, `(${joined(render, value.items)}${comma})`);
  }
  if (value instanceof PyDict) return dictText(render, value);
  if (value instanceof DictView) {
    return bounded(render, `dict_${value.kind}([${joined(render, value.items())}])`);
  }
  return bounded(render, (value as PyObject).repr(show));
}

function joined(render: Render, items: readonly Value[]): string {
  render.charge(3 + items.length * 3);
  let text = '';
  for (const item of items) {
    text += text === '' ? reprOf(render, item) : `, ${reprOf(render, item)}`;
    stopAt(render, text);
  }
  return text;
}

function dictText(render: Render, dict: PyDict): string {
  render.charge(4 + dict.size * 4);
  let text = '';
  for (const [key, value] of dict.entries()) {
    text += `${text === '' ? '' : ', '}${reprOf(render, key)}: ${reprOf(render, value)}`;
    stopAt(render, text);
  }
  return bounded(render, `{${text}}`);
}

function stopAt(render: Render, text: string): void {
  if (text.length > render.limits.textLength) {
    throw new TemplateFailure('LimitError', 'the template makes too long a text');
  }
}

function bounded(render: Render, text: string): string {
  render.chargeText(text.length);
  return text;
}
