/**
 * Return frames: what may follow when a called rule ends. Frames are interned by what they lead to, so
 * that the same context is the same object however it was reached. That keeps nested and recursive
 * grammars to few states: a call at the very end of a rule adds nothing (right recursion needs no
 * stack), and a rule that begins with itself refers to its own frame. `network-machine.ts` calls this.
 */

import { isBareReturn, type ClosedNode } from './closed-nodes.ts';
import { groupsOf } from './groups.ts';
import type { RuleId } from './network.ts';

export interface Waiter {
  readonly node: ClosedNode;
  readonly frame: Frame;
}

export interface Frame {
  readonly id: number;
  readonly waiters: readonly Waiter[];
  /** The whole text may end with the rule. */
  readonly final: boolean;
  /** What it leads to, in terms of other frames' ids. */
  readonly key: string;
}

/** The frame of a rule that is called in the state that is being made. */
export interface LocalFrame {
  readonly rule: RuleId;
  readonly callers: { readonly node: ClosedNode; readonly frame: Frame | LocalFrame }[];
}

export const isLocal = (frame: Frame | LocalFrame): frame is LocalFrame => 'callers' in frame;

/** A frame that is made and whose waiters are still being filled in. */
interface Draft {
  readonly id: number;
  waiters: Waiter[];
  readonly final: boolean;
  key: string;
}

/** What a local frame leads to, without rests that only return. */
interface Content {
  readonly rests: readonly { readonly node: ClosedNode; readonly frame: Frame | LocalFrame }[];
  readonly final: boolean;
}

type Rest = Content['rests'][number];

export interface FrameCosts {
  spend(work: number, rule: RuleId): void;
  /** Kept until `forget`. */
  keep(kept: number): void;
}

export class FrameTable {
  readonly #costs: FrameCosts;
  #byKey = new Map<string, Frame>();
  #made = 0;

  constructor(costs: FrameCosts) {
    this.#costs = costs;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** Frames that are made from now on are other objects than those before. */
  forget(): void {
    this.#byKey = new Map();
  }

  /** The frame of the root: nothing follows, and the text may end. */
  root(): Frame {
    return this.#intern('!', { rests: [], final: true });
  }

  /** Finds or makes the frames of all rules that one state calls. */
  resolve(locals: readonly LocalFrame[]): Map<LocalFrame, Frame> {
    const contents = new Map(locals.map((local) => [local, this.#contentOf(local)]));
    const resolved = new Map<LocalFrame, Frame>();
    const refersTo = (local: LocalFrame): LocalFrame[] =>
      contents
        .get(local)!
        .rests.map(({ frame }) => frame)
        .filter((frame) => isLocal(frame));
    for (const group of groupsOf(locals, refersTo)) this.#resolveGroup(group, contents, resolved);
    return resolved;
  }

  /** Follows rests that only return to what is behind them. */
  #contentOf(local: LocalFrame): Content {
    const rests = new Map<string, Rest>();
    const seen = new Set([local]);
    const work = [local];
    let final = false;
    const keep = (rest: Rest): void => {
      rests.set(
        `${rest.node.id}:${isLocal(rest.frame) ? `@${rest.frame.rule}` : rest.frame.id}`,
        rest,
      );
    };
    for (let at = work.pop(); at !== undefined; at = work.pop()) {
      this.#costs.spend(1 + at.callers.length, local.rule);
      for (const caller of at.callers) {
        const { node, frame } = caller;
        if (!isBareReturn(node)) keep(caller);
        else if (!isLocal(frame)) {
          final ||= frame.final;
          this.#costs.spend(frame.waiters.length, local.rule);
          for (const waiter of frame.waiters) keep(waiter);
        } else if (!seen.has(frame)) {
          seen.add(frame);
          work.push(frame);
        }
      }
    }
    return { rests: [...rests.values()], final };
  }

  /** A group refers to itself and to frames that are resolved. */
  #resolveGroup(
    group: readonly LocalFrame[],
    contents: ReadonlyMap<LocalFrame, Content>,
    resolved: Map<LocalFrame, Frame>,
  ): void {
    const inside = new Map(group.map((local, index) => [local as Frame | LocalFrame, index]));
    const settled = group.map((local): Content => {
      const { rests, final } = contents.get(local)!;
      const settle = ({ node, frame }: Rest): Rest => ({
        node,
        frame: (isLocal(frame) ? resolved.get(frame) : frame) ?? frame,
      });
      return { rests: rests.map(settle), final };
    });
    const only = settled[0]!;
    if (group.length === 1 && !only.rests.some(({ frame }) => inside.has(frame))) {
      resolved.set(group[0]!, this.#intern(keyOf(only), only));
      return;
    }
    const frames = this.#findAlike(group, settled) ?? this.#internGroup(settled, inside);
    for (const [index, local] of group.entries()) resolved.set(local, frames[index]!);
  }

  /**
   * A rule that calls itself first, inside itself: its frame is the outer one's equal where putting
   * the outer one in its own place makes no difference.
   */
  #findAlike(group: readonly LocalFrame[], settled: readonly Content[]): Frame[] | null {
    if (group.length > 1) return null;
    const [content] = settled;
    const tried = new Set<Frame>();
    for (const { frame } of content!.rests) {
      if (isLocal(frame) || tried.has(frame)) continue;
      tried.add(frame);
      this.#costs.spend(content!.rests.length, group[0]!.rule);
      if (keyOf(content!, () => String(frame.id)) === frame.key) return [frame];
    }
    return null;
  }

  #internGroup(
    settled: readonly Content[],
    inside: ReadonlyMap<Frame | LocalFrame, number>,
  ): Frame[] {
    const keys = settled.map((content) => keyOf(content, (local) => `@${inside.get(local)!}`));
    const names = keys.map((key, index) => `${index}@${keys.length}|${keys.join('|')}|${key}`);
    const known = names.map((name) => this.#byKey.get(name));
    if (known.every((frame) => frame !== undefined)) return known;
    const drafts = settled.map(({ final, rests }): Draft => this.#draft(final, rests.length));
    for (const [index, draft] of drafts.entries()) {
      const { rests, final } = settled[index]!;
      draft.waiters = rests.map(({ node, frame }) => ({
        node,
        frame: isLocal(frame) ? drafts[inside.get(frame)!]! : frame,
      }));
      draft.key = keyOf({ rests: draft.waiters, final });
      this.#byKey.set(names[index]!, draft);
      this.#byKey.set(draft.key, draft);
    }
    return drafts;
  }

  #intern(key: string, { rests, final }: Content): Frame {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const draft = this.#draft(final, rests.length);
    draft.waiters = rests as Waiter[];
    draft.key = key;
    this.#byKey.set(key, draft);
    return draft;
  }

  #draft(final: boolean, size: number): Draft {
    this.#costs.keep(2 + size);
    return { id: this.#made++, waiters: [], final, key: '' };
  }
}

function keyOf(content: Content, nameOf: (local: LocalFrame) => string = () => ''): string {
  const keys = content.rests.map(
    ({ node, frame }) => `${node.id}:${isLocal(frame) ? nameOf(frame) : frame.id}`,
  );
  return `${content.final ? '!' : ''}${[...new Set(keys)].toSorted().join(',')}`;
}
