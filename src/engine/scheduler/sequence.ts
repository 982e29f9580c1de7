/**
 * One run of tokens in the KV cache: what it consists of, how much of it is computed, and where. It
 * knows nothing of sampling or text; its request's driver appends tokens, the slot table moves it.
 */

import type { KvState } from '../llama/decoder.ts';
import type { ActiveRequest } from './active-request.ts';

export class Sequence {
  readonly request: ActiveRequest;
  /** Index among its request's sequences. */
  readonly index: number;
  /** Null while it waits and after its end. */
  slot: number | null = null;
  /** Tokens that its slot, or its parked state, holds. */
  computed = 0;
  /** Its KV state while it waits for a slot to go on in. */
  parked: KvState | null = null;
  /** Tokens behind `tokens` that the next pass verifies. */
  drafts: readonly number[] = [];
  /** Tokens before the drafts that are certain, and whose log-probabilities the next pass gives. */
  forced: readonly number[] = [];
  /** When it got its slot there was much to compute. */
  long = false;
  /** It has a slot and nothing to compute. */
  idle = false;
  done = false;
  /** Its own from its first token on: choices that wait share the prompt with their request. */
  #tokens: number[] | null = null;

  constructor(request: ActiveRequest, index: number) {
    this.request = request;
    this.index = index;
  }

  /** The prompt and what was generated; the last one is never computed. */
  get tokens(): readonly number[] {
    return this.#tokens ?? this.request.promptTokens;
  }

  append(token: number): void {
    this.#tokens ??= [...this.request.promptTokens];
    this.#tokens.push(token);
  }

  /** Takes the last tokens back. Its slot is trimmed by whoever calls. */
  drop(count: number): void {
    if (count > 0) this.#tokens = this.tokens.slice(0, -count);
  }

  /** Goes on from another sequence of its request. */
  follow({ tokens }: Sequence): void {
    this.#tokens = [...tokens];
  }

  /** Tokens to compute before the next one can be chosen, at least 1. */
  get pending(): number {
    return this.tokens.length - this.computed;
  }

  get prefilling(): boolean {
    return this.pending > 1;
  }

  /** The next `count` tokens to compute, forced ones and drafts behind them. */
  nextTokens(count: number): readonly number[] {
    const known = this.tokens.slice(this.computed, this.computed + count);
    const ahead = this.forced.length + this.drafts.length;
    return ahead === 0 ? known : [...known, ...this.forced, ...this.drafts];
  }
}
