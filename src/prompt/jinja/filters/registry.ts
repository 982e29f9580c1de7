/** All filters and tests by name, those that apply others among them. Read by the expression compiler. */

import { builtin, tableOf, variadic, type Builtin, type One } from '../values/callable.ts';
import { TemplateFailure } from '../values/failure.ts';
import { generator, iterate } from '../values/iterate.ts';
import type { Render } from '../values/render.ts';
import { isTrue, textOf, type Kwargs, type Value } from '../values/value.ts';
import { attributeGetter, type Getter } from './attribute-path.ts';
import { plainTests } from './is-tests.ts';
import { goesOn, sequenceFilters } from './sequence-filters.ts';
import { textFilters } from './text-filters.ts';
import { valueFilters } from './value-filters.ts';

const argumentError = (message: string): TemplateFailure =>
  new TemplateFailure('FilterArgumentError', message);

/** What `map` does with an item: takes an attribute, or applies a filter. */
function mapper(render: Render, args: readonly Value[], kwargs: Kwargs): Getter {
  const [name, ...rest] = args;
  if (name === undefined && kwargs?.has('attribute') === true) {
    for (const key of kwargs.keys()) {
      if (key !== 'attribute' && key !== 'default') {
        throw argumentError(`Unexpected keyword argument '${key}'`);
      }
    }
    return attributeGetter(render, kwargs.get('attribute'), { default: kwargs.get('default') });
  }
  if (name === undefined) throw argumentError('map requires a filter argument');
  const filter = filters.get(textOf(name) ?? '');
  return (item) => {
    if (filter === undefined) {
      throw new TemplateFailure('TemplateRuntimeError', `No filter named '${textOf(name)}'.`);
    }
    return filter.run(render, [item, ...rest], kwargs);
  };
}

const map = variadic('map', (render, [value = null, ...args], kwargs) =>
  generator(
    value,
    (function* mapped() {
      if (!goesOn(value)) return;
      const apply = mapper(render, args, kwargs);
      for (const item of iterate(render, value)) {
        render.charge(6);
        yield apply(item);
      }
    })(),
  ),
);

/** Whether an item passes a test, given as `name, arguments…`; without a name its own truth. */
function tester(render: Render, args: readonly Value[], kwargs: Kwargs): (item: Value) => boolean {
  const [name, ...rest] = args;
  if (name === undefined) return isTrue;
  const test = tests.get(textOf(name) ?? '');
  return (item) => {
    if (test === undefined) {
      throw new TemplateFailure('TemplateRuntimeError', `No test named '${textOf(name)}'.`);
    }
    return isTrue(test.run(render, [item, ...rest], kwargs));
  };
}

const selection = (name: string, options: { keeps: boolean; byAttribute: boolean }): Builtin =>
  variadic(name, (render, [value = null, ...args], kwargs) =>
    generator(
      value,
      (function* selected() {
        if (!goesOn(value)) return;
        const [attribute, ...rest] = args;
        if (options.byAttribute && attribute === undefined) {
          throw argumentError('Missing parameter for attribute name');
        }
        const get = attributeGetter(render, options.byAttribute ? attribute : undefined);
        const passes = tester(render, options.byAttribute ? rest : args, kwargs);
        for (const item of iterate(render, value)) {
          render.charge(6);
          if (passes(get(item)) === options.keeps) yield item;
        }
      })(),
    ),
  );

export const filters: ReadonlyMap<string, Builtin> = tableOf([
  ...textFilters,
  ...sequenceFilters,
  ...valueFilters,
  map,
  selection('select', { keeps: true, byAttribute: false }),
  selection('reject', { keeps: false, byAttribute: false }),
  selection('selectattr', { keeps: true, byAttribute: true }),
  selection('rejectattr', { keeps: false, byAttribute: true }),
]);

export const tests: ReadonlyMap<string, Builtin> = new Map([
  ...plainTests,
  [
    'filter',
    builtin('filter(value)', (_render, [name]: One) => filters.has(textOf(name) ?? '')),
  ] as const,
  [
    'test',
    builtin('test(value)', (_render, [name]: One) => tests.has(textOf(name) ?? '')),
  ] as const,
]);
