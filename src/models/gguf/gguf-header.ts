/**
 * Reads the header of a GGUF file (version 2 or 3, little endian): key-value pairs and tensor infos.
 * Called by `model-metadata.ts` only. It trusts no number of the file: a length is checked against
 * the bytes that are left before anything is allocated. Weights themselves are never read.
 * Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */

import { FileWindow } from './file-window.ts';

/** A defect of the file, in words that go on after the file's name. */
export class GgufDefect extends Error {}

/** An array too long to keep; its elements stay in the file. */
export interface LongArray {
  readonly elementType: number;
  readonly length: number;
  /** File offset of the first element. */
  readonly offset: number;
}

export type GgufScalar = number | bigint | boolean | string;
export type GgufValue = GgufScalar | readonly GgufScalar[] | LongArray;

export interface TensorInfo {
  readonly name: string;
  readonly type: number;
  readonly dimensions: readonly number[];
  /** From the start of the data section. */
  readonly offset: number;
}

export interface GgufHeader {
  readonly version: number;
  readonly values: ReadonlyMap<string, GgufValue>;
  readonly tensors: readonly TensorInfo[];
  /** File offset of the data section. */
  readonly dataOffset: number;
}

const maxHeaderBytes = 256 * 1024 * 1024;
const maxStringBytes = 16 * 1024 * 1024;
const maxNameBytes = 4096;
const keptArrayLength = 256;
const maxDimensions = 8;
const typeArray = 9;
export const typeString = 8;

/** Bytes of a scalar by its type number; strings (8) and arrays (9) have no fixed size. */
const scalarBytes: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [1, 1],
  [2, 2],
  [3, 2],
  [4, 4],
  [5, 4],
  [6, 4],
  [7, 1],
  [10, 8],
  [11, 8],
  [12, 8],
]);

/**
 * Parses a header from the window's start.
 * @throws GgufDefect for anything that a sound file does not have, PastEnd when the file is too short.
 */
export async function readHeader(window: FileWindow): Promise<GgufHeader> {
  const version = await readVersion(window);
  const tensorCount = await readCount(window, 24, 'tensors');
  const valueCount = await readCount(window, 13, 'metadata values');
  const values = new Map<string, GgufValue>();
  for (let index = 0; index < valueCount; index++) {
    const key = await readName(window, 'metadata key');
    values.set(key, await readValue(window, key));
    checkHeaderSize(window);
  }
  const tensors: TensorInfo[] = [];
  for (let index = 0; index < tensorCount; index++) {
    tensors.push(await readTensorInfo(window));
    checkHeaderSize(window);
  }
  const alignment = values.get('general.alignment') ?? 32;
  if (typeof alignment !== 'number' || alignment < 1 || alignment % 8 !== 0) {
    throw new GgufDefect(`has an impossible general.alignment`);
  }
  const dataOffset = Math.ceil(window.offset / alignment) * alignment;
  return { version, values, tensors, dataOffset };
}

async function readVersion(window: FileWindow): Promise<number> {
  if (window.fileBytes < 4)
    throw new GgufDefect(`is not a GGUF file: it has ${window.fileBytes} bytes`);
  await window.fill(4);
  const magic = window.take(4);
  if (magic.toString('latin1') !== 'GGUF') {
    const hex = magic.toString('hex').replaceAll(/(..)(?=.)/g, '$1 ');
    const hint = magic.toString('latin1').startsWith('<') ? ' (it looks like a web page)' : '';
    throw new GgufDefect(
      `is not a GGUF file: it begins with the bytes ${hex}${hint}, not with "GGUF"`,
    );
  }
  const version = await readU32(window);
  if (version === 2 || version === 3) return version;
  if (version !== 0 && version % 0x1000000 === 0) {
    throw new GgufDefect('is a big-endian GGUF file, which this machine cannot run');
  }
  throw new GgufDefect(`has GGUF version ${version}; versions 2 and 3 can be read`);
}

/** A count whose entries take at least `entryBytes` each, so that it cannot exceed the file. */
async function readCount(window: FileWindow, entryBytes: number, what: string): Promise<number> {
  const count = await readU64(window);
  if (count > BigInt(Math.floor(window.remaining / entryBytes))) {
    throw new GgufDefect(
      `says it has ${count} ${what}, more than its ${window.fileBytes} bytes can hold`,
    );
  }
  return Number(count);
}

async function readU32(window: FileWindow): Promise<number> {
  await window.fill(4);
  return window.take(4).readUInt32LE();
}

async function readU64(window: FileWindow): Promise<bigint> {
  await window.fill(8);
  return window.take(8).readBigUInt64LE();
}

async function readName(window: FileWindow, what: string): Promise<string> {
  return await readString(window, what, maxNameBytes);
}

async function readString(window: FileWindow, what: string, limit: number): Promise<string> {
  const offset = window.offset;
  const length = await readU64(window);
  if (length > BigInt(limit)) {
    throw new GgufDefect(`has a corrupt string length of ${length} at byte ${offset} (${what})`);
  }
  const bytes = Number(length);
  await window.fill(bytes);
  return window.take(bytes).toString('utf8');
}

async function readValue(window: FileWindow, key: string): Promise<GgufValue> {
  const type = await readU32(window);
  if (type === typeArray) return await readArray(window, key);
  return await readScalar(window, type, key);
}

async function readScalar(window: FileWindow, type: number, key: string): Promise<GgufScalar> {
  if (type === typeString) return await readString(window, `value of ${key}`, maxStringBytes);
  const bytes = scalarBytes.get(type);
  if (bytes === undefined) {
    throw new GgufDefect(`has an unknown value type ${type} at byte ${window.offset - 4} (${key})`);
  }
  await window.fill(bytes);
  return toScalar(window.take(bytes), type);
}

function toScalar(bytes: Buffer, type: number): GgufScalar {
  switch (type) {
    case 0:
      return bytes.readUInt8();
    case 1:
      return bytes.readInt8();
    case 2:
      return bytes.readUInt16LE();
    case 3:
      return bytes.readInt16LE();
    case 4:
      return bytes.readUInt32LE();
    case 5:
      return bytes.readInt32LE();
    case 6:
      return bytes.readFloatLE();
    case 7:
      return bytes.readUInt8() !== 0;
    case 10:
      return toNumberIfSafe(bytes.readBigUInt64LE());
    case 11:
      return toNumberIfSafe(bytes.readBigInt64LE());
    default:
      return bytes.readDoubleLE();
  }
}

function toNumberIfSafe(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

async function readArray(window: FileWindow, key: string): Promise<GgufValue> {
  const elementType = await readU32(window);
  const elementBytes = elementType === typeString ? 8 : scalarBytes.get(elementType);
  if (elementBytes === undefined) {
    throw new GgufDefect(`has an array of the unknown type ${elementType} (${key})`);
  }
  const length = await readCount(window, elementBytes, `elements of ${key}`);
  if (length > keptArrayLength) {
    const array: LongArray = { elementType, length, offset: window.offset };
    await skipElements(window, array, key);
    return array;
  }
  const values: GgufScalar[] = [];
  for (let index = 0; index < length; index++)
    values.push(await readScalar(window, elementType, key));
  return values;
}

async function skipElements(window: FileWindow, array: LongArray, key: string): Promise<void> {
  if (array.elementType !== typeString) {
    await window.skip(array.length * (scalarBytes.get(array.elementType) ?? 0));
    return;
  }
  for (let index = 0; index < array.length; index++) {
    const length = await readElementLength(window, key);
    if (window.has(length)) window.take(length);
    else await window.skip(length);
    if (index % 4096 === 0) checkHeaderSize(window);
  }
}

async function readElementLength(window: FileWindow, key: string): Promise<number> {
  if (!window.has(8)) await window.fill(8);
  const length = window.take(8).readBigUInt64LE();
  if (length > BigInt(maxStringBytes)) {
    throw new GgufDefect(
      `has a corrupt string length of ${length} at byte ${window.offset - 8} (${key})`,
    );
  }
  return Number(length);
}

/** The strings at some indexes of a long array; the window is left anywhere. */
export async function readStringsAt(
  window: FileWindow,
  array: LongArray,
  indexes: ReadonlySet<number>,
): Promise<Map<number, string>> {
  const strings = new Map<number, string>();
  const last = Math.min(Math.max(-1, ...indexes), array.length - 1);
  window.seek(array.offset);
  for (let index = 0; index <= last; index++) {
    const length = await readElementLength(window, 'array');
    if (indexes.has(index)) {
      await window.fill(length);
      strings.set(index, window.take(length).toString('utf8'));
    } else {
      await window.skip(length);
    }
  }
  return strings;
}

/** All elements of a long array of numbers; the window is left behind them. */
export async function readNumbers(window: FileWindow, array: LongArray): Promise<GgufScalar[]> {
  const bytes = scalarBytes.get(array.elementType);
  if (bytes === undefined) throw new GgufDefect('has an array of texts where numbers should be');
  const values: GgufScalar[] = [];
  window.seek(array.offset);
  for (let index = 0; index < array.length; index++) {
    if (!window.has(bytes)) await window.fill(bytes);
    values.push(toScalar(window.take(bytes), array.elementType));
  }
  return values;
}

async function readTensorInfo(window: FileWindow): Promise<TensorInfo> {
  const name = await readName(window, 'tensor name');
  const dimensionCount = await readU32(window);
  if (dimensionCount > maxDimensions) {
    throw new GgufDefect(
      `says that its tensor "${name.slice(0, 64)}" has ${dimensionCount} dimensions`,
    );
  }
  const dimensions: number[] = [];
  for (let index = 0; index < dimensionCount; index++) {
    dimensions.push(toCount(await readU64(window), name));
  }
  const type = await readU32(window);
  const offset = toCount(await readU64(window), name);
  return { name, type, dimensions, offset };
}

function toCount(value: bigint, name: string): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new GgufDefect(`has an impossible size or offset in its tensor "${name.slice(0, 64)}"`);
}

function checkHeaderSize(window: FileWindow): void {
  if (window.offset > maxHeaderBytes) {
    throw new GgufDefect(`has a header of more than ${maxHeaderBytes / 1024 / 1024} MB`);
  }
}
