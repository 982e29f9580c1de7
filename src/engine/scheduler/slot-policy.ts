/**
 * Where sequences live: which slot a new one takes, and which moves close the holes. Pure functions
 * over a list of slots (true = taken), because the library shares one pass only among slots whose
 * numbers ascend without a gap.
 */

/** The lowest free slot, or null when all are taken. */
export function lowestFreeSlot(taken: readonly boolean[]): number | null {
  const slot = taken.indexOf(false);
  return slot === -1 ? null : slot;
}

export interface SlotMove {
  readonly from: number;
  readonly to: number;
}

/** The moves, in order, after which the taken slots are 0..k-1: always the highest into the lowest. */
export function planMoves(taken: readonly boolean[]): SlotMove[] {
  const now = [...taken];
  const moves: SlotMove[] = [];
  for (;;) {
    const to = now.indexOf(false);
    const from = now.lastIndexOf(true);
    if (to === -1 || from < to) return moves;
    now[from] = false;
    now[to] = true;
    moves.push({ from, to });
  }
}
