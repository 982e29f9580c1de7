/**
 * Objects where they stand: braces, names, colons, commas, and the slots of their members.
 */

import { maxNesting } from '../../json/read-json.ts';
import type { NodeId } from '../node.ts';
import type { Member, ObjectPlan, ObjectStatus } from './object-plan.ts';
import { Names } from './names.ts';
import type { Blank } from './phase.ts';
import { Phase } from './phase.ts';
import { Place } from './place.ts';
import type { Slot, State } from './state.ts';
import type { Verdict } from './truth.ts';

/** After the opening brace, after a comma, after a member. */
type Where = 'open' | 'comma' | 'member';

/** One object at one place: its states, found by status. */
export class ObjectHere {
  readonly plan: ObjectPlan;
  readonly place: Place;
  readonly blank: Blank;
  readonly #states = new Map<ObjectStatus, Partial<Record<Where, ObjectState>>>();
  readonly #names = new Map<ObjectStatus, Names>();
  readonly #members = new Map<Member, ColonPhase | null>();

  constructor(plan: ObjectPlan, place: Place, blank: Blank) {
    this.plan = plan;
    this.place = place;
    this.blank = blank;
  }

  /** After the opening brace; null where no object may begin here. */
  begin(): State | null {
    if (this.place.slot.depth >= maxNesting) return null;
    return this.state(this.plan.start, 'open');
  }

  /** null where nothing can follow. */
  state(status: ObjectStatus, where: Where): State | null {
    const states = this.#states.get(status) ?? {};
    this.#states.set(status, states);
    states[where] ??= new ObjectState(this, status, where);
    return this.place.hopeless(status.verdict) || !states[where].possible ? null : states[where];
  }

  close(status: ObjectStatus): State | null {
    return this.place.close(this.plan.closed(status));
  }

  names(status: ObjectStatus): Names {
    const known = this.#names.get(status);
    if (known !== undefined) return known;
    const made = new Names(this, status);
    this.#names.set(status, made);
    return made;
  }

  /** After the name of a member; null where no right value can follow. */
  named(status: ObjectStatus, name: string): State | null {
    const screened = this.plan.screened(status, name);
    if (screened !== null && this.place.hopeless(screened)) return null;
    const member = this.plan.member(status, name);
    if (member === null) return null;
    const known = this.#members.get(member);
    if (known !== undefined) return known;
    const made = this.#colon(member);
    this.#members.set(member, made);
    return made;
  }

  #colon(member: Member): ColonPhase | null {
    if (this.place.hopeless(member.status.verdict)) return null;
    const place = new Place(new MemberSlot(this, member), this.plan.values);
    return place.possible ? new ColonPhase(this.blank, place) : null;
  }
}

class ObjectState extends Phase {
  readonly #here: ObjectHere;
  readonly #status: ObjectStatus;
  readonly #where: Where;
  #goesOn: boolean | undefined;

  constructor(here: ObjectHere, status: ObjectStatus, where: Where) {
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
    this.#goesOn ??= this.#here.names(this.#status).possible;
    return this.#goesOn;
  }

  token(byte: number): State | null {
    const here = this.#here;
    if (byte === 0x7d) return this.#where === 'comma' ? null : here.close(this.#status);
    if (!this.#mayGoOn) return null;
    if (this.#where === 'member') return byte === 0x2c ? here.state(this.#status, 'comma') : null;
    return byte === 0x22 ? here.names(this.#status).begin() : null;
  }
}

class ColonPhase extends Phase {
  readonly #place: Place;
  readonly #value: ValuePhase;

  constructor(blank: Blank, place: Place) {
    super(blank);
    this.#place = place;
    this.#value = new ValuePhase(blank, place);
  }

  get risky(): boolean {
    return this.#place.slot.risky;
  }

  token(byte: number): State | null {
    return byte === 0x3a ? this.#value : null;
  }
}

class ValuePhase extends Phase {
  readonly #place: Place;

  constructor(blank: Blank, place: Place) {
    super(blank);
    this.#place = place;
  }

  get risky(): boolean {
    return this.#place.slot.risky;
  }

  token(byte: number): State | null {
    return this.#place.begin(byte);
  }
}

class MemberSlot implements Slot {
  readonly depth: number;
  readonly ids: readonly NodeId[];
  readonly needed: readonly boolean[];
  readonly #here: ObjectHere;
  readonly #member: Member;

  constructor(here: ObjectHere, member: Member) {
    this.#here = here;
    this.#member = member;
    this.depth = here.place.slot.depth + 1;
    this.ids = member.ids;
    this.needed = member.needed;
  }

  get risky(): boolean {
    return this.#member.status.risky || this.#here.place.slot.risky;
  }

  hopeless(verdict: Verdict): boolean {
    const during = this.#here.plan.during(this.#member, verdict);
    return during !== this.#member.status.verdict && this.#here.place.hopeless(during);
  }

  close(verdict: Verdict): State | null {
    return this.#here.state(this.#here.plan.after(this.#member, verdict), 'member');
  }
}
