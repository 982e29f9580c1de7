/**
 * Items that must differ from each other, while they are read: with their text as long as it may become
 * one that came before; for masks, without it as soon as it may not. Arrays make them.
 */

import { canonicalJson } from '../../json/canonical-json.ts';
import type { JsonValue } from '../../json/json-value.ts';
import { readJson } from '../../json/read-json.ts';
import type { Loop } from '../../machine.ts';
import type { ArrayStatus } from './array-plan.ts';
import type { ArrayHere } from './array-state.ts';
import { beginningOf, sameSoFar } from './same-so-far.ts';
import { MemoState, State } from './state.ts';
import type { Verdict } from './truth.ts';

/** Among the texts of items: one that is not known. */
const someText = '*';

/** An item that is complete, on its way to the array, which wants its text too. */
export class DoneState extends State {
  readonly verdict: Verdict;
  readonly risky = true;

  constructor(verdict: Verdict) {
    super();
    this.verdict = verdict;
  }

  step(byte: number): State {
    return new PastState(this.verdict, byte);
  }
}

/** A byte has come behind the item (a number, which ends only so). */
class PastState extends State {
  readonly verdict: Verdict;
  readonly byte: number;
  readonly risky = true;

  constructor(verdict: Verdict, byte: number) {
    super();
    this.verdict = verdict;
    this.byte = byte;
  }

  step(): null {
    return null;
  }
}

/** The items of one array at one place that are being read. */
export class ItemTexts {
  readonly #here: ArrayHere;
  readonly #status: ArrayStatus;
  readonly #free = new Map<State, State>();
  #values: readonly JsonValue[] | undefined;

  constructor(here: ArrayHere, status: ArrayStatus) {
    this.#here = here;
    this.#status = status;
  }

  /** Behind the first byte of an item. */
  begin(inner: State, byte: number): State {
    return new RecordedState(this, { inner, text: String.fromCharCode(byte), rivals: null });
  }

  /** The items that came. */
  get values(): readonly JsonValue[] {
    this.#values ??= this.#status.items!.flatMap((one) =>
      one === someText ? [] : [readJson(one)],
    );
    return this.#values;
  }

  /** One state for all texts that are like none that came; null where texts matter nevertheless. */
  free(text: string, inner: State): State | null {
    const { plan } = this.#here;
    if (plan.lists || !/^["[{]/.test(text)) return null;
    const { items } = this.#status;
    if (items!.length === 0 || items!.includes(someText)) return this.freed(inner);
    const status = plan.forgetting(this.#status);
    let at = this.#here.item(status).begin(text.codePointAt(0)!);
    for (let i = 1; i < text.length && at !== null; i++) at = at.step(text.codePointAt(i)!);
    return at === null || at instanceof DoneState ? null : this.#here.texts(status).freed(at);
  }

  freed(inner: State): State {
    const { alike } = inner;
    const known = this.#free.get(alike);
    if (known !== undefined) return known;
    this.spend();
    const made = new FreeState(this, alike);
    this.#free.set(alike, made);
    return made;
  }

  /** After an item; `text`: null where it is not known. */
  end(text: string | null, verdict: Verdict): State | null {
    // A second one of which nothing is known: masks do without tokens that long.
    if (this.#status.items!.includes(someText)) return null;
    const canonical =
      text === null ? someText : canonicalJson(readJson(Buffer.from(text, 'latin1').toString()));
    const { plan } = this.#here;
    return this.#here.state(plan.after(this.#status, verdict, canonical), 'item');
  }

  spend(): void {
    this.#here.plan.values.spend(1, 1, 'uniqueItems');
  }
}

interface Recorded {
  readonly inner: State;
  /** So far, as bytes. */
  readonly text: string;
  /** Items that a beginning of the text may have become; null: any. */
  readonly rivals: readonly JsonValue[] | null;
}

/** An item with its text. */
class RecordedState extends MemoState {
  readonly #texts: ItemTexts;
  readonly #item: Recorded;
  #rivals: readonly JsonValue[] | undefined;
  #alike: State | undefined;

  constructor(texts: ItemTexts, item: Recorded) {
    super();
    this.#texts = texts;
    this.#item = item;
  }

  get risky(): boolean {
    return true;
  }

  /** What it says matters no more, once it can be none that came. */
  override get alike(): State {
    this.#alike ??=
      this.#near.length > 0 ? this : (this.#texts.free(this.#item.text, this.#item.inner) ?? this);
    return this.#alike;
  }

  override loop(): Loop | null {
    // A text that may still become one that came before does not step like a longer one.
    return this.#near.length > 0 ? null : this.#item.inner.loop();
  }

  /** The items that it may still become. */
  get #near(): readonly JsonValue[] {
    if (this.#rivals === undefined) {
      const rivals = this.#item.rivals ?? this.#texts.values;
      const text = rivals.length === 0 ? '' : beginningOf(this.#item.text);
      this.#rivals = rivals.filter((one) => sameSoFar(text, one));
    }
    return this.#rivals;
  }

  protected advance(byte: number): State | null {
    const { inner, text, rivals } = this.#item;
    const next = inner.step(byte);
    if (next === null) return null;
    if (next instanceof PastState) return this.#texts.end(text, next.verdict)?.step(byte) ?? null;
    const longer = text + String.fromCharCode(byte);
    if (next instanceof DoneState) return this.#texts.end(longer, next.verdict);
    this.#texts.spend();
    const left = this.#rivals ?? rivals;
    return new RecordedState(this.#texts, { inner: next, text: longer, rivals: left });
  }
}

/** An item that is like none that came, whatever it says. Only masks are made of such states. */
class FreeState extends MemoState {
  readonly #texts: ItemTexts;
  readonly #inner: State;
  readonly risky = true;

  constructor(texts: ItemTexts, inner: State) {
    super();
    this.#texts = texts;
    this.#inner = inner;
  }

  override loop(): Loop | null {
    return this.#inner.loop();
  }

  protected advance(byte: number): State | null {
    const next = this.#inner.step(byte);
    if (next === null) return null;
    if (next instanceof PastState) return this.#texts.end(null, next.verdict)?.step(byte) ?? null;
    if (next instanceof DoneState) return this.#texts.end(null, next.verdict);
    return this.#texts.freed(next);
  }
}
