/**
 * The weights file as the server holds it: open for as long as the engine may start again, so that
 * a file that is deleted or replaced meanwhile changes nothing. The supervisor owns one.
 */

import { closeSync, fstatSync, openSync } from 'node:fs';

import { ParlanceError } from '../../contract/errors.ts';

export interface WeightsFile {
  /**
   * The path that the engine loads, and the descriptor to hand it as its descriptor `number`, or
   * null where it opens the path itself.
   */
  forChild(number: number): { readonly path: string; readonly descriptor: number | null };
  /** The file's name, for messages. */
  readonly path: string;
  /** The same for the same unchanged file, whatever it is called; another for any other. */
  readonly identity: string;
  close(): void;
}

/** Parts are opened by their names, which the library derives from the first one. */
const partName = /-\d{5}-of-\d{5}\.gguf$/;

/** Throws `invalid_model_file` when the file cannot be opened. */
export function openWeights(path: string): WeightsFile {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new ParlanceError(
      'invalid_model_file',
      `The model file ${path} cannot be opened (${code}).`,
      {
        cause: error,
      },
    );
  }
  const byPath = process.platform !== 'linux' || partName.test(path);
  const { dev, ino, size, mtimeNs } = fstatSync(descriptor, { bigint: true });
  let open = true;
  return {
    path,
    identity: `${dev}:${ino}:${size}:${mtimeNs}`,
    forChild: (number) =>
      byPath ? { path, descriptor: null } : { path: `/proc/self/fd/${number}`, descriptor },
    close: () => {
      if (open) closeSync(descriptor);
      open = false;
    },
  };
}
