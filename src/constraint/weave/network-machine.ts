/**
 * Runs a network byte by byte: an Earley-style recogniser whose item sets are interned states. A state
 * is the set of all ways to read what was written: places in rule bodies, each with its return frame,
 * and embedded machines in the middle of their stretch. `compile.ts` and the grammars make it.
 */

import type { Budget, Loop, Machine } from '../machine.ts';
import type { ClosedNode, ReadyNetwork } from './closed-nodes.ts';
import { FrameTable, isLocal, type Frame, type LocalFrame } from './frames.ts';
import type { MachineEdge, RuleId } from './network.ts';
import { commonLoop, findOwnLoop, loopsBeyond, noLoop, takesBeyond } from './network-loop.ts';

/** A place in a rule's body at which bytes may come. */
interface Place {
  readonly node: ClosedNode;
  readonly frame: Frame;
}

/** An embedded machine that has not ended. */
export interface Stretch {
  readonly edge: MachineEdge;
  readonly inner: object;
  readonly frame: Frame;
}

export interface NetworkState {
  readonly places: readonly Place[];
  readonly stretches: readonly Stretch[];
  readonly accepts: boolean;
  /** What was found out about it; dropped when the tables are. */
  memo: Memo | null;
}

interface Memo {
  /** By byte; undefined: not tried. */
  readonly next: (NetworkState | null | undefined)[];
  loop: Loop | null;
}

/** What is reached by a byte, before calls and returns are followed. */
interface Kernel {
  readonly nodes: { readonly node: ClosedNode; readonly frame: Frame | LocalFrame }[];
  readonly stretches: Stretch[];
}

/** Bounds of the tables; beyond them they begin anew, and what sessions hold stays right. */
const most = { states: 60_000, memos: 12_000, kept: 800_000 };

/** About what a table of transitions takes, in the budget's unit of 100 bytes. */
const memoKept = 20;

export class NetworkMachine implements Machine<NetworkState> {
  readonly start: NetworkState;
  readonly #network: ReadyNetwork;
  readonly #budget: Budget;
  readonly #frames: FrameTable;
  readonly #ids = new WeakMap<object, number>();
  #kept = 0;
  /** Those with a memo. */
  #known: NetworkState[] = [];
  #made = 0;
  #states = new Map<string, NetworkState>();
  #ofPlaces = new Map<Frame, Map<ClosedNode, NetworkState>>();
  #ofStretches = new Map<Frame, Map<MachineEdge, Map<object, NetworkState>>>();
  /** Whether anything follows an accepted stretch, by its state. */
  readonly #open = new WeakMap<object, boolean>();

  /** @param network with a start: something can be read */
  constructor(network: ReadyNetwork, start: ClosedNode, budget: Budget) {
    this.#network = network;
    this.#budget = budget;
    this.#frames = new FrameTable({
      spend: (work, rule) => budget.spend(work, 0, network.nameOf(rule)),
      keep: (kept) => this.#keep(kept),
    });
    this.start = this.#close({
      nodes: [{ node: start, frame: this.#frames.root() }],
      stretches: [],
    });
  }

  step(state: NetworkState, byte: number): NetworkState | null {
    if (state.places.length === 0 && state.stretches.length === 1) {
      return this.#stepStretch(state.stretches[0]!, byte);
    }
    const { next } = this.#memoOf(state);
    const known = next[byte];
    if (known !== undefined) return known;
    const stepped = this.#stepAll(state, byte);
    next[byte] = stepped;
    return stepped;
  }

  accepts(state: NetworkState): boolean {
    return state.accepts;
  }

  loop(state: NetworkState): Loop | null {
    const memo = this.#memoOf(state);
    memo.loop ??= this.#findLoop(state) ?? noLoop;
    return memo.loop === noLoop ? null : memo.loop;
  }

  risky(state: NetworkState): boolean {
    return state.stretches.some(({ edge, inner }) => edge.machine.risky(inner));
  }

  #findLoop(state: NetworkState): Loop | null {
    const loop = state.places.length > 0 ? null : commonLoop(state.stretches);
    return loop !== null || (state.places.length === 0 && state.stretches.length === 1)
      ? loop
      : findOwnLoop(this, state, (ascii) => this.#loopsBeyond(state, ascii));
  }

  /**
   * Embedded machines may have a state for each beginning of a character, too many to try. Where all
   * that goes on beyond ASCII does so with one ASCII character too, that one leads to the same state.
   */
  #loopsBeyond(state: NetworkState, ascii: Uint8Array): boolean {
    const { places, stretches } = state;
    if (stretches.length === 0) return loopsBeyond(this, state);
    if (places.some(({ node }) => node.bytes.some(({ set }) => set.includes(1, 0x80))))
      return false;
    const taken = stretches.map(({ edge, inner }) => takesBeyond(edge.machine, inner));
    if (taken.includes(null) || !taken.includes(true)) return false;
    return ascii.some(
      (flag, byte) =>
        flag === 1 &&
        !places.some(({ node }) => node.bytes.some(({ set }) => set[byte] === 1)) &&
        stretches.every(
          ({ edge, inner }, index) =>
            edge.machine.step(inner, byte) === (taken[index] === true ? inner : null),
        ),
    );
  }

  #stepStretch({ edge, inner, frame }: Stretch, byte: number): NetworkState | null {
    const after = edge.machine.step(inner, byte);
    return after === null ? null : this.#stateOfStretch({ edge, inner: after, frame });
  }

  #stepAll(state: NetworkState, byte: number): NetworkState | null {
    const nodes: Place[] = [];
    const stretches: Stretch[] = [];
    let work = 0;
    for (const { node, frame } of state.places) {
      work += node.bytes.length;
      for (const { set, to } of node.bytes) {
        if (set[byte] === 1) nodes.push({ node: this.#network.closed(to), frame });
      }
    }
    for (const { edge, inner, frame } of state.stretches) {
      const after = edge.machine.step(inner, byte);
      if (after !== null) stretches.push({ edge, inner: after, frame });
    }
    this.#budget.spend(1 + (work >> 4) + state.stretches.length, 0, this.#nameOf(state));
    if (nodes.length + stretches.length === 0) return null;
    if (nodes.length === 1 && stretches.length === 0) return this.#stateOfPlace(nodes[0]!);
    if (nodes.length === 0 && stretches.length === 1) return this.#stateOfStretch(stretches[0]!);
    const kernel: Kernel = { nodes, stretches: [] };
    for (const stretch of stretches) this.#advance(kernel, stretch);
    return this.#close(kernel);
  }

  /** The state in which nothing but this place was reached. */
  #stateOfPlace({ node, frame }: Place): NetworkState {
    let byNode = this.#ofPlaces.get(frame);
    if (byNode === undefined) this.#ofPlaces.set(frame, (byNode = new Map()));
    const known = byNode.get(node);
    if (known !== undefined) return known;
    const state = this.#close({ nodes: [{ node, frame }], stretches: [] });
    byNode.set(node, state);
    this.#keep(2);
    return state;
  }

  /** The state in which nothing goes on but this stretch. */
  #stateOfStretch(stretch: Stretch): NetworkState {
    const { edge, inner, frame } = stretch;
    let byEdge = this.#ofStretches.get(frame);
    if (byEdge === undefined) this.#ofStretches.set(frame, (byEdge = new Map()));
    let byInner = byEdge.get(edge);
    if (byInner === undefined) byEdge.set(edge, (byInner = new Map()));
    const known = byInner.get(inner);
    if (known !== undefined) return known;
    const kernel: Kernel = { nodes: [], stretches: [] };
    this.#advance(kernel, stretch);
    const state = this.#close(kernel);
    byInner.set(inner, state);
    this.#keep(4);
    return state;
  }

  #nameOf({ places, stretches }: NetworkState): string {
    const rule = places[0]?.node.rule;
    return rule === undefined && stretches.length > 0 ? 'grammar' : this.#network.nameOf(rule ?? 0);
  }

  /** An embedded machine is where it is now: it may be over, it may go on. */
  #advance(kernel: Kernel, stretch: Stretch): void {
    const { edge, inner, frame } = stretch;
    const ends = edge.machine.accepts(inner);
    if (ends) kernel.nodes.push({ node: this.#network.closed(edge.to), frame });
    if (!ends || this.#goesOn(edge.machine, inner)) kernel.stretches.push(stretch);
  }

  #goesOn(machine: Machine, inner: object): boolean {
    const known = this.#open.get(inner);
    if (known !== undefined) return known;
    let open = false;
    for (let byte = 0; byte < 256 && !open; byte++) open = machine.step(inner, byte) !== null;
    this.#open.set(inner, open);
    return open;
  }

  /** Follows calls and returns from what a byte reached, and finds or makes the state of it all. */
  #close(kernel: Kernel): NetworkState {
    if (this.#states.size + this.#frames.size >= most.states) this.#forget();
    const reached = new Reached();
    const locals = new Map<RuleId, LocalFrame>();
    const ended = new Set<Frame>();
    const work = [...kernel.nodes];
    let accepts = false;
    for (let at = work.pop(); at !== undefined; at = work.pop()) {
      const { node, frame } = at;
      if (!reached.add(node, frame)) continue;
      this.#budget.spend(2 + node.calls.length, 0, this.#network.nameOf(node.rule));
      for (const { rule, to } of node.calls) {
        let local = locals.get(rule);
        if (local === undefined) {
          locals.set(rule, (local = { rule, callers: [] }));
          work.push({ node: this.#network.startOf(rule), frame: local });
        }
        local.callers.push({ node: this.#network.closed(to), frame });
      }
      // What a rule called here reads of nothing was followed when it was called.
      if (!node.returns || isLocal(frame) || ended.has(frame)) continue;
      ended.add(frame);
      accepts ||= frame.final;
      work.push(...frame.waiters);
    }
    const frames = locals.size === 0 ? null : this.#frames.resolve([...locals.values()]);
    return this.#intern(reached, { frames, stretches: kernel.stretches, accepts });
  }

  #intern(
    reached: Reached,
    more: {
      readonly frames: ReadonlyMap<LocalFrame, Frame> | null;
      readonly stretches: readonly Stretch[];
      readonly accepts: boolean;
    },
  ): NetworkState {
    const { frames, accepts } = more;
    const places = new Map<string, Place>();
    const stretches = new Map<string, Stretch>();
    const addStretch = (stretch: Stretch): void => {
      const { edge, inner, frame } = stretch;
      stretches.set(`${edge.id}~${this.#idOf(inner)}:${frame.id}`, stretch);
    };
    for (const stretch of more.stretches) addStretch(stretch);
    for (const { node, frame: found } of reached.all()) {
      const frame = isLocal(found) ? frames!.get(found)! : found;
      if (node.bytes.length > 0) places.set(`${node.id}:${frame.id}`, { node, frame });
      for (const edge of node.machines) addStretch({ edge, inner: edge.machine.start, frame });
    }
    const keys = [...places.keys(), ...stretches.keys()];
    const key = `${accepts ? '!' : ''}${keys.toSorted().join(',')}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const state: NetworkState = {
      places: [...places.values()],
      stretches: [...stretches.values()],
      accepts,
      memo: null,
    };
    this.#states.set(key, state);
    this.#keep(3 + keys.length);
    return state;
  }

  #idOf(inner: object): number {
    const known = this.#ids.get(inner);
    if (known !== undefined) return known;
    this.#ids.set(inner, this.#made);
    return this.#made++;
  }

  #memoOf(state: NetworkState): Memo {
    if (state.memo !== null) return state.memo;
    if (this.#known.length >= most.memos || this.#kept >= most.kept) this.#forget();
    this.#known.push(state);
    this.#keep(memoKept);
    state.memo = {
      next: Array<undefined>(256).fill(undefined),
      loop: null,
    };
    return state.memo;
  }

  #keep(kept: number): void {
    this.#kept += kept;
    this.#budget.spend(0, kept, 'grammar');
  }

  /** Begins all tables anew, and gives what they held back to the budget. */
  #forget(): void {
    this.#budget.spend(0, -this.#kept, 'grammar');
    this.#kept = 0;
    // One that is still in use would hold all that was ever reached from it.
    for (const state of this.#known) state.memo = null;
    this.#known = [];
    this.#states = new Map();
    this.#ofPlaces = new Map();
    this.#ofStretches = new Map();
    this.#frames.forget();
  }
}

/** Pairs of node and frame, each once. */
class Reached {
  readonly #byNode = new Map<ClosedNode, Set<Frame | LocalFrame>>();

  add(node: ClosedNode, frame: Frame | LocalFrame): boolean {
    let frames = this.#byNode.get(node);
    if (frames === undefined) this.#byNode.set(node, (frames = new Set()));
    if (frames.has(frame)) return false;
    frames.add(frame);
    return true;
  }

  *all(): Generator<{ node: ClosedNode; frame: Frame | LocalFrame }> {
    for (const [node, frames] of this.#byNode) for (const frame of frames) yield { node, frame };
  }
}
