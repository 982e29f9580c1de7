/**
 * Turns the WebAssembly text of `kernels.wat` into a module's bytes: a small part of the text format
 * (one memory, exported functions, folded instructions), so that the kernels are kept as text and
 * nothing is generated or installed. `kernels.ts` calls it once a process. Pure.
 */

import { instructions, valueTypes } from './wat-opcodes.ts';

type Expression = string | readonly Expression[];

/** What the instructions of one function refer to by name. */
interface Scope {
  readonly locals: ReadonlyMap<string, number>;
  /** Labels around the instruction, the innermost first. */
  readonly labels: readonly string[];
}

interface FunctionParts {
  readonly exportName: string;
  readonly params: readonly number[];
  readonly results: readonly number[];
  readonly body: readonly number[];
}

const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const END = 0x0b;
const EMPTY_BLOCK = 0x40;

/** The binary module. Throws a `SyntaxError` that names what it does not understand. */
export function assembleWat(text: string): Uint8Array<ArrayBuffer> {
  const [keyword, ...fields] = listOf(parse(text));
  if (keyword !== 'module') throw new SyntaxError('the text is no module');
  const functions: FunctionParts[] = [];
  let memory: number[] = [];
  for (const field of fields) {
    const [kind, ...rest] = listOf(field);
    if (kind === 'func') functions.push(assembleFunction(rest));
    else if (kind === 'memory') memory = [0x00, ...unsigned(Number(rest.at(-1)))];
    else throw new SyntaxError(`unknown field of the module: ${String(kind)}`);
  }
  const types = functions.map((one) => [0x60, ...vector(one.params), ...vector(one.results)]);
  const exports = functions.map((one, index) => [
    ...nameBytes(one.exportName),
    0x00,
    ...unsigned(index),
  ]);
  const bodies = functions.map(({ body }) => [...unsigned(body.length), ...body]);
  const indexes = functions.map((_, index) => unsigned(index));
  return Uint8Array.from([
    ...HEADER,
    ...section(1, types),
    ...section(3, indexes),
    ...section(5, [memory]),
    ...section(7, [...exports, [...nameBytes('memory'), 0x02, 0x00]]),
    ...section(10, bodies),
  ]);
}

function parse(text: string): Expression {
  const words = text.replaceAll(/;;.*/g, '').match(/[()]|"[^"]*"|[^\s()"]+/g) ?? [];
  let at = 0;
  const read = (): Expression => {
    const word = words[at++];
    if (word === undefined) throw new SyntaxError('the text ends inside a bracket');
    if (word !== '(') return word;
    const list: Expression[] = [];
    while (words[at] !== ')') list.push(read());
    at++;
    return list;
  };
  const whole = read();
  if (at < words.length) throw new SyntaxError(`there is more behind the module: ${words[at]}`);
  return whole;
}

function assembleFunction(parts: readonly Expression[]): FunctionParts {
  const locals = new Map<string, number>();
  const params: number[] = [];
  const results: number[] = [];
  const declared: number[] = [];
  const body: number[] = [];
  let exportName = '';
  for (const part of parts) {
    const [kind, first, second] = listOf(part);
    if (kind === 'export') exportName = String(first).slice(1, -1);
    else if (kind === 'result') results.push(typeOf(first));
    else if (kind === 'param' || kind === 'local') {
      locals.set(String(first), locals.size);
      (kind === 'param' ? params : declared).push(typeOf(second));
    } else body.push(...assemble(part, { locals, labels: [] }));
  }
  const declarations = declared.flatMap((type) => [1, type]);
  return {
    exportName,
    params,
    results,
    body: [...unsigned(declared.length), ...declarations, ...body, END],
  };
}

function assemble(expression: Expression, scope: Scope): number[] {
  const [name, ...rest] = listOf(expression);
  const all = (parts: readonly Expression[], inner: Scope = scope): number[] =>
    parts.flatMap((part) => assemble(part, inner));
  const [first = '', ...others] = rest;
  switch (name) {
    case 'local.get':
      return [0x20, ...unsigned(indexOf(first, scope.locals))];
    case 'local.set':
      return [...all(others), 0x21, ...unsigned(indexOf(first, scope.locals))];
    case 'local.tee':
      return [...all(others), 0x22, ...unsigned(indexOf(first, scope.locals))];
    case 'i32.const':
      return [0x41, ...signed(Number(first))];
    case 'f64.const':
      return [0x44, ...numberBytes(Float64Array.of(Number(first)))];
    case 'v128.const':
      return [0xfd, 12, ...vectorConstant(String(first), others)];
    case 'block':
    case 'loop': {
      const inner = { ...scope, labels: [String(first), ...scope.labels] };
      return [name === 'block' ? 0x02 : 0x03, EMPTY_BLOCK, ...all(others, inner), END];
    }
    case 'br':
      return [0x0c, ...unsigned(depthOf(first, scope.labels))];
    case 'br_if':
      return [...all(others), 0x0d, ...unsigned(depthOf(first, scope.labels))];
    case 'if': {
      const inner = { ...scope, labels: ['', ...scope.labels] };
      const [then, otherwise] = others.map((part) => all(listOf(part).slice(1), inner));
      const alternative = otherwise === undefined ? [] : [0x05, ...otherwise];
      return [...all([first]), 0x04, EMPTY_BLOCK, ...(then ?? []), ...alternative, END];
    }
    default:
      return assemblePlain(String(name), rest, all);
  }
}

function assemblePlain(
  name: string,
  rest: readonly Expression[],
  all: (parts: readonly Expression[]) => number[],
): number[] {
  const instruction = instructions.get(name);
  if (instruction === undefined) throw new SyntaxError(`unknown instruction: ${name}`);
  const { code, immediate, alignment } = instruction;
  const operands = all(rest.filter((part) => typeof part !== 'string'));
  const word = rest.find((part) => typeof part === 'string') ?? '';
  if (immediate === 'lane') return [...operands, ...code, Number(word)];
  if (immediate === 'none') return [...operands, ...code];
  const offset = word.startsWith('offset=') ? Number(word.slice('offset='.length)) : 0;
  return [...operands, ...code, alignment, ...unsigned(offset)];
}

function vectorConstant(shape: string, values: readonly Expression[]): number[] {
  const numbers = values.map(Number);
  if (shape === 'f64x2' && numbers.length === 2) return numberBytes(Float64Array.from(numbers));
  if (shape === 'f32x4' && numbers.length === 4) return numberBytes(Float32Array.from(numbers));
  if (shape === 'i32x4' && numbers.length === 4) return numberBytes(Int32Array.from(numbers));
  throw new SyntaxError(`unknown constant: ${shape} with ${numbers.length} lanes`);
}

/** Little-endian, as WebAssembly wants them and as every machine that Node runs on has them. */
function numberBytes(numbers: Float64Array | Float32Array | Int32Array): number[] {
  return [...new Uint8Array(numbers.buffer)];
}

function listOf(expression: Expression): readonly Expression[] {
  if (typeof expression !== 'string') return expression;
  throw new SyntaxError(`a bracket is missing around ${expression}`);
}

function typeOf(name: Expression | undefined): number {
  const type = valueTypes.get(String(name));
  if (type === undefined) throw new SyntaxError(`unknown type: ${String(name)}`);
  return type;
}

function indexOf(name: Expression, locals: ReadonlyMap<string, number>): number {
  const index = locals.get(String(name));
  if (index === undefined) throw new SyntaxError(`unknown local: ${String(name)}`);
  return index;
}

function depthOf(label: Expression, labels: readonly string[]): number {
  const depth = labels.indexOf(String(label));
  if (depth < 0) throw new SyntaxError(`unknown label: ${String(label)}`);
  return depth;
}

function section(id: number, entries: readonly (readonly number[])[]): number[] {
  const content = [...unsigned(entries.length), ...entries.flat()];
  return [id, ...unsigned(content.length), ...content];
}

function vector(entries: readonly number[]): number[] {
  return [...unsigned(entries.length), ...entries];
}

function nameBytes(name: string): number[] {
  return vector([...new TextEncoder().encode(name)]);
}

/** LEB128 of a whole number from 0 to 2^32 - 1. */
function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest & 127;
    rest >>>= 7;
    bytes.push(rest === 0 ? low : low | 128);
  } while (rest !== 0);
  return bytes;
}

/** LEB128 of a signed 32-bit number. */
function signed(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (;;) {
    const low = rest & 127;
    rest >>= 7;
    const done = (rest === 0 && (low & 64) === 0) || (rest === -1 && (low & 64) !== 0);
    bytes.push(done ? low : low | 128);
    if (done) return bytes;
  }
}
