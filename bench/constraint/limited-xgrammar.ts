/** XGrammar in a thread of its own: some schemas keep it busy for minutes, and nothing else ends it. */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

import type { TokenPieces } from '../../src/constraint/index.ts';
import type { Case, CaseFigures } from './measure.ts';

/** For one schema with its documents. */
const limitMilliseconds = 20_000;

export class LimitedXGrammar {
  readonly #pieces: TokenPieces;
  readonly #endTokens: readonly number[];
  #worker: Promise<Worker> | null = null;

  constructor(pieces: TokenPieces, endTokens: readonly number[]) {
    this.#pieces = pieces;
    this.#endTokens = endTokens;
  }

  /** null: it took longer than it may, or died of it. */
  async run(one: Case): Promise<CaseFigures | null> {
    this.#worker ??= this.#start();
    const worker = await this.#worker;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    worker.postMessage(one);
    try {
      const signal = AbortSignal.timeout(limitMilliseconds);
      const [figures] = (await once(worker, 'message', { signal })) as [CaseFigures];
      return figures;
    } catch {
      console.log(`XGrammar was ended at ${one.id}`);
      await this.close();
      return null;
    }
  }

  async close(): Promise<void> {
    const worker = await this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  async #start(): Promise<Worker> {
    const workerData = { pieces: this.#pieces, endTokens: this.#endTokens };
    const worker = new Worker(new URL('xgrammar-worker.ts', import.meta.url), { workerData });
    await once(worker, 'message');
    return worker;
  }
}
