/**
 * `npm run bench -- templates`: what chat templates cost, beside `@huggingface/jinja`, on the renders
 * that both get right; and how soon hostile templates end. Writes `bench/results/templates.*`.
 */

import { Template } from '@huggingface/jinja';

import { hostileTemplates } from '../../src/prompt/jinja/hostile.test-support.ts';
import { compileTemplate } from '../../src/prompt/index.ts';
import { describeMachine } from '../machine.ts';
import { writeReport, type HostileRow, type TimeRow } from './report.ts';
import { readWorkload, type Case } from './workload.ts';

const rounds = 15;

type Work = (one: Case) => unknown;

/** The engines, in a form that both have. */
const engines: Readonly<Record<string, { compile: Work; render(one: Case): () => string }>> = {
  ours: {
    compile: (one) => compileTemplate(one.source),
    render: (one) => {
      const template = compileTemplate(one.source);
      return () => template.render(one.context, { now: one.now });
    },
  },
  theirs: {
    compile: (one) => new Template(one.source),
    render: (one) => {
      const template = new Template(one.source);
      return () => template.render({ ...one.context });
    },
  },
};

export async function runTemplatesBench(): Promise<void> {
  const all = readWorkload();
  if (all === null) {
    console.error('../shared/templates is not here: nothing to measure.');
    process.exitCode = 1;
    return;
  }
  const both = all.filter((one) => Object.values(engines).every((engine) => isRight(engine, one)));
  const right = Object.fromEntries(
    Object.entries(engines).map(([name, engine]) => [
      name,
      all.filter((one) => isRight(engine, one)).length,
    ]),
  );
  const times: TimeRow[] = [];
  for (const [what, prepare] of Object.entries(kinds)) {
    // The engines take turns, so that what else the machine does hits both.
    const runs = Object.entries(engines).map(([engine, parts]) => ({
      engine,
      works: both.map((one) => prepare(parts, one)),
      milliseconds: Array.from({ length: both.length }, () => Number.POSITIVE_INFINITY),
    }));
    for (let round = 0; round < rounds; round++) {
      for (const { works, milliseconds } of runs) {
        for (const [at, work] of works.entries()) {
          milliseconds[at] = Math.min(milliseconds[at] ?? 0, timed(work));
        }
      }
    }
    for (const { engine, milliseconds } of runs) {
      const row = { what, engine, ...summary(milliseconds) };
      times.push(row);
      console.log(`${what}, ${engine}: ${row.total.toFixed(1)} ms for all`);
    }
  }
  const paths = writeReport({
    command: 'npm run bench -- templates',
    machine: describeMachine(),
    rounds,
    renders: all.length,
    compared: both.length,
    right,
    times,
    hostile: measureHostile(),
  });
  console.log(`written: ${paths.join(', ')}`);
}

type Engine = (typeof engines)[string];

const kinds: Readonly<Record<string, (engine: Engine, one: Case) => () => unknown>> = {
  compile: (engine, one) => () => engine.compile(one),
  render: (engine, one) => engine.render(one),
  'compile and render': (engine, one) => () => engine.render(one)(),
};

function isRight(engine: Engine, one: Case): boolean {
  try {
    return engine.render(one)() === one.text;
  } catch {
    return false;
  }
}

function timed(work: () => unknown): number {
  const begin = performance.now();
  work();
  return performance.now() - begin;
}

function summary(milliseconds: readonly number[]) {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  return {
    total: sorted.reduce((sum, one) => sum + one, 0),
    median: sorted[sorted.length >> 1] ?? 0,
    slowest: sorted.at(-1) ?? 0,
  };
}

/** Processor time, the least of three: other work on the machine is not the template's. */
function measureHostile(): HostileRow[] {
  const context = { s: 'x'.repeat(1_000_000) };
  return Object.entries(hostileTemplates)
    .map(([name, source]) => {
      let reason = 'it ended well';
      const times = [1, 2, 3].map(() => {
        const before = process.threadCpuUsage();
        try {
          compileTemplate(source).render(context);
        } catch (error) {
          reason = error instanceof Error ? error.message : 'unknown';
        }
        const { user, system } = process.threadCpuUsage(before);
        return (user + system) / 1000;
      });
      return { name, milliseconds: Math.min(...times), reason };
    })
    .toSorted((a, b) => b.milliseconds - a.milliseconds);
}
