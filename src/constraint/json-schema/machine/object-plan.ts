/**
 * Objects between their members: which names came or were passed by, what the members satisfied, and
 * what that makes of the nodes that judge the object. Shared by all places with the same roots; pure but
 * for what it remembers.
 */

import type { NodeId, ObjectRules } from '../node.ts';
import { isContested, judge, needs, settle } from './evaluate-plan.ts';
import { RootList } from './root-list.ts';
import { NameList } from './name-list.ts';
import { NameOrder, bits } from './name-order.ts';
import { NameRules } from './name-rules.ts';
import { NameScreen } from './name-screen.ts';
import { firstBytes } from './place.ts';
import type { Composite, Place, Values } from './place.ts';
import { isNever } from './plan.ts';
import type { Plan } from './plan.ts';
import type { SchemaNodes } from './schema-nodes.ts';
import type { State } from './state.ts';
import { no, open, yes } from './truth.ts';
import type { Verdict } from './truth.ts';

export interface ObjectStatus {
  readonly own: Uint8Array;
  readonly verdict: Verdict;
  /** Known names that came or can no longer come. */
  readonly gone: bigint;
  /** Those of them that came, where that matters. */
  readonly seen: bigint;
  /** Members that came, as far as the number matters. */
  readonly count: number;
  /** Names that came and are not known, ascending. */
  readonly extras: readonly string[];
  readonly risky: boolean;
}

/** A member whose name is complete. */
export interface Member {
  /** With the name, without its value. */
  readonly status: ObjectStatus;
  readonly ids: readonly NodeId[];
  readonly needed: readonly boolean[];
  /** The node is false where the root of the value is. */
  readonly charges: readonly { readonly node: number; readonly root: number }[];
}

interface Change {
  readonly own: Uint8Array;
  readonly gone: bigint;
  readonly seen: bigint;
  readonly count: number;
  readonly extras: readonly string[];
  /** Nodes that wait for a value. */
  readonly waiting: ReadonlySet<number>;
}

const none: ReadonlySet<number> = new Set();

export class ObjectPlan implements Composite {
  readonly plan: Plan;
  readonly verdict: Verdict;
  readonly start: ObjectStatus;
  readonly values: Values;
  readonly order: NameOrder;
  readonly names: NameRules;
  readonly list: NameList;
  readonly #screen: NameScreen;
  /** Known names that may come at all. */
  readonly allowed: bigint;
  readonly #simple: readonly boolean[];
  readonly #rules: readonly (ObjectRules | null)[];
  readonly #schema: SchemaNodes;
  readonly #open: (plan: ObjectPlan, place: Place) => State | null;
  readonly #statuses = new Map<string, ObjectStatus>();
  readonly #members = new Map<ObjectStatus, Map<string, Member>>();
  /** Names whose presence some assertion asks for. */
  readonly #watched: bigint;
  /** Names without which nothing is right: names that are not known do not pass them by. */
  readonly #required: bigint;
  readonly #enough: number;
  readonly #missing: readonly bigint[];
  readonly #restricted: readonly bigint[];
  readonly #impossible: readonly bigint[];
  readonly #startable = new Map<number, boolean>();

  constructor(
    plan: Plan,
    schema: SchemaNodes,
    values: Values,
    opening: (plan: ObjectPlan, place: Place) => State | null,
  ) {
    this.plan = plan;
    this.#schema = schema;
    this.values = values;
    this.#open = opening;
    const rules = plan.nodes.map((one) => (one.own ? one.node.object : null));
    this.#rules = rules;
    const known = rules.filter((one) => one !== null);
    const dependents = plan.nodes.flatMap((one) => one.dependents.map(({ name }) => name));
    const asked = known.flatMap((one) => [
      ...one.required,
      ...one.dependentRequired.flatMap(([name, others]) => [name, ...others]),
    ]);
    this.order = new NameOrder(
      known.map((one) => one.properties.map(([name]) => name)),
      [...asked, ...dependents],
    );
    this.#watched = this.order.maskOf([...asked, ...dependents]);
    this.#missing = rules.map((one) => this.order.maskOf(one?.required ?? []));
    this.#required = this.#missing.reduce(
      (sum, one, i) => (plan.must[i] === true ? sum | one : sum),
      0n,
    );
    // Names whose values some rule restricts.
    this.#restricted = rules.map((one) =>
      this.order.maskOf(
        (one?.properties ?? []).flatMap(([name, id]) => (schema.trivial(id) ? [] : [name])),
      ),
    );
    this.names = new NameRules(plan, rules, schema, values);
    this.list = new NameList(this.order.names);
    this.#screen = new NameScreen(plan, this.names, values.verdicts);
    this.allowed = this.order.maskOf(this.names.allowed ?? this.order.names);
    this.#simple = rules.map((one, i) => one === null || this.#isSimple(one, i));
    this.#impossible = this.#findImpossible();
    let enough = 0;
    for (const one of known) {
      enough = Math.max(
        enough,
        one.minProperties,
        one.maxProperties === Infinity ? 0 : one.maxProperties + 1,
      );
    }
    this.#enough = enough;
    values.spend(this.order.names.length, this.order.names.length / 2, 'properties');
    this.start = this.#status({
      own: Uint8Array.from(rules, (one) => (one === null ? yes : open)),
      gone: 0n,
      seen: 0n,
      count: 0,
      extras: [],
      waiting: none,
    });
    this.verdict = this.start.verdict;
  }

  open(place: Place): State | null {
    return this.#open(this, place);
  }

  /** The truths if the object ended here. */
  closed(status: ObjectStatus): Verdict {
    const own = Uint8Array.from(status.own, (truth, i) => {
      const rules = this.#rules[i];
      if (truth !== open || rules === null || rules === undefined) return truth;
      if (status.count < rules.minProperties) return no;
      if ((this.#missing[i]! & ~status.seen) !== 0n) return no;
      return this.#dependent(rules, status.seen, ~status.seen) === no ? no : yes;
    });
    const presence = (name: string): number =>
      (status.seen & this.order.maskOf([name])) === 0n ? no : yes;
    return judge(this.plan, own, this.values.verdicts, presence);
  }

  /** Whether a known name can still come, as far as order goes. */
  awaits(status: ObjectStatus, number: number): boolean {
    return (status.gone & (1n << BigInt(number))) === 0n;
  }

  /** The truths where the names' rules have these. */
  naming(status: ObjectStatus, name: Verdict): Verdict {
    const failed = this.names.failedFree(name, status.own);
    if (failed.length === 0) return status.verdict;
    const own = status.own.slice();
    for (const node of failed) own[node] = no;
    return judge(this.plan, own, this.values.verdicts);
  }

  /** The truths once some free name has come. */
  passing(status: ObjectStatus): Verdict {
    return this.#status({
      ...status,
      own: status.own.slice(),
      gone: status.gone | this.#required,
      count: Math.min(status.count + 1, this.#enough),
      waiting: new Set(this.#rules.keys()),
    }).verdict;
  }

  /**
   * Where nothing but order and required names decides which names may come: the names that may not be
   * passed by. null: each name has to be tried.
   */
  blocking(status: ObjectStatus): bigint | null {
    if (status.risky) return null;
    let mask = 0n;
    for (let i = 0; i < this.#simple.length; i++) {
      if (status.own[i] !== open) continue;
      if (this.#simple[i] !== true) return null;
      mask |= this.#missing[i]! & ~status.seen;
    }
    return mask;
  }

  /** Whether some value can begin behind the name, as far as the nodes that must hold are concerned. */
  startable(number: number): boolean {
    const known = this.#startable.get(number);
    if (known !== undefined) return known;
    const name = this.order.names[number]!;
    const verdict = this.names.verdictOf(name);
    const ids = this.#rules.flatMap((rules, node) =>
      rules === null || this.plan.must[node] !== true
        ? []
        : this.names.nodesFor(node, name, verdict),
    );
    const unique = [...new Set(ids)];
    const starts = this.values.starts(
      unique,
      unique.map(() => true),
    );
    const made = firstBytes.some((byte) => starts.begin(byte)?.verdict.refuted === false);
    this.#startable.set(number, made);
    return made;
  }

  /** The truths with the name, at a first look; null where there was none. */
  screened(status: ObjectStatus, name: string): Verdict | null {
    const { own, gone, seen } = this.#named(status, name);
    return this.#screen.verdict(own, name, (i) => (this.#missing[i]! & ~seen & gone) !== 0n);
  }

  #named({ own, gone, seen }: ObjectStatus, name: string): Pick<Change, 'own' | 'gone' | 'seen'> {
    const number = this.order.numberOf(name);
    const mask = number >= 0 ? 1n << BigInt(number) : 0n;
    const passed = number >= 0 ? this.order.passedBy(number) : this.#required;
    return { own, gone: gone | passed, seen: seen | (mask & this.#watched) };
  }

  /** null where the name has come, or been passed by. */
  member(status: ObjectStatus, name: string): Member | null {
    const number = this.order.numberOf(name);
    if (number >= 0 ? !this.awaits(status, number) : status.extras.includes(name)) return null;
    const members = this.#members.get(status) ?? new Map<string, Member>();
    this.#members.set(status, members);
    const known = members.get(name);
    if (known !== undefined) return known;
    const made = this.#member(status, name, number);
    members.set(name, made);
    return made;
  }

  /** The truths where the roots of the member's value have these. */
  during(member: Member, value: Verdict): Verdict {
    const { own, verdict } = member.status;
    const failed = member.charges.filter(({ root }) => value.truths[root] === no);
    if (failed.length === 0) return verdict;
    const changed = own.slice();
    for (const { node } of failed) changed[node] = no;
    return judge(this.plan, changed, this.values.verdicts, this.#presence(member.status));
  }

  after(member: Member, value: Verdict): ObjectStatus {
    const own = member.status.own.slice();
    for (const { node, root } of member.charges) if (value.truths[root] === no) own[node] = no;
    return this.#status({ ...member.status, own, waiting: none });
  }

  #member(status: ObjectStatus, name: string, number: number): Member {
    const verdict = this.names.verdictOf(name);
    const own = status.own.slice();
    for (const node of this.names.failed(verdict, own)) own[node] = no;
    const wanted: [node: number, ids: readonly NodeId[]][] = [];
    this.#rules.forEach((rules, node) => {
      if (rules === null || own[node] !== open) return;
      const ids = this.names.nodesFor(node, name, verdict);
      if (ids.some((id) => this.#schema.get(id).never)) own[node] = no;
      else if (ids.length > 0) wanted.push([node, ids]);
    });
    const after = this.#status({
      ...this.#named(status, name),
      own,
      count: Math.min(status.count + 1, this.#enough),
      extras: number >= 0 ? status.extras : [...status.extras, name].toSorted(),
      waiting: new Set(wanted.map(([node]) => node)),
    });
    const roots = new RootList();
    const needed = needs(this.plan, after.own);
    for (const [node, wants] of wanted) {
      if (after.own[node] !== open) continue;
      for (const id of wants) roots.charge(node, id, needed[node] === 1);
    }
    const { ids, charges } = roots;
    return { status: after, ids, charges, needed: roots.needed };
  }

  /** Whether any name that is allowed may come as far as the node is concerned. */
  #isSimple(rules: ObjectRules, i: number): boolean {
    const special = rules.names.length + rules.patterns.length + rules.dependentRequired.length;
    const closed = rules.additional !== null && this.#schema.get(rules.additional).never;
    if (
      special > 0 ||
      rules.maxProperties !== Infinity ||
      closed !== (this.names.allowed !== null)
    ) {
      return false;
    }
    const dependents = this.plan.nodes.some((one) => one.dependents.length > 0);
    const never = rules.properties.some(([, id]) => this.#schema.get(id).never);
    return !dependents && !never && (!closed || this.plan.must[i] === true);
  }

  /** For each node, the names it requires with which it or a node that must hold is false. */
  #findImpossible(): bigint[] {
    const wrong = (node: number, name: string): boolean => {
      const verdict = this.names.verdictOf(name);
      if (this.names.breaks(node, verdict)) return true;
      return this.names.nodesFor(node, name, verdict).some((id) => this.#schema.get(id).never);
    };
    const judging = this.#rules.flatMap((rules, i) => (rules === null ? [] : [i]));
    const firm = judging.filter((i) => this.plan.must[i] === true);
    const refused = new Set<string>();
    for (const one of this.plan.nodes.filter((_, i) => this.plan.must[i] === true)) {
      for (const { name, node } of one.dependents) if (isNever(node)) refused.add(name);
    }
    return this.#rules.map((rules, i) => {
      const names = (rules?.required ?? []).filter(
        (name) => refused.has(name) || wrong(i, name) || firm.some((one) => wrong(one, name)),
      );
      return this.order.maskOf(names);
    });
  }

  #presence(status: { gone: bigint; seen: bigint }): (name: string) => number {
    return (name) => {
      const mask = this.order.maskOf([name]);
      return (status.seen & mask) !== 0n ? yes : (status.gone & mask) !== 0n ? no : open;
    };
  }

  #status(change: Change): ObjectStatus {
    const { own, gone, seen, count, extras, waiting } = change;
    for (let i = 0; i < own.length; i++) {
      if (own[i] === open) own[i] = this.#truth(i, change);
    }
    const presence = this.#presence(change);
    const verdict = settle(this.plan, own, this.values.verdicts, presence);
    const key = `${own.join('')} ${gone.toString(32)} ${seen.toString(32)} ${count} ${extras.length === 0 ? '' : JSON.stringify(extras)} ${waiting.size === 0 ? '' : [...waiting].join(',')}`;
    const known = this.#statuses.get(key);
    if (known !== undefined) return known;
    this.values.spend(3 + own.length / 8, 4 + own.length / 8 + extras.length / 4, 'properties');
    const risky = isContested(own, needs(this.plan, own));
    const made = { own, verdict, gone, seen, count, extras, risky };
    this.#statuses.set(key, made);
    return made;
  }

  #truth(i: number, change: Change): number {
    const rules = this.#rules[i];
    if (rules === null || rules === undefined) return yes;
    const { gone, seen, count, waiting } = change;
    const missing = this.#missing[i]! & ~seen;
    if ((missing & (gone | this.#impossible[i]!)) !== 0n) return no;
    if (count + bits(missing, rules.maxProperties - count + 1) > rules.maxProperties) return no;
    if (count < rules.minProperties && count + this.#remaining(gone) < rules.minProperties)
      return no;
    const dependent = this.#dependent(rules, seen, gone & ~seen);
    if (dependent === no) return no;
    const quiet =
      missing === 0n &&
      dependent === yes &&
      !waiting.has(i) &&
      count >= rules.minProperties &&
      rules.maxProperties === Infinity &&
      (this.#restricted[i]! & ~gone) === 0n &&
      this.names.quiet(i);
    return quiet ? yes : open;
  }

  /** How many members can still come. */
  #remaining(gone: bigint): number {
    const { allowed } = this.names;
    if (allowed === null) return Infinity;
    return bits(this.order.maskOf(allowed) & ~gone, Infinity);
  }

  #dependent(rules: ObjectRules, seen: bigint, absent: bigint): number {
    let result: number = yes;
    for (const [name, others] of rules.dependentRequired) {
      const mask = this.order.maskOf([name]);
      const wanted = this.order.maskOf(others);
      if ((absent & mask) !== 0n || (wanted & ~seen) === 0n) continue;
      if ((seen & mask) !== 0n && (wanted & absent) !== 0n) return no;
      result = open;
    }
    return result;
  }
}
