/** How many items a value has: Python's `len`. */

import { textLength } from './characters.ts';
import { typeError } from './failure.ts';
import type { Render } from './render.ts';
import {
  DictView,
  PyDict,
  PyObject,
  PyRange,
  PyTuple,
  Undefined,
  isList,
  textOf,
  typeName,
  type Value,
} from './value.ts';

/** @throws TemplateFailure TypeError for what has no length */
export function lengthOf(render: Render, value: Value): number {
  const text = textOf(value);
  if (text !== undefined) {
    render.chargeText(text.length);
    const length = textLength(text);
    // Wide characters are counted one by one.
    if (length !== text.length) render.charge(text.length);
    return length;
  }
  if (isList(value)) return value.length;
  if (value instanceof PyDict) return value.size;
  if (value instanceof PyTuple) return value.items.length;
  if (value instanceof DictView) return value.dict.size;
  if (value instanceof PyRange) return value.length;
  if (value instanceof Undefined) return 0;
  const own = value instanceof PyObject && value.typeName === 'LoopContext';
  const length = own ? value.attribute('length') : undefined;
  if (typeof length === 'number') return length;
  throw typeError(`object of type '${typeName(value)}' has no len()`);
}
