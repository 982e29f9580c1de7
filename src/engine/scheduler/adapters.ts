/** The adapters that the decoder has, and what keeps their prefixes apart. The scheduler owns one. */

import { hash } from 'node:crypto';

import { ParlanceError } from '../../contract/errors.ts';
import type { Decoder } from '../llama/decoder.ts';

export class Adapters {
  readonly #decoder: Decoder;
  readonly #identities = new Map<string, string>();

  constructor(decoder: Decoder) {
    this.#decoder = decoder;
  }

  /** Throws `invalid_adapter`. */
  load(name: string, path: string, identity: string): void {
    if (this.#identities.has(name)) this.unload(name);
    this.#decoder.loadAdapter(name, path);
    this.#identities.set(name, identity);
  }

  unload(name: string): void {
    if (this.#identities.delete(name)) this.#decoder.unloadAdapter(name);
  }

  /**
   * Requests share prefixes only within one of these: it stands for the adapter's content, not its name,
   * and the salt, and is short however long that is. Throws `unknown_model` where there is no such
   * adapter.
   */
  namespaceOf(adapter: string | null, salt: string | null): string {
    const identity = adapter === null ? null : this.#identities.get(adapter);
    if (identity === undefined) {
      throw new ParlanceError('unknown_model', `The engine has no adapter ${adapter}.`);
    }
    return identity === null && salt === null
      ? ''
      : hash('sha256', JSON.stringify([identity, salt]));
  }
}
