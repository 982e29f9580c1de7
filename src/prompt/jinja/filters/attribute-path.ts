/** Attributes by a dotted path, as the filters `map`, `sort`, `groupby` and others take them. */

import { getItem } from '../values/attributes.ts';
import type { Render } from '../values/render.ts';
import { Undefined, intOf, textOf, type Value } from '../values/value.ts';

export type Getter = (item: Value) => Value;

function partsOf(attribute: Value | undefined): Value[] {
  if (attribute === undefined || attribute === null) return [];
  const text = textOf(attribute);
  if (text === undefined) return [attribute];
  return text.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

export function attributeGetter(
  render: Render,
  attribute: Value | undefined,
  options: { readonly ignoreCase?: boolean; readonly default?: Value | undefined } = {},
): Getter {
  const parts = partsOf(attribute);
  const otherwise = options.default ?? null;
  return (item) => {
    let value = item;
    for (const part of parts) {
      value = getItem(render, value, part);
      if (value instanceof Undefined && otherwise !== null) value = otherwise;
    }
    return options.ignoreCase === true ? ignoreCase(render, value) : value;
  };
}

export function ignoreCase(render: Render, value: Value): Value {
  const text = textOf(value);
  if (text === undefined) return value;
  render.chargeText(text.length * 2);
  return text.toLowerCase();
}

/** Several attributes, with commas between them. */
export function attributesGetter(
  render: Render,
  attribute: Value | undefined,
  isCaseIgnored: boolean,
): (item: Value) => Value[] {
  const text = textOf(attribute);
  const names = text === undefined ? [attribute] : text.split(',');
  const getters = names.map((name) => attributeGetter(render, name, { ignoreCase: isCaseIgnored }));
  return (item) => getters.map((get) => get(item));
}

/** A number argument, or what stands in for it. */
export const intOr = (value: Value | undefined, absent: number): number =>
  Number(intOf(value) ?? absent);
