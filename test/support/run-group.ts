/**
 * One group of tests in one process of its own. A group that crashes, hangs or finds a test file
 * that does not load counts as failed, whatever its tests said before.
 */

import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Counts } from './count-reporter.ts';
import { runCommand } from './run-command.ts';

export interface Group {
  readonly name: string;
  /** Globs from the repository's root. */
  readonly files: readonly string[];
  readonly without?: readonly string[];
  readonly timeoutMs: number;
  /** Into so many processes the files are dealt, which run side by side. Default 1. */
  readonly processes?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface GroupResult extends Counts {
  readonly name: string;
  readonly seconds: number;
  readonly output: string;
}

const reporter = (name: string): string => join(import.meta.dirname, `${name}.ts`);

/** The files of a group, in a fixed order. */
export function filesOf(group: Group, root: string): string[] {
  const exclude = [...(group.without ?? [])];
  return globSync([...group.files], { cwd: root, exclude }).toSorted();
}

/** `live`: what fails is shown at once, else it is in the result's `output`. */
export async function runGroup(group: Group, root: string, live: boolean): Promise<GroupResult> {
  const files = filesOf(group, root);
  const hands = Array.from({ length: group.processes ?? 1 }, (_, hand) =>
    files.filter((_file, index) => index % (group.processes ?? 1) === hand),
  );
  const parts = await Promise.all(
    hands.filter((hand) => hand.length > 0).map((hand) => runFiles(hand, group, { root, live })),
  );
  return {
    name: group.name,
    passed: parts.reduce((sum, part) => sum + part.passed, 0),
    failed: parts.reduce((sum, part) => sum + part.failed, 0),
    skipped: parts.reduce((sum, part) => sum + part.skipped, 0),
    seconds: Math.max(0, ...parts.map((part) => part.seconds)),
    output: parts.map((part) => part.output).join(''),
  };
}

interface Where {
  readonly root: string;
  readonly live: boolean;
}

async function runFiles(
  files: readonly string[],
  group: Group,
  { root, live }: Where,
): Promise<GroupResult> {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-test-'));
  const countsFile = join(folder, 'counts.json');
  const args = [
    '--test',
    '--test-isolation=none',
    `--test-reporter=${reporter('failure-reporter')}`,
    '--test-reporter-destination=stdout',
    `--test-reporter=${reporter('count-reporter')}`,
    `--test-reporter-destination=${countsFile}`,
    ...files,
  ];
  try {
    // Set where tests run tests; the inner run would then report to the outer one.
    const { NODE_TEST_CONTEXT: _, ...own } = process.env;
    const env = { ...own, ...group.env };
    const options = { cwd: root, env, timeoutMs: group.timeoutMs, live };
    const result = await runCommand(process.execPath, args, options);
    const { counts, note } = judge(result, readCounts(countsFile), group);
    return {
      name: group.name,
      ...counts,
      seconds: result.seconds,
      output: `${result.output}${note}`,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readCounts(path: string): Counts | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Counts;
  } catch {
    return null;
  }
}

interface Ending {
  readonly code: number;
  readonly timedOut: boolean;
}

/** A process that says "all passed" and ends badly has not passed. */
export function judge(
  { code, timedOut }: Ending,
  read: Counts | null,
  { name, timeoutMs }: Pick<Group, 'name' | 'timeoutMs'>,
): { counts: Counts; note: string } {
  const counts = read ?? { passed: 0, failed: 0, skipped: 0 };
  if (timedOut) {
    const note = `    failed: ${name} did not end within ${timeoutMs / 1000} s\n`;
    return { counts: { ...counts, failed: counts.failed + 1 }, note };
  }
  if ((code === 0 && read !== null) || counts.failed > 0) return { counts, note: '' };
  const note = `    failed: the process of ${name} ended with ${code}\n`;
  return { counts: { ...counts, failed: 1 }, note };
}
