/**
 * The shape of the prefix cache: trees whose nodes own a run of tokens and perhaps its KV state, in
 * memory, in a file, or both. Only `prefix-cache.ts` calls it. It moves nodes and compares tokens; what
 * is kept, for how long and how many bytes that is, it must not know.
 */

import type { KvState } from '../llama/decoder.ts';
import type { RunFile } from './run-file.ts';

export interface RunNode {
  /** SHA-256 of the namespace, in hex; the same in the whole tree. */
  readonly namespace: string;
  /** null: the root, which has no tokens. */
  parent: RunNode | null;
  /** Position of the first token. */
  start: number;
  /** At least one, but for the root. */
  tokens: Int32Array;
  /** By their first token. */
  readonly children: Map<number, RunNode>;
  state: KvState | null;
  /** A file whose range has this node's run in it. */
  file: RunFile | null;
}

/** How far a prompt is found in a tree. */
export interface Place {
  /** The deepest node of which a token matches, or the root. */
  readonly node: RunNode;
  /** Tokens of `node` that match. */
  readonly within: number;
  /** Tokens that match altogether: `node.start + within`. */
  readonly depth: number;
}

export function createRoot(namespace: string): RunNode {
  return {
    namespace,
    parent: null,
    start: 0,
    tokens: new Int32Array(0),
    children: new Map(),
    state: null,
    file: null,
  };
}

/** The position after a node's last token. */
export const endOf = (node: RunNode): number => node.start + node.tokens.length;

/** Whether a node's state can be had. */
export const holds = (node: RunNode): boolean =>
  node.state !== null || (node.file !== null && !node.file.gone);

/** Adds a child with the tokens from the end of `parent` up to `end`, and no state. */
export function addChild(parent: RunNode, tokens: ArrayLike<number>, end: number): RunNode {
  const start = endOf(parent);
  const run = new Int32Array(end - start);
  for (let index = 0; index < run.length; index += 1) run[index] = tokens[start + index]!;
  const child = { ...createRoot(parent.namespace), parent, start, tokens: run };
  parent.children.set(run[0]!, child);
  return child;
}

/**
 * Follows `tokens` down from a root. Time is linear in the tokens that match.
 * @param limit the most tokens to compare; at most `tokens.length`
 * @param isOpen nodes for which it is false are not entered
 */
export function findPlace(
  root: RunNode,
  tokens: ArrayLike<number>,
  limit: number,
  isOpen: (node: RunNode) => boolean,
): Place {
  const most = Math.min(limit, tokens.length);
  let node = root;
  let within = 0;
  let depth = 0;
  while (depth < most && within === node.tokens.length) {
    const child = node.children.get(tokens[depth]!);
    if (child === undefined || !isOpen(child)) break;
    node = child;
    within = 1;
    const comparable = Math.min(child.tokens.length, most - depth);
    while (within < comparable && child.tokens[within] === tokens[depth + within]) within += 1;
    depth += within;
  }
  return { node, within, depth };
}

/**
 * Puts a new node above `node` that takes over its first `count` tokens (1..length-1); `node` keeps the
 * rest, its children, its state and its file, which the caller must put right.
 */
export function splitNode(node: RunNode, count: number): RunNode {
  const upper: RunNode = {
    ...createRoot(node.namespace),
    parent: node.parent,
    start: node.start,
    tokens: node.tokens.slice(0, count),
  };
  node.parent?.children.set(upper.tokens[0]!, upper);
  node.parent = upper;
  node.start += count;
  node.tokens = node.tokens.slice(count);
  upper.children.set(node.tokens[0]!, node);
  return upper;
}

/** From below the root down to `node`; empty for the root. */
export function pathTo(node: RunNode): RunNode[] {
  const path: RunNode[] = [];
  for (let at = node; at.parent !== null; at = at.parent) path.push(at);
  return path.toReversed();
}

/** All tokens from position 0 to the end of `node`. */
export function tokensTo(node: RunNode): Int32Array {
  const tokens = new Int32Array(endOf(node));
  for (const one of pathTo(node)) tokens.set(one.tokens, one.start);
  return tokens;
}

/** A node and all below it, a parent before its children. */
export function* subtree(top: RunNode): Generator<RunNode> {
  const open = [top];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node;
    open.push(...node.children.values());
  }
}
