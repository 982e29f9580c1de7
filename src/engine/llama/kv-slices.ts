/**
 * Makes one body of KV cells out of cells that lie in several places. Pure. `kv-states.ts` cuts, joins
 * and encodes with it; the format is in `kv-layout.ts`.
 */

import { bodyBytes, planeOffset, viewOf, writeBodyHeaders, type Body } from './kv-layout.ts';

/** Some cells of a body that lies in memory. */
export interface Slice {
  readonly memory: Uint8Array;
  readonly body: Body;
  /** Cells, counted from the body's first. */
  readonly from: number;
  readonly to: number;
}

export const cellsOf = (slices: readonly Slice[]): number =>
  sum(slices.map(({ from, to }) => to - from));

export function bytesOf(slices: readonly Slice[]): number {
  const [head] = slices;
  return head === undefined ? 4 : bodyBytes(head.body.layout, cellsOf(slices));
}

/** Where each body begins. */
export function writeBodies(
  target: Uint8Array,
  start: number,
  caches: readonly Slice[][],
): number[] {
  let offset = start;
  return caches.map((slices) => {
    const begin = offset;
    offset = writeBody(target, begin, slices);
    return begin;
  });
}

/** Writes one body of all slices; returns the offset of its end. */
export function writeBody(target: Uint8Array, offset: number, slices: readonly Slice[]): number {
  const [head] = slices;
  const view = viewOf(target);
  if (head === undefined) {
    view.setUint32(offset, 0, true);
    return offset + 4;
  }
  const { layout } = head.body;
  const cells = cellsOf(slices);
  writeBodyHeaders(view, offset, layout, cells);
  copyRows(target, offset + 4, slices, { bytes: layout.cellBytes, start: () => 4 });
  layout.planes.forEach(({ rowBytes }, plane) => {
    const start = (inBody: number): number => planeOffset(layout, inBody, plane);
    copyRows(target, offset + start(cells), slices, { bytes: rowBytes, start });
  });
  return offset + bodyBytes(layout, cells);
}

/** Rows of one kind, and where they begin in a body of so many cells. */
interface Rows {
  readonly bytes: number;
  readonly start: (cells: number) => number;
}

function copyRows(target: Uint8Array, to: number, slices: readonly Slice[], rows: Rows): void {
  let offset = to;
  for (const { memory, body, from, to: end } of slices) {
    const start = body.offset + rows.start(body.cells);
    target.set(memory.subarray(start + from * rows.bytes, start + end * rows.bytes), offset);
    offset += (end - from) * rows.bytes;
  }
}

export const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, one) => total + one, 0);
