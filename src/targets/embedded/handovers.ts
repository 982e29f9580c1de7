/**
 * Contexts that one request computed and a later one goes on from: the signed handles that clients
 * carry between the two, and the way of a context from one engine to another. The runtime makes one
 * for all its engines; targets issue and redeem. The contexts themselves are held by the engines.
 */

import { createHmac, hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ParlanceError } from '../../contract/index.ts';
import type { Engine, Handover } from '../../engine/index.ts';
import type { HandedContext } from '../target.ts';
import type { HeldContext } from './answer-events.ts';

/** What must be the same when a context is made and when it is gone on from. */
export interface HandoverPlace {
  readonly engine: Engine;
  /** Weights, their adapter, the form of the KV cache. */
  readonly model: string;
  /** The rendered prompt. */
  readonly prompt: string | readonly number[];
}

/** `disaggregated_params` of a generation_only request. */
export interface HandoverWish {
  readonly opaque_state?: string | null;
  readonly first_gen_tokens?: readonly number[] | null;
  readonly ctx_request_id?: number | bigint | string | null;
}

/** What a handle says, short because clients carry it. */
interface Handle {
  readonly engine: string;
  readonly context: string;
  readonly model: string;
  readonly prompt: string;
  readonly first: readonly number[];
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly until: number;
}

export interface Redeemed {
  readonly handover: Handover;
  /** To be called once the engine has accepted it, or will not: removes what lies on disk. */
  readonly release: () => Promise<void>;
}

/** How long a context is held for the request that goes on from it. */
export const holdMs = 60_000;

const stateParam = 'disaggregated_params.opaque_state';
const refuse = (message: string, param = stateParam): ParlanceError =>
  new ParlanceError('invalid_handle', message, { param });

const again = 'Send the context_only request again and go on from its answer';
/** A digest that keeps handles short; nobody gains by a collision with a prompt of their own. */
const digest = (value: unknown): string => hash('sha256', JSON.stringify(value), 'base64url');

export interface HandoversOptions {
  /** Of this process; handles of another one are foreign. */
  readonly key?: Uint8Array;
  readonly now?: () => number;
}

export class Handovers {
  readonly #key: Uint8Array;
  readonly #now: () => number;
  readonly #engines = new Map<string, Engine>();

  constructor({ key = randomBytes(32), now = Date.now }: HandoversOptions = {}) {
    this.#key = key;
    this.#now = now;
  }

  /** From now on contexts of this engine can be redeemed; more than once is once. */
  join(engine: Engine): void {
    if (this.#nameOf(engine) === null) this.#engines.set(randomBytes(6).toString('hex'), engine);
  }

  leave(engine: Engine): void {
    const name = this.#nameOf(engine);
    if (name !== null) this.#engines.delete(name);
  }

  /** The handle for a context that the engine holds from now on. */
  issue(held: HeldContext, { engine, model, prompt }: HandoverPlace): HandedContext {
    const handle: Handle = {
      engine: this.#nameOf(engine) ?? '',
      context: held.id,
      model: digest(model),
      prompt: digest(prompt),
      first: held.firstTokens,
      id: randomInt(1, 2 ** 47),
      until: this.#now() + holdMs,
    };
    const body = Buffer.from(JSON.stringify(handle)).toString('base64url');
    return {
      firstGenTokens: handle.first,
      ctxRequestId: handle.id,
      opaqueState: `${body}.${this.#sign(body)}`,
    };
  }

  /** @throws ParlanceError `invalid_handle` or `missing_field`; nothing is used up by it */
  check(wish: HandoverWish, place: HandoverPlace): void {
    this.#read(wish, place);
  }

  /**
   * Where the context is, brought to the engine that is to go on from it.
   * @throws ParlanceError as `check`, and `invalid_handle` for one that was used already
   */
  async redeem(wish: HandoverWish, place: HandoverPlace): Promise<Redeemed> {
    const { engine: name, context, first: firstTokens } = this.#read(wish, place);
    const holder = this.#engines.get(name);
    if (holder === undefined) {
      throw refuse(`The deployment that held this context is gone. ${again}.`);
    }
    if (holder === place.engine) {
      const handover = { type: 'resume', context, firstTokens } as const;
      return { handover, release: () => Promise.resolve() };
    }
    const folder = await mkdtemp(join(tmpdir(), 'parlance-context-'));
    const release = (): Promise<void> => rm(folder, { recursive: true, force: true });
    const path = join(folder, 'context');
    try {
      await holder.exportContext(context, path);
    } catch (error) {
      await release();
      const used = error instanceof ParlanceError && error.reason === 'invalid_handle';
      throw used ? refuse(`${error.message} ${again}.`) : error;
    }
    return { handover: { type: 'import', path, firstTokens }, release };
  }

  #read(wish: HandoverWish, { model, prompt }: HandoverPlace): Handle {
    const handle = this.#open(wish.opaque_state ?? null);
    if (handle.until <= this.#now()) {
      const seconds = holdMs / 1000;
      throw refuse(`This handle has expired: a context is held for ${seconds} seconds. ${again}.`);
    }
    if (handle.model !== digest(model)) {
      throw refuse(
        'This handle was made by another model, or by the same one with another adapter or another KV type (the deployment option `deterministic` decides that); go on with the one that made it.',
      );
    }
    if (handle.prompt !== digest(prompt)) {
      throw refuse(
        'This handle was made for another prompt; generation_only takes the messages of its context_only request unchanged.',
      );
    }
    const first = wish.first_gen_tokens ?? handle.first;
    if (first.join() !== handle.first.join()) {
      throw refuse(
        'first_gen_tokens are not those that context_only answered; send them as they came.',
        'disaggregated_params.first_gen_tokens',
      );
    }
    if (String(wish.ctx_request_id ?? handle.id) !== String(handle.id)) {
      throw refuse(
        'ctx_request_id belongs to another handle; send it as it came.',
        'disaggregated_params.ctx_request_id',
      );
    }
    return handle;
  }

  #open(text: string | null): Handle {
    if (text === null) {
      throw new ParlanceError(
        'missing_field',
        `\`${stateParam}\` is required with request_type generation_only: send what context_only answered.`,
        { param: stateParam },
      );
    }
    const [body = '', signature = ''] = text.split('.', 2);
    const [expected, given] = [Buffer.from(this.#sign(body)), Buffer.from(signature)];
    if (expected.length !== given.length || !timingSafeEqual(expected, given)) {
      throw refuse(`This handle is not one of this server, or was changed on its way. ${again}.`);
    }
    return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Handle;
  }

  #sign(body: string): string {
    return createHmac('sha256', this.#key).update(body).digest('base64url');
  }

  #nameOf(engine: Engine): string | null {
    for (const [name, one] of this.#engines) if (one === engine) return name;
    return null;
  }
}
