/**
 * The byte format in which llama.cpp v0.5.0 hands out the KV state of one sequence, for caches that
 * keep one row for each cell (flash attention on, so V is not transposed). Pure. `kv-states.ts` cuts
 * and joins with it. Nothing here may be trusted to a file without `parseBodies`.
 *
 * A state is `u32 magic, i32 sequence`, then for each cache of the model (one; two where some layers
 * have a sliding window) `u32 streams` and for each stream a body, which is `u32 0` for an empty one:
 *   u32 cells, cells x (i32 position, u32 1, [12 bytes more], i32 sequence), u32 transposed, u32 layers,
 *   and for each layer's K, then each layer's V: i32 type, u64 row bytes, cells x row.
 */

export const stateMagic = 0xaf143cd8;

/** What the rows of one cache look like. */
export interface CacheLayout {
  /** Bytes of one cell's position and sequence: 12, or 24 where the model has positions in an image. */
  readonly cellBytes: number;
  readonly layers: number;
  /** K of each layer, then V of each layer. */
  readonly planes: readonly PlaneLayout[];
  /** Bytes of the rows of one cell in the planes before each plane, and in all. */
  readonly rowsBefore: readonly number[];
  readonly rowsBytes: number;
}

export interface PlaneLayout {
  /** ggml_type. */
  readonly type: number;
  readonly rowBytes: number;
}

/** Consecutive cells of one cache, as they lie in a piece of memory. */
export interface Body {
  readonly layout: CacheLayout;
  /** Offset of the body's first byte. */
  readonly offset: number;
  readonly cells: number;
  /** Position of the first cell; the others follow it one by one. */
  readonly first: number;
}

const planeHeaderBytes = 12;
const layersHeaderBytes = 8;

export function bodyBytes(layout: CacheLayout, cells: number): number {
  if (cells === 0) return 4;
  const headers = 4 + layersHeaderBytes + layout.planes.length * planeHeaderBytes;
  return headers + cells * (layout.cellBytes + layout.rowsBytes);
}

/** Offset of a plane's first row from the start of its body. */
export function planeOffset(layout: CacheLayout, cells: number, plane: number): number {
  const before = 4 + layersHeaderBytes + (plane + 1) * planeHeaderBytes;
  return before + cells * (layout.cellBytes + (layout.rowsBefore[plane] ?? 0));
}

/** Writes all of a body but its cells and rows. */
export function writeBodyHeaders(
  target: DataView,
  offset: number,
  layout: CacheLayout,
  cells: number,
): void {
  target.setUint32(offset, cells, true);
  if (cells === 0) return;
  const layers = offset + 4 + cells * layout.cellBytes;
  target.setUint32(layers, 0, true);
  target.setUint32(layers + 4, layout.layers, true);
  layout.planes.forEach(({ type, rowBytes }, plane) => {
    const start = offset + planeOffset(layout, cells, plane) - planeHeaderBytes;
    target.setInt32(start, type, true);
    target.setBigUint64(start + 4, BigInt(rowBytes), true);
  });
}

/** Where the bodies are in a state as the library writes it: `caches` groups of `streams` bodies. */
export interface LibraryForm {
  readonly caches: number;
  readonly streams: number;
}

/** Bytes that the library's form of a sequence takes beside its bodies with cells. */
export function formBytes({ caches, streams }: LibraryForm): number {
  return 8 + caches * (4 + 4 * (streams - 1));
}

/**
 * Finds the one body with cells of each cache in a state that the library wrote. Null where the bytes
 * are anything else, down to the last one: another format is not to be guessed at.
 */
export function parseLibraryState(state: Uint8Array, form: LibraryForm): readonly Body[] | null {
  const view = viewOf(state);
  if (state.length < 8 || view.getUint32(0, true) !== stateMagic) return null;
  return tryVariants((variant) => {
    const bodies: Body[] = [];
    let offset = 8;
    for (let cache = 0; cache < form.caches; cache += 1) {
      if (readU32(view, offset) !== form.streams) return null;
      offset += 4;
      let found: Body | null = null;
      for (let stream = 0; stream < form.streams; stream += 1) {
        if (readU32(view, offset) === 0) {
          offset += 4;
          continue;
        }
        if (found !== null) return null;
        found = parseBody(view, offset, variant);
        if (found === null) return null;
        offset += bodyBytes(found.layout, found.cells);
      }
      if (found === null) return null;
      bodies.push(found);
    }
    return offset === state.length ? bodies : null;
  });
}

/** Finds `caches` bodies that follow each other from `start` to the end; null for anything else. */
export function parseBodies(
  bytes: Uint8Array,
  start: number,
  caches: number,
): readonly Body[] | null {
  const view = viewOf(bytes);
  return tryVariants((variant) => {
    const bodies: Body[] = [];
    let offset = start;
    for (let cache = 0; cache < caches; cache += 1) {
      const body = parseBody(view, offset, variant);
      if (body === null) return null;
      bodies.push(body);
      offset += bodyBytes(body.layout, body.cells);
    }
    return offset === bytes.length ? bodies : null;
  });
}

export function sameLayout(a: CacheLayout, b: CacheLayout): boolean {
  if (a === b) return true;
  return (
    a.cellBytes === b.cellBytes &&
    a.layers === b.layers &&
    a.planes.length === b.planes.length &&
    a.planes.every(
      ({ type, rowBytes }, plane) =>
        type === b.planes[plane]?.type && rowBytes === b.planes[plane].rowBytes,
    )
  );
}

/** What the format does not say of itself; only the right guess ends at the last byte. */
interface Variant {
  readonly cellBytes: number;
  readonly hasValues: boolean;
}

const variants: readonly Variant[] = [
  { cellBytes: 12, hasValues: true },
  { cellBytes: 24, hasValues: true },
  { cellBytes: 12, hasValues: false },
  { cellBytes: 24, hasValues: false },
];

function tryVariants(parse: (variant: Variant) => readonly Body[] | null): readonly Body[] | null {
  for (const variant of variants) {
    const bodies = parse(variant);
    if (bodies !== null) return bodies;
  }
  return null;
}

function parseBody(view: DataView, offset: number, variant: Variant): Body | null {
  const cells = readU32(view, offset);
  const { cellBytes } = variant;
  const layersAt = offset + 4 + cells * cellBytes;
  if (cells < 1 || layersAt + layersHeaderBytes > view.byteLength) return null;
  const first = view.getInt32(offset + 4, true);
  for (let cell = 0; cell < cells; cell += 1) {
    const at = offset + 4 + cell * cellBytes;
    // Out of order they could not be cut by position.
    if (view.getInt32(at, true) !== first + cell || view.getUint32(at + 4, true) !== 1) return null;
  }
  const layers = view.getUint32(layersAt + 4, true);
  if (first < 0 || view.getUint32(layersAt, true) !== 0 || layers > 4096) return null;
  const planes: PlaneLayout[] = [];
  const rowsBefore: number[] = [];
  let rowsBytes = 0;
  let at = layersAt + layersHeaderBytes;
  for (let plane = 0; plane < (variant.hasValues ? 2 : 1) * layers; plane += 1) {
    if (at + planeHeaderBytes > view.byteLength) return null;
    const rowBytes = Number(view.getBigUint64(at + 4, true));
    planes.push({ type: view.getInt32(at, true), rowBytes });
    rowsBefore.push(rowsBytes);
    rowsBytes += rowBytes;
    at += planeHeaderBytes + cells * rowBytes;
    if (!Number.isSafeInteger(at) || at > view.byteLength) return null;
  }
  return { layout: { cellBytes, layers, planes, rowsBefore, rowsBytes }, offset, cells, first };
}

/** A count beyond the end is one that nothing can match. */
function readU32(view: DataView, offset: number): number {
  return offset + 4 <= view.byteLength ? view.getUint32(offset, true) : -1;
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
