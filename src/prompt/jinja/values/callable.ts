/**
 * What a template can call, and how a call's arguments find their places. Signatures are written as
 * Python shows them: `replace(old, new, count?, /)`, where `?` marks what may be left out, and `/` that
 * names are not taken.
 */

import { typeError } from './failure.ts';
import type { Render } from './render.ts';
import { PyObject, type Kwargs, type Value } from './value.ts';

export type Args = readonly (Value | undefined)[];
/** Arguments of which the first one, two or three are there. */
export type One = readonly [Value, ...(Value | undefined)[]];
export type Two = readonly [Value, Value, ...(Value | undefined)[]];
export type Three = readonly [Value, Value, Value, ...(Value | undefined)[]];

export abstract class Callable extends PyObject {
  abstract call(render: Render, args: readonly Value[], kwargs: Kwargs): Value;
}

export interface Builtin {
  readonly name: string;
  run(render: Render, args: readonly Value[], kwargs: Kwargs): Value;
}

interface Parameter {
  readonly name: string;
  readonly optional: boolean;
}

interface Signature {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly required: number;
  readonly positionalOnly: boolean;
}

function readSignature(text: string): Signature {
  const open = text.indexOf('(');
  const words = text.slice(open + 1, -1).split(',');
  const all = words.map((word) => word.trim()).filter((word) => word !== '');
  const parameters = all
    .filter((word) => word !== '/')
    .map((word) => ({ name: word.replace('?', ''), optional: word.endsWith('?') }));
  return {
    name: text.slice(0, open),
    parameters,
    required: parameters.filter(({ optional }) => !optional).length,
    positionalOnly: all.includes('/'),
  };
}

function bind(signature: Signature, args: readonly Value[], kwargs: Kwargs): Args {
  const { name, parameters, required } = signature;
  if (args.length > parameters.length) {
    const takes =
      required === parameters.length ? `${required}` : `from ${required} to ${parameters.length}`;
    throw typeError(
      `${name}() takes ${takes} positional argument${takes === '1' ? '' : 's'} but ${args.length} ${args.length === 1 ? 'was' : 'were'} given`,
    );
  }
  const bound: (Value | undefined)[] = [...args];
  for (const [key, value] of kwargs ?? []) {
    if (signature.positionalOnly) throw typeError(`${name}() takes no keyword arguments`);
    const at = parameters.findIndex((one) => one.name === key);
    if (at === -1) throw typeError(`${name}() got an unexpected keyword argument '${key}'`);
    if (bound[at] !== undefined) {
      throw typeError(`${name}() got multiple values for argument '${key}'`);
    }
    bound[at] = value;
  }
  const absent = parameters.filter((one, at) => !one.optional && bound[at] === undefined);
  if (absent.length > 0) {
    const names = absent.map((one) => `'${one.name}'`).join(' and ');
    throw typeError(
      `${name}() missing ${absent.length} required positional argument${absent.length === 1 ? '' : 's'}: ${names}`,
    );
  }
  return bound;
}

/** A function of the engine, its arguments brought into the order of its signature. */
export function builtin<A extends Args>(
  signature: string,
  body: (render: Render, args: A) => Value,
): Builtin {
  const known = readSignature(signature);
  const { name, parameters, required } = known;
  const most = parameters.length;
  return {
    name,
    run(render, args, kwargs) {
      const fits = kwargs === null && args.length >= required && args.length <= most;
      return body(render, (fits ? args : bind(known, args, kwargs)) as unknown as A);
    },
  };
}

/** A function that takes its arguments as they come. */
export function variadic(
  name: string,
  run: (render: Render, args: readonly Value[], kwargs: Kwargs) => Value,
): Builtin {
  return { name, run };
}

/** Builtins by name; the table has no prototype that a template's names could reach. */
export function tableOf(all: readonly Builtin[]): ReadonlyMap<string, Builtin> {
  return new Map(all.map((one) => [one.name, one]));
}

export class PyFunction extends Callable {
  readonly typeName: string = 'function';
  readonly #builtin: Builtin;
  constructor(builtin: Builtin) {
    super();
    this.#builtin = builtin;
  }
  call(render: Render, args: readonly Value[], kwargs: Kwargs): Value {
    return this.#builtin.run(render, args, kwargs);
  }
  repr(): string {
    return `<function ${this.#builtin.name}>`;
  }
}

/** A method, bound to the value that it was taken from. */
export class BoundMethod extends Callable {
  readonly typeName = 'builtin_function_or_method';
  readonly #self: Value;
  readonly #builtin: Builtin;
  readonly #selfType: string;
  constructor(self: Value, builtin: Builtin, selfType: string) {
    super();
    this.#self = self;
    this.#builtin = builtin;
    this.#selfType = selfType;
  }
  call(render: Render, args: readonly Value[], kwargs: Kwargs): Value {
    return this.#builtin.run(render, [this.#self, ...args], kwargs);
  }
  repr(): string {
    return `<built-in method ${this.#builtin.name} of ${this.#selfType} object>`;
  }
}
