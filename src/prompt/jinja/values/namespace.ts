/** Objects that templates make with global functions: namespaces, cyclers, joiners. */

import { BoundMethod, Callable, builtin, type One } from './callable.ts';
import { TemplateFailure } from './failure.ts';
import type { Render } from './render.ts';
import { PyObject, type PyDict, type Kwargs, type Value } from './value.ts';

export class Namespace extends PyObject {
  readonly typeName = 'Namespace';
  override readonly module = 'jinja2.utils';
  readonly #values: PyDict;
  constructor(values: PyDict) {
    super();
    this.#values = values;
  }
  override attribute(name: string): Value | undefined {
    return this.#values.getText(name);
  }
  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }
  repr(show: (value: Value) => string): string {
    return `<Namespace ${show(this.#values)}>`;
  }
}

const nextMethod = builtin('next(self)', (_render, [self]: One) => (self as Cycler).next());
const resetMethod = builtin('reset(self)', (_render, [self]: One) => (self as Cycler).reset());

export class Cycler extends PyObject {
  readonly typeName = 'Cycler';
  override readonly module = 'jinja2.utils';
  readonly #items: readonly Value[];
  #at = 0;
  constructor(items: readonly Value[]) {
    super();
    if (items.length === 0) {
      throw new TemplateFailure('RuntimeError', 'at least one item has to be provided');
    }
    this.#items = items;
  }
  next(): Value {
    const item = this.#items[this.#at] ?? null;
    this.#at = (this.#at + 1) % this.#items.length;
    return item;
  }
  reset(): null {
    this.#at = 0;
    return null;
  }
  override attribute(name: string): Value | undefined {
    if (name === 'current') return this.#items[this.#at];
    if (name === 'items') return this.#items;
    if (name === 'pos') return this.#at;
    if (name === 'next') return new BoundMethod(this, nextMethod, 'Cycler');
    return name === 'reset' ? new BoundMethod(this, resetMethod, 'Cycler') : undefined;
  }
  repr(): string {
    return '<jinja2.utils.Cycler object>';
  }
}

export class Joiner extends Callable {
  readonly typeName = 'Joiner';
  override readonly module = 'jinja2.utils';
  readonly #separator: Value;
  #used = false;
  constructor(separator: Value) {
    super();
    this.#separator = separator;
  }
  call(_render: Render, _args: readonly Value[], _kwargs: Kwargs): Value {
    if (this.#used) return this.#separator;
    this.#used = true;
    return '';
  }
  override attribute(name: string): Value | undefined {
    if (name === 'sep') return this.#separator;
    return name === 'used' ? this.#used : undefined;
  }
  repr(): string {
    return '<jinja2.utils.Joiner object>';
  }
}
