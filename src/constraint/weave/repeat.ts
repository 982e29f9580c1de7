/** Draws counted repetitions as copies. Called by `weave.ts` and the grammars. */

import { ParlanceError } from '../../contract/errors.ts';
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

/** Nodes of one network. More would pass any budget, after seconds. */
const mostNodes = 1_000_000;

/** @throws ParlanceError `invalid_constraint` where the copies are too many, or pass the budget */
export function drawRepeat(builder: NetworkBuilder, { from, to, min, max, one }: Repeat): void {
  let at = from;
  const copies = max ?? min + 1;
  const copy = (count: number): void => {
    const before = builder.size;
    const next = builder.node();
    one(at, next);
    at = next;
    if (count === 0) checkSize(builder, (builder.size - before) * (copies - 1));
  };
  for (let count = 0; count < min; count++) copy(count);
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
    copy(count);
  }
  builder.empty(at, to);
}

/** Whether there is room for so many more; said before they are drawn. */
function checkSize(builder: NetworkBuilder, more: number): void {
  if (builder.size + more <= mostNodes) return;
  const keyword = builder.ownerName;
  throw new ParlanceError(
    'invalid_constraint',
    `The constraint is too large: \`${keyword}\` repeats something too often, in ${more} steps. Make the counts smaller.`,
    { keyword },
  );
}
