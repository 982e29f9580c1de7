/**
 * The test runner: `npm run check` is `node test/run.ts --check`, `npm run corpus` with `--corpus` runs
 * every case of the corpora that `npm test` takes a sample of, `npm test` is all the rest. Prints
 * a line for each step and group, and as its very last line how many passed and failed. Ends with 1
 * when anything failed, or when no test ran.
 */

import { join } from 'node:path';
import type { Counts } from './support/count-reporter.ts';
import { prepareModel } from './support/prepare-model.ts';
import { preparePython } from './support/prepare-python.ts';
import { runGroup, type Group, type GroupResult } from './support/run-group.ts';
import { runStep, staticSteps, type Step, type StepResult } from './support/static-steps.ts';

const root = join(import.meta.dirname, '..');

const unit: Group = {
  name: 'unit',
  files: [
    'src/**/*.test.ts',
    'test/*.test.ts',
    'test/support/*.test.ts',
    'scripts/*.test.ts',
    'bench/**/*.test.ts',
  ],
  without: ['**/*.model.test.ts', '**/*.corpus.test.ts'],
  timeoutMs: 300_000,
  // Much of it waits for processes and sockets.
  processes: 3,
};

/** Against corpora of real schemas, templates and answers, where they are at hand. */
const corpora: Group = {
  name: 'corpora',
  files: ['src/**/*.corpus.test.ts'],
  timeoutMs: 600_000,
  processes: 2,
};

/** Through a server, with the real model. */
const servedCorpora: Group = {
  name: 'served',
  files: ['test/corpus/**/*.test.ts'],
  timeoutMs: 3_600_000,
};

const conformance: Group = {
  name: 'conformance',
  files: ['test/conformance/**/*.test.ts'],
  timeoutMs: 900_000,
};

const endToEnd: Group = {
  name: 'end to end',
  files: ['test/e2e/**/*.test.ts', 'src/**/*.model.test.ts'],
  timeoutMs: 1_200_000,
};

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const column = (name: string): string => name.padEnd(12);
const time = (seconds: number): string => `${seconds.toFixed(1)} s`.padStart(8);

function sayStep({ name, passed, seconds, output }: StepResult): void {
  say(`${column(name)}${time(seconds)}  ${passed ? 'passed' : 'FAILED'}`);
  if (!passed) say(output.trimEnd());
}

const words = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;

function sayGroup(result: GroupResult): void {
  if (result.output !== '') say(result.output.trimEnd());
  say(`${column(result.name)}${time(result.seconds)}  ${words(result)}`);
}

async function runAndSay(step: Step): Promise<Counts> {
  const result = await runStep(step, root);
  sayStep(result);
  return { passed: result.passed ? 1 : 0, failed: result.passed ? 0 : 1, skipped: 0 };
}

async function runGroupAndSay(group: Group, live: boolean): Promise<Counts> {
  const result = await runGroup(group, root, live);
  sayGroup(result);
  return result;
}

/** What the groups with the real model cannot run without is there, or they have failed with the reason. */
async function runWithModel(groups: readonly Group[]): Promise<Counts[]> {
  let model: string;
  try {
    model = await prepareModel(root);
  } catch (error) {
    say(`    failed: the model for the tests: ${error instanceof Error ? error.message : ''}`);
    return groups.map(({ name }) => {
      say(`${column(name)}${time(0)}  FAILED`);
      return { passed: 0, failed: 1, skipped: 0 };
    });
  }
  const python = await preparePython(root);
  if ('missing' in python) {
    say(`    NO PYTHON: the Python examples are skipped. ${python.missing}`);
  }
  const env = {
    PARLANCE_TEST_MODEL: model,
    ...('path' in python ? { PARLANCE_TEST_PYTHON: python.path } : {}),
  };
  const counts: Counts[] = [];
  for (const group of groups) {
    counts.push(await runGroupAndSay({ ...group, env: { ...group.env, ...env } }, true));
  }
  return counts;
}

const add = (all: readonly Counts[]): Counts => ({
  passed: all.reduce((sum, one) => sum + one.passed, 0),
  failed: all.reduce((sum, one) => sum + one.failed, 0),
  skipped: all.reduce((sum, one) => sum + one.skipped, 0),
});

async function runCorpora(): Promise<number> {
  const env = { PARLANCE_CORPUS: 'whole' };
  const groups = [await runGroupAndSay({ ...corpora, env }, true)];
  groups.push(...(await runWithModel([{ ...servedCorpora, env }])));
  const total = add(groups);
  say(words(total));
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
}

async function main(checkOnly: boolean): Promise<number> {
  const steps = await Promise.all(staticSteps.map(runAndSay));
  const groups = [await runGroupAndSay(unit, false)];
  if (!checkOnly) {
    groups.push(await runGroupAndSay(corpora, true));
    groups.push(...(await runWithModel([conformance, endToEnd])));
  }
  const total = add([...steps, ...groups]);
  const ran = add(groups).passed + add(groups).failed;
  if (ran === 0) say('No test ran.');
  say(words(total));
  return total.failed === 0 && ran > 0 ? 0 : 1;
}

process.exitCode = process.argv.includes('--corpus')
  ? await runCorpora()
  : await main(process.argv.includes('--check'));
