/** What `is` asks: Jinja2's built-in tests. */

import {
  Callable,
  builtin,
  tableOf,
  type Builtin,
  type One,
  type Two,
} from '../values/callable.ts';
import { compare, contains, isEqual } from '../values/compare.ts';
import { isIterable } from '../values/iterate.ts';
import { binaryOperators } from '../values/operators.ts';
import { toText } from '../values/text.ts';
import { hasCase } from '../values/unicode.ts';
import {
  Markup,
  PyDict,
  PyFloat,
  PyRange,
  PyTuple,
  Undefined,
  isInt,
  isList,
  textOf,
  type Value,
} from '../values/value.ts';

const test = (name: string, ask: (value: Value) => boolean): Builtin =>
  builtin(`${name}(value)`, (_render, [value]: One) => ask(value));

const both = (
  name: string,
  ask: (render: Parameters<Builtin['run']>[0], left: Value, right: Value) => boolean,
): Builtin => builtin(`${name}(a, b, /)`, (render, [left, right]: Two) => ask(render, left, right));

const remainderIs = (name: string, wanted: number): Builtin =>
  builtin(`${name}(value)`, (render, [value]: One) =>
    isEqual(render, binaryOperators['%'](render, value, 2), wanted),
  );

const cased = (name: 'lower' | 'upper'): Builtin =>
  builtin(`${name}(value)`, (render, [value]: One) => {
    const text = toText(render, value);
    render.charge(text.length >> 2);
    return hasCase(text, name);
  });

/** Python's `is`: the same object; small values of one type and content are one. */
function isSame(left: Value, right: Value): boolean {
  if (left === right) return true;
  return left instanceof Undefined && right instanceof Undefined && left === right;
}

const isNumber = (value: Value): boolean =>
  isInt(value) || typeof value === 'boolean' || value instanceof PyFloat;

const orders = [
  ['>', 'gt', 'greaterthan'],
  ['>=', 'ge'],
  ['<', 'lt', 'lessthan'],
  ['<=', 'le'],
] as const;

export const plainTests = tableOf([
  test('defined', (value) => !(value instanceof Undefined)),
  test('undefined', (value) => value instanceof Undefined),
  test('none', (value) => value === null),
  test('boolean', (value) => typeof value === 'boolean'),
  test('true', (value) => value === true),
  test('false', (value) => value === false),
  test('integer', isInt),
  test('float', (value) => value instanceof PyFloat),
  test('number', isNumber),
  test('string', (value) => textOf(value) !== undefined),
  test('mapping', (value) => value instanceof PyDict),
  test('sequence', (value) =>
    isList(value) ||
    textOf(value) !== undefined ||
    value instanceof PyDict ||
    value instanceof PyTuple ||
    value instanceof PyRange ||
    value instanceof Undefined),
  test('iterable', (value) => isIterable(value)),
  test('callable', (value) => value instanceof Callable || value instanceof Undefined),
  test('escaped', (value) => value instanceof Markup),
  remainderIs('odd', 1),
  remainderIs('even', 0),
  builtin('divisibleby(value, num)', (render, [value, by]: Two) =>
    isEqual(render, binaryOperators['%'](render, value, by), 0),
  ),
  cased('lower'),
  cased('upper'),
  both('sameas', (_render, left, right) => isSame(left, right)),
  both('in', (render, item, container) => contains(render, container, item)),
  ...['==', 'eq', 'equalto'].map((name) => both(name, isEqual)),
  ...['!=', 'ne'].map((name) => both(name, (render, a, b) => !isEqual(render, a, b))),
  ...orders.flatMap(([order, ...names]) =>
    [order, ...names].map((name) => both(name, (render, a, b) => compare(render, a, b, order))),
  ),
]);
