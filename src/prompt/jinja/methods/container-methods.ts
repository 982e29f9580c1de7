/** The methods of lists, tuples and dictionaries that change nothing; the sandbox refuses the others. */

import { builtin, tableOf, type One, type Three, type Two } from '../values/callable.ts';
import { contains, isEqual } from '../values/compare.ts';
import { TemplateFailure, valueError } from '../values/failure.ts';
import { toArray } from '../values/iterate.ts';
import { reprOf } from '../values/text.ts';
import type { Render } from '../values/render.ts';
import { DictView, PyDict, PyTuple, intOf, type Value } from '../values/value.ts';

const itemsOf = (value: Value): readonly Value[] =>
  value instanceof PyTuple ? value.items : (value as readonly Value[]);

function indexOf(render: Render, [self, item, start, stop]: readonly (Value | undefined)[]) {
  const items = itemsOf(self ?? null);
  const clip = (value: Value | undefined, absent: number): number => {
    const int = intOf(value);
    if (int === undefined) return absent;
    return Number(int) < 0 ? Math.max(0, Number(int) + items.length) : Number(int);
  };
  const end = Math.min(items.length, clip(stop, items.length));
  for (let at = clip(start, 0); at < end; at++) {
    render.charge(1);
    if (isEqual(render, items[at] ?? null, item ?? null)) return at;
  }
  const shown = self instanceof PyTuple ? 'tuple.index(x): x' : reprOf(render, item ?? null);
  throw valueError(`${shown} ${self instanceof PyTuple ? 'not in tuple' : 'is not in list'}`);
}

const index = builtin('index(self, value, start?, stop?, /)', (render, args: Two) =>
  indexOf(render, args),
);
const count = builtin('count(self, value, /)', (render, [self, wanted]: Two) => {
  const items = itemsOf(self);
  render.charge(items.length);
  return items.filter((item) => isEqual(render, item, wanted)).length;
});

export const tupleMethods = tableOf([index, count]);

export const rangeMethods = tableOf([
  builtin('index(self, value, /)', (render, [self, value]: Two) => {
    const items = toArray(render, self);
    const at = items.findIndex((item) => isEqual(render, item, value));
    if (at === -1) throw valueError(`${reprOf(render, value)} is not in range`);
    return at;
  }),
  builtin('count(self, value, /)', (render, [self, value]: Two) =>
    contains(render, self, value) ? 1 : 0,
  ),
]);

export const listMethods = tableOf([
  index,
  count,
  builtin('copy(self, /)', (render, [self]: One) => [...toArray(render, self)]),
]);

const asDict = (value: Value): PyDict => value as PyDict;

export const dictMethods = tableOf([
  builtin('keys(self, /)', (_render, [self]: One) => new DictView(asDict(self), 'keys')),
  builtin('values(self, /)', (_render, [self]: One) => new DictView(asDict(self), 'values')),
  builtin('items(self, /)', (_render, [self]: One) => new DictView(asDict(self), 'items')),
  builtin('get(self, key, default?, /)', (render, [self, key, otherwise]: Two) => {
    render.charge(1);
    const found = asDict(self).get(key);
    return found === undefined ? (otherwise ?? null) : found;
  }),
  builtin('copy(self, /)', (render, [self]: One) => {
    render.charge(asDict(self).size * 8);
    return PyDict.from(asDict(self).entries());
  }),
  builtin('fromkeys(self, iterable, value?, /)', (render, [, keys, value]: Three) =>
    PyDict.from(toArray(render, keys).map((key) => [key, value ?? null] as const)),
  ),
]);

/** The items of a dictionary's constructor: another one, or pairs. */
export function dictFrom(render: Render, source: Value | undefined): PyDict {
  if (source === undefined) return new PyDict();
  if (source instanceof PyDict) {
    render.charge(source.size * 8);
    return PyDict.from(source.entries());
  }
  return PyDict.from(
    toArray(render, source).map((pair, at) => {
      const items = toArray(render, pair);
      if (items.length !== 2) {
        throw new TemplateFailure(
          'ValueError',
          `dictionary update sequence element #${at} has length ${items.length}; 2 is required`,
        );
      }
      return [items[0] ?? null, items[1] ?? null] as const;
    }),
  );
}
