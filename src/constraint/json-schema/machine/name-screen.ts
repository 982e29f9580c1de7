/**
 * A first look at the names of an object that very many nodes judge: what a name's rules and its place
 * make of the nodes that are open, shared by all names that fail the same nodes. One for each plan.
 */

import { judge } from './evaluate-plan.ts';
import type { NameRules } from './name-rules.ts';
import type { Plan } from './plan.ts';
import { open } from './truth.ts';
import type { Verdict, Verdicts } from './truth.ts';

/** Fewer nodes are looked at as a whole. */
const many = 100;

export class NameScreen {
  readonly #plan: Plan;
  readonly #names: NameRules;
  readonly #verdicts: Verdicts;
  /** By the truths of nodes: those that are open, and what came of names by the nodes they fail. */
  readonly #known = new WeakMap<Uint8Array, { live: number[]; found: Map<string, Verdict> }>();

  constructor(plan: Plan, names: NameRules, verdicts: Verdicts) {
    this.#plan = plan;
    this.#names = names;
    this.#verdicts = verdicts;
  }

  /**
   * The truths once the name has come, as far as its rules alone say; null: not looked at. `lost`:
   * whether a node is false because of the names that are passed by.
   */
  verdict(own: Uint8Array, name: string, lost: (node: number) => boolean): Verdict | null {
    if (own.length < many) return null;
    const { live, found } = this.#of(own);
    this.#verdicts.spend(live.length / 20, 0, this.#plan.keyword);
    const truths = this.#names.verdictOf(name);
    const failed = live.filter((node) => this.#names.bars(node, name, truths) || lost(node));
    const key = failed.join(',');
    const known = found.get(key);
    if (known !== undefined) return known;
    const changed = own.slice();
    for (const node of failed) changed[node] = 0;
    const made = judge(this.#plan, changed, this.#verdicts);
    found.set(key, made);
    return made;
  }

  #of(own: Uint8Array): { live: number[]; found: Map<string, Verdict> } {
    const known = this.#known.get(own);
    if (known !== undefined) return known;
    const live = this.#plan.nodes.flatMap((one, i) =>
      own[i] === open && one.own && one.node.object !== null ? [i] : [],
    );
    const made = { live, found: new Map<string, Verdict>() };
    this.#known.set(own, made);
    return made;
  }
}
