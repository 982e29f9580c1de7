/**
 * Strings while they are read: the truth of each node that judges them, character by character. Shared
 * by all places with the same roots; knows nothing of places.
 */

import type { CharacterClass, Loop } from '../../machine.ts';
import type { Leaf } from './leaf.ts';
import type { Lex } from './lexer.ts';
import { body, quote, usualEscape } from './lexer.ts';
import type { Plan } from './plan.ts';
import { isContested, judge, needs, settle } from './evaluate-plan.ts';
import type { StringMachine } from './string-machine.ts';
import type { Verdict, Verdicts } from './truth.ts';
import { no, open, yes } from './truth.ts';

export interface StringTools {
  readonly verdicts: Verdicts;
  /** The characters that stand as they are in any string. */
  readonly plain: CharacterClass;
  /** The plain characters of both. */
  meet(a: CharacterClass, b: CharacterClass): CharacterClass;
  spend(work: number, kept: number, keyword: string): void;
  readonly keyword: string;
}

/** One for each set of roots. */
export class StringPlan {
  readonly plan: Plan;
  readonly machines: readonly (StringMachine | null)[];
  /** Only the usual spelling of characters: the text is one of a list. */
  readonly usual: boolean;
  readonly tools: StringTools;
  readonly start: StringLeaf;
  readonly #ids = new Map<object, number>();
  readonly #leaves = new Map<string, StringLeaf>();
  /** By truths of the machines. */
  readonly #settled = new Map<string, Verdict>();

  constructor(
    plan: Plan,
    machines: readonly (StringMachine | null)[],
    usual: boolean,
    tools: StringTools,
  ) {
    this.plan = plan;
    this.machines = machines;
    this.usual = usual;
    this.tools = tools;
    const states = machines.map((one) => (one === null || one.empty ? null : one.start));
    this.start = this.leaf(states, this.truths(states, null), body);
  }

  /** The truth of each machine in its state; `own` has those that are idle. */
  truths(states: readonly (object | null)[], own: Uint8Array | null): Uint8Array {
    const { machines } = this;
    const truths = new Uint8Array(machines.length);
    for (let i = 0; i < machines.length; i++) {
      const machine = machines[i]!;
      const state = states[i]!;
      if (own !== null && own[i] !== open) truths[i] = own[i]!;
      else if (machine === null) truths[i] = yes;
      else truths[i] = state === null ? no : machine.always(state) ? yes : open;
    }
    return truths;
  }

  leaf(states: readonly (object | null)[], own: Uint8Array, lex: Lex): StringLeaf {
    const kept = states.map((state, i) => (own[i] === open ? state : null));
    let key = '';
    for (let i = 0; i < own.length; i++) {
      key += `${own[i]}.${kept[i] === null ? '' : this.#id(kept[i]!)},`;
    }
    key += String(this.#id(lex));
    const known = this.#leaves.get(key);
    if (known !== undefined) return known;
    this.tools.spend(1 + own.length / 4, 2 + own.length / 4, this.tools.keyword);
    const verdict = this.#settle(own);
    const made = new StringLeaf(this, { states: kept, own, lex, verdict });
    this.#leaves.set(key, made);
    return made;
  }

  #settle(own: Uint8Array): Verdict {
    const key = own.join('');
    const known = this.#settled.get(key);
    if (known !== undefined) return known;
    const made = settle(this.plan, own, this.tools.verdicts);
    this.#settled.set(key, made);
    return made;
  }

  #id(of: object): number {
    const known = this.#ids.get(of);
    if (known !== undefined) return known;
    this.#ids.set(of, this.#ids.size);
    return this.#ids.size - 1;
  }
}

interface Reading {
  readonly states: readonly (object | null)[];
  readonly own: Uint8Array;
  readonly lex: Lex;
  readonly verdict: Verdict;
}

export class StringLeaf implements Leaf {
  readonly verdict: Verdict;
  readonly trailing = false;
  readonly #plan: StringPlan;
  readonly #reading: Reading;
  readonly #next = new Map<number, StringLeaf | 'closed' | null>();
  #final: Verdict | null | undefined;

  constructor(plan: StringPlan, reading: Reading) {
    this.#plan = plan;
    this.#reading = reading;
    this.verdict = reading.verdict;
  }

  get risky(): boolean {
    const { machines, plan } = this.#plan;
    const { own } = this.#reading;
    if (isContested(own, needs(plan, own))) return true;
    return machines.some((one, i) => own[i] === open && one !== null && !one.exact);
  }

  get final(): Verdict | null {
    if (this.#final === undefined) this.#final = this.#decide();
    return this.#final;
  }

  step(byte: number): StringLeaf | 'closed' | null {
    const known = this.#next.get(byte);
    if (known !== undefined) return known;
    const made = this.#advance(byte);
    this.#next.set(byte, made);
    return made;
  }

  loop(): Loop | null {
    const { states, own, lex } = this.#reading;
    if (lex !== body) return null;
    const { machines, tools } = this.#plan;
    let characters = tools.plain;
    let room = Infinity;
    for (let i = 0; i < own.length; i++) {
      const machine = machines[i];
      if (own[i] !== open || machine === null || machine === undefined) continue;
      const loop = machine.loop(states[i]!);
      if (loop === null) return null;
      room = Math.min(room, loop.room);
      characters = tools.meet(characters, loop.characters);
    }
    return { characters, room };
  }

  #advance(byte: number): StringLeaf | 'closed' | null {
    const { lex, own, states } = this.#reading;
    const next = lex.next[byte]!;
    if (next === null) return null;
    if (next === quote) return this.final === null ? null : 'closed';
    const { usual } = this.#plan;
    if (typeof next === 'number') {
      if (usual && lex.escape && !usualEscape(next, lex.ranges.length === 0 || isNamed(lex))) {
        return null;
      }
      return this.#take(next);
    }
    // The usual spelling of hexadecimal digits is small.
    if (usual && lex.escape && byte >= 0x41 && byte <= 0x46) return null;
    const allowed = this.#filter(next);
    const truths = own.slice();
    for (let i = 0; i < own.length; i++) {
      if (own[i] !== open) continue;
      if (!this.#plan.machines[i]!.some(states[i]!, next.ranges, allowed)) truths[i] = no;
    }
    return this.#plan.leaf(states, truths, next);
  }

  #filter(lex: Lex): (codePoint: number) => boolean {
    if (!this.#plan.usual || !lex.escape) return () => true;
    if (isNamed(lex)) return (one) => usualEscape(one, true) || usualEscape(one, false);
    return (one) => usualEscape(one, false);
  }

  #take(codePoint: number): StringLeaf {
    const { states, own } = this.#reading;
    const { machines } = this.#plan;
    const after = states.map((state, i) =>
      state === null || own[i] !== open ? state : machines[i]!.step(state, codePoint),
    );
    return this.#plan.leaf(after, this.#plan.truths(after, own), body);
  }

  #decide(): Verdict | null {
    const { lex, own, states } = this.#reading;
    if (lex !== body) return null;
    const { plan, machines, tools } = this.#plan;
    const decided = Uint8Array.from(own, (truth, i) => {
      if (truth !== open) return truth;
      return machines[i]!.accepts(states[i]!) ? yes : no;
    });
    return judge(plan, decided, tools.verdicts);
  }
}

/** After the backslash, before the letter. */
const isNamed = (lex: Lex): boolean => lex === body.next[0x5c];
