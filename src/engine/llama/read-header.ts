/**
 * Reads the header of a GGUF file (version 2 or 3) in one go: the engine must know what is in an
 * adapter before the library does, and of which numbers the weights are made. Small and synchronous;
 * the room of models has the reader for people, whose start would cost the engine more than the read.
 * No number of the file is trusted. Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** What is wrong with a file, in words that go on after its name. */
export class HeaderDefect extends Error {}

/** Arrays are told by their type only. */
export interface HeaderValue {
  /** gguf_type of the value, or 9 for an array. */
  readonly type: number;
  /** Of strings and of numbers up to 32 bits; else null. */
  readonly value: string | number | null;
}

export interface HeaderTensor {
  readonly name: string;
  readonly dimensions: readonly number[];
  /** ggml_type. */
  readonly type: number;
  /** From the start of the weights. */
  readonly offset: number;
}

export interface Header {
  readonly values: ReadonlyMap<string, HeaderValue>;
  readonly tensors: readonly HeaderTensor[];
  /** Bytes of the file before the weights. */
  readonly weightsAt: number;
  readonly fileBytes: number;
}

export const ggufString = 8;
export const ggufFloat = 6;
export const ggufArray = 9;
const scalarBytes = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];
const mostValues = 4096;
const mostTensors = 65_536;
const mostDimensions = 4;
const mostHeaderBytes = 256 * 1024 * 1024;
const firstPiece = 1024 * 1024;

/** Throws `HeaderDefect`, or the system's error where the file cannot be read. */
export function readHeader(path: string): Header {
  const file = openSync(path, 'r');
  try {
    const fileBytes = fstatSync(file).size;
    for (let piece = firstPiece; ; piece *= 4) {
      const length = Math.min(piece, fileBytes, mostHeaderBytes);
      const bytes = Buffer.allocUnsafe(length);
      const read = readSync(file, bytes, 0, length, 0);
      const header = parseHeader(bytes.subarray(0, read), fileBytes);
      if (header !== null) return header;
      if (length < piece) throw new HeaderDefect('ends before its header does');
    }
  } finally {
    closeSync(file);
  }
}

/** Null where the header is longer than these bytes. */
function parseHeader(bytes: Buffer, fileBytes: number): Header | null {
  const cursor = new Cursor(bytes, fileBytes);
  try {
    if (cursor.u32() !== 0x46554747) throw new HeaderDefect('is no GGUF file');
    const version = cursor.u32();
    if (version !== 2 && version !== 3) throw new HeaderDefect(`has GGUF version ${version}`);
    const tensorCount = cursor.count(mostTensors, 'tensors');
    const valueCount = cursor.count(mostValues, 'values');
    const values = new Map<string, HeaderValue>();
    for (let i = 0; i < valueCount; i += 1) {
      const key = cursor.text();
      values.set(key, readValue(cursor, cursor.u32()));
    }
    const tensors = Array.from({ length: tensorCount }, () => readTensor(cursor));
    const alignment = values.get('general.alignment')?.value ?? 32;
    if (typeof alignment !== 'number' || alignment < 1 || (alignment & (alignment - 1)) !== 0) {
      throw new HeaderDefect('has an alignment that is no power of two');
    }
    const weightsAt = Math.ceil(cursor.offset / alignment) * alignment;
    return { values, tensors, weightsAt, fileBytes };
  } catch (error) {
    if (error instanceof PastEnd) return null;
    throw error;
  }
}

function readValue(cursor: Cursor, type: number): HeaderValue {
  if (type === ggufString) return { type, value: cursor.text() };
  if (type === ggufArray) {
    const element = cursor.u32();
    const length = cursor.count(Number.MAX_SAFE_INTEGER, 'elements');
    if (element === ggufString) for (let i = 0; i < length; i += 1) cursor.skip(cursor.size());
    else cursor.skip(length * sizeOf(element));
    return { type, value: null };
  }
  return { type, value: cursor.scalar(type, sizeOf(type)) };
}

function readTensor(cursor: Cursor): HeaderTensor {
  const name = cursor.text();
  const dimensionCount = cursor.u32();
  if (dimensionCount > mostDimensions) {
    throw new HeaderDefect(`has a tensor of ${dimensionCount} dimensions`);
  }
  const dimensions = Array.from({ length: dimensionCount }, () => cursor.size());
  return { name, dimensions, type: cursor.u32(), offset: cursor.size() };
}

function sizeOf(type: number): number {
  const bytes = scalarBytes[type] ?? 0;
  if (bytes === 0) throw new HeaderDefect(`has a value of the unknown type ${type}`);
  return bytes;
}

/** The bytes that were read do not reach; the file may. */
class PastEnd extends Error {}

class Cursor {
  readonly #bytes: Buffer;
  readonly #fileBytes: number;
  offset = 0;

  constructor(bytes: Buffer, fileBytes: number) {
    this.#bytes = bytes;
    this.#fileBytes = fileBytes;
  }

  u32(): number {
    return this.#bytes.readUInt32LE(this.skip(4));
  }

  /** A 64-bit length or offset, which no file beyond 2^53 bytes needs. */
  size(): number {
    const value = Number(this.#bytes.readBigUInt64LE(this.skip(8)));
    if (!Number.isSafeInteger(value)) throw new HeaderDefect('has a length that no file can have');
    return value;
  }

  count(most: number, of: string): number {
    const count = this.size();
    if (count > most) throw new HeaderDefect(`says that it has ${count} ${of}`);
    return count;
  }

  text(): string {
    const length = this.size();
    const start = this.skip(length);
    return this.#bytes.toString('utf8', start, start + length);
  }

  scalar(type: number, bytes: number): number | null {
    const start = this.skip(bytes);
    if (type === ggufFloat) return this.#bytes.readFloatLE(start);
    const isSigned = type === 1 || type === 3 || type === 5;
    if (bytes > 4) return null;
    return isSigned ? this.#bytes.readIntLE(start, bytes) : this.#bytes.readUIntLE(start, bytes);
  }

  /** Returns where it was. */
  skip(bytes: number): number {
    const start = this.offset;
    if (start + bytes > this.#fileBytes) throw new HeaderDefect('ends before its header does');
    if (start + bytes > this.#bytes.length) throw new PastEnd();
    this.offset = start + bytes;
    return start;
  }
}
