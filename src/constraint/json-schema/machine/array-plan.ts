/**
 * Arrays between their items: how many came, what they satisfied, and what that makes of the nodes that
 * judge the array. Shared by all places with the same roots; pure but for what it remembers.
 */

import type { JsonValue } from '../../json/json-value.ts';
import { canonicalJson } from '../../json/canonical-json.ts';
import type { ArrayRules, NodeId } from '../node.ts';
import { isContested, judge, needs, settle } from './evaluate-plan.ts';
import { RootList } from './root-list.ts';
import type { Composite, Place, Values } from './place.ts';
import type { Plan } from './plan.ts';
import type { SchemaNodes } from './schema-nodes.ts';
import type { State } from './state.ts';
import { no, open, yes } from './truth.ts';
import type { Verdict } from './truth.ts';

export interface ArrayStatus {
  readonly own: Uint8Array;
  readonly verdict: Verdict;
  /** Items that came, as far as the number matters. */
  readonly count: number;
  /** For each node, for each `contains`: how many items satisfied it, as far as that matters. */
  readonly matched: readonly (readonly number[])[];
  /** Canonical texts of the items where they must differ, in ascending order; else null. */
  readonly items: readonly string[] | null;
  readonly risky: boolean;
}

/** Who judges the next item. */
export interface ItemJudges {
  readonly ids: readonly NodeId[];
  readonly needed: readonly boolean[];
  /** The node is false where the root is. */
  readonly charges: readonly { readonly node: number; readonly root: number }[];
  readonly counters: readonly {
    readonly node: number;
    readonly which: number;
    readonly root: number;
  }[];
}

interface Change {
  readonly own: Uint8Array;
  readonly count: number;
  readonly matched: readonly (readonly number[])[];
  readonly items: readonly string[] | null;
}

export class ArrayPlan implements Composite {
  readonly plan: Plan;
  readonly verdict: Verdict;
  readonly start: ArrayStatus;
  readonly values: Values;
  /** Which items may come depends on those that came, where they are of a list. */
  readonly lists: boolean;
  readonly #rules: readonly (ArrayRules | null)[];
  readonly #schema: SchemaNodes;
  readonly #open: (plan: ArrayPlan, place: Place) => State | null;
  readonly #statuses = new Map<string, ArrayStatus>();
  readonly #judges = new Map<ArrayStatus, ItemJudges>();
  /** More items than this make no difference. */
  readonly #enough: number;
  /** Items that the nodes that must hold allow. */
  readonly #most: number;

  constructor(
    plan: Plan,
    schema: SchemaNodes,
    values: Values,
    opening: (plan: ArrayPlan, place: Place) => State | null,
  ) {
    this.plan = plan;
    this.#schema = schema;
    this.values = values;
    this.#open = opening;
    this.#rules = plan.nodes.map((one) => (one.own ? one.node.array : null));
    let enough = 0;
    let most = Infinity;
    this.#rules.forEach((rules, i) => {
      if (rules === null) return;
      const max = rules.maxItems === Infinity ? 0 : rules.maxItems + 1;
      enough = Math.max(enough, rules.prefix.length, rules.minItems, max);
      if (plan.must[i] === true) most = Math.min(most, this.#mostOf(rules));
    });
    const counting = this.#rules.some((rules) => rules !== null && rules.contains.length > 0);
    this.#enough = counting && most !== Infinity ? Math.max(enough, most + 1) : enough;
    this.#most = most;
    const unique = this.#rules.some((rules) => rules?.unique === true);
    const listed = (id: NodeId | null): boolean => id !== null && this.#listed(id) !== null;
    this.lists = this.#rules.some(
      (rules) => rules?.unique === true && [...rules.prefix, rules.rest].some(listed),
    );
    this.start = this.#status({
      own: Uint8Array.from(this.#rules, (rules) => (rules === null ? yes : open)),
      count: 0,
      matched: this.#rules.map((rules) => rules?.contains.map(() => 0) ?? []),
      items: unique ? [] : null,
    });
    this.verdict = this.start.verdict;
  }

  open(place: Place): State | null {
    return this.#open(this, place);
  }

  /** The truths if the array ended here. */
  closed(status: ArrayStatus): Verdict {
    const own = Uint8Array.from(status.own, (truth, i) => {
      const rules = this.#rules[i];
      if (truth !== open || rules === null || rules === undefined) return truth;
      const enough = rules.contains.every((one, j) => status.matched[i]![j]! >= one.min);
      return status.count >= rules.minItems && enough ? yes : no;
    });
    return judge(this.plan, own, this.values.verdicts);
  }

  /** The truths once some more item has begun. */
  longer(status: ArrayStatus): Verdict {
    const { charges, counters } = this.judges(status);
    const waiting = new Set([...charges, ...counters].map(({ node }) => node));
    const own = status.own.slice();
    for (let i = 0; i < own.length; i++) {
      if (own[i] !== open) continue;
      const count = this.#plusOne(status);
      const truth = this.#truth(i, count, waiting.has(i) ? null : status.matched[i]!);
      own[i] = truth === yes && waiting.has(i) ? open : truth;
    }
    return judge(this.plan, own, this.values.verdicts);
  }

  judges(status: ArrayStatus): ItemJudges {
    const known = this.#judges.get(status);
    if (known !== undefined) return known;
    const made = this.#findJudges(status);
    this.#judges.set(status, made);
    return made;
  }

  /** The truths where the roots of the item have these. */
  during(status: ArrayStatus, item: Verdict): Verdict {
    const { charges } = this.judges(status);
    const failed = charges.filter(({ root }) => item.truths[root] === no);
    if (failed.length === 0) return status.verdict;
    const own = status.own.slice();
    for (const { node } of failed) own[node] = no;
    return judge(this.plan, own, this.values.verdicts);
  }

  /** After an item; `text`: its canonical text where items must differ. */
  after(status: ArrayStatus, item: Verdict, text: string | null): ArrayStatus {
    const { charges, counters } = this.judges(status);
    const own = status.own.slice();
    for (const { node, root } of charges) if (item.truths[root] === no) own[node] = no;
    const matched = status.matched.map((one) => [...one]);
    for (const { node, which, root } of counters) {
      const { min, max } = this.#rules[node]!.contains[which]!;
      const enough = max === Infinity ? min : Math.max(min, max + 1);
      if (item.truths[root] === yes) {
        matched[node]![which] = Math.min(matched[node]![which]! + 1, enough);
      }
    }
    let { items } = status;
    if (items !== null && text !== null) {
      if (items.includes(text)) {
        this.#rules.forEach((rules, i) => {
          if (rules?.unique === true) own[i] = no;
        });
      }
      items = [...new Set([...items, text])].toSorted();
    }
    return this.#status({ own, count: this.#plusOne(status), matched, items });
  }

  /** The status if none of the items that came mattered. */
  forgetting(status: ArrayStatus): ArrayStatus {
    return this.#status({ ...status, own: status.own.slice(), items: [] });
  }

  /** Whether items must be told apart from here on. */
  distinct(status: ArrayStatus): boolean {
    return this.#rules.some((rules, i) => rules?.unique === true && status.own[i] === open);
  }

  #plusOne(status: ArrayStatus): number {
    return Math.min(status.count + 1, this.#enough);
  }

  #mostOf(rules: ArrayRules): number {
    const never = (id: NodeId): boolean => this.#schema.get(id).never;
    const first = rules.prefix.findIndex(never);
    if (first >= 0) return Math.min(rules.maxItems, first);
    const ends = rules.rest !== null && never(rules.rest);
    return ends ? Math.min(rules.maxItems, rules.prefix.length) : rules.maxItems;
  }

  #status(change: Change): ArrayStatus {
    const { own, count, matched } = change;
    for (let i = 0; i < own.length; i++) {
      if (own[i] === open) own[i] = this.#truth(i, count, matched[i]!);
    }
    const verdict = settle(this.plan, own, this.values.verdicts);
    const distinct = this.#rules.some((rules, i) => rules?.unique === true && own[i] === open);
    const items = distinct ? change.items : null;
    const kept = matched.map((one, i) => (own[i] === open ? one : []));
    const key = `${own.join('')} ${count} ${kept.join(';')} ${items === null ? '' : JSON.stringify(items)}`;
    const known = this.#statuses.get(key);
    if (known !== undefined) return known;
    this.values.spend(2, 3 + own.length / 8, distinct ? 'uniqueItems' : 'items');
    const counts = this.#rules.some(
      (rules, i) => rules !== null && rules.contains.length > 0 && own[i] === open,
    );
    const risky = distinct || counts || isContested(own, needs(this.plan, own));
    const made = { own, verdict, count, matched, items, risky };
    this.#statuses.set(key, made);
    return made;
  }

  /** `matched` is null while an item is on its way. */
  #truth(i: number, count: number, matched: readonly number[] | null): number {
    const rules = this.#rules[i]!;
    if (rules === null) return yes;
    const most = Math.min(this.#most, this.#mostOf(rules));
    if (count > this.#mostOf(rules) || rules.minItems > most) return no;
    let quiet =
      count >= rules.minItems &&
      rules.maxItems === Infinity &&
      !rules.unique &&
      this.#free(rules, count);
    for (const [j, { min, max }] of matched === null ? [] : rules.contains.entries()) {
      const came = matched![j]!;
      if (came > max || came + most - count < min) return no;
      if (came < min || max !== Infinity) quiet = false;
    }
    return quiet ? yes : open;
  }

  /** Whether items from here on may be anything. */
  #free(rules: ArrayRules, count: number): boolean {
    const rest = rules.rest === null || this.#schema.trivial(rules.rest);
    return rest && rules.prefix.slice(count).every((id) => this.#schema.trivial(id));
  }

  #findJudges(status: ArrayStatus): ItemJudges {
    const roots = new RootList();
    const needed = needs(this.plan, status.own);
    const counters: { node: number; which: number; root: number }[] = [];
    this.#rules.forEach((rules, node) => {
      if (rules === null || status.own[node] !== open) return;
      const id = rules.prefix[status.count] ?? rules.rest;
      if (id !== null && !this.#schema.trivial(id)) {
        roots.charge(node, id, needed[node] === 1);
        const left = rules.unique ? this.#left(id, status.items ?? []) : null;
        if (left !== null) roots.charge(node, left, needed[node] === 1);
      }
      rules.contains.forEach((one, which) => {
        if (status.matched[node]![which]! < one.min || one.max !== Infinity) {
          counters.push({ node, which, root: roots.add(one.node) });
        }
      });
    });
    const { ids, charges } = roots;
    return { ids, charges, counters, needed: roots.needed };
  }

  /** Where items are of a list: those that have not come. */
  #left(id: NodeId, items: readonly string[]): NodeId | null {
    const values = this.#listed(id);
    if (values === null || items.length === 0) return null;
    const rest = values.filter((one) => !items.includes(canonicalJson(one)));
    return rest.length === 0 ? this.#schema.never : this.#schema.oneOfValues(rest);
  }

  #listed(id: NodeId): readonly JsonValue[] | null {
    const node = this.#schema.get(id);
    if (node.values !== null) return node.values;
    for (const one of node.allOf) {
      const found = this.#listed(one);
      if (found !== null) return found;
    }
    return null;
  }
}
