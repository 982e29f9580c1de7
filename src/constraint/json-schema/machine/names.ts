/**
 * The names of an object's next member: those that are declared and may still come, and free ones. A
 * name is refused at the byte after which it can be none of them.
 */

import type { Loop } from '../../machine.ts';
import type { Leaf } from './leaf.ts';
import type { Lex } from './lexer.ts';
import { body, quote, usualEscape } from './lexer.ts';
import type { NameRange } from './name-list.ts';
import type { ObjectStatus } from './object-plan.ts';
import type { ObjectHere } from './object-state.ts';
import { MemoState } from './state.ts';
import type { State } from './state.ts';
import type { Verdict } from './truth.ts';

export class Names {
  readonly here: ObjectHere;
  readonly status: ObjectStatus;
  readonly #refused = new Map<Verdict, boolean>();
  readonly #alike = new Map<Leaf, Map<Lex, State>>();
  readonly #comes = new Map<number, boolean>();
  readonly #ranges = new Map<string, boolean>();
  /** How many names that may come are before each place of the sorted list; null: each has to be tried. */
  #sums: Uint32Array | null = null;
  #begun: State | null | undefined;

  constructor(here: ObjectHere, status: ObjectStatus) {
    this.here = here;
    this.status = status;
  }

  /** Whether some name may come. */
  get possible(): boolean {
    return this.#free() !== null || this.#declared().next().done !== true;
  }

  /** Behind the opening quote. */
  begin(): State | null {
    if (this.#begun === undefined) {
      const { list } = this.here.plan;
      if (this.here.plan.blocking(this.status) !== null) this.#sums = this.#count();
      const free = this.#free();
      const range = this.some(list.all) ? list.all : null;
      const start = { text: '', lex: body, free, range };
      this.#begun = free === null && range === null ? null : new NameState(this, start);
    }
    return this.#begun;
  }

  /** Whether some name of the range may come. */
  some(range: NameRange): boolean {
    const sums = this.#sums;
    if (sums !== null) return sums[range.to]! > sums[range.from]!;
    const key = `${range.from} ${range.to}`;
    const known = this.#ranges.get(key);
    if (known !== undefined) return known;
    const numbers = this.here.plan.list.numbers.slice(range.from, range.to);
    const found = numbers.some((number) => this.#may(number));
    this.#ranges.set(key, found);
    return found;
  }

  #count(): Uint32Array {
    const { numbers } = this.here.plan.list;
    const come = new Set(this.#declared());
    const sums = new Uint32Array(numbers.length + 1);
    numbers.forEach((number, i) => {
      sums[i + 1] = sums[i]! + (come.has(number) ? 1 : 0);
    });
    return sums;
  }

  /** Whether the name may come, found by trying. */
  #may(number: number): boolean {
    const known = this.#comes.get(number);
    if (known !== undefined) return known;
    const { plan } = this.here;
    const allowed = ((plan.allowed >> BigInt(number)) & 1n) === 1n;
    const made =
      allowed &&
      plan.awaits(this.status, number) &&
      this.here.named(this.status, plan.order.names[number]!) !== null;
    this.#comes.set(number, made);
    return made;
  }

  /** Whether the name that ends where the range begins may come. */
  ends(range: NameRange): boolean {
    return this.here.plan.list.ending(range) >= 0 && this.some({ ...range, to: range.from + 1 });
  }

  /** Whether a free name with these truths makes the document wrong. */
  refused(verdict: Verdict): boolean {
    const { plan, place } = this.here;
    if (plan.names.refuted(verdict)) return true;
    const known = this.#refused.get(verdict);
    if (known !== undefined) return known;
    const naming = plan.naming(this.status, verdict);
    const made = naming !== this.status.verdict && place.hopeless(naming);
    this.#refused.set(verdict, made);
    return made;
  }

  /** Names that came already or can no longer come, from those that begin with the text. */
  taken(text: string): string[] {
    const { order } = this.here.plan;
    const gone = order.names.filter((name) => name.startsWith(text));
    const out = gone.filter((name) => !this.here.plan.awaits(this.status, order.numberOf(name)));
    return [...out, ...this.status.extras.filter((name) => name.startsWith(text))];
  }

  /** One state for all free names that are judged alike so far; the first that comes. */
  alike(free: Leaf, lex: Lex, state: State): State {
    const known = this.#alike.get(free) ?? new Map<Lex, State>();
    this.#alike.set(free, known);
    const first = known.get(lex) ?? state;
    known.set(lex, first);
    return first;
  }

  /** The numbers of the names that may come. */
  *#declared(): Generator<number> {
    const { plan } = this.here;
    const allowed = plan.allowed & ~this.status.gone;
    const blocking = plan.blocking(this.status);
    for (const number of plan.order.names.keys()) {
      if (((allowed >> BigInt(number)) & 1n) === 0n) continue;
      if (blocking === null) {
        if (this.#may(number)) yield number;
        continue;
      }
      const passed = plan.order.passedBy(number) & ~(1n << BigInt(number));
      if ((passed & blocking) === 0n && plan.startable(number)) yield number;
    }
  }

  #free(): Leaf | null {
    const { plan, place } = this.here;
    const leaf = plan.names.begin();
    if (leaf === null || this.refused(leaf.verdict)) return null;
    return place.hopeless(plan.passing(this.status)) ? null : leaf;
  }
}

interface Name {
  /** The characters that came. */
  readonly text: string;
  readonly lex: Lex;
  /** As a free name; null: it is none. */
  readonly free: Leaf | null;
  /** The known names that begin so; null: none that may come. */
  readonly range: NameRange | null;
}

class NameState extends MemoState {
  readonly #names: Names;
  readonly #name: Name;
  #first: State | null = null;

  constructor(names: Names, name: Name) {
    super();
    this.#names = names;
    this.#name = name;
  }

  get risky(): boolean {
    const { here, status } = this.#names;
    return status.risky || here.place.slot.risky || (this.#name.free?.risky ?? false);
  }

  /** What a free name is called matters no more, once it can be none that is known. */
  override get alike(): State {
    this.#first ??= this.#findFirst();
    return this.#first;
  }

  #findFirst(): State {
    const { free, range, text, lex } = this.#name;
    if (free === null || range !== null || this.#names.taken(text).length > 0) return this;
    return this.#names.alike(free, lex, this);
  }

  override loop(): Loop | null {
    const { free, range, text, lex } = this.#name;
    if (free === null || range !== null || lex !== body) return null;
    return this.#names.taken(text).length > 0 ? null : free.loop();
  }

  protected advance(byte: number): State | null {
    const { lex, free } = this.#name;
    const next = lex.next[byte]!;
    if (next === null) return null;
    if (next === quote) return this.#close();
    const begun = free?.step(byte) ?? null;
    const kept =
      begun === null || begun === 'closed' || this.#names.refused(begun.verdict) ? null : begun;
    return typeof next === 'number' ? this.#take(next, kept) : this.#within(next, byte, kept);
  }

  /** Inside a character. */
  #within(lex: Lex, byte: number, free: Leaf | null): State | null {
    const { range, text } = this.#name;
    // Only the usual spelling of names that are declared, where there are no others.
    const usual = free === null;
    if (usual && lex.escape && byte >= 0x41 && byte <= 0x46) return null;
    const named = lex === body.next[0x5c];
    const fits = (one: number): boolean =>
      !usual || !lex.escape || usualEscape(one, false) || (named && usualEscape(one, true));
    const parts = range === null ? [] : this.#names.here.plan.list.parts(range, lex.ranges, fits);
    for (const part of parts) {
      if (this.#names.some(part)) return this.#at({ text, lex, free, range });
    }
    return this.#at({ text, lex, free, range: null });
  }

  #take(codePoint: number, free: Leaf | null): State | null {
    const { range, text, lex } = this.#name;
    const named = lex === body.next[0x5c];
    const spelled = free !== null || !lex.escape || usualEscape(codePoint, named);
    const next = range === null ? null : this.#names.here.plan.list.step(range, codePoint);
    const kept = spelled && next !== null && this.#names.some(next) ? next : null;
    const whole = text + String.fromCodePoint(codePoint);
    return this.#at({ text: whole, lex: body, free: this.#lasting(whole, free), range: kept });
  }

  /** The free name, unless it has been taken and can not become another. */
  #lasting(text: string, free: Leaf | null): Leaf | null {
    if (free === null || !this.#names.taken(text).includes(text)) return free;
    for (let byte = 0x20; byte < 0x100; byte++) {
      const next = byte === 0x22 ? null : free.step(byte);
      if (next !== null && next !== 'closed' && !this.#names.refused(next.verdict)) return free;
    }
    return null;
  }

  #at(name: Name): State | null {
    if (name.free === null && name.range === null) return null;
    this.#names.here.plan.values.spend(1, 2 + name.text.length / 50, 'additionalProperties');
    return new NameState(this.#names, name);
  }

  #close(): State | null {
    const { text, free, range } = this.#name;
    const { here, status } = this.#names;
    if (range !== null && this.#names.ends(range)) return here.named(status, text);
    const verdict = free?.final ?? null;
    if (verdict === null || this.#names.refused(verdict)) return null;
    return here.plan.order.numberOf(text) >= 0 ? null : here.named(status, text);
  }
}
