/**
 * How long a pass of the model takes, learned from the passes that were made. The draft policy and the
 * batch policy ask it; whoever runs passes tells it. Pure: a state and a step, no clock.
 *
 * Passes of 1 to 16 tokens are told apart one by one, because the kernels for few tokens take times
 * that no line fits; wider ones in two classes for each doubling. A class is worth the median of its last
 * passes, so a few slow ones (a busy machine, a first touch of memory) do not count. Between classes the
 * cost is a straight line; below them it is proportional to the tokens; above them a line goes on, so that
 * what no pass has shown yet is rather tried than shunned.
 */

/** One pass: tokens in all, over all sequences, and how long it took. */
export interface Pass {
  readonly tokens: number;
  readonly ms: number;
}

export interface PassCost {
  /** The last passes of each class, oldest first. */
  readonly recent: ReadonlyMap<number, readonly Pass[]>;
  /** The typical pass of each class that has any, narrowest first. */
  readonly typical: readonly Pass[];
}

/** Passes that a class remembers: its median bears 4 outliers, and follows a change in 5 passes. */
const remembered = 9;
const widestNarrow = 16;

export function startPassCost(): PassCost {
  return { recent: new Map(), typical: [] };
}

/** With one pass more. A pass without tokens, or with a time that is none, teaches nothing. */
export function stepPassCost(cost: PassCost, pass: Pass): PassCost {
  const { tokens, ms } = pass;
  if (!(tokens >= 1) || !(ms > 0 && ms < Infinity)) return cost;
  const key = classOf(tokens);
  const passes = [...(cost.recent.get(key) ?? []), { tokens, ms }].slice(-remembered);
  const typical = medianPass(passes);
  return {
    recent: new Map(cost.recent).set(key, passes),
    typical: [...cost.typical.filter((one) => classOf(one.tokens) !== key), typical].toSorted(
      (one, other) => one.tokens - other.tokens,
    ),
  };
}

/** Milliseconds that a pass of so many tokens (at least 1) will take; null while nothing is known. */
export function passMilliseconds(cost: PassCost, tokens: number): number | null {
  const above = cost.typical.findIndex((one) => one.tokens >= tokens);
  const narrower = cost.typical[above === -1 ? cost.typical.length - 1 : above - 1];
  const wider = cost.typical[above];
  if (wider === undefined) return narrower === undefined ? null : beyond(cost, narrower, tokens);
  if (narrower === undefined) return (wider.ms * tokens) / wider.tokens;
  const share = (tokens - narrower.tokens) / (wider.tokens - narrower.tokens);
  return narrower.ms + share * (wider.ms - narrower.ms);
}

/**
 * How many tokens fit into a pass of `ms` milliseconds, 0..`most`: a number that fits, while one more
 * does not. `most` while nothing is known.
 */
export function tokensWithin(cost: PassCost, ms: number, most: number): number {
  const fits = (tokens: number): boolean => (passMilliseconds(cost, tokens) ?? 0) <= ms;
  let [low, high] = [0, most + 1];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * Above the widest class: on along the line from the widest one of at most half its tokens (neighbours
 * would make a line of noise), never falling; but at most in proportion, also where there is none.
 */
function beyond(cost: PassCost, widest: Pass, tokens: number): number {
  const inProportion = (widest.ms * tokens) / widest.tokens;
  const half = cost.typical.findLast((one) => one.tokens <= widest.tokens / 2);
  if (half === undefined) return inProportion;
  const slope = Math.max(0, (widest.ms - half.ms) / (widest.tokens - half.tokens));
  return Math.min(inProportion, widest.ms + slope * (tokens - widest.tokens));
}

/** 1..16 are classes of their own, then 17-24, 25-32, 33-48, 49-64, and so on. */
function classOf(tokens: number): number {
  if (tokens <= widestNarrow) return tokens;
  const doublings = 31 - Math.clz32(tokens - 1);
  const isUpper = tokens - 1 >= 1.5 * 2 ** doublings;
  return widestNarrow + 2 * (doublings - 4) + (isUpper ? 2 : 1);
}

/** The middle one by milliseconds for each token, the faster of two. */
function medianPass(passes: readonly Pass[]): Pass {
  const ordered = passes.toSorted((one, other) => one.ms / one.tokens - other.ms / other.tokens);
  return ordered[(ordered.length - 1) >>> 1]!;
}
