/**
 * What must hold in the trees between two calls of the prefix cache; tests and idle engines ask.
 * Only `prefix-cache.ts` calls it. It changes nothing.
 */

import { broken } from './broken.ts';
import { endOf, holds, subtree } from './radix-tree.ts';
import type { RunNode } from './radix-tree.ts';

export interface TreeRules {
  /** `KvStates.cuttable`. */
  readonly cuttable: boolean;
  /** Files went since the trees were last looked through: nodes that hold nothing may be left. */
  readonly stale: boolean;
}

/** The nodes with a state in memory. Throws `internal` where a tree contradicts itself. */
export function checkTrees(roots: ReadonlyMap<string, RunNode>, rules: TreeRules): Set<RunNode> {
  const held = new Set<RunNode>();
  for (const [namespace, root] of roots) {
    if (root.parent !== null || root.tokens.length > 0) throw broken('a root is none');
    if (root.children.size === 0) throw broken('a namespace is empty');
    for (const node of subtree(root)) {
      if (node.namespace !== namespace) throw broken('a node is in a foreign tree');
      checkChildren(node);
      if (node !== root) checkHolding(node, rules);
      if (node.state !== null) held.add(node);
    }
  }
  return held;
}

function checkChildren(node: RunNode): void {
  for (const [first, child] of node.children) {
    if (child.parent !== node) throw broken('a node is not the child of its parent');
    if (child.tokens[0] !== first) throw broken('a node is not where its first token is');
    if (child.start !== endOf(node)) throw broken('a node does not begin where its parent ends');
  }
}

function checkHolding(node: RunNode, rules: TreeRules): void {
  const first = rules.cuttable ? node.start : 0;
  const end = endOf(node);
  if (node.state !== null && node.state.length !== end - first) {
    throw broken(`a state of ${node.state.length} cells at ${first}..${end}`);
  }
  if (node.file !== null && (node.file.start > first || node.file.end < end)) {
    throw broken(`a file of ${node.file.start}..${node.file.end} at ${first}..${end}`);
  }
  const mayBeEmpty = rules.stale || (!rules.cuttable && node.children.size > 0);
  if (!holds(node) && !mayBeEmpty) throw broken('a node holds nothing');
}
