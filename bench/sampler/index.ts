/**
 * `npm run bench -- sampler`: what a token costs behind the logits, for two sizes of vocabulary and
 * rows of several shapes; and what `bad` phrases cost. Writes `bench/results/sampler.*`.
 */

import { neutralSampling } from '../../src/engine/index.ts';
import { compileBadPhrases, createSampler } from '../../src/engine/sampler/index.ts';
import type { Vocabulary } from '../../src/engine/llama/decoder.ts';
import { describeMachine } from '../machine.ts';
import { writeReport, type PhraseRow, type TokenRow } from './report.ts';
import {
  cases,
  makeRows,
  makeVocabulary,
  phraseSets,
  rowShapes,
  vocabularySizes,
  type Case,
} from './workload.ts';

const warmUps = 40;
const measured = 200;
const promptLength = 1000;

export async function runSamplerBench(): Promise<void> {
  const tokenRows: TokenRow[] = [];
  const phraseRows: PhraseRow[] = [];
  for (const [at, size] of vocabularySizes.entries()) {
    const vocabulary = makeVocabulary(size);
    for (const [shape, logit] of Object.entries(rowShapes)) {
      const rows = makeRows(size, logit);
      for (const one of cases) {
        const milliseconds = measureTokens(one, vocabulary, rows);
        const goal = one.goals[at] ?? null;
        tokenRows.push({ size, shape, name: one.name, milliseconds, goal });
        console.log(`${size}, ${shape}, ${one.name}: ${milliseconds.toFixed(3)} ms`);
      }
    }
    for (const [name, bad] of Object.entries(phraseSets)) {
      const row = measurePhrases(name, bad, vocabulary);
      phraseRows.push(row);
      console.log(`${size}, ${name}: ${row.prepare.toFixed(1)} ms, ${row.step.toFixed(4)} ms`);
    }
  }
  const paths = writeReport({
    command: 'npm run bench -- sampler',
    machine: describeMachine(),
    measured,
    promptLength,
    tokens: tokenRows,
    phrases: phraseRows,
  });
  console.log(`written: ${paths.join(', ')}`);
}

/** The median over the tokens: what else the machine does makes some slower, none faster. */
function measureTokens(
  { changes }: Case,
  vocabulary: Vocabulary,
  rows: readonly Float32Array[],
): number {
  const promptTokens = Array.from({ length: promptLength }, (_, i) => (i * 7) % vocabulary.size);
  const sampler = createSampler(
    { ...neutralSampling, seed: '1', ...changes },
    { vocabulary, promptTokens, choice: 0, needLogprob: false },
  );
  const times: number[] = [];
  for (let i = 0; i < warmUps + measured; i++) {
    const row = rows[i % rows.length] ?? new Float32Array(0);
    const begin = performance.now();
    sampler.sample(row);
    times.push(performance.now() - begin);
  }
  return median(times.slice(warmUps));
}

function measurePhrases(name: string, bad: readonly string[], vocabulary: Vocabulary): PhraseRow {
  // The first preparation of a vocabulary pays for its index.
  const fresh = { ...vocabulary };
  const index = timed(() => compileBadPhrases({ ...neutralSampling, bad: ['qzqz'] }, fresh));
  const prepares = Array.from({ length: 5 }, () =>
    timed(() => compileBadPhrases({ ...neutralSampling, bad }, fresh)),
  );
  const phrases = compileBadPhrases({ ...neutralSampling, bad }, fresh);
  const row = new Float32Array(fresh.size);
  const text = Buffer.from(bad.join(' ').repeat(20));
  let state = phrases.start();
  const steps: number[] = [];
  // The phrases themselves, byte by byte: there is always one that has begun.
  for (let i = 0; i < 1000; i++) {
    const token = text[i % text.length] ?? 0;
    steps.push(
      timed(() => {
        for (const ids of phrases.banned(state)) for (const id of ids) row[id] = -Infinity;
        state = phrases.next(state, token);
      }),
    );
  }
  return {
    size: fresh.size,
    name,
    index,
    prepare: median(prepares),
    step: median(steps),
    slowestStep: percentile(steps, 0.99),
  };
}

function timed(act: () => void): number {
  const begin = performance.now();
  act();
  return performance.now() - begin;
}

const median = (values: readonly number[]): number => percentile(values, 0.5);

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}
