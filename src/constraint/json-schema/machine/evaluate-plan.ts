/**
 * Three-valued evaluation of a plan: from the truth of each node's own assertions to that of the roots,
 * and which nodes still matter. Pure.
 */

import type { Operand, Plan, PlanNode } from './plan.ts';
import { valueOf } from './plan.ts';
import type { Verdict, Verdicts } from './truth.ts';
import { idle, no, open, yes } from './truth.ts';

/** In the place of the truth of a node's own assertions: the node is true, whatever its parts become. */
export const settled = 4;

/** Whether a member of the name is there. */
export type Presence = (name: string) => number;

const unknown: Presence = () => open;

/** The truth of each node, from the truth of its own assertions. */
function evaluate(plan: Plan, own: Uint8Array, verdicts: Verdicts, presence: Presence): Uint8Array {
  verdicts.spend(plan.nodes.length / 20, 0, plan.keyword);
  const out = new Uint8Array(plan.nodes.length);
  for (let i = 0; i < out.length; i++)
    out[i] = evaluateNode(plan.nodes[i]!, own[i]!, out, presence);
  return out;
}

function evaluateNode(node: PlanNode, own: number, out: Uint8Array, presence: Presence): number {
  if (own === no) return no;
  if (own === settled) return yes;
  let result = own === idle ? open : own;
  const join = (truth: number): boolean => {
    if (truth === no) result = no;
    else if (truth === open && result === yes) result = open;
    return truth !== no;
  };
  for (const one of node.all) if (!join(out[one]!)) return no;
  for (const list of node.anyOf) if (!join(some(list, out))) return no;
  for (const list of node.oneOf) if (!join(exactlyOne(list, out))) return no;
  for (const one of node.not) if (!join(negated(out[one]!))) return no;
  for (const { test, met, unmet } of node.conditions) {
    const chosen = conditional(valueOf(test, out), valueOf(met, out), valueOf(unmet, out));
    if (!join(chosen)) return no;
  }
  for (const { name, node: one } of node.dependents) {
    if (!join(conditional(presence(name), valueOf(one, out), yes))) return no;
  }
  return result;
}

const negated = (truth: number): number => (truth === no ? yes : truth === yes ? no : open);

function some(list: readonly Operand[], out: Uint8Array): number {
  let result: number = no;
  for (const one of list) {
    if (out[one] === yes) return yes;
    if (out[one] !== no) result = open;
  }
  return result;
}

function exactlyOne(list: readonly Operand[], out: Uint8Array): number {
  let certain = 0;
  let possible = 0;
  for (const one of list) {
    if (out[one] === yes) certain++;
    else if (out[one] !== no) possible++;
  }
  if (certain > 1 || certain + possible === 0) return no;
  return possible > 0 ? open : yes;
}

function conditional(test: number, then: number, other: number): number {
  if (test === yes) return then;
  if (test === no) return other;
  return then === other ? then : open;
}

/** The truths of the roots. */
const rootsOf = (plan: Plan, out: Uint8Array): number[] =>
  plan.roots.map((root) => valueOf(root, out));

/** The verdict on the roots. */
export function judge(
  plan: Plan,
  own: Uint8Array,
  verdicts: Verdicts,
  presence: Presence = unknown,
): Verdict {
  return verdicts.of(rootsOf(plan, evaluate(plan, own, verdicts, presence)));
}

/**
 * Evaluates, and brings `own` into a normal form, in place: nodes that are decided say so themselves,
 * nodes that no longer matter are idle. Assertions of a node are of interest iff its entry is open.
 */
export function settle(
  plan: Plan,
  own: Uint8Array,
  verdicts: Verdicts,
  presence: Presence = unknown,
): Verdict {
  const out = evaluate(plan, own, verdicts, presence);
  const marks = relevance(plan, out, presence);
  for (let i = 0; i < own.length; i++) {
    if (marks[i] === 0) own[i] = idle;
    else if (out[i] === no) own[i] = no;
    else if (out[i] === yes) own[i] = settled;
  }
  return verdicts.of(rootsOf(plan, out));
}

/** For each node, whether the document is wrong without it, as things stand. */
export function needs(plan: Plan, own: Uint8Array): Uint8Array {
  const marks = Uint8Array.from(plan.must, Number);
  const mark = (operand: Operand): void => {
    if (operand >= 0) marks[operand] = 1;
  };
  const last = (list: readonly Operand[]): void => {
    if (list.some((one) => own[one] === settled)) return;
    const left = list.filter((one) => own[one] !== no);
    if (left.length === 1) left.forEach(mark);
  };
  for (let i = marks.length - 1; i >= 0; i--) {
    if (marks[i] === 0 || own[i] === settled || own[i] === no) continue;
    const node = plan.nodes[i]!;
    node.all.forEach(mark);
    node.anyOf.forEach(last);
    node.oneOf.forEach(last);
    for (const { test, met, unmet } of node.conditions) {
      if (own[test] === settled) mark(met);
      if (own[test] === no) mark(unmet);
    }
  }
  return marks;
}

/** Whether something is open that need not hold: a dead end may lie ahead. */
export const isContested = (own: Uint8Array, needed: Uint8Array): boolean =>
  own.some((truth, i) => truth === open && needed[i] === 0);

/** Roots, and the parts of open nodes that matter. */
function relevance(plan: Plan, out: Uint8Array, presence: Presence): Uint8Array {
  const marks = new Uint8Array(plan.nodes.length);
  const mark = (operand: Operand): void => {
    if (operand >= 0) marks[operand] = 1;
  };
  plan.roots.forEach(mark);
  for (let i = marks.length - 1; i >= 0; i--) {
    if (marks[i] === 0 || out[i] !== open) continue;
    const node = plan.nodes[i]!;
    node.all.forEach(mark);
    for (const list of node.anyOf) {
      // One that holds is enough, and has to be kept.
      const certain = list.find((one) => out[one] === yes);
      if (certain === undefined) list.forEach(mark);
      else mark(certain);
    }
    for (const list of node.oneOf) list.forEach(mark);
    node.not.forEach(mark);
    for (const { test, met, unmet } of node.conditions) {
      mark(test);
      if (valueOf(test, out) !== no) mark(met);
      if (valueOf(test, out) !== yes) mark(unmet);
    }
    for (const { name, node: one } of node.dependents) if (presence(name) !== no) mark(one);
  }
  return marks;
}
