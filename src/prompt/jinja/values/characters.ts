/** Texts by character: Python counts characters, JavaScript 16-bit units. */

const wide = /[\ud800-\udbff][\udc00-\udfff]/;

export const hasWideCharacters = (text: string): boolean => wide.test(text);

/** The number of characters. */
export function textLength(text: string): number {
  if (!hasWideCharacters(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The number of characters before a place that is counted in units; -1 stays. */
export function characterIndex(text: string, unit: number): number {
  return unit <= 0 ? unit : textLength(text.slice(0, unit));
}
