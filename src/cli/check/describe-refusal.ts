/** Where a text was refused, in words, with what stands there. Called by `check.ts`. */

/** Bytes before and behind the place. */
const shown = 30;

/** @param at offset of the byte that was refused; the length: the text lacks its end */
export function describeRefusal(bytes: Buffer, at: number): string {
  const before = bytes.subarray(0, at);
  const line = before.toString().split('\n');
  const place = `byte ${at} (line ${line.length}, column ${line.at(-1)!.length + 1})`;
  const left = excerpt(bytes, Math.max(0, at - shown), at);
  if (at >= bytes.length) return `it ends too early, at ${place}, behind ${left}`;
  const right = excerpt(bytes, at, Math.min(bytes.length, at + shown));
  return at === 0
    ? `refused at ${place}, where ${right} stands`
    : `refused at ${place}, where ${right} stands behind ${left}`;
}

/** Whole characters only; line ends and the like as escapes. */
function excerpt(bytes: Buffer, from: number, to: number): string {
  const text = bytes.subarray(from, to).toString().replaceAll('\ufffd', '');
  return JSON.stringify(text);
}
