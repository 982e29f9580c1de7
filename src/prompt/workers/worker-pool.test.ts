import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { OddJob } from './odd-worker.test-support.ts';
import { createWorkerPool, WorkerLost } from './worker-pool.ts';

const module = new URL('./odd-worker.test-support.ts', import.meta.url);
const { signal } = new AbortController();

const poolOf = (milliseconds: number, keep = true) =>
  createWorkerPool<OddJob, string>({ module, size: 2, milliseconds, megabytes: 16, keep });

const lost = (why: RegExp) => (error: unknown) =>
  error instanceof WorkerLost && why.test(error.why);

describe('createWorkerPool', () => {
  const pool = poolOf(60_000);
  after(() => pool.close());

  it('answers more jobs than it has threads, and shows them nothing of ours', async () => {
    const jobs = Array.from({ length: 9 }, (_, at) => (at === 4 ? 'environment' : 'echo'));
    const answers = await Promise.all(jobs.map((job) => pool.run(job as OddJob, signal)));
    assert.deepEqual(
      answers,
      jobs.map((job) => (job === 'echo' ? 'echo' : '')),
    );
  });

  for (const job of ['throw', 'exit', 'hoard'] as const) {
    it(`outlives a job that does "${job}"`, async () => {
      await assert.rejects(pool.run(job, signal), lost(/more memory/));
      assert.equal(await pool.run('echo', signal), 'echo');
    });
  }

  it('ends a job that takes too long, whoever stands behind it', async () => {
    const hasty = poolOf(20, false);
    const jobs = ['hang', 'hang', 'hang'] as const;
    const ended = await Promise.allSettled(jobs.map((job) => hasty.run(job, signal)));
    for (const one of ended) {
      assert.ok(one.status === 'rejected' && lost(/longer than 20 ms/)(one.reason));
    }
    await hasty.close();
  });

  it('ends a job that nobody waits for', async () => {
    const leaving = new AbortController();
    const hung = pool.run('hang', leaving.signal);
    leaving.abort(new Error('left'));
    await assert.rejects(hung, /^Error: left$/);
    await assert.rejects(pool.run('echo', leaving.signal), /^Error: left$/);
    assert.equal(await pool.run('echo', signal), 'echo');
  });
});
