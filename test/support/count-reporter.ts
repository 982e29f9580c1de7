/**
 * A reporter of node:test that writes the numbers of a run as one line of JSON, at its end. A run
 * that breaks off leaves none, and so counts as failed.
 */

import { Transform } from 'node:stream';
import type { TestEvent } from 'node:test/reporters';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const counts = { passed: 0, failed: 0, skipped: 0 };

function count({ type, data }: TestEvent): void {
  if (type !== 'test:pass' && type !== 'test:fail') return;
  // A suite, or the file that stands for its tests, is no test of its own.
  if (data.details.type === 'suite') return;
  if (data.skip !== undefined || data.todo !== undefined) counts.skipped += 1;
  else if (type === 'test:pass') counts.passed += 1;
  else counts.failed += 1;
}

export default new Transform({
  writableObjectMode: true,
  transform(event: TestEvent, _encoding, done) {
    count(event);
    done();
  },
  flush(done) {
    done(null, `${JSON.stringify(counts satisfies Counts)}\n`);
  },
});
