/**
 * What a lane is doing right now, in shared memory: the engine's thread sees by it that a lane is stuck,
 * and what it was busy with when it has to be ended.
 */

const places = { work: 0, kind: 1, keywordLength: 2 } as const;
const numberBytes = 16;
const keywordBytes = 256;

/** By number: nothing, or a message of this type. */
const kinds = ['idle', 'trie', 'compile', 'open', 'ask', 'tokens', 'close'] as const;
export type Kind = (typeof kinds)[number];

export class LaneProgress {
  readonly buffer: SharedArrayBuffer;
  readonly #numbers: Int32Array;
  readonly #keyword: Uint8Array;
  #last = '';
  #work = 0;

  constructor(buffer = new SharedArrayBuffer(numberBytes + keywordBytes)) {
    this.buffer = buffer;
    this.#numbers = new Int32Array(buffer, 0, numberBytes / 4);
    this.#keyword = new Uint8Array(buffer, numberBytes, keywordBytes);
  }

  /** The lane takes up a piece of work. */
  begin(kind: Kind): void {
    this.#work += 1;
    Atomics.store(this.#numbers, places.kind, kinds.indexOf(kind));
    Atomics.store(this.#numbers, places.work, this.#work);
  }

  end(): void {
    Atomics.store(this.#numbers, places.kind, 0);
  }

  /** The lane is busy with what this keyword asks for. */
  report(keyword: string): void {
    if (keyword === this.#last) return;
    this.#last = keyword;
    const { written } = new TextEncoder().encodeInto(keyword, this.#keyword);
    Atomics.store(this.#numbers, places.keywordLength, written);
  }

  /** Another number for each piece of work. */
  get work(): number {
    return Atomics.load(this.#numbers, places.work);
  }

  get kind(): Kind {
    return kinds[Atomics.load(this.#numbers, places.kind)] ?? 'idle';
  }

  get keyword(): string | null {
    const length = Atomics.load(this.#numbers, places.keywordLength);
    return length === 0 ? null : new TextDecoder().decode(this.#keyword.slice(0, length));
  }
}
