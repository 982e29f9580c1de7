/**
 * Values written as nested elements, each tag behind a prefix (`<opts><x><item>1</item></x></opts>`), to
 * JSON text: `item` elements are a list, others members of an object, none a plain value. Pure.
 */

import { memberSchema, typesOfSchema } from './parameter-types.ts';
import { valueToJson } from './parameter-value.ts';

type Schema = Readonly<Record<string, unknown>>;

interface Element {
  readonly name: string;
  readonly inner: string;
  readonly end: number;
}

const deepest = 64;

/** `root` is what references in `schema` go by. */
export function elementToJson(
  inner: string,
  prefix: string,
  root: Schema | null,
  schema: Schema | null,
): string {
  return convert(inner, prefix, { root: root ?? {}, schema }, 0);
}

function convert(
  inner: string,
  prefix: string,
  known: { readonly root: Schema; readonly schema: Schema | null },
  depth: number,
): string {
  const { root, schema } = known;
  const types = typesOfSchema(root, schema);
  const children = depth < deepest ? childrenOf(inner, prefix) : null;
  if (children === null) {
    if (inner === '' && types?.has('array') === true) return '[]';
    if (inner === '' && types?.has('object') === true) return '{}';
    return valueToJson(inner, types);
  }
  const list = children.every(({ name }) => name === 'item') && types?.has('object') !== true;
  const written = children.map((child) => {
    const member = memberSchema(root, schema, list ? null : child.name);
    const value = convert(child.inner, prefix, { root, schema: member }, depth + 1);
    return list ? value : `${JSON.stringify(child.name)}: ${value}`;
  });
  return list ? `[${written.join(', ')}]` : `{${written.join(', ')}}`;
}

/** The elements that the text consists of; null where it is plain. */
function childrenOf(inner: string, prefix: string): readonly Element[] | null {
  const children: Element[] = [];
  let at = 0;
  while (at < inner.length) {
    if (/\s/.test(inner.charAt(at)) && inner.slice(at).trim() === '') break;
    const child = elementAt(inner, prefix, at);
    if (child === null) return null;
    children.push(child);
    at = child.end;
  }
  return children.length === 0 ? null : children;
}

function elementAt(inner: string, prefix: string, from: number): Element | null {
  let at = from;
  while (/\s/.test(inner.charAt(at))) at++;
  if (!inner.startsWith(`${prefix}<`, at)) return null;
  const closing = inner.indexOf('>', at + prefix.length);
  const name = inner.slice(at + prefix.length + 1, closing);
  if (closing < 0 || name === '' || /[<\s/]/.test(name)) return null;
  const open = `${prefix}<${name}>`;
  const close = `${prefix}</${name}>`;
  let depth = 1;
  let next = closing + 1;
  while (depth > 0) {
    const end = inner.indexOf(close, next);
    if (end < 0) return null;
    const nested = inner.indexOf(open, next);
    const opens = nested >= 0 && nested < end;
    depth += opens ? 1 : -1;
    next = opens ? nested + open.length : end + close.length;
  }
  return { name, inner: inner.slice(closing + 1, next - close.length), end: next };
}
