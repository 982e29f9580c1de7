/** Macros as values: how arguments reach their parameters. Made by the statement compiler. */

import { Callable } from '../values/callable.ts';
import { typeError } from '../values/failure.ts';
import { quoteText } from '../values/quote.ts';
import type { Render } from '../values/render.ts';
import { PyDict, PyTuple, Undefined, type Kwargs, type Value } from '../values/value.ts';

/** What is known of a macro before it runs. */
export interface MacroShape {
  /** Null for the body of a call block. */
  readonly name: string | null;
  readonly parameters: readonly string[];
  readonly readsCaller: boolean;
  readonly readsKwargs: boolean;
  readonly readsVarargs: boolean;
}

export class Macro extends Callable {
  readonly typeName = 'Macro';
  override readonly module = 'jinja2.runtime';
  readonly #shape: MacroShape;
  readonly #body: (args: readonly (Value | undefined)[]) => Value;

  /** @param body takes one argument for each parameter, then caller, kwargs and varargs as read */
  constructor(shape: MacroShape, body: (args: readonly (Value | undefined)[]) => Value) {
    super();
    this.#shape = shape;
    this.#body = body;
  }

  override attribute(name: string): Value | undefined {
    const shape = this.#shape;
    switch (name) {
      case 'name':
        return shape.name;
      case 'arguments':
        return new PyTuple(shape.parameters);
      case 'caller':
        return shape.readsCaller;
      case 'catch_kwargs':
        return shape.readsKwargs;
      case 'catch_varargs':
        return shape.readsVarargs;
      case 'explicit_caller':
        return shape.parameters.includes('caller');
      default:
        return undefined;
    }
  }

  repr(): string {
    const { name } = this.#shape;
    return `<Macro ${name === null ? 'anonymous' : quoteText(name)}>`;
  }

  call(render: Render, args: readonly Value[], kwargs: Kwargs): Value {
    render.charge(args.length * 2);
    const bound = this.#bind(args, new Map(kwargs ?? []));
    render.enter();
    const result = this.#body(bound);
    render.leave();
    return result;
  }

  #bind(args: readonly Value[], named: Map<string, Value>): (Value | undefined)[] {
    const { name, parameters, readsCaller, readsKwargs, readsVarargs } = this.#shape;
    const shown = name === null ? 'None' : quoteText(name);
    const bound: (Value | undefined)[] = args.slice(0, parameters.length);
    let hasCaller = bound.length === parameters.length && parameters.includes('caller');
    for (const parameter of parameters.slice(bound.length)) {
      bound.push(named.get(parameter));
      named.delete(parameter);
      if (parameter === 'caller') hasCaller = true;
    }
    if (readsCaller && !hasCaller) {
      bound.push(named.get('caller') ?? new Undefined(() => 'No caller defined'));
      named.delete('caller');
    }
    if (readsKwargs) bound.push(PyDict.from(named));
    else if (named.size > 0) {
      const [first = ''] = named.keys();
      throw typeError(
        named.has('caller')
          ? `macro ${shown} was invoked with two values for the special caller argument. This is most likely a bug.`
          : `macro ${shown} takes no keyword argument '${first}'`,
      );
    }
    if (readsVarargs) bound.push(new PyTuple(args.slice(parameters.length)));
    else if (args.length > parameters.length) {
      throw typeError(`macro ${shown} takes not more than ${parameters.length} argument(s)`);
    }
    return bound;
  }
}
