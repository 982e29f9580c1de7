/** Follows the documents of each schema token by token and takes the time of every mask. */

import type { Contender, Text } from './contender.ts';

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
  /** Schemas that took longer than they may. */
  readonly overTime: number;
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

/** What one schema cost. */
export interface CaseFigures {
  /** Milliseconds; null: refused. */
  readonly compile: number | null;
  /** Microseconds. */
  readonly masks: readonly number[];
  /** Documents that were let through. */
  readonly accepted: number;
}

const runs = 3;

/**
 * Several runs from empty caches; the fastest counts for each token. What else the machine does makes
 * some slower, none faster.
 */
export async function measureCase(contender: Contender, one: Case): Promise<CaseFigures> {
  let best = await measureOnce(contender, one);
  for (let run = 1; run < runs && best.compile !== null; run += 1) {
    const next = await measureOnce(contender, one);
    best = {
      compile: Math.min(best.compile, next.compile ?? best.compile),
      masks: best.masks.map((time, at) => Math.min(time, next.masks[at] ?? time)),
      accepted: best.accepted,
    };
  }
  return best;
}

async function measureOnce(contender: Contender, one: Case): Promise<CaseFigures> {
  const begun = performance.now();
  const constraint = await contender.compile(one.schema).catch(() => null);
  if (constraint === null) return { compile: null, masks: [], accepted: 0 };
  const compile = performance.now() - begun;
  const masks: number[] = [];
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
  constraint.close();
  return { compile, masks, accepted };
}

/** `run`: what one schema cost; null where it took longer than it may. */
export async function measureAll(
  name: string,
  cases: readonly Case[],
  run: (one: Case) => Promise<CaseFigures | null>,
): Promise<Figures> {
  const all: (CaseFigures | null)[] = [];
  for (const one of cases) all.push(await run(one));
  const done = all.filter((one) => one !== null);
  const masks = done.flatMap((one) => one.masks);
  return {
    name,
    schemas: cases.length,
    refused: done.filter(({ compile }) => compile === null).length,
    overTime: all.length - done.length,
    documents: cases.reduce((sum, { documents }) => sum + documents.length, 0),
    accepted: done.reduce((sum, one) => sum + one.accepted, 0),
    compile: spreadOf(done.map(({ compile }) => compile).filter((one) => one !== null)),
    tokens: masks.length,
    mask: spreadOf(masks),
  };
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
