/**
 * The LoRA adapters of one context: loading, freeing, and which of them the next pass uses. The
 * decoder owns one. Changing the adapter between passes makes the library plan its graphs anew, so it
 * is told only of changes.
 */

import koffi from 'koffi';

import { ParlanceError } from '../../contract/errors.ts';
import { checkAdapterFile } from './adapter-file.ts';
import type { LlamaLibrary, Pointer } from './bind-library.ts';

export class Adapters {
  readonly #library: LlamaLibrary;
  readonly #model: Pointer;
  readonly #context: Pointer;
  readonly #loaded = new Map<string, Pointer>();
  /** One address and one scale, where the library reads them. */
  readonly #address = koffi.alloc('int64_t', 1) as Pointer;
  readonly #scale = koffi.alloc('float', 1) as Pointer;
  #used: string | null = null;

  constructor(library: LlamaLibrary, model: Pointer, context: Pointer) {
    this.#library = library;
    this.#model = model;
    this.#context = context;
    new Float32Array(koffi.view(this.#scale, 4))[0] = 1;
  }

  /** Throws `invalid_adapter` with the reason where the file is damaged or for another model. */
  load(name: string, path: string): void {
    if (this.#loaded.has(name)) {
      throw new ParlanceError('internal', `The adapter "${name}" is loaded already.`);
    }
    checkAdapterFile(path);
    const { errors } = this.#library;
    const pointer = errors.during(() => this.#library.adapterLoad(this.#model, path));
    if (pointer === null) {
      throw new ParlanceError('invalid_adapter', `The adapter does not load: ${errors.text()}`);
    }
    this.#loaded.set(name, pointer);
  }

  unload(name: string): void {
    const pointer = this.#loaded.get(name);
    if (pointer === undefined) return;
    if (this.#used === name) this.use(null);
    this.#loaded.delete(name);
    this.#library.adapterFree(pointer);
  }

  /** The adapter of the next pass. */
  use(name: string | null): void {
    if (name === this.#used) return;
    if (name === null) {
      this.#library.adaptersSet(this.#context, null, 0, null);
    } else {
      const pointer = this.#loaded.get(name);
      if (pointer === undefined) {
        throw new ParlanceError('internal', `The adapter "${name}" is not loaded.`);
      }
      new BigInt64Array(koffi.view(this.#address, 8))[0] = pointer;
      this.#library.adaptersSet(this.#context, this.#address, 1, this.#scale);
    }
    this.#used = name;
  }

  close(): void {
    for (const name of this.#loaded.keys()) this.unload(name);
    koffi.free(this.#address);
    koffi.free(this.#scale);
  }
}
