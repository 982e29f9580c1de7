/**
 * The memory that a session's answers are handed over in: the thread that steps constraints writes it, the
 * engine's thread reads it, and numbers in it say whose turn it is. Neither side keeps anything else of the
 * other's.
 */

import { ParlanceError, type Reason } from '../../contract/errors.ts';
import type { ConstraintView } from './constraint-session.ts';

/** Tokens after which `look` gives masks. */
export const mostDrafts = 16;
/** Tokens that one answer may force. */
export const mostForced = 1024;
/** Bytes of a text in it: what went wrong, or what is to be tokenised. */
const textBytes = 16_384;

/** Places of the numbers. */
const place = {
  /** Number of the last question that was answered. */
  answered: 0,
  /** Counts whatever the writer has to say; what a reader waits on. */
  events: 1,
  failed: 2,
  flags: 3,
  forced: 4,
  drafts: 5,
  textLength: 6,
  /** Number of the last text that the writer asked to be tokenised. */
  asked: 7,
} as const;
const places = 16;

const flag = { complete: 1, ended: 2, dead: 4, risky: 8 } as const;

/** A text that came back without its first character would be asked for again and again. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export type Flags = Readonly<Record<keyof typeof flag, boolean>>;

export class ViewMemory {
  readonly buffer: SharedArrayBuffer;
  readonly #numbers: Int32Array;
  readonly #forced: Int32Array;
  readonly #text: Uint8Array;
  readonly #masks: Uint32Array;
  readonly #words: number;

  /** `words`: of a mask. */
  constructor(buffer: SharedArrayBuffer, words: number) {
    this.buffer = buffer;
    this.#words = words;
    this.#numbers = new Int32Array(buffer, 0, places);
    this.#forced = new Int32Array(buffer, 4 * places, mostForced);
    this.#text = new Uint8Array(buffer, 4 * (places + mostForced), textBytes);
    const masksAt = 4 * (places + mostForced) + textBytes;
    this.#masks = new Uint32Array(buffer, masksAt, words * (mostDrafts + 1));
  }

  static create(words: number): ViewMemory {
    const bytes = 4 * (places + mostForced) + textBytes + 4 * words * (mostDrafts + 1);
    return new ViewMemory(new SharedArrayBuffer(bytes), words);
  }

  // What the writer does.

  writeView(flags: Flags, forced: readonly number[], drafts: number): void {
    let bits = 0;
    if (flags.complete) bits |= flag.complete;
    if (flags.ended) bits |= flag.ended;
    if (flags.dead) bits |= flag.dead;
    if (flags.risky) bits |= flag.risky;
    this.#numbers[place.flags] = bits;
    this.#numbers[place.forced] = forced.length;
    this.#forced.set(forced);
    this.#numbers[place.drafts] = drafts;
  }

  /** null: nothing is allowed. */
  writeMask(row: number, bits: Uint32Array | null): void {
    if (bits === null) this.#masks.fill(0, row * this.#words, (row + 1) * this.#words);
    else this.#masks.set(bits, row * this.#words);
  }

  /** All that was written belongs to this question. */
  answer(question: number): void {
    Atomics.store(this.#numbers, place.answered, question);
    this.#tell();
  }

  /** The session is over; every question is answered by this. Either side may say so. */
  fail(reason: Reason, message: string): void {
    this.#writeText(JSON.stringify({ reason, message: message.slice(0, 2000) }));
    Atomics.store(this.#numbers, place.failed, 1);
    this.#tell();
  }

  /** Asks the other side to tokenise a text; `ask` counts from 1. */
  ask(ask: number, text: string): void {
    this.#writeText(text);
    Atomics.store(this.#numbers, place.asked, ask);
    this.#tell();
  }

  #writeText(text: string): void {
    const { written } = new TextEncoder().encodeInto(text, this.#text);
    this.#numbers[place.textLength] = written;
  }

  #tell(): void {
    Atomics.add(this.#numbers, place.events, 1);
    Atomics.notify(this.#numbers, place.events);
  }

  // What the reader does.

  isAnswered(question: number): boolean {
    return Atomics.load(this.#numbers, place.answered) === question || this.hasFailed;
  }

  get hasFailed(): boolean {
    return Atomics.load(this.#numbers, place.failed) === 1;
  }

  /** A text that is to be tokenised, if it is another ask than the last. */
  textAsked(last: number): { readonly ask: number; readonly text: string } | null {
    const ask = Atomics.load(this.#numbers, place.asked);
    return ask === last || this.hasFailed ? null : { ask, text: this.#readText() };
  }

  get events(): number {
    return Atomics.load(this.#numbers, place.events);
  }

  /** Blocks until there is more to read than `seen`. */
  waitForEvent(seen: number, milliseconds: number): void {
    Atomics.wait(this.#numbers, place.events, seen, milliseconds);
  }

  failure(): ParlanceError {
    const { reason, message } = JSON.parse(this.#readText()) as {
      reason: Reason;
      message: string;
    };
    return new ParlanceError(reason, message);
  }

  #readText(): string {
    return decoder.decode(this.#text.slice(0, this.#numbers[place.textLength]));
  }

  /** The view as it stands; its masks are the memory itself. */
  view(): ConstraintView {
    const bits = this.#numbers[place.flags] ?? 0;
    const words = this.#words;
    const masks = this.#masks;
    return {
      forced: [...this.#forced.subarray(0, this.#numbers[place.forced])],
      complete: (bits & flag.complete) !== 0,
      ended: (bits & flag.ended) !== 0,
      dead: (bits & flag.dead) !== 0,
      risky: (bits & flag.risky) !== 0,
      drafts: this.#numbers[place.drafts] ?? 0,
      mask: (row) => masks.subarray(row * words, (row + 1) * words),
    };
  }

  /** For another session. */
  clear(): void {
    this.#numbers.fill(0);
  }
}
