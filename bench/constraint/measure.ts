/** Follows the documents of each schema token by token and takes the time of every mask. */

import type { Constraint, Contender, Text } from './contender.ts';

export interface Case {
  readonly id: string;
  readonly schema: string;
  /** Valid documents as tokens. */
  readonly documents: readonly (readonly number[])[];
}

export interface Figures {
  readonly name: string;
  readonly schemas: number;
  /** Schemas that were not compiled. */
  readonly refused: number;
  /** Valid documents, and how many of them the masks let through to their end. */
  readonly documents: number;
  readonly accepted: number;
  /** Milliseconds a schema. */
  readonly compile: Spread;
  readonly tokens: number;
  /** Microseconds a token: taking the last one, and the mask for the next; first time that it is asked. */
  readonly mask: Spread;
}

export interface Spread {
  readonly median: number;
  readonly p90: number;
  readonly p99: number;
  readonly most: number;
}

export async function measure(contender: Contender, cases: readonly Case[]): Promise<Figures> {
  const compiles: number[] = [];
  const masks: number[] = [];
  let refused = 0;
  let documents = 0;
  let accepted = 0;
  for (const one of cases) {
    documents += one.documents.length;
    const begun = performance.now();
    const constraint = await contender.compile(one.schema).catch(() => null);
    if (constraint === null) {
      refused += 1;
      continue;
    }
    compiles.push(performance.now() - begun);
    accepted += await followAll(constraint, one, masks);
    constraint.close();
  }
  return {
    name: contender.name,
    schemas: cases.length,
    refused,
    documents,
    accepted,
    compile: spreadOf(compiles),
    tokens: masks.length,
    mask: spreadOf(masks),
  };
}

/** Documents that were let through. */
async function followAll(constraint: Constraint, one: Case, masks: number[]): Promise<number> {
  let accepted = 0;
  for (const tokens of one.documents) {
    const text = await constraint.open();
    try {
      if (await follow(text, tokens, masks)) accepted += 1;
    } catch {
      // A machine over its limits; the document counts as not let through.
    }
    text.close();
  }
  return accepted;
}

async function follow(text: Text, tokens: readonly number[], masks: number[]): Promise<boolean> {
  let begun = performance.now();
  for (const token of tokens) {
    const mask = await text.mask();
    masks.push((performance.now() - begun) * 1000);
    if ((((mask[token >> 5] ?? 0) >>> (token & 31)) & 1) === 0) return false;
    begun = performance.now();
    if (!text.take(token)) return false;
  }
  await text.mask();
  masks.push((performance.now() - begun) * 1000);
  return true;
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { median: at(0.5), p90: at(0.9), p99: at(0.99), most: at(1) };
}
