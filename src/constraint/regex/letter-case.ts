/**
 * Which characters are the same where case does not count, as ECMA-262 says for the flags `iu`. The
 * parser closes sets under it. The table is made from the JavaScript engine's own knowledge, once.
 */

import { rangesOf } from './code-points.ts';
import type { Ranges } from './code-points.ts';

let table: ReadonlyMap<number, readonly number[]> | null = null;

/** The set and every character that differs from one of its characters in case only. */
export function closeOverCase(set: Ranges): Ranges {
  table ??= readTable();
  const added: number[] = [];
  for (const [codePoint, others] of table) {
    if (!contains(set, codePoint)) continue;
    for (const other of others) added.push(other, other);
  }
  return added.length === 0 ? set : rangesOf([...set, ...added]);
}

function contains(set: Ranges, codePoint: number): boolean {
  let low = 0;
  let high = set.length / 2 - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (codePoint < set[2 * middle]!) high = middle - 1;
    else if (codePoint > set[2 * middle + 1]!) low = middle + 1;
    else return true;
  }
  return false;
}

/** Candidates share a spelling in full case mapping; the engine's `iu` decides which are the same. */
function readTable(): ReadonlyMap<number, readonly number[]> {
  const candidates = new Map<string, number[]>();
  const cased = /\p{Cased}|\p{Changes_When_Casefolded}|\p{Changes_When_Casemapped}/u;
  for (let codePoint = 0; codePoint <= 0x1ffff; codePoint += 1) {
    if (codePoint === 0xd800) codePoint = 0xe000;
    const text = String.fromCodePoint(codePoint);
    if (!cased.test(text)) continue;
    for (const key of new Set([text.toLowerCase(), text.toUpperCase().toLowerCase()])) {
      const group = candidates.get(key);
      if (group === undefined) candidates.set(key, [codePoint]);
      else group.push(codePoint);
    }
  }
  const same = new Map<number, number[]>();
  for (const group of candidates.values()) {
    if (group.length < 2) continue;
    for (const one of group) {
      const regex = new RegExp(`^\\u{${one.toString(16)}}$`, 'iu');
      const others = group.filter(
        (other) => other !== one && regex.test(String.fromCodePoint(other)),
      );
      if (others.length > 0) same.set(one, [...(same.get(one) ?? []), ...others]);
    }
  }
  return same;
}
