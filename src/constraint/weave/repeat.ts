/** Draws counted repetitions as copies. Called by `weave.ts` and the grammars. */

import type { NetworkBuilder, NodeId } from './network.ts';

export interface Repeat {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly min: number;
  /** null: no limit. */
  readonly max: number | null;
  /** Draws one of them between two nodes. */
  readonly one: (from: NodeId, to: NodeId) => void;
}

/** @throws ParlanceError `invalid_constraint` where the copies pass the budget */
export function drawRepeat(builder: NetworkBuilder, { from, to, min, max, one }: Repeat): void {
  let at = from;
  for (let count = 0; count < min; count++) {
    const next = builder.node();
    one(at, next);
    at = next;
  }
  if (max === null) {
    // A node of its own: what leads back to it must not lead into what is before it.
    const loop = builder.node();
    builder.empty(at, loop);
    one(loop, loop);
    builder.empty(loop, to);
    return;
  }
  for (let count = min; count < max; count++) {
    builder.empty(at, to);
    const next = builder.node();
    one(at, next);
    at = next;
  }
  builder.empty(at, to);
}
