/** Equality, order and membership as Python has them. */

import { isIterable, iterate } from './iterate.ts';
import { typeError } from './failure.ts';
import type { Render } from './render.ts';
import {
  DictView,
  PyDict,
  PyFloat,
  PyRange,
  PyTuple,
  Undefined,
  intOf,
  isList,
  textOf,
  typeName,
  type Value,
} from './value.ts';

/** Any number as one that JavaScript compares: integers exactly, against floats too. */
export function numberOf(value: Value): number | bigint | undefined {
  return value instanceof PyFloat ? value.value : intOf(value);
}

export function isEqual(render: Render, left: Value, right: Value): boolean {
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length === right.length && left.length > 64) render.chargeText(left.length);
    return left === right;
  }
  if (left === right) return !(left instanceof PyFloat) || !Number.isNaN(left.value);
  if (left === null || right === null) return false;
  const number = numberOf(left);
  if (number !== undefined) {
    const other = numberOf(right);
    // oxlint-disable-next-line eqeqeq -- a BigInt and a number of one value are equal
    return other !== undefined && number == other;
  }
  const text = textOf(left);
  if (text !== undefined) return text === textOf(right);
  if (left instanceof Undefined) return right instanceof Undefined;
  return isEqualContainer(render, left, right);
}

function isEqualContainer(render: Render, left: Value, right: Value): boolean {
  if (isList(left)) return isList(right) && areEqual(render, left, right);
  if (left instanceof PyTuple) {
    return right instanceof PyTuple && areEqual(render, left.items, right.items);
  }
  if (left instanceof PyRange) {
    if (!(right instanceof PyRange) || left.length !== right.length) return false;
    if (left.length === 0) return true;
    return left.start === right.start && (left.length === 1 || left.step === right.step);
  }
  if (left instanceof DictView && right instanceof DictView) {
    if (left.kind === 'values' || right.kind === 'values') return false;
    const others = right.items();
    return (
      left.dict.size === right.dict.size &&
      left.items().every((item) => others.some((other) => isEqual(render, item, other)))
    );
  }
  if (!(left instanceof PyDict) || !(right instanceof PyDict)) return false;
  if (left.size !== right.size) return false;
  render.charge(4 + left.size * 4);
  return left.entries().every(([key, value]) => {
    const other = right.get(key);
    return other !== undefined && isEqual(render, value, other);
  });
}

function areEqual(render: Render, left: readonly Value[], right: readonly Value[]): boolean {
  if (left.length !== right.length) return false;
  render.charge(2 + left.length * 3);
  return left.every((item, at) => isEqual(render, item, right[at] ?? null));
}

export type Order = '<' | '<=' | '>' | '>=';

function ordered<T extends string | number | bigint>(left: T, right: T, order: Order): boolean {
  switch (order) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}

const surrogates = /[\ud800-\udfff]/;

/** Below, at or above zero. JavaScript orders by 16-bit units, Python by characters. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  if (!surrogates.test(left) && !surrogates.test(right)) return left < right ? -1 : 1;
  const others = right[Symbol.iterator]();
  for (const character of left) {
    const other = others.next();
    if (other.done === true) return 1;
    const difference = (character.codePointAt(0) ?? 0) - (other.value.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return others.next().done === true ? 0 : -1;
}

/** @throws TemplateFailure TypeError for values that have no order */
export function compare(render: Render, left: Value, right: Value, order: Order): boolean {
  if (typeof left === 'number' && typeof right === 'number') return ordered(left, right, order);
  if (left instanceof Undefined) throw left.failure();
  if (right instanceof Undefined) throw right.failure();
  const number = numberOf(left);
  const otherNumber = numberOf(right);
  if (number !== undefined && otherNumber !== undefined) {
    return ordered<number | bigint>(number, otherNumber, order);
  }
  const text = textOf(left);
  const otherText = textOf(right);
  if (text !== undefined && otherText !== undefined) {
    render.chargeText(Math.min(text.length, otherText.length) * 3);
    return ordered(compareText(text, otherText), 0, order);
  }
  if (isList(left) && isList(right)) return compareItems(render, [left, right], order);
  if (left instanceof PyTuple && right instanceof PyTuple) {
    return compareItems(render, [left.items, right.items], order);
  }
  throw typeError(
    `'${order}' not supported between instances of '${typeName(left)}' and '${typeName(right)}'`,
  );
}

function compareItems(
  render: Render,
  [left, right]: readonly [readonly Value[], readonly Value[]],
  order: Order,
): boolean {
  const shorter = Math.min(left.length, right.length);
  for (let i = 0; i < shorter; i++) {
    render.charge(1);
    const item = left[i] ?? null;
    const other = right[i] ?? null;
    if (!isEqual(render, item, other)) return compare(render, item, other, order);
  }
  return ordered(left.length, right.length, order);
}

/** Whether `item in container`. @throws TemplateFailure TypeError */
export function contains(render: Render, container: Value, item: Value): boolean {
  const text = textOf(container);
  if (text !== undefined) {
    const wanted = textOf(item);
    if (wanted === undefined) {
      throw typeError(`'in <string>' requires string as left operand, not ${typeName(item)}`);
    }
    render.charge(1 + ((1 + Math.min(wanted.length, 256) / 8) * text.length) / 64);
    return text.includes(wanted);
  }
  if (container instanceof PyDict) return container.has(item);
  if (container instanceof DictView && container.kind === 'keys') return container.dict.has(item);
  if (container instanceof PyRange) {
    const number = numberOf(item);
    if (number === undefined) return false;
    const at = (Number(number) - container.start) / container.step;
    return Number.isInteger(at) && at >= 0 && at < container.length;
  }
  if (!isIterable(container)) {
    throw typeError(`argument of type '${typeName(container)}' is not iterable`);
  }
  for (const one of iterate(render, container)) {
    render.charge(1);
    if (isEqual(render, one, item)) return true;
  }
  return false;
}
