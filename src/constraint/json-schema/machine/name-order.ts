/**
 * In which order the names of an object come: as each schema that declares them lists them. Lists that
 * contradict each other leave the names in question free. Pure.
 */

/** Sets of names are bit sets over their numbers. */
export class NameOrder {
  readonly names: readonly string[];
  readonly #numbers = new Map<string, number>();
  readonly #component: number[];
  readonly #earlier: readonly bigint[];

  /** `others` are names that no list has. */
  constructor(lists: readonly (readonly string[])[], others: readonly string[]) {
    const names: string[] = [];
    for (const name of [...lists.flat(), ...others]) {
      if (this.#numbers.has(name)) continue;
      this.#numbers.set(name, names.length);
      names.push(name);
    }
    this.names = names;
    const before: Set<number>[] = names.map(() => new Set());
    const after: number[][] = names.map(() => []);
    for (const list of lists) {
      for (let i = 1; i < list.length; i++) {
        const [a, b] = [this.#numbers.get(list[i - 1]!)!, this.#numbers.get(list[i]!)!];
        if (before[b]!.has(a)) continue;
        before[b]!.add(a);
        after[a]!.push(b);
      }
    }
    const edges = before.map((one) => [...one]);
    this.#component = components(edges, after);
    this.#earlier = masksBefore(this.#component, edges);
  }

  /** -1: not among them. */
  numberOf(name: string): number {
    return this.#numbers.get(name) ?? -1;
  }

  maskOf(names: Iterable<string>): bigint {
    let mask = 0n;
    for (const name of names) {
      const number = this.numberOf(name);
      if (number >= 0) mask |= 1n << BigInt(number);
    }
    return mask;
  }

  /** The name, and those that can no longer come once it has. */
  passedBy(number: number): bigint {
    return this.#earlier[this.#component[number]!]! | (1n << BigInt(number));
  }
}

/** How many names a set has, at most `most`. */
export function bits(mask: bigint, most: number): number {
  let count = 0;
  for (let rest = mask; rest > 0n && count < most; rest &= rest - 1n) count++;
  return count;
}

/** For each component, in an order in which those before it come first: the names before it. */
function masksBefore(component: readonly number[], before: readonly number[][]): bigint[] {
  const members: number[][] = [];
  component.forEach((one, name) => (members[one] ??= []).push(name));
  const earlier: bigint[] = [];
  const within: bigint[] = [];
  members.forEach((names, one) => {
    let mask = 0n;
    for (const name of names) {
      for (const other of before[name]!) {
        if (component[other] !== one) mask |= within[component[other]!]!;
      }
    }
    earlier.push(mask);
    within.push(names.reduce((sum, name) => sum | (1n << BigInt(name)), mask));
  });
  return earlier;
}

/**
 * Names that are before each other have the same number (strongly connected components, Kosaraju), and
 * what is before others a lower one.
 */
function components(before: readonly number[][], after: readonly number[][]): number[] {
  const seen = new Set<number>();
  const finished: number[] = [];
  for (let root = 0; root < after.length; root++) {
    const stack: [number, number][] = seen.has(root) ? [] : [[root, 0]];
    seen.add(root);
    while (stack.length > 0) {
      const top = stack.at(-1)!;
      const next = after[top[0]]![top[1]++];
      if (next === undefined) {
        finished.push(top[0]);
        stack.pop();
      } else if (!seen.has(next)) {
        seen.add(next);
        stack.push([next, 0]);
      }
    }
  }
  const component = after.map(() => -1);
  let number = 0;
  for (const root of finished.toReversed()) {
    const reached = component[root] === -1 ? [root] : [];
    for (const one of reached) {
      if (component[one] !== -1) continue;
      component[one] = number;
      reached.push(...before[one]!.filter((other) => component[other] === -1));
    }
    if (reached.length > 0) number++;
  }
  return component;
}
