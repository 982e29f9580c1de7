/** From the text of a flag or a variable to a value; a text that makes no sense stays a text. Pure. */

import type { OptionRow } from './options.ts';

const units: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
};

/** `32MiB`, `1.5 GB` or `1048576` as a whole number of bytes; else the text itself. */
export function readBytes(text: string): number | string {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  const factor = units[(unit ?? '').toLowerCase()];
  return amount === undefined || factor === undefined ? text : Math.round(Number(amount) * factor);
}

/** @param given a flag that may be repeated comes as several texts */
export function readText(row: OptionRow, given: string | readonly string[]): unknown {
  const texts = typeof given === 'string' ? [given] : given;
  const text = (texts.at(-1) ?? '').trim();
  if (row.default === null && text === row.unset) return null;
  switch (row.reading) {
    case 'list':
      return texts.flatMap((one) => one.split(',')).flatMap((one) => one.trim() || []);
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    case 'bytes':
      return readBytes(text);
    case 'boolean':
      return text === 'true' || (text === 'false' ? false : text);
    case 'text':
      return text;
  }
}
