/**
 * What `value.name` and `value[key]` give, under the rules of Jinja2's immutable sandbox: methods come
 * first, nothing that begins with an underscore or changes a list or dictionary can be had. Every name
 * is looked up in tables of our own.
 */

import {
  dictMethods,
  listMethods,
  rangeMethods,
  tupleMethods,
} from '../methods/container-methods.ts';
import { stringMethods } from '../methods/string-methods.ts';
import { BoundMethod, Callable, builtin, type Builtin, type One } from './callable.ts';
import type { Render } from './render.ts';
import { quoteText } from './quote.ts';
import { itemAt } from './slices.ts';
import { reprOf } from './text.ts';
import {
  Markup,
  PyDict,
  PyFloat,
  PyObject,
  PyRange,
  PyTuple,
  Undefined,
  describeType,
  intOf,
  isInt,
  isList,
  textOf,
  typeName,
  type Value,
} from './value.ts';

/** Methods that change their object: the sandbox has them, and hands out none. */
const changing: Readonly<Record<'list' | 'dict', ReadonlySet<string>>> = {
  list: new Set('append clear pop reverse insert sort extend remove'.split(' ')),
  dict: new Set('clear pop popitem setdefault update'.split(' ')),
};

const dunders = (names: string): ReadonlySet<string> =>
  new Set(names.split(' ').map((name) => `__${name}__`));

/** Names between double underscores that every object of Python has. */
const internal = dunders(
  'class delattr dir doc eq format ge getattribute getstate gt hash init init_subclass le lt ne new reduce reduce_ex repr setattr sizeof str subclasshook',
);
/** Those that functions have on top. */
const functionInternal = dunders(
  'annotations builtins call closure code defaults dict get globals kwdefaults module name qualname self text_signature',
);
/** Those that containers have on top. */
const containerInternal = dunders(
  'add class_getitem contains delitem getitem iadd imul ior iter len mul or reversed rmul ror setitem',
);

function isInternal(value: Value, name: string): boolean {
  if (internal.has(name)) return true;
  if (value instanceof Callable) return functionInternal.has(name);
  return (isList(value) || value instanceof PyDict) && containerInternal.has(name);
}

const unsafe = (value: Value, name: string): Undefined =>
  new Undefined(
    () => `access to attribute ${quoteText(name)} of '${typeName(value)}' object is unsafe.`,
    'SecurityError',
  );

function missing(render: Render, value: Value, key: Value): Undefined {
  return new Undefined(() => {
    const shown = reprOf(render, key);
    const type = describeType(value);
    return typeof key === 'string'
      ? `${quoteText(type)} has no attribute ${shown}`
      : `${type} has no element ${shown}`;
  });
}

function markupMethod(method: Builtin): Builtin {
  return {
    name: method.name,
    run(render, [self, ...args], kwargs) {
      const result = method.run(render, [textOf(self) ?? '', ...args], kwargs);
      if (typeof result === 'string') return new Markup(result);
      return isList(result)
        ? result.map((item) => (typeof item === 'string' ? new Markup(item) : item))
        : result;
    },
  };
}

const bitLength = builtin('bit_length(self)', (_render, [self]: One) => {
  const int = BigInt(intOf(self) ?? 0);
  return int === 0n ? 0 : (int < 0n ? -int : int).toString(2).length;
});
const isInteger = builtin(
  'is_integer(self)',
  (_render, [self]: One) => self instanceof PyFloat && Number.isInteger(self.value),
);

function numberAttribute(value: number | bigint | boolean | PyFloat, name: string) {
  if (value instanceof PyFloat) {
    if (name === 'is_integer') return new BoundMethod(value, isInteger, 'float');
    if (name === 'real') return value;
    return name === 'imag' ? new PyFloat(0) : undefined;
  }
  if (name === 'bit_length') return new BoundMethod(value, bitLength, 'int');
  if (name === 'real' || name === 'numerator') return intOf(value);
  if (name === 'imag') return 0;
  return name === 'denominator' ? 1 : undefined;
}

const method = (
  table: ReadonlyMap<string, Builtin>,
  value: Value,
  name: string,
): BoundMethod | undefined => {
  const found = table.get(name);
  return found === undefined ? undefined : new BoundMethod(value, found, typeName(value));
};

/** An attribute proper; undefined where the type has none of this name. */
function ownAttribute(value: Value, name: string): Value | undefined {
  if (typeof value === 'string') return method(stringMethods, value, name);
  if (value instanceof PyDict) {
    return changing.dict.has(name) ? unsafe(value, name) : method(dictMethods, value, name);
  }
  if (isList(value)) {
    return changing.list.has(name) ? unsafe(value, name) : method(listMethods, value, name);
  }
  if (value instanceof PyTuple) {
    const at = value.fields?.indexOf(name) ?? -1;
    return at === -1 ? method(tupleMethods, value, name) : value.items[at];
  }
  if (value instanceof PyObject) return value.attribute(name);
  if (value instanceof PyRange) {
    if (name === 'start' || name === 'stop' || name === 'step') return value[name];
    return method(rangeMethods, value, name);
  }
  if (value instanceof Markup) {
    const found = stringMethods.get(name);
    return found === undefined ? undefined : new BoundMethod(value, markupMethod(found), 'Markup');
  }
  if (isInt(value) || typeof value === 'boolean' || value instanceof PyFloat) {
    return numberAttribute(value, name);
  }
  return undefined;
}

/** An attribute as the sandbox lets it out; undefined where there is none. */
function safeAttribute(value: Value, name: string): Value | undefined {
  if (name.startsWith('_')) {
    const isThere =
      isInternal(value, name) || (value instanceof PyObject && value.attribute(name) !== undefined);
    return isThere ? unsafe(value, name) : undefined;
  }
  return ownAttribute(value, name);
}

/** @throws TemplateFailure UndefinedError for an attribute of a missing value */
export function getAttribute(render: Render, value: Value, name: string): Value {
  render.charge(1);
  if (value instanceof Undefined) {
    if (internal.has(name)) return unsafe(value, name);
    throw value.failure();
  }
  const attribute = safeAttribute(value, name);
  if (attribute !== undefined) return attribute;
  if (value instanceof PyDict) {
    const item = value.getText(name);
    if (item !== undefined) return item;
  }
  return missing(render, value, name);
}

function isHashable(key: Value): boolean {
  if (isList(key) || key instanceof PyDict) return false;
  if (key instanceof PyTuple) return key.items.every((item) => isHashable(item));
  return true;
}

/** @throws TemplateFailure UndefinedError for an item of a missing value */
export function getItem(render: Render, value: Value, key: Value): Value {
  render.charge(1);
  if (value instanceof Undefined) throw value.failure();
  if (value instanceof PyDict) {
    const isQuick = typeof key === 'string';
    const item = isQuick ? value.getText(key) : isHashable(key) ? value.get(key) : undefined;
    if (item !== undefined) return item;
  } else {
    const index = intOf(key);
    if (index !== undefined) {
      const item = itemAt(render, value, Number(index));
      if (item !== undefined) return item;
    }
  }
  const name = textOf(key);
  if (name !== undefined) {
    const attribute = safeAttribute(value, name);
    if (attribute !== undefined) return attribute;
  }
  return missing(render, value, key);
}

/** Whether Python's `hasattr` is true. */
export function hasAttribute(value: Value, name: string): boolean {
  return isInternal(value, name) || ownAttribute(value, name) !== undefined;
}
