/** The variable `loop`: where a loop stands. Made by the loop compiler, read by templates. */

import { Callable, variadic, BoundMethod, type Builtin } from '../values/callable.ts';
import { isEqual } from '../values/compare.ts';
import { typeError } from '../values/failure.ts';
import type { Render } from '../values/render.ts';
import { PyTuple, Undefined, isList, type Kwargs, type Value } from '../values/value.ts';

/** Runs the loop's body over other items, one level deeper. */
export type Recurse = (render: Render, items: Value, depth: number) => Value;

export class LoopContext extends Callable {
  readonly typeName = 'LoopContext';
  override readonly module = 'jinja2.runtime';
  index0 = -1;
  readonly #depth0: number;
  readonly #recurse: Recurse | null;
  /** All items where they are known, else those that were fetched ahead of their turn. */
  #items: readonly Value[];
  #source: Iterator<Value> | null;
  /** The place in `#items` of the next one to come. */
  #next = 0;
  #current: Value | undefined;
  #before: Value | undefined;
  #lastChanged: Value | undefined;

  constructor(
    source: readonly Value[] | Iterator<Value>,
    recurse: Recurse | null = null,
    depth0 = 0,
  ) {
    super();
    this.#items = isList(source as Value) ? (source as readonly Value[]) : [];
    this.#source = isList(source as Value) ? null : (source as Iterator<Value>);
    this.#recurse = recurse;
    this.#depth0 = depth0;
  }

  /** Moves on to the next item; undefined behind the last one. */
  step(): Value | undefined {
    const item = this.#peek();
    if (item === undefined) return undefined;
    this.#next++;
    this.index0++;
    this.#before = this.#current;
    this.#current = item;
    return item;
  }

  #peek(): Value | undefined {
    const known = this.#items[this.#next];
    if (known !== undefined || this.#source === null) return known;
    const fetched = this.#source.next();
    if (fetched.done === true) {
      this.#source = null;
      return undefined;
    }
    this.#items = [fetched.value];
    this.#next = 0;
    return fetched.value;
  }

  get length(): number {
    if (this.#source !== null) {
      const ahead = this.#items.slice(this.#next);
      for (let one = this.#source.next(); one.done !== true; one = this.#source.next()) {
        ahead.push(one.value);
      }
      this.#items = ahead;
      this.#next = 0;
      this.#source = null;
    }
    return this.index0 + 1 + this.#items.length - this.#next;
  }

  // oxlint-disable-next-line complexity -- one line for each attribute
  override attribute(name: string): Value | undefined {
    switch (name) {
      case 'index':
        return this.index0 + 1;
      case 'index0':
        return this.index0;
      case 'first':
        return this.index0 === 0;
      case 'last':
        return this.#peek() === undefined;
      case 'length':
        return this.length;
      case 'revindex':
        return this.length - this.index0;
      case 'revindex0':
        return this.length - this.index0 - 1;
      case 'depth':
        return this.#depth0 + 1;
      case 'depth0':
        return this.#depth0;
      case 'previtem':
        return this.#before ?? this.#orAbsent(this.#before, 'there is no previous item');
      case 'nextitem': {
        const next = this.#peek();
        return next ?? this.#orAbsent(next, 'there is no next item');
      }
      case 'cycle':
        return new BoundMethod(this, this.#cycle, 'LoopContext');
      case 'changed':
        return new BoundMethod(this, this.#changed, 'LoopContext');
      default:
        return undefined;
    }
  }

  /** None is an item like others. */
  #orAbsent(item: Value | undefined, message: string): Value {
    return item === null ? null : new Undefined(() => message);
  }

  readonly #cycle: Builtin = variadic('cycle', (_render, [, ...items]) => {
    if (items.length === 0) throw typeError('no items for cycling given');
    return items[this.index0 % items.length] ?? null;
  });

  readonly #changed: Builtin = variadic('changed', (render, [, ...values]) => {
    const now = new PyTuple(values);
    if (this.#lastChanged !== undefined && isEqual(render, this.#lastChanged, now)) return false;
    this.#lastChanged = now;
    return true;
  });

  call(render: Render, args: readonly Value[], kwargs: Kwargs): Value {
    const [items] = args;
    if (this.#recurse === null) {
      throw typeError("The loop must have the 'recursive' marker to be called recursively.");
    }
    if (items === undefined || args.length > 1 || kwargs !== null) {
      throw typeError('a recursive loop is called with the items to go over');
    }
    return this.#recurse(render, items, this.#depth0 + 1);
  }

  repr(): string {
    return `<LoopContext ${this.index0 + 1}/${this.length}>`;
  }
}
