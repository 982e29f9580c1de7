/** What an examination ends with, and the report that the findings make: pure. */

import type { Colours } from '../io.ts';

export interface Finding {
  /** What was looked at, in a word or two. */
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** What the user can do; null when there is nothing to do. */
  readonly fix: string | null;
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, fix: null };
}

export function warn(check: string, message: string, fix: string | null): Finding {
  return { check, status: 'warn', message, fix };
}

export function fail(check: string, message: string, fix: string | null): Finding {
  return { check, status: 'fail', message, fix };
}

/** One line a finding, the way out below it, and a summary. */
export function renderFindings(findings: readonly Finding[], colours: Colours): string {
  const marks = {
    ok: colours.green('ok  '),
    warn: colours.yellow('warn'),
    fail: colours.red('fail'),
  };
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.map(({ check, status, message, fix }) => {
    const indent = ' '.repeat(width + 8);
    const body = message.replaceAll('\n', `\n${indent}`);
    const way = fix === null ? '' : `\n${indent}${colours.bold('fix:')} ${fix}`;
    return `${marks[status]}  ${check.padEnd(width)}  ${body}${way}\n`;
  });
  return `${lines.join('')}\n${summary(findings)}\n`;
}

function summary(findings: readonly Finding[]): string {
  const count = (status: Finding['status']): number =>
    findings.filter((finding) => finding.status === status).length;
  const [failed, warned] = [count('fail'), count('warn')];
  if (failed > 0)
    return `${failed} ${failed === 1 ? 'thing keeps' : 'things keep'} Parlance from working.`;
  if (warned > 0)
    return `Parlance should work; ${warned} ${warned === 1 ? 'thing is' : 'things are'} worth a look.`;
  return 'Everything is in order.';
}
