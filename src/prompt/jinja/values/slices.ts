/** Indices and slices: Python's rules for negative ones and steps, on texts by character. */

import { hasWideCharacters, textLength } from './characters.ts';
import { typeError, valueError } from './failure.ts';
import type { Render } from './render.ts';
import {
  Markup,
  PyDict,
  PyRange,
  PyTuple,
  Undefined,
  intOf,
  isList,
  textOf,
  typeName,
  type Value,
} from './value.ts';

export interface Slice {
  readonly start: Value;
  readonly stop: Value;
  readonly step: Value;
}

interface Span {
  readonly start: number;
  readonly step: number;
  readonly count: number;
}

function place(value: Value): number | null {
  if (value === null) return null;
  const int = intOf(value);
  if (int === undefined) {
    throw typeError('slice indices must be integers or None or have an __index__ method');
  }
  return Number(int);
}

/** Where a slice begins in a sequence of this length, and how many items it takes. */
function resolve(slice: Slice, length: number): Span {
  const step = place(slice.step) ?? 1;
  if (step === 0) throw valueError('slice step cannot be zero');
  const [low, high] = step > 0 ? [0, length] : [-1, length - 1];
  const clip = (value: number | null, absent: number): number => {
    if (value === null) return absent;
    const from = value < 0 ? value + length : value;
    return Math.min(Math.max(from, low), high);
  };
  const start = clip(place(slice.start), step > 0 ? low : high);
  const stop = clip(place(slice.stop), step > 0 ? high : low);
  return { start, step, count: Math.max(0, Math.ceil((stop - start) / step)) };
}

function take<T>(items: readonly T[], { start, step, count }: Span): T[] {
  if (step === 1) return items.slice(start, start + count);
  const taken: T[] = [];
  for (let i = 0; i < count; i++) taken.push(items[start + i * step] as T);
  return taken;
}

/** @throws TemplateFailure where the value cannot be sliced */
export function sliceOf(render: Render, value: Value, slice: Slice): Value {
  const text = textOf(value);
  if (text !== undefined) {
    const cut = sliceText(render, text, slice);
    return value instanceof Markup ? new Markup(cut) : cut;
  }
  if (isList(value)) {
    const span = resolve(slice, value.length);
    render.charge(1 + span.count);
    return take(value, span);
  }
  if (value instanceof PyTuple) {
    const span = resolve(slice, value.items.length);
    render.charge(1 + span.count);
    return new PyTuple(take(value.items, span));
  }
  if (value instanceof PyRange) {
    const { start, step, count } = resolve(slice, value.length);
    const first = value.at(start);
    return new PyRange(first, first + count * step * value.step, step * value.step);
  }
  if (value instanceof Undefined) throw value.failure();
  if (value instanceof PyDict) throw typeError("unhashable type: 'slice'");
  throw typeError(`'${typeName(value)}' object is not subscriptable`);
}

function sliceText(render: Render, text: string, slice: Slice): string {
  render.chargeText(text.length);
  if (hasWideCharacters(text)) {
    render.charge(text.length);
    const characters = Array.from(text);
    return take(characters, resolve(slice, characters.length)).join('');
  }
  const span = resolve(slice, text.length);
  if (span.step === 1) return text.slice(span.start, span.start + span.count);
  render.charge(span.count);
  let cut = '';
  for (let i = 0; i < span.count; i++) cut += text[span.start + i * span.step];
  return cut;
}

/** The item at an index; undefined where there is none, or where the value has no indices. */
export function itemAt(render: Render, value: Value, index: number): Value | undefined {
  if (isList(value)) return value[index < 0 ? index + value.length : index];
  if (value instanceof PyTuple) return value.items[index < 0 ? index + value.items.length : index];
  if (value instanceof PyRange) {
    const at = index < 0 ? index + value.length : index;
    return at >= 0 && at < value.length ? value.at(at) : undefined;
  }
  const text = textOf(value);
  if (text === undefined) return undefined;
  const found = characterAt(render, text, index);
  return found !== undefined && value instanceof Markup ? new Markup(found) : found;
}

function characterAt(render: Render, text: string, index: number): string | undefined {
  if (index === 0) {
    const code = text.codePointAt(0);
    return code === undefined ? undefined : String.fromCodePoint(code);
  }
  render.chargeText(text.length);
  if (!hasWideCharacters(text)) return text[index < 0 ? index + text.length : index];
  render.charge(text.length);
  const at = index < 0 ? index + textLength(text) : index;
  return at < 0 ? undefined : Array.from(text)[at];
}
