/**
 * Draws free text into a network: any characters, watched for patterns (Aho and Corasick, 1975). It
 * leaves where a pattern has been written, for what that pattern means. Special tokens occur as part of
 * a pattern only. Called by `weave.ts`.
 */

import { specialBegin, specialEnd } from '../machine.ts';
import type { NetworkBuilder, NodeId } from './network.ts';
import { utf8Start, utf8Step } from './utf8.ts';

export interface FreeText {
  readonly from: NodeId;
  /** Where the text goes on when it ends without a pattern; null: it may not. */
  readonly to: NodeId | null;
  /** None of them is empty. */
  readonly patterns: readonly Uint8Array[];
  /** Where it goes on after these patterns (their indexes) have ended at the same byte. */
  readonly found: (patterns: readonly number[]) => NodeId;
}

/** A prefix of patterns. */
interface Prefix {
  readonly index: number;
  readonly children: Map<number, Prefix>;
  /** Begins of special tokens in it. */
  readonly specials: number;
  /** It ends with a token that ends the answer. */
  readonly last: boolean;
  /** Patterns that end here, those of its proper ends included. */
  readonly ends: number[];
  /** The longest proper end of it that is a prefix too. */
  shorter: Prefix | null;
}

/** Inside the name of a special token; the other positions are those of UTF-8. */
const insideSpecial = 8;

/** @throws ParlanceError `invalid_constraint` where the budget ends */
export function drawFreeText(builder: NetworkBuilder, text: FreeText): void {
  const root = readPrefixes(builder, text.patterns);
  const drawn = new Map<string, NodeId>();
  const work: { prefix: Prefix; position: number; node: NodeId }[] = [];
  const nodeOf = (prefix: Prefix, position: number): NodeId => {
    const key = `${prefix.index}:${position}`;
    const known = drawn.get(key);
    if (known !== undefined) return known;
    const node = builder.node();
    drawn.set(key, node);
    work.push({ prefix, position, node });
    return node;
  };
  const outcomes = new Map<Prefix, NodeId>();
  const outcomeOf = (prefix: Prefix): NodeId => {
    const known = outcomes.get(prefix) ?? text.found(prefix.ends);
    outcomes.set(prefix, known);
    return known;
  };
  builder.empty(text.from, nodeOf(root, utf8Start));
  for (let at = work.pop(); at !== undefined; at = work.pop()) {
    builder.context.budget.spend(64, 0, 'text');
    const { prefix, position, node } = at;
    if (text.to !== null && position === utf8Start && prefix.specials === 0) {
      builder.empty(node, text.to);
    }
    const sets = new Map<NodeId, Uint8Array>();
    for (let byte = 0; byte < 256; byte++) {
      const next = step(prefix, byte);
      const after = stepPosition(position, byte);
      // A special token that turns out to be no part of a pattern.
      const isLost = next.specials < prefix.specials + (byte === specialBegin ? 1 : 0);
      if (after === -1 || isLost) continue;
      // The letters of a token's name are no text.
      const isFound = next.ends.length > 0 && after !== insideSpecial;
      const to = isFound ? outcomeOf(next) : nodeOf(next, after);
      if (next.last && byte === specialEnd) {
        builder.last(node, to);
        continue;
      }
      let set = sets.get(to);
      if (set === undefined) sets.set(to, (set = new Uint8Array(256)));
      set[byte] = 1;
    }
    for (const [to, set] of sets) builder.set(node, set, to);
  }
}

function stepPosition(position: number, byte: number): number {
  if (position === insideSpecial) return byte === specialEnd ? utf8Start : insideSpecial;
  return position === utf8Start && byte === specialBegin ? insideSpecial : utf8Step(position, byte);
}

function readPrefixes(builder: NetworkBuilder, patterns: readonly Uint8Array[]): Prefix {
  let made = 0;
  const create = (specials: number, last: boolean): Prefix => ({
    index: made++,
    last,
    children: new Map(),
    specials,
    ends: [],
    shorter: null,
  });
  const root = create(0, false);
  for (const [index, pattern] of patterns.entries()) {
    let at = root;
    for (const [place, byte] of pattern.entries()) {
      const specials = at.specials + (byte === specialBegin ? 1 : 0);
      const next = at.children.get(byte) ?? create(specials, builder.isLast(pattern, place));
      at.children.set(byte, next);
      at = next;
    }
    at.ends.push(index);
  }
  const work = [root];
  for (let at = work.shift(); at !== undefined; at = work.shift()) {
    for (const [byte, child] of at.children) {
      child.shorter = at === root ? root : step(at.shorter!, byte);
      child.ends.push(...child.shorter.ends);
      work.push(child);
    }
  }
  return root;
}

/** The longest end of what was written that is a prefix of a pattern. */
function step(prefix: Prefix, byte: number): Prefix {
  for (let at: Prefix = prefix; ; at = at.shorter) {
    const next = at.children.get(byte);
    if (next !== undefined) return next;
    if (at.shorter === null) return at;
  }
}
