/**
 * Between the requests and the table of inferences: takes each as it ends, writes them in batches soon
 * after, and removes the old ones. No request waits for it or fails by it: what cannot be written is kept,
 * up to a bound, and tried again. The server has one; whoever made it stops it before the store closes.
 */

import type { Inference, Log } from '../telemetry/index.ts';
import type { InferenceRecords } from './inference-records.ts';

export interface InferenceLogOptions {
  readonly records: Pick<InferenceRecords, 'insert' | 'removeBefore'>;
  /** How long they are kept; 0: nothing is written. */
  readonly days: number;
  readonly log: Log;
  /** Milliseconds since 1970; for tests. */
  readonly now?: () => number;
}

export interface InferenceLogCounts {
  readonly waiting: number;
  readonly written: number;
  /** Given up, since nothing could be written for too long. */
  readonly dropped: number;
  /** Writes that failed; what they held was tried again. */
  readonly failures: number;
}

/** An inference waits at most so long, and less where so many have come. */
const writeEveryMs = 1000;
const fullBatch = 256;
/** One write takes the thread for about half a millisecond; others get it in between. */
const rowsPerWrite = 64;
const mostWaiting = 10_000;
const cleanEveryMs = 60 * 60_000;
const rowsPerRemoval = 500;
const dayMs = 24 * 60 * 60_000;

export class InferenceLog {
  readonly #options: InferenceLogOptions;
  readonly #cleaner: NodeJS.Timeout;
  #waiting: Inference[] = [];
  #timer: NodeJS.Timeout | null = null;
  #working: Promise<boolean> | null = null;
  #cleaning: Promise<void> | null = null;
  #written = 0;
  #dropped = 0;
  #failures = 0;
  #failing = false;
  #stopped = false;

  constructor(options: InferenceLogOptions) {
    this.#options = options;
    this.#cleaner = setInterval(() => void this.clean(), cleanEveryMs).unref();
    void this.clean();
  }

  get counts(): InferenceLogCounts {
    return {
      waiting: this.#waiting.length,
      written: this.#written,
      dropped: this.#dropped,
      failures: this.#failures,
    };
  }

  /** Never throws and never waits. */
  add(inference: Inference): void {
    if (this.#options.days === 0 || this.#stopped) return;
    this.#waiting.push(inference);
    if (this.#waiting.length > mostWaiting) this.#dropOldest();
    // While writes fail, only the timer tries again.
    if (this.#waiting.length >= fullBatch && !this.#failing) void this.flush();
    else this.#writeSoon();
  }

  /** Writes all that waits. @returns false when some could not be written and waits on */
  flush(): Promise<boolean> {
    this.#working ??= this.#writeAll().finally(() => {
      this.#working = null;
      if (this.#waiting.length > 0) this.#writeSoon();
    });
    return this.#working;
  }

  /** Removes what is older than it is kept. */
  clean(): Promise<void> {
    this.#cleaning ??= this.#removeOld().finally(() => {
      this.#cleaning = null;
    });
    return this.#cleaning;
  }

  async #removeOld(): Promise<void> {
    const { records, days, now = Date.now } = this.#options;
    const before = now() - days * dayMs;
    try {
      while (!this.#stopped && (await records.removeBefore(before, rowsPerRemoval)) > 0) {
        await othersFirst();
      }
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Writes what waits, or gives it up; takes no more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#cleaner);
    await this.#cleaning;
    for (let tries = 0; tries < 20 && this.#waiting.length > 0; tries += 1) {
      // Another process that is writing is done in some milliseconds.
      if (!(await this.flush())) await new Promise((resolve) => setTimeout(resolve, 25));
    }
    if (this.#timer !== null) clearTimeout(this.#timer);
    const lost = this.#waiting.length;
    if (lost === 0) return;
    this.#dropped += lost;
    this.#waiting = [];
    this.#options.log.warn({ lost }, 'records of inferences are lost');
  }

  #writeSoon(): void {
    if (this.#timer !== null || this.#working !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.flush();
    }, writeEveryMs).unref();
  }

  async #writeAll(): Promise<boolean> {
    try {
      while (this.#waiting.length > 0) {
        await othersFirst();
        const rows = this.#waiting.slice(0, rowsPerWrite);
        const droppedBefore = this.#dropped;
        await this.#options.records.insert(rows);
        // Those that were dropped meanwhile have left the queue, though they are written.
        const gone = this.#dropped - droppedBefore;
        this.#waiting.splice(0, Math.max(0, rows.length - gone));
        this.#written += rows.length;
      }
      this.#recovered();
      return true;
    } catch (error) {
      this.#failed(error);
      return false;
    }
  }

  #dropOldest(): void {
    const many = this.#waiting.length - mostWaiting;
    this.#waiting.splice(0, many);
    this.#dropped += many;
  }

  /** Said once, until a write has succeeded again. */
  #failed(error: unknown): void {
    this.#failures += 1;
    if (this.#failing) return;
    this.#failing = true;
    this.#options.log.warn(
      { error },
      'inferences cannot be recorded; they are kept and tried again',
    );
  }

  #recovered(): void {
    if (!this.#failing) return;
    this.#failing = false;
    const dropped = this.#dropped;
    this.#options.log.info({ dropped }, 'inferences are recorded again');
  }
}

const othersFirst = async (): Promise<void> =>
  await new Promise((resolve) => setImmediate(resolve));
