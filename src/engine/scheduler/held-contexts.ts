/**
 * Contexts that were computed for a later request: a prompt's KV state under an ID, for a time. The
 * scheduler puts them in and takes them out, once each. Bounded by number and by bytes.
 */

import { randomUUID } from 'node:crypto';

import { ParlanceError } from '../../contract/errors.ts';
import type { KvState, KvStates } from '../llama/decoder.ts';

export interface HeldContext {
  readonly promptTokens: readonly number[];
  readonly state: KvState;
  /** Adapter and salt that it was computed for. */
  readonly namespace: string;
}

interface Held extends HeldContext {
  /** By the scheduler's clock. */
  readonly expires: number;
}

export interface HeldLimits {
  readonly contexts: number;
  readonly bytes: number;
}

export class HeldContexts {
  readonly #held = new Map<string, Held>();
  readonly #states: KvStates;
  readonly #limits: HeldLimits;
  #bytes = 0;

  constructor(states: KvStates, limits: HeldLimits) {
    this.#states = states;
    this.#limits = limits;
  }

  get size(): number {
    return this.#held.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Throws `queue_full` where one more beside those that are `coming` would be too many; asked before
   * anything is computed.
   */
  checkRoom(now: number, coming = 0): void {
    this.sweep(now);
    const isRoom =
      this.#held.size + coming < this.#limits.contexts && this.#bytes < this.#limits.bytes;
    if (!isRoom) throw full(this.#held.size + coming);
  }

  /**
   * Throws `queue_full` where its bytes are too many beside the others'.
   * @returns the ID under which it is held
   */
  put(context: HeldContext, expires: number): string {
    const isRoom = this.#bytes + context.state.bytes <= this.#limits.bytes;
    if (!isRoom && this.#held.size > 0) throw full(this.#held.size);
    const id = randomUUID();
    this.#held.set(id, { ...context, expires });
    this.#bytes += context.state.bytes;
    return id;
  }

  /** Throws `invalid_handle` where there is none of this ID any more. */
  get(id: string, now: number): HeldContext {
    this.sweep(now);
    const held = this.#held.get(id);
    if (held !== undefined) return held;
    throw invalidHandle(
      'the context is not held any more: it was used, its time is over, or the engine was restarted; ' +
        'send the context_only request again',
    );
  }

  drop(id: string): void {
    const held = this.#held.get(id);
    if (held === undefined) return;
    this.#held.delete(id);
    this.#bytes -= held.state.bytes;
  }

  sweep(now: number): void {
    for (const [id, { expires }] of this.#held) if (expires <= now) this.drop(id);
  }

  /** A context as bytes for another engine: the length of a JSON header, the header, the state. */
  encode(id: string, now: number): Uint8Array {
    const { promptTokens, namespace, state } = this.get(id, now);
    const header = Buffer.from(JSON.stringify({ promptTokens, namespace }));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(header.length);
    return Buffer.concat([length, header, this.#states.encode(state)]);
  }

  /** What `encode` made. Throws `invalid_handle` where the bytes are something else. */
  decode(bytes: Uint8Array): HeldContext {
    try {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const end = 4 + buffer.readUInt32LE(0);
      const header = JSON.parse(buffer.toString('utf8', 4, end)) as Omit<HeldContext, 'state'>;
      return { ...header, state: this.#states.decode(buffer.subarray(end)) };
    } catch {
      throw invalidHandle('the context that another engine handed over cannot be read');
    }
  }
}

function full(count: number): ParlanceError {
  return new ParlanceError(
    'queue_full',
    `${count} contexts are held for later requests, which is the most this model holds; let one be ` +
      'used or expire first.',
    { retryAfter: 5 },
  );
}

export function invalidHandle(why: string): ParlanceError {
  return new ParlanceError('invalid_handle', `disaggregated_params: ${why}.`, {
    param: 'disaggregated_params',
  });
}
