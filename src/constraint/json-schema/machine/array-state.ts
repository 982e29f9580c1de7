/**
 * Arrays where they stand: brackets, commas, and the slots of their items. Items that must differ from
 * each other are read with their text.
 */

import { maxNesting } from '../../json/read-json.ts';
import type { NodeId } from '../node.ts';
import type { ArrayPlan, ArrayStatus } from './array-plan.ts';
import { DoneState, ItemTexts } from './item-text.ts';
import type { Blank } from './phase.ts';
import { Phase } from './phase.ts';
import { Place } from './place.ts';
import type { Slot, State } from './state.ts';
import type { Verdict } from './truth.ts';

/** After the opening bracket, after a comma, after an item. */
type Where = 'open' | 'comma' | 'item';

/** One array at one place: its states, found by status. */
export class ArrayHere {
  readonly plan: ArrayPlan;
  readonly place: Place;
  readonly blank: Blank;
  readonly #states = new Map<ArrayStatus, Partial<Record<Where, ArrayState>>>();
  readonly #items = new Map<ArrayStatus, Place>();
  readonly #texts = new Map<ArrayStatus, ItemTexts>();

  constructor(plan: ArrayPlan, place: Place, blank: Blank) {
    this.plan = plan;
    this.place = place;
    this.blank = blank;
  }

  /** After the opening bracket; null where no array may begin here. */
  begin(): State | null {
    if (this.place.slot.depth >= maxNesting) return null;
    return this.state(this.plan.start, 'open');
  }

  /** null where nothing can follow. */
  state(status: ArrayStatus, where: Where): State | null {
    const states = this.#states.get(status) ?? {};
    this.#states.set(status, states);
    states[where] ??= new ArrayState(this, status, where);
    return this.place.hopeless(status.verdict) || !states[where].possible ? null : states[where];
  }

  close(status: ArrayStatus): State | null {
    return this.place.close(this.plan.closed(status));
  }

  item(status: ArrayStatus): Place {
    const known = this.#items.get(status);
    if (known !== undefined) return known;
    const made = new Place(new ItemSlot(this, status), this.plan.values);
    this.#items.set(status, made);
    return made;
  }

  /** The next item, where items must differ. */
  texts(status: ArrayStatus): ItemTexts {
    const known = this.#texts.get(status);
    if (known !== undefined) return known;
    const made = new ItemTexts(this, status);
    this.#texts.set(status, made);
    return made;
  }

  /** Whether an item may come, and be right. */
  goesOn(status: ArrayStatus): boolean {
    return !this.place.hopeless(this.plan.longer(status)) && this.item(status).possible;
  }
}

class ArrayState extends Phase {
  readonly #here: ArrayHere;
  readonly #status: ArrayStatus;
  readonly #where: Where;
  #goesOn: boolean | undefined;

  constructor(here: ArrayHere, status: ArrayStatus, where: Where) {
    super(here.blank);
    this.#here = here;
    this.#status = status;
    this.#where = where;
  }

  get risky(): boolean {
    return this.#status.risky || this.#here.place.slot.risky;
  }

  get possible(): boolean {
    return this.#mayGoOn || (this.#where !== 'comma' && this.#here.close(this.#status) !== null);
  }

  get #mayGoOn(): boolean {
    this.#goesOn ??= this.#here.goesOn(this.#status);
    return this.#goesOn;
  }

  token(byte: number): State | null {
    const here = this.#here;
    if (byte === 0x5d) return this.#where === 'comma' ? null : here.close(this.#status);
    if (!this.#mayGoOn) return null;
    if (this.#where === 'item') return byte === 0x2c ? here.state(this.#status, 'comma') : null;
    const state = here.item(this.#status).begin(byte);
    if (state === null || !here.plan.distinct(this.#status)) return state;
    return here.texts(this.#status).begin(state, byte);
  }
}

class ItemSlot implements Slot {
  readonly depth: number;
  readonly ids: readonly NodeId[];
  readonly needed: readonly boolean[];
  readonly #here: ArrayHere;
  readonly #status: ArrayStatus;

  constructor(here: ArrayHere, status: ArrayStatus) {
    this.#here = here;
    this.#status = status;
    this.depth = here.place.slot.depth + 1;
    const { ids, needed } = here.plan.judges(status);
    this.ids = ids;
    this.needed = needed;
  }

  get risky(): boolean {
    return this.#status.risky || this.#here.place.slot.risky;
  }

  hopeless(verdict: Verdict): boolean {
    const during = this.#here.plan.during(this.#status, verdict);
    return during !== this.#status.verdict && this.#here.place.hopeless(during);
  }

  close(verdict: Verdict): State | null {
    const { plan } = this.#here;
    if (plan.distinct(this.#status)) return new DoneState(verdict);
    return this.#here.state(plan.after(this.#status, verdict, null), 'item');
  }
}
