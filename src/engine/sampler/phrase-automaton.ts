/**
 * Which of some phrases a growing text is in the middle of: an automaton over bytes (Aho and Corasick,
 * "Efficient string matching", 1975). Its states are numbers, 0 for a text that has begun no phrase.
 * Used by the bad phrases, which walk its tree together with the vocabulary. Pure once built.
 */

export interface PhraseAutomaton {
  /** The state behind one more byte. */
  readonly next: (state: number, byte: number) => number;
  /** Whether a text in this state ends with a phrase. */
  readonly endsPhrase: (state: number) => boolean;
  /** Whether a phrase is in these bytes, from `from` up to `to`. */
  readonly contains: (text: Uint8Array, from: number, to: number) => boolean;
  /** What may follow a state in the phrases themselves: its children in the tree, 0 at the end. */
  readonly firstChild: Int32Array;
  readonly nextSibling: Int32Array;
  /** The byte that leads to a state of the tree. */
  readonly bytes: Uint8Array;
  /** Whether a phrase ends at this node of the tree, whatever shorter ends there too. */
  readonly isEnd: Uint8Array;
  /** The longest proper end of a state's text that begins a phrase. */
  readonly shorter: Int32Array;
  /** Bytes from a state to the nearest end of a phrase below it in the tree; large where there is none. */
  readonly distance: Int32Array;
}

interface Tree {
  firstChild: Int32Array;
  nextSibling: Int32Array;
  bytes: Uint8Array;
  isEnd: Uint8Array;
  size: number;
}

const NOWHERE = 0x3fffffff;

/** The automaton of phrases that are not empty. Takes time and memory linear in their bytes. */
export function createPhraseAutomaton(phrases: readonly Uint8Array[]): PhraseAutomaton {
  const tree = growTree(phrases);
  const { firstChild, nextSibling, bytes, isEnd } = tree;
  // The root has many children, and most bytes of most texts are looked up there.
  const fromRoot = new Int32Array(256);
  for (let node = firstChild[0] as number; node !== 0; node = nextSibling[node] as number) {
    fromRoot[bytes[node] as number] = node;
  }
  const childOf = (state: number, byte: number): number => {
    if (state === 0) return fromRoot[byte] as number;
    let child = firstChild[state] as number;
    while (child !== 0 && bytes[child] !== byte) child = nextSibling[child] as number;
    return child;
  };
  const order = inBreadth(tree);
  const shorter = new Int32Array(tree.size);
  const next = (state: number, byte: number): number => {
    let from = state;
    let child = childOf(from, byte);
    while (child === 0 && from !== 0) {
      from = shorter[from] as number;
      child = childOf(from, byte);
    }
    return child;
  };
  const ends = Uint8Array.from(isEnd);
  for (const node of order) {
    for (let child = firstChild[node] as number; child; child = nextSibling[child] as number) {
      const fallback = node === 0 ? 0 : next(shorter[node] as number, bytes[child] as number);
      shorter[child] = fallback;
      if (ends[fallback] === 1) ends[child] = 1;
    }
  }
  return {
    next,
    endsPhrase: (state) => ends[state] === 1,
    contains: (text, from, to) => {
      let state = 0;
      for (let at = from; at < to; at++) {
        const byte = text[at] as number;
        state = state === 0 ? (fromRoot[byte] as number) : next(state, byte);
        if (ends[state] === 1) return true;
      }
      return false;
    },
    firstChild,
    nextSibling,
    bytes,
    isEnd,
    shorter,
    distance: measureDistances(tree, order),
  };
}

function growTree(phrases: readonly Uint8Array[]): Tree {
  const most = phrases.reduce((sum, phrase) => sum + phrase.length, 1);
  const tree: Tree = {
    firstChild: new Int32Array(most),
    nextSibling: new Int32Array(most),
    bytes: new Uint8Array(most),
    isEnd: new Uint8Array(most),
    size: 1,
  };
  for (const phrase of phrases) {
    let node = 0;
    for (const byte of phrase) {
      let child = tree.firstChild[node] as number;
      while (child !== 0 && tree.bytes[child] !== byte) child = tree.nextSibling[child] as number;
      if (child === 0) {
        child = tree.size++;
        tree.bytes[child] = byte;
        tree.nextSibling[child] = tree.firstChild[node] as number;
        tree.firstChild[node] = child;
      }
      node = child;
    }
    tree.isEnd[node] = 1;
  }
  return tree;
}

/** All nodes, each behind its parent and behind all that are less deep. */
function inBreadth({ firstChild, nextSibling, size }: Tree): Int32Array {
  const order = new Int32Array(size);
  let end = 1;
  for (let at = 0; at < end; at++) {
    let child = firstChild[order[at] as number] as number;
    for (; child !== 0; child = nextSibling[child] as number) order[end++] = child;
  }
  return order;
}

function measureDistances(
  { firstChild, nextSibling, isEnd, size }: Tree,
  order: Int32Array,
): Int32Array {
  const distance = new Int32Array(size).fill(NOWHERE);
  for (let at = size - 1; at >= 0; at--) {
    const node = order[at] as number;
    for (let child = firstChild[node] as number; child; child = nextSibling[child] as number) {
      const below = isEnd[child] === 1 ? 1 : (distance[child] as number) + 1;
      if (below < (distance[node] as number)) distance[node] = below;
    }
  }
  return distance;
}
