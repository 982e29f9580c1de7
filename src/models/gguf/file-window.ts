/**
 * A window over a file that slides forward: a few values are parsed from memory, then the next piece
 * is read. The header reader uses it, so that reading a header of megabytes takes little memory and
 * never blocks for long. It knows nothing of GGUF; running past the end is told by a `PastEnd`.
 */

import type { FileHandle } from 'node:fs/promises';

const pieceBytes = 256 * 1024;

/** The file ended before `needed` bytes at `offset`; the reader turns it into a catalogued error. */
export class PastEnd extends Error {
  readonly offset: number;
  readonly needed: number;

  constructor(offset: number, needed: number) {
    super(`needed ${needed} bytes at ${offset}`);
    this.offset = offset;
    this.needed = needed;
  }
}

export class FileWindow {
  readonly fileBytes: number;
  readonly #file: FileHandle;
  #buffer: Buffer = Buffer.alloc(0);
  /** File offset of the buffer's first byte. */
  #start = 0;
  /** Next byte to be taken, as an index into the buffer. */
  #next = 0;

  constructor(file: FileHandle, fileBytes: number) {
    this.#file = file;
    this.fileBytes = fileBytes;
  }

  /** File offset of the next byte. */
  get offset(): number {
    return this.#start + this.#next;
  }

  get remaining(): number {
    return this.fileBytes - this.offset;
  }

  /** Whether `count` bytes can be taken without `fill`. */
  has(count: number): boolean {
    return this.#buffer.length - this.#next >= count;
  }

  /**
   * Makes `count` bytes available.
   * @throws PastEnd when the file has fewer; nothing is allocated then.
   */
  async fill(count: number): Promise<void> {
    if (this.has(count)) return;
    if (count > this.remaining) throw new PastEnd(this.offset, count);
    const offset = this.offset;
    const wanted = Math.min(Math.max(count, pieceBytes), this.remaining);
    const buffer = Buffer.allocUnsafe(wanted);
    let filled = 0;
    while (filled < wanted) {
      const { bytesRead } = await this.#file.read(buffer, filled, wanted - filled, offset + filled);
      if (bytesRead === 0) throw new PastEnd(offset + filled, wanted - filled);
      filled += bytesRead;
    }
    this.#buffer = buffer;
    this.#start = offset;
    this.#next = 0;
  }

  /** The next `count` bytes, valid until the next `fill`; call `fill` first. */
  take(count: number): Buffer {
    const bytes = this.#buffer.subarray(this.#next, this.#next + count);
    this.#next += count;
    return bytes;
  }

  async skip(count: number): Promise<void> {
    if (count > this.remaining) throw new PastEnd(this.offset, count);
    if (this.has(count)) {
      this.#next += count;
      return;
    }
    this.seek(this.offset + count);
  }

  /** Goes on at a file offset; the next `fill` reads there. */
  seek(offset: number): void {
    this.#buffer = Buffer.alloc(0);
    this.#start = offset;
    this.#next = 0;
  }
}
