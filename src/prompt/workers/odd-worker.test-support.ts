/** A worker for the tests of the pool: answers, or does what a bad job would do. */

import { answerJobs } from './answer-jobs.ts';

export type OddJob = 'echo' | 'environment' | 'throw' | 'exit' | 'hang' | 'hoard';

answerJobs(async (job: OddJob): Promise<string> => {
  switch (job) {
    case 'echo':
      return job;
    case 'environment':
      return Object.keys(process.env).join();
    case 'throw':
      throw new TypeError('thrown');
    case 'exit':
      return process.exit();
    case 'hang':
      for (;;);
    case 'hoard': {
      const kept: number[][] = [];
      for (;;) kept.push(Array.from({ length: 10_000 }, (_, at) => at + 0.5));
    }
  }
});
