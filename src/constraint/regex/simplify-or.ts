/**
 * Alternatives that say nothing new, and such as can be said as one. Without this the derivatives of
 * counted repetitions would be sets of as many terms as there are counts. Only the term factory uses it.
 */

import type { Fragment, Language } from './term.ts';

interface Makes {
  seq(first: Fragment, rest: Language): Language;
  repeat(body: Fragment, least: number, most: number): Fragment;
}

interface Counts {
  readonly least: number;
  readonly most: number;
  readonly from: Language;
}

/** One body, one rest, several counts. */
interface Family {
  readonly body: Fragment;
  readonly rest: Language;
  readonly counts: Counts[];
}

/** `x{1,3}r`, `x{3,5}r` and `r` become `x{0,5}r`. */
export function mergeCounts(alternatives: Map<number, Language>, makes: Makes): void {
  if (alternatives.size < 2) return;
  const families = new Map<number, Family>();
  for (const one of alternatives.values()) {
    if (one.kind !== 'seq' || one.first.kind !== 'repeat') continue;
    const { body, least, most } = one.first;
    const key = keyOf(body, one.rest);
    const family = families.get(key) ?? { body, rest: one.rest, counts: [] };
    families.set(key, family);
    family.counts.push({ least, most, from: one });
  }
  if (families.size === 0) return;
  for (const one of alternatives.values()) {
    if (one.kind !== 'seq' || one.first.kind === 'repeat') continue;
    const family = families.get(keyOf(one.first, one.rest));
    family?.counts.push({ least: 1, most: 1, from: one });
  }
  for (const family of families.values()) {
    if (alternatives.has(family.rest.id)) {
      family.counts.push({ least: 0, most: 0, from: family.rest });
    }
    mergeFamily(family, alternatives, makes);
  }
}

function keyOf(body: Fragment, rest: Language): number {
  return body.id * 2 ** 26 + rest.id;
}

/** Counts that overlap or follow one another are one; what was alone stays as it is. */
function mergeFamily(family: Family, alternatives: Map<number, Language>, makes: Makes): void {
  if (family.counts.length < 2) return;
  const sorted = family.counts.sort((a, b) => a.least - b.least);
  for (let i = 0; i < sorted.length;) {
    const { least } = sorted[i]!;
    let { most } = sorted[i]!;
    let end = i + 1;
    while (end < sorted.length && sorted[end]!.least <= most + 1) {
      most = Math.max(most, sorted[end]!.most);
      end += 1;
    }
    if (end > i + 1) {
      for (const { from } of sorted.slice(i, end)) alternatives.delete(from.id);
      const merged = makes.seq(makes.repeat(family.body, least, most), family.rest);
      alternatives.set(merged.id, merged);
    }
    i = end;
  }
}

/** More conjunctions than this are not compared with one another. */
const mostCompared = 64;

/** Of `a` and `a & b` the second says nothing new. */
export function dropImplied(alternatives: Map<number, Language>): void {
  const conjunctions = [...alternatives.values()].filter((one) => one.kind === 'and');
  for (const one of conjunctions) {
    if (one.of.some((condition) => alternatives.has(condition.id))) alternatives.delete(one.id);
  }
  if (conjunctions.length < 2 || conjunctions.length > mostCompared) return;
  for (const one of conjunctions) {
    const conditions = new Set(one.of);
    const isImplied = conjunctions.some(
      (other) =>
        other !== one &&
        alternatives.has(other.id) &&
        other.of.length < one.of.length &&
        other.of.every((condition) => conditions.has(condition)),
    );
    if (isImplied) alternatives.delete(one.id);
  }
}
