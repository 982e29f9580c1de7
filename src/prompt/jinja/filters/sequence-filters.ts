/** Filters over lists and other iterables. Those that are generators in Python work when they are asked. */

import { builtin, variadic, type Builtin, type One, type Two } from '../values/callable.ts';
import { compare, isEqual } from '../values/compare.ts';
import { TemplateFailure, typeError } from '../values/failure.ts';
import { generator, isIterable, iterate, toArray } from '../values/iterate.ts';
import { binaryOperators } from '../values/operators.ts';
import type { Render } from '../values/render.ts';
import { lengthOf } from '../values/length.ts';
import { sliceOf } from '../values/slices.ts';
import {
  DictView,
  PyDict,
  PyIterator,
  PyObject,
  PyRange,
  PyTuple,
  Undefined,
  hashKey,
  intOf,
  isList,
  isTrue,
  textOf,
  typeName,
  type Key,
  type Value,
} from '../values/value.ts';
import { attributeGetter, attributesGetter, ignoreCase, intOr } from './attribute-path.ts';

const argumentError = (message: string): TemplateFailure =>
  new TemplateFailure('FilterArgumentError', message);

const isOn = (value: Value | undefined): boolean => value !== undefined && isTrue(value);

/** A stable sort by keys, in Python's order. */
function sortBy<T>(
  render: Render,
  items: readonly T[],
  order: { readonly key: (item: T) => Value; readonly reverse: boolean },
): T[] {
  const keyed = items.map((item) => ({ item, key: order.key(item) }));
  const sign = order.reverse ? -1 : 1;
  keyed.sort((a, b) => {
    render.charge(6);
    if (compare(render, a.key, b.key, '<')) return -sign;
    return compare(render, b.key, a.key, '<') ? sign : 0;
  });
  return keyed.map(({ item }) => item);
}

const sort = builtin(
  'sort(value, reverse?, case_sensitive?, attribute?)',
  (render, [value, reverse, caseSensitive, attribute]: One) => {
    const get = attributesGetter(render, attribute, !isOn(caseSensitive));
    return sortBy(render, toArray(render, value), {
      key: (item) => get(item),
      reverse: isOn(reverse),
    });
  },
);

const dictsort = builtin(
  'dictsort(value, case_sensitive?, by?, reverse?)',
  (render, [value, caseSensitive, by, reverse]: One) => {
    if (value instanceof Undefined) throw value.failure();
    if (!(value instanceof PyDict)) {
      throw new TemplateFailure(
        'AttributeError',
        `'${typeName(value)}' object has no attribute 'items'`,
      );
    }
    const place = by === undefined || by === 'key' ? 0 : by === 'value' ? 1 : -1;
    if (place === -1) throw argumentError('You can only sort by either "key" or "value"');
    const key = (entry: readonly Value[]): Value => {
      const item = entry[place] ?? null;
      return isOn(caseSensitive) ? item : ignoreCase(render, item);
    };
    return sortBy(render, value.entries(), { key, reverse: isOn(reverse) }).map(
      (entry) => new PyTuple(entry),
    );
  },
);

const extreme = (name: string, order: '<' | '>'): Builtin =>
  builtin(`${name}(value, case_sensitive?, attribute?)`, (render, args: One) => {
    const [value, caseSensitive, attribute] = args;
    const get = attributeGetter(render, attribute, { ignoreCase: !isOn(caseSensitive) });
    let best: { item: Value; key: Value } | null = null;
    for (const item of toArray(render, value)) {
      const key = get(item);
      if (best === null || compare(render, key, best.key, order)) best = { item, key };
    }
    return best?.item ?? noItem(best, 'No aggregated item, sequence was empty.');
  });

/** None is an item too. */
const noItem = (found: { readonly item: Value } | null, message: string): Value =>
  found === null ? new Undefined(() => message) : found.item;

const unique = builtin('unique(value, case_sensitive?, attribute?)', (render, args: One) => {
  const [value, caseSensitive, attribute] = args;
  const get = attributeGetter(render, attribute, { ignoreCase: !isOn(caseSensitive) });
  const items = iterate(render, value);
  return generator(
    value,
    (function* only() {
      const seen = new Set<Key>();
      for (const item of items) {
        render.charge(8);
        const key = hashKey(get(item));
        if (!seen.has(key)) {
          seen.add(key);
          yield item;
        }
      }
    })(),
  );
});

const groupby = builtin(
  'groupby(value, attribute, default?, case_sensitive?)',
  (render, [value, attribute, otherwise, caseSensitive]: Two) => {
    const options = { default: otherwise };
    const key = attributeGetter(render, attribute, {
      ...options,
      ignoreCase: !isOn(caseSensitive),
    });
    const shown = attributeGetter(render, attribute, options);
    const groups: { key: Value; items: Value[] }[] = [];
    for (const item of sortBy(render, toArray(render, value), { key, reverse: false })) {
      render.charge(8);
      const own = key(item);
      const last = groups.at(-1);
      if (last !== undefined && isEqual(render, last.key, own)) last.items.push(item);
      else groups.push({ key: own, items: [item] });
    }
    return groups.map(
      ({ items }) => new PyTuple([shown(items[0] ?? null), items], ['grouper', 'list']),
    );
  },
);

function firstOf(render: Render, value: Value): Value {
  for (const item of iterate(render, value)) return item;
  return new Undefined(() => 'No first item, sequence was empty.');
}

function reversedItems(render: Render, value: Value): readonly Value[] {
  if (value instanceof PyIterator || !isIterable(value)) {
    throw typeError(`'${typeName(value)}' object is not reversible`);
  }
  return toArray(render, value).toReversed();
}

const reverse = builtin('reverse(value)', (render, [value]: One) => {
  const text = textOf(value);
  if (text !== undefined) return sliceOf(render, text, { start: null, stop: null, step: -1 });
  if (
    isList(value) ||
    value instanceof PyTuple ||
    value instanceof PyDict ||
    value instanceof PyRange ||
    value instanceof DictView
  ) {
    const name = isList(value)
      ? 'list_reverseiterator'
      : value instanceof PyDict
        ? 'dict_reversekeyiterator'
        : 'reversed';
    return new PyIterator(toArray(render, value).toReversed()[Symbol.iterator](), name);
  }
  if (!isIterable(value)) throw argumentError('argument must be iterable');
  return toArray(render, value).toReversed();
});

const batch = builtin('batch(value, linecount, fill_with?)', (render, args: Two) => {
  const [value, count, fill] = args;
  const size = intOr(count, 0);
  return generator(
    value,
    (function* batches() {
      let row: Value[] = [];
      for (const item of iterate(render, value)) {
        render.charge(3);
        if (row.length === size) {
          yield row;
          row = [];
        }
        row.push(item);
      }
      if (row.length === 0) return;
      if (fill !== undefined && fill !== null && row.length < size) {
        render.charge(size);
        while (row.length < size) row.push(fill);
      }
      yield row;
    })(),
  );
});

const slice = builtin('slice(value, slices, fill_with?)', (render, args: Two) => {
  const [value, slices, fill] = args;
  const count = intOf(slices);
  if (count === undefined) throw typeError('slices must be an integer');
  return generator(
    value,
    (function* columns() {
      const items = toArray(render, value);
      const wanted = Number(count);
      if (wanted === 0) {
        throw new TemplateFailure('ZeroDivisionError', 'integer division or modulo by zero');
      }
      const least = Math.floor(items.length / wanted);
      const longer = items.length % wanted;
      let from = 0;
      for (let at = 0; at < wanted; at++) {
        render.charge(3);
        const column = items.slice(from, from + least + (at < longer ? 1 : 0));
        from += column.length;
        yield at >= longer && fill !== undefined && fill !== null ? [...column, fill] : column;
      }
    })(),
  );
});

const sum = builtin(
  'sum(iterable, attribute?, start?)',
  (render, [value, attribute, start]: One) => {
    const get = attributeGetter(render, attribute);
    let total: Value = start ?? 0;
    if (textOf(total) !== undefined)
      throw typeError("sum() can't sum strings [use ''.join(seq) instead]");
    for (const item of toArray(render, value)) {
      total = binaryOperators['+'](render, total, get(item));
    }
    return total;
  },
);

const items = builtin('items(value)', (render, [value]: One) =>
  generator(
    value,
    (function* pairs() {
      if (value instanceof Undefined) return;
      if (!(value instanceof PyDict)) throw typeError('Can only get item pairs from a mapping.');
      for (const pair of value.entries()) {
        render.charge(4);
        yield new PyTuple(pair);
      }
    })(),
  ),
);

export const sequenceFilters: readonly Builtin[] = [
  sort,
  dictsort,
  extreme('min', '<'),
  extreme('max', '>'),
  unique,
  groupby,
  reverse,
  batch,
  slice,
  sum,
  items,
  builtin('first(seq)', (render, [value]: One) => firstOf(render, value)),
  builtin('last(seq)', (render, [value]: One) => {
    const [last] = reversedItems(render, value);
    return last === undefined ? new Undefined(() => 'No last item, sequence was empty.') : last;
  }),
  builtin('list(value)', (render, [value]: One) => [...toArray(render, value)]),
  builtin('length(obj)', (render, [value]: One) => lengthOf(render, value)),
  builtin('count(obj)', (render, [value]: One) => lengthOf(render, value)),
  variadic('random', () => {
    throw new TemplateFailure(
      'TypeError',
      "the filter 'random' is not supported: prompts are the same for the same request",
    );
  }),
];

/** Whether `map` and `select` go on at all: they look at the truth of what they are given. */
export const goesOn = (value: Value): boolean => value instanceof PyObject || isTrue(value);
