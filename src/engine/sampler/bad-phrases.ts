/**
 * The `bad` phrases of a request: which tokens would complete one, whatever the tokens before them.
 * Exact on the bytes of the text: phrases inside a token, across tokens, prefixes of each other.
 * Called by the logit edits and by beam search; its states are numbers, so they cost nothing to keep.
 */

import type { Vocabulary } from '../llama/decoder.ts';
import type { Sampling } from '../protocol.ts';
import { createPhraseAutomaton, type PhraseAutomaton } from './phrase-automaton.ts';
import { byteAt, pieceIndexOf, type PieceIndex } from './piece-index.ts';

/** How much of which phrases the text ends with. */
export type PhraseState = number;

export interface BadPhrases {
  /** False where there are none, so that nothing is ever banned. */
  readonly active: boolean;
  /** The state of an empty text. */
  readonly start: () => PhraseState;
  /** The state of a text with one more token, which may be a banned one. */
  readonly next: (state: PhraseState, token: number) => PhraseState;
  /** Whether this token would complete a phrase. */
  readonly completes: (state: PhraseState, token: number) => boolean;
  /** IDs of all tokens that would complete a phrase, in several lists; some may be in more than one. */
  readonly banned: (state: PhraseState) => readonly Int32Array[];
}

/** Lists of IDs that are kept for states that come back; above this they are forgotten. */
const MOST_REMEMBERED = 2 ** 20;
const SPACE = 0x20;

const prepared = new WeakMap<Sampling, { vocabulary: Vocabulary; phrases: BadPhrases }>();

/** The phrases of a sampling, prepared once for all its choices. */
export function compileBadPhrases(sampling: Sampling, vocabulary: Vocabulary): BadPhrases {
  const before = prepared.get(sampling);
  if (before?.vocabulary === vocabulary) return before.phrases;
  const phrases = createBadPhrases(sampling, vocabulary);
  prepared.set(sampling, { vocabulary, phrases });
  return phrases;
}

/** How tokens become text under one sampling. */
interface Spelling {
  readonly index: PieceIndex;
  /** Tokens that end the text without a trace in it. */
  readonly silent: ReadonlySet<number>;
  /** Control tokens that have a space before them where they follow each other. */
  readonly spaced: ReadonlySet<number>;
}

const noPhrases: BadPhrases = {
  active: false,
  start: () => 0,
  next: (state) => state,
  completes: () => false,
  banned: () => [],
};

/** The same with the phrases that are looked for. */
interface Reading extends Spelling {
  readonly automaton: PhraseAutomaton;
}

function createBadPhrases(sampling: Sampling, vocabulary: Vocabulary): BadPhrases {
  // Half a surrogate pair is no character: no text has it.
  const possible = sampling.bad.filter((phrase) => phrase !== '' && phrase.isWellFormed());
  if (possible.length === 0) return noPhrases;
  const encoder = new TextEncoder();
  const spelled = possible.map((phrase) => encoder.encode(phrase));
  const automaton = createPhraseAutomaton(spelled);
  const reading = { automaton, ...spellingOf(sampling, vocabulary) };
  const { silent, spaced } = reading;
  // There may be more phrases than a call takes arguments.
  const shortest = spelled.reduce((least, { length }) => Math.min(least, length), Infinity);
  const within = tokensWithPhrase(reading, shortest);
  const completing = createCompletions(reading);

  // A state is the automaton's, times 2, plus 1 behind a control token that spaces may follow.
  const follow = (state: PhraseState, token: number) => {
    const spaceFirst = (state & 1) === 1 && spaced.has(token);
    return run(reading, state >> 1, token, spaceFirst);
  };
  return {
    active: true,
    start: () => 0,
    next: (state, token) =>
      silent.has(token) ? state : follow(state, token).state * 2 + (spaced.has(token) ? 1 : 0),
    completes: (state, token) => !silent.has(token) && follow(state, token).completed,
    banned: (state) => [within, completing.within(state >> 1), completing.spaced(state)],
  };
}

function spellingOf(sampling: Sampling, vocabulary: Vocabulary): Spelling {
  const { skipSpecialTokens, spacesBetweenSpecialTokens, stopTokenIds, includeStop } = sampling;
  const silent = new Set(includeStop ? [] : stopTokenIds);
  if (!sampling.ignoreEos) {
    for (const id of vocabulary.eosIds) if (!stopTokenIds.includes(id)) silent.add(id);
  }
  const spaced = new Set<number>();
  if (!skipSpecialTokens && spacesBetweenSpecialTokens) {
    for (let token = 0; token < vocabulary.size; token++) {
      if (isControl(vocabulary, token) && !silent.has(token)) spaced.add(token);
    }
  }
  return { index: pieceIndexOf(vocabulary, !skipSpecialTokens), silent, spaced };
}

/** Control tokens are those that show only where special tokens are shown. */
function isControl(vocabulary: Vocabulary, token: number): boolean {
  return vocabulary.piece(token, false).length === 0 && vocabulary.piece(token, true).length > 0;
}

/** Where a token leads, and whether a phrase was completed on the way. */
function run(
  { automaton, index: { bytes, starts } }: Reading,
  from: number,
  token: number,
  spaceFirst = false,
): { readonly state: number; readonly completed: boolean } {
  let state = spaceFirst ? automaton.next(from, SPACE) : from;
  let completed = spaceFirst && automaton.endsPhrase(state);
  const end = starts[token + 1] as number;
  for (let at = starts[token] as number; at < end; at++) {
    state = automaton.next(state, bytes[at] as number);
    completed ||= automaton.endsPhrase(state);
  }
  return { state, completed };
}

/** Tokens that have a whole phrase inside, in order of ID: banned in every state. */
function tokensWithPhrase(reading: Reading, shortest: number): Int32Array {
  const { automaton, index, silent, spaced } = reading;
  const { bytes, starts } = index;
  const count = starts.length - 1;
  const found = new Int32Array(count);
  let size = 0;
  if (shortest > index.longest) return found.subarray(0, 0);
  for (let token = 0; token < count; token++) {
    const from = starts[token] as number;
    const to = starts[token + 1] as number;
    if (to - from < shortest || !automaton.contains(bytes, from, to)) continue;
    if (!silent.has(token) && !spaced.has(token)) found[size++] = token;
  }
  return found.slice(0, size);
}

const none = new Int32Array(0);

/** Tokens that complete what a state has begun. */
function createCompletions(reading: Reading) {
  const { automaton, index, silent, spaced } = reading;
  const remembered = new Map<number, Int32Array>();
  let held = 0;
  const remember = (key: number, find: () => number[]): Int32Array => {
    let ids = remembered.get(key);
    if (ids === undefined) {
      ids = Int32Array.from(find());
      held += ids.length + 1;
      if (held > MOST_REMEMBERED) {
        remembered.clear();
        held = ids.length + 1;
      }
      remembered.set(key, ids);
    }
    return ids;
  };
  const isPlain = (token: number): boolean => !silent.has(token) && !spaced.has(token);
  return {
    within: (state: number): Int32Array => {
      const begun = begunPhrases(automaton, state, index.longest);
      if (begun.length === 0) return none;
      return remember(state, () => tokensThatEnd(automaton, index, begun).filter(isPlain));
    },
    spaced: (state: number): Int32Array => {
      if (spaced.size === 0) return none;
      const spaceFirst = (state & 1) === 1;
      const completes = (token: number): boolean =>
        run(reading, state >> 1, token, spaceFirst).completed;
      return remember(-1 - state, () => [...spaced].filter(completes));
    },
  };
}

/** A state and its shorter ends, as far as some phrase ends within `longest` bytes behind them. */
function begunPhrases(automaton: PhraseAutomaton, state: number, longest: number): number[] {
  const { shorter, distance } = automaton;
  const begun: number[] = [];
  for (let part = state; part !== 0; part = shorter[part] as number) {
    if ((distance[part] as number) <= longest) begun.push(part);
  }
  return begun;
}

/**
 * Tokens that begin with what is missing of some phrase behind these nodes of the tree, each once. The
 * tree is gone down together with the sorted pieces, so only what both have is looked at.
 */
function tokensThatEnd(
  automaton: PhraseAutomaton,
  index: PieceIndex,
  begun: readonly number[],
): number[] {
  const { firstChild, nextSibling, bytes, isEnd } = automaton;
  const found: number[] = [];
  const open = [{ nodes: begun, low: 0, high: index.sorted.length, depth: 0 }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { nodes, low, high, depth } = place;
    const children = new Map<number, number[]>();
    for (const node of nodes) {
      for (let child = firstChild[node] as number; child; child = nextSibling[child] as number) {
        const byte = bytes[child] as number;
        const others = children.get(byte);
        if (others === undefined) children.set(byte, [child]);
        else others.push(child);
      }
    }
    for (const [byte, same] of children) {
      const begin = firstNotBelow(index, [low, high], depth, byte);
      const end = firstNotBelow(index, [begin, high], depth, byte + 1);
      if (begin === end) continue;
      if (same.some((child) => isEnd[child] === 1)) {
        for (let i = begin; i < end; i++) found.push(index.sorted[i] as number);
      } else open.push({ nodes: same, low: begin, high: end, depth: depth + 1 });
    }
  }
  return found;
}

/** The first place in a range of the sorted pieces, equal up to `depth`, with a byte there of at least `byte`. */
function firstNotBelow(
  index: PieceIndex,
  [from, to]: readonly [number, number],
  depth: number,
  byte: number,
): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (byteAt(index, index.sorted[middle] as number, depth) < byte) low = middle + 1;
    else high = middle;
  }
  return low;
}
