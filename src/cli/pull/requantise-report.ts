/** What `parlance pull` says of the try with Q8_0 weights, for people and for programs. Pure. */

import { basename } from 'node:path';

import {
  formatBytes,
  leastDecodeGain,
  wantedPrefillGain,
  type RequantiseResult,
  type RequantiseStep,
} from '../../models/index.ts';

export function describeStep(step: RequantiseStep): string {
  if (step.step === 'measuring') return `Measuring ${step.from} and Q8_0 ...`;
  const { from, fromBytes, toBytes } = step;
  return (
    `Trying whether Q8_0 weights read prompts faster here: rewriting ${from} ` +
    `(${formatBytes(fromBytes)}) as Q8_0 (about ${formatBytes(toBytes)}) ...`
  );
}

/** One line, or two where the file is kept. */
export function describeResult(result: RequantiseResult): string {
  if (result.outcome === 'skipped') return `No Q8_0 form was tried: ${result.why}.`;
  const { verdict, seconds, path } = result;
  const { from, speeds, targetBytes } = verdict;
  const figures = (kind: 'prefill' | 'decode'): string =>
    `${Math.round(speeds.from[kind])} to ${Math.round(speeds.to[kind])} tokens/s ` +
    `(${gain(result, kind).toFixed(2)}x)`;
  const when = seconds === null ? 'measured before' : `${seconds.toFixed(1)} s`;
  const measured = `${from} to Q8_0: prompts ${figures('prefill')}, text ${figures('decode')}; ${when}`;
  if (path === null) {
    const wanted = `${wantedPrefillGain}x for prompts and ${leastDecodeGain}x for text`;
    return `${measured}\nQ8_0 is not kept: it takes ${wanted}. ${from} is served.`;
  }
  return `${measured}\nQ8_0 is served from now on: ${basename(path)} (${formatBytes(targetBytes)})`;
}

function gain(
  { verdict }: Exclude<RequantiseResult, { outcome: 'skipped' }>,
  kind: 'prefill' | 'decode',
): number {
  return verdict.speeds.to[kind] / verdict.speeds.from[kind];
}

/** The field `requantise` of `--json`; null where it was not wanted. */
export function toReport(result: RequantiseResult | null): object | null {
  if (result === null || result.outcome === 'skipped') return result;
  const { outcome, path, seconds, verdict } = result;
  const { from, to, speeds, targetBytes } = verdict;
  return { outcome, from, to, path, bytes: targetBytes, seconds, speeds };
}
