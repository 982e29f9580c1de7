/**
 * The format of one run on disk, and the name of its file. `prefix-disk.ts` reads and writes with it;
 * nothing here touches a file. Numbers are little-endian. Layout: magic, version, end, start (4 bytes
 * each), payload bytes (8), then four SHA-256: identity, namespace, payload, and all before it together
 * with the tokens; then the tokens 0..end (4 bytes each), then the payload: the state of start..end.
 */

import { createHash } from 'node:crypto';

/** A run's file as the cache holds it; the disk changes it. */
export interface RunFile {
  readonly name: string;
  readonly namespace: string;
  /** The positions that its state covers. */
  readonly start: number;
  readonly end: number;
  readonly bytes: number;
  /** Milliseconds since 1970; the oldest go first. */
  usedAt: number;
  /** Whether `usedAt` is younger than what the disk says. */
  touched: boolean;
  /** It is no longer there. */
  gone: boolean;
}

export interface RunHead {
  /** SHA-256 in hex of what the states can be used with. */
  readonly identity: string;
  /** SHA-256 in hex. */
  readonly namespace: string;
  readonly start: number;
  /** 0..end. */
  readonly tokens: Int32Array;
  readonly payloadBytes: number;
  readonly payloadDigest: Buffer;
}

const magic = 0x564b4c50;
const version = 1;
const digestBytes = 32;
const digestAt = { identity: 24, namespace: 56, payload: 88, head: 120 } as const;

/** Bytes before the tokens. */
export const fixedHeadBytes = digestAt.head + digestBytes;

export const headBytes = (tokenCount: number): number => fixedHeadBytes + 4 * tokenCount;

export const digestOf = (bytes: string | Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

/** The version is part of it, so that another version's files are those of a stranger. */
export function identityDigest(identity: Readonly<Record<string, string | number>>): string {
  const parts = Object.entries(identity).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return digestOf(JSON.stringify([version, parts]));
}

/** The names of one identity begin with this. */
export const namePrefix = (identity: string): string => identity.slice(0, 16);

/** Any run's file, whosever it is; the group is its start. */
export const runName = /^[0-9a-f]{16}-[0-9a-f]{16}-(\d{1,9})-[0-9a-f]{32}\.run$/;

/** Two engines that store the same run give it the same name, and the same content. */
export function nameOf(head: Pick<RunHead, 'identity' | 'namespace' | 'start' | 'tokens'>): string {
  const content = createHash('sha256')
    .update(`${head.identity} ${head.namespace} ${head.start} `)
    .update(tokenBytes(head.tokens))
    .digest('hex');
  const space = head.namespace.slice(0, 16);
  return `${namePrefix(head.identity)}-${space}-${head.start}-${content.slice(0, 32)}.run`;
}

export function encodeHead(head: RunHead): Buffer {
  const bytes = Buffer.alloc(headBytes(head.tokens.length));
  bytes.writeUInt32LE(magic, 0);
  bytes.writeUInt32LE(version, 4);
  bytes.writeUInt32LE(head.tokens.length, 8);
  bytes.writeUInt32LE(head.start, 12);
  bytes.writeBigUInt64LE(BigInt(head.payloadBytes), 16);
  bytes.write(head.identity, digestAt.identity, 'hex');
  bytes.write(head.namespace, digestAt.namespace, 'hex');
  head.payloadDigest.copy(bytes, digestAt.payload);
  tokenBytes(head.tokens).copy(bytes, fixedHeadBytes);
  headDigest(bytes).copy(bytes, digestAt.head);
  return bytes;
}

/** How many tokens a head says it has, or null where it is no head of this version. */
export function readTokenCount(fixed: Buffer): number | null {
  if (fixed.length < fixedHeadBytes) return null;
  if (fixed.readUInt32LE(0) !== magic || fixed.readUInt32LE(4) !== version) return null;
  return fixed.readUInt32LE(8);
}

/** A head with its tokens, or null where a bit of it is wrong. */
export function parseHead(bytes: Buffer): RunHead | null {
  const count = readTokenCount(bytes);
  if (count === null || bytes.length !== headBytes(count)) return null;
  const part = (at: number): Buffer => bytes.subarray(at, at + digestBytes);
  if (!headDigest(bytes).equals(part(digestAt.head))) return null;
  const tokens = new Int32Array(count);
  for (let index = 0; index < count; index += 1) {
    tokens[index] = bytes.readInt32LE(fixedHeadBytes + 4 * index);
  }
  return {
    identity: part(digestAt.identity).toString('hex'),
    namespace: part(digestAt.namespace).toString('hex'),
    start: bytes.readUInt32LE(12),
    tokens,
    payloadBytes: Number(bytes.readBigUInt64LE(16)),
    payloadDigest: Buffer.from(part(digestAt.payload)),
  };
}

function headDigest(bytes: Buffer): Buffer {
  return createHash('sha256')
    .update(bytes.subarray(0, digestAt.head))
    .update(bytes.subarray(fixedHeadBytes))
    .digest();
}

function tokenBytes(tokens: Int32Array): Buffer {
  const bytes = Buffer.alloc(4 * tokens.length);
  tokens.forEach((token, index) => bytes.writeInt32LE(token, 4 * index));
  return bytes;
}
