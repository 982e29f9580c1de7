/**
 * Where sequences live: which slot a new one takes, and which moves close the holes. Pure functions
 * over lists of slots, because the library shares one pass only among slots whose numbers ascend
 * without a gap.
 */

export interface SlotMove {
  readonly from: number;
  readonly to: number;
}

export interface SlotUse {
  readonly taken: boolean;
  /** When what a free slot still holds was last of use; null = it holds nothing. */
  readonly lastUse: number | null;
}

/**
 * The moves after which the taken slots follow each other without a gap, wherever they then begin:
 * as few as can be, each into a slot that is free.
 */
export function planMoves(taken: readonly boolean[]): SlotMove[] {
  const count = taken.filter(Boolean).length;
  const windows = countInWindows(taken, count);
  const start = windows.indexOf(Math.max(...windows));
  const inside = (slot: number): boolean => slot >= start && slot < start + count;
  const holes = taken.flatMap((one, slot) => (!one && inside(slot) ? [slot] : []));
  const outside = taken.flatMap((one, slot) => (one && !inside(slot) ? [slot] : []));
  return holes.map((to, index) => ({ from: outside[index] ?? to, to }));
}

/**
 * The free slot for a new sequence: one that needs the fewest moves, then one that holds nothing,
 * then the one whose content was of use longest ago. Null when all are taken.
 */
export function chooseSlot(slots: readonly SlotUse[]): number | null {
  const taken = slots.map((slot) => slot.taken);
  const width = taken.filter(Boolean).length + 1;
  const windows = countInWindows(taken, width);
  let best: number | null = null;
  let bestRank: readonly [number, number] = [-1, 0];
  slots.forEach((slot, index) => {
    if (slot.taken) return;
    const near = windows.slice(Math.max(0, index - width + 1), index + 1);
    const rank = [Math.max(0, ...near), slot.lastUse ?? -1] as const;
    const better = rank[0] > bestRank[0] || (rank[0] === bestRank[0] && rank[1] < bestRank[1]);
    if (best !== null && !better) return;
    best = index;
    bestRank = rank;
  });
  return best;
}

/** For each place where a window of `width` slots can begin: how many of its slots are taken. */
function countInWindows(taken: readonly boolean[], width: number): number[] {
  const counts: number[] = [];
  let inside = 0;
  taken.forEach((one, slot) => {
    inside += one ? 1 : 0;
    if (slot >= width) inside -= taken[slot - width] === true ? 1 : 0;
    if (slot >= width - 1) counts.push(inside);
  });
  return counts;
}
