/**
 * What a template computes with: Python's values in JavaScript. Lists are arrays, integers are numbers
 * (BigInt beyond 2^53), floats are wrapped so that 1.0 stays a float. Nothing of the host is reachable
 * from a value: attributes are looked up in tables of our own, never on these objects.
 */

import { TemplateFailure, typeError } from './failure.ts';

export type Value =
  | null
  | boolean
  | string
  | number
  | bigint
  | readonly Value[]
  | PyFloat
  | PyTuple
  | PyDict
  | PyRange
  | DictView
  | PyIterator
  | Undefined
  | Markup
  | PyObject;

export class PyFloat {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

export class PyTuple {
  readonly items: readonly Value[];
  /** Names of the places, for named tuples. */
  readonly fields: readonly string[] | null;
  constructor(items: readonly Value[], fields: readonly string[] | null = null) {
    this.items = items;
    this.fields = fields;
  }
}

/** Text that the filters `safe` and `escape` made: what is added to it is escaped. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export class PyRange {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
  readonly length: number;
  constructor(start: number, stop: number, step: number) {
    this.start = start;
    this.stop = stop;
    this.step = step;
    this.length = Math.max(0, Math.ceil((stop - start) / step));
  }
  at(index: number): number {
    return this.start + index * this.step;
  }
}

/** A generator or another iterator: it gives its items once. */
export class PyIterator {
  readonly typeName: string;
  readonly items: Iterator<Value>;
  /** How many iterators it takes its items through. */
  readonly depth: number;
  constructor(items: Iterator<Value>, typeName = 'generator', depth = 0) {
    this.depth = depth;
    this.items = items;
    this.typeName = typeName;
  }
}

/** What a missing name, key or attribute gives: empty where printed, an error where used. */
export class Undefined {
  readonly #message: () => string;
  readonly kind: 'UndefinedError' | 'SecurityError';
  constructor(message: () => string, kind: 'UndefinedError' | 'SecurityError' = 'UndefinedError') {
    this.#message = message;
    this.kind = kind;
  }
  failure(): TemplateFailure {
    return new TemplateFailure(this.kind, this.#message());
  }
}

/** Named arguments of a call; null = none. */
export type Kwargs = ReadonlyMap<string, Value> | null;

/** An object with an own set of attributes: functions, macros, namespaces, loops. */
export abstract class PyObject {
  abstract readonly typeName: string;
  /** The module that Python's messages name before the type. */
  readonly module: string = 'builtins';
  /** Undefined = there is no such attribute. */
  attribute(_name: string): Value | undefined {
    return undefined;
  }
  /** @param show how values inside are shown */
  abstract repr(show: (value: Value) => string): string;
}

export type Key = string | number | bigint | null | symbol | object;

const undefinedKey = Symbol('undefined');
const identities = new WeakMap<object, number>();
let nextIdentity = 1;

function identityOf(value: object): number {
  const known = identities.get(value);
  if (known !== undefined) return known;
  identities.set(value, nextIdentity);
  return nextIdentity++;
}

const maxTupleKey = 100_000;

function tupleKey(tuple: PyTuple): string {
  const parts = tuple.items.map((item) => {
    const key = hashKey(item);
    const shown = typeof key === 'object' && key !== null ? identityOf(key) : String(key);
    return `${typeof key} ${String(shown).length} ${shown}`;
  });
  const text = `\u0000\udfff(${parts.join()})`;
  // Tuples of tuples that share their parts double with each level.
  if (text.length > maxTupleKey) throw new TemplateFailure('LimitError', 'a key is too large');
  return text;
}

/**
 * The key under which Python's dictionaries find a value: 1, 1.0 and True are one.
 * @throws TemplateFailure TypeError for lists and dictionaries
 */
export function hashKey(value: Value): Key {
  if (typeof value === 'string' || typeof value === 'number' || value === null) return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'bigint') return value;
  if (value instanceof PyFloat) {
    const { value: number } = value;
    return Number.isInteger(number) && !Number.isSafeInteger(number) ? BigInt(number) : number;
  }
  if (value instanceof PyTuple) return tupleKey(value);
  if (value instanceof Undefined) return undefinedKey;
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) throw typeError("unhashable type: 'list'");
  if (value instanceof PyDict) throw typeError("unhashable type: 'dict'");
  return value;
}

export class PyDict {
  readonly #values = new Map<Key, Value>();
  /** The keys that are not their own hash. */
  #originals: Map<Key, Value> | null = null;

  get size(): number {
    return this.#values.size;
  }
  get(key: Value): Value | undefined {
    return this.#values.get(hashKey(key));
  }
  /** The quick way for names. */
  getText(key: string): Value | undefined {
    return this.#values.get(key);
  }
  has(key: Value): boolean {
    return this.#values.has(hashKey(key));
  }
  set(key: Value, value: Value): void {
    const hash = hashKey(key);
    if (hash !== key && !this.#values.has(hash)) {
      this.#originals ??= new Map<Key, Value>();
      this.#originals.set(hash, key);
    }
    this.#values.set(hash, value);
  }
  keys(): Value[] {
    const originals = this.#originals;
    if (originals === null) return [...this.#values.keys()] as Value[];
    return [...this.#values.keys()].map((hash) => originals.get(hash) ?? (hash as Value));
  }
  values(): Value[] {
    return [...this.#values.values()];
  }
  entries(): [Value, Value][] {
    const originals = this.#originals;
    const all = [...this.#values] as [Value, Value][];
    if (originals !== null) {
      for (const entry of all) entry[0] = originals.get(entry[0] as Key) ?? entry[0];
    }
    return all;
  }
  static from(entries: Iterable<readonly [Value, Value]>): PyDict {
    const dict = new PyDict();
    for (const [key, value] of entries) dict.set(key, value);
    return dict;
  }
}

export class DictView {
  readonly dict: PyDict;
  readonly kind: 'keys' | 'values' | 'items';
  constructor(dict: PyDict, kind: 'keys' | 'values' | 'items') {
    this.dict = dict;
    this.kind = kind;
  }
  items(): Value[] {
    if (this.kind === 'keys') return this.dict.keys();
    if (this.kind === 'values') return this.dict.values();
    return this.dict.entries().map((entry) => new PyTuple(entry));
  }
}

/** The name that Python's messages use for a value's type. */
export function typeName(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'str';
    case 'number':
    case 'bigint':
      return 'int';
    case 'boolean':
      return 'bool';
    default:
  }
  if (value === null) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  if (value instanceof PyDict) return 'dict';
  if (value instanceof PyTuple) return value.fields === null ? 'tuple' : '_GroupTuple';
  if (value instanceof PyFloat) return 'float';
  if (value instanceof PyRange) return 'range';
  if (value instanceof DictView) return `dict_${value.kind}`;
  if (value instanceof Undefined) return 'Undefined';
  if (value instanceof Markup) return 'Markup';
  return (value as PyObject | PyIterator).typeName;
}

/** The same for missing attributes: `dict object`, `None`, `jinja2.utils.Namespace object`. */
export function describeType(value: Value): string {
  if (value === null) return 'None';
  if (value instanceof Markup) return 'markupsafe.Markup object';
  if (value instanceof Undefined) return 'jinja2.runtime.Undefined object';
  const module = value instanceof PyObject ? value.module : 'builtins';
  return `${module === 'builtins' ? '' : `${module}.`}${typeName(value)} object`;
}

/** The text of a string, whether marked as safe or not; undefined for all else. */
export function textOf(value: Value | undefined): string | undefined {
  if (typeof value === 'string') return value;
  return value instanceof Markup ? value.text : undefined;
}

export const isList = (value: Value | undefined): value is readonly Value[] => Array.isArray(value);

export const isInt = (value: Value | undefined): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

/** Python's integers, booleans among them, as a number or BigInt; undefined for all else. */
export function intOf(value: Value | undefined): number | bigint | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return isInt(value) ? value : undefined;
}

/** A BigInt as the shortest form of an integer. */
export function toInt(value: bigint): number | bigint {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

/** What `is true` means where a condition is asked. */
export function isTrue(value: Value): boolean {
  switch (typeof value) {
    case 'string':
      return value !== '';
    case 'number':
      return value !== 0;
    case 'bigint':
      return value !== 0n;
    case 'boolean':
      return value;
    default:
  }
  if (value === null || value instanceof Undefined) return false;
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof PyDict) return value.size > 0;
  if (value instanceof PyFloat) return value.value !== 0;
  if (value instanceof PyTuple) return value.items.length > 0;
  if (value instanceof PyRange) return value.length > 0;
  if (value instanceof DictView) return value.dict.size > 0;
  if (value instanceof Markup) return value.text !== '';
  return true;
}
