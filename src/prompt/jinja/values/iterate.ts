/** Going over values: what can be iterated, lazily where it makes a difference, and paid for. */

import { TemplateFailure, typeError } from './failure.ts';
import type { Render } from './render.ts';
import {
  DictView,
  Markup,
  PyDict,
  PyIterator,
  PyRange,
  PyTuple,
  Undefined,
  isList,
  textOf,
  typeName,
  type Value,
} from './value.ts';

/** What is at hand as a list already; null for text, ranges and iterators. */
export function toArrayIfCheap(render: Render, value: Value): readonly Value[] | null {
  if (isList(value)) return value;
  if (value instanceof PyTuple) return value.items;
  if (value instanceof PyDict) {
    render.charge(value.size * 2);
    return value.keys();
  }
  if (value instanceof DictView) {
    render.charge(value.dict.size * 4);
    return value.items();
  }
  return value instanceof Undefined ? [] : null;
}

function* rangeItems(range: PyRange): Generator<Value> {
  for (let i = 0; i < range.length; i++) yield range.at(i);
}

/** An iterator that goes on where it was left. */
const resumable = (items: Iterator<Value>): Iterable<Value> => ({
  [Symbol.iterator]: () => ({ next: () => items.next() }),
});

export function isIterable(value: Value): boolean {
  return (
    typeof value === 'string' ||
    isList(value) ||
    value instanceof PyDict ||
    value instanceof PyTuple ||
    value instanceof DictView ||
    value instanceof PyRange ||
    value instanceof PyIterator ||
    value instanceof Markup ||
    value instanceof Undefined
  );
}

/** @throws TemplateFailure TypeError for what cannot be iterated */
export function iterate(render: Render, value: Value): Iterable<Value> {
  const cheap = toArrayIfCheap(render, value);
  if (cheap !== null) return cheap;
  const text = textOf(value);
  if (text !== undefined) return text;
  if (value instanceof PyRange) return rangeItems(value);
  if (value instanceof PyIterator) return resumable(value.items);
  throw typeError(`'${typeName(value)}' object is not iterable`);
}

/**
 * All items as a list, which must not be changed.
 * @throws TemplateFailure TypeError for what cannot be iterated
 */
export function toArray(
  render: Render,
  value: Value,
  purpose: 'iterate' | 'unpack' = 'iterate',
): readonly Value[] {
  const cheap = toArrayIfCheap(render, value);
  if (cheap !== null) {
    render.charge(cheap.length);
    return cheap;
  }
  if (purpose === 'unpack' && !isIterable(value)) {
    throw typeError(`cannot unpack non-iterable ${typeName(value)} object`);
  }
  const items: Value[] = [];
  for (const item of iterate(render, value)) {
    render.charge(3);
    items.push(item);
  }
  return items;
}

/** Iterators that take from iterators that take from iterators. */
const maxChain = 100;

/**
 * An iterator that a filter gives: it works when it is asked, and once.
 * @param source what it takes from
 * @throws TemplateFailure RecursionError for too long a chain of them
 */
export function generator(source: Value, items: Iterator<Value>): PyIterator {
  const depth = source instanceof PyIterator ? source.depth + 1 : 0;
  if (depth > maxChain) {
    throw new TemplateFailure('RecursionError', 'maximum recursion depth exceeded');
  }
  return new PyIterator(items, 'generator', depth);
}
