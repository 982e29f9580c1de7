/** A reporter of node:test that shows what failed and what was skipped, and nothing else. */

import { Transform } from 'node:stream';
import { inspect } from 'node:util';
import type { TestEvent } from 'node:test/reporters';

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof Error) return cause.stack ?? cause.message;
  return typeof cause === 'string' ? cause : inspect(cause, { depth: 4 });
}

const indented = (text: string): string => text.replaceAll(/^/gm, '      ');

let stuck = false;

/** One test that waits for nothing ends the process, and every test after it is cancelled too. */
function neverEnded(name: string): string {
  if (stuck) return '';
  stuck = true;
  return `    never ended: ${name} (it waits, and nothing keeps the process alive; no test after it ran)\n`;
}

function lineOf({ type, data }: TestEvent): string {
  if (type === 'test:fail' && data.todo === undefined) {
    const { error } = data.details;
    // The parent of a failed test fails too; its own line says no more.
    if ('failureType' in error && error.failureType === 'subtestsFailed') return '';
    if ('failureType' in error && error.failureType === 'cancelledByParent') {
      return neverEnded(data.name);
    }
    const place = data.file === undefined ? '' : ` (${data.file}:${data.line ?? 0})`;
    return `    failed: ${data.name}${place}\n${indented(causeOf(error))}\n`;
  }
  if (type === 'test:pass' && data.skip !== undefined) {
    const why = typeof data.skip === 'string' ? `: ${data.skip}` : '';
    return `    skipped: ${data.name}${why}\n`;
  }
  return '';
}

/** A stream, not a generator: what a process reports while it exits would never come out of one. */
export default new Transform({
  writableObjectMode: true,
  transform(event: TestEvent, _encoding, done) {
    done(null, lineOf(event));
  },
});
