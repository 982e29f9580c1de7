/** The functions that every chat template can call. */

import { dictFrom } from '../methods/container-methods.ts';
import { PyFunction, builtin, variadic, type One } from './callable.ts';
import { TemplateFailure, typeError } from './failure.ts';
import { Cycler, Joiner, Namespace } from './namespace.ts';
import { strftime } from './strftime.ts';
import { toText } from './text.ts';
import { PyRange, intOf, textOf, typeName, type Kwargs, type Value } from './value.ts';
import type { Render } from './render.ts';

/** The sandbox's bound on ranges. */
const maxRange = 100_000;

const range = builtin('range(start, stop?, step?, /)', (_render, args: One) => {
  const given = args.filter((value) => value !== undefined);
  const numbers = given.map((value) => {
    const int = intOf(value);
    if (int === undefined) {
      throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`);
    }
    return Number(int);
  });
  const [first = 0, second, step = 1] = numbers;
  if (step === 0) throw new TemplateFailure('ValueError', 'range() arg 3 must not be zero');
  const made = second === undefined ? new PyRange(0, first, 1) : new PyRange(first, second, step);
  if (made.length > maxRange) {
    throw new TemplateFailure(
      'OverflowError',
      `Range too big. The sandbox blocks ranges larger than MAX_RANGE (${maxRange}).`,
    );
  }
  return made;
});

function dictOf(render: Render, args: readonly Value[], kwargs: Kwargs) {
  if (args.length > 1) throw typeError(`dict expected at most 1 argument, got ${args.length}`);
  const dict = dictFrom(render, args[0]);
  for (const [key, value] of kwargs ?? []) dict.set(key, value);
  return dict;
}

const all = [
  range,
  variadic('dict', dictOf),
  variadic('namespace', (render, args, kwargs) => new Namespace(dictOf(render, args, kwargs))),
  variadic('cycler', (_render, args) => new Cycler(args)),
  builtin<readonly (Value | undefined)[]>(
    'joiner(sep?)',
    (_render, [separator]) => new Joiner(separator ?? ', '),
  ),
  variadic('lipsum', () => {
    throw typeError("'lipsum' is not supported in chat templates");
  }),
  builtin('raise_exception(message)', (render, [message]: One) => {
    throw new TemplateFailure('TemplateError', toText(render, message));
  }),
  builtin('strftime_now(format)', (render, [format]: One) => {
    const text = textOf(format);
    if (text === undefined) {
      throw typeError(`strftime() argument 1 must be str, not ${typeName(format)}`);
    }
    render.charge(text.length * 16);
    return strftime(render.now, text);
  }),
];

export const globals: ReadonlyMap<string, Value> = new Map(
  all.map((one) => [one.name, new PyFunction(one)]),
);
