/**
 * What tells one model's weights from another's across restarts and copies of the file: prefixes on disk
 * are used only by the weights that they were computed with. `load-engine.ts` asks once for a model.
 */

import { createHash, type Hash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Weights are too large to be read once more: so many pieces, spread evenly, stand for a file. */
const pieces = 256;
const pieceBytes = 32 * 1024;

const partName = /-(\d{5})-of-(\d{5})\.gguf$/;

/**
 * SHA-256 in hex of the sizes and of pieces of all parts. It differs where anything of a 256th of a file
 * in a row differs, such as one layer's matrices; not for every single byte. Throws what the system says.
 */
export function digestWeights(path: string): string {
  const hash = createHash('sha256');
  for (const part of partsOf(path)) addFile(hash, part);
  return hash.digest('hex');
}

/** The library opens the parts by their names, which follow from the first one's. */
function partsOf(path: string): string[] {
  const [ending, , count] = partName.exec(path) ?? [];
  if (ending === undefined || count === undefined) return [path];
  const begin = path.slice(0, -ending.length);
  return Array.from({ length: Number(count) }, (_, index) => {
    const number = String(index + 1).padStart(5, '0');
    return `${begin}-${number}-of-${count}.gguf`;
  });
}

function addFile(hash: Hash, path: string): void {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    hash.update(`${size} `);
    const piece = Buffer.alloc(pieceBytes);
    const last = Math.max(0, size - pieceBytes);
    for (let index = 0; index < pieces; index += 1) {
      const position = Math.floor((last * index) / (pieces - 1));
      hash.update(piece.subarray(0, readSync(file, piece, 0, pieceBytes, position)));
    }
  } finally {
    closeSync(file);
  }
}
