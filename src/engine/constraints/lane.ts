/**
 * A worker thread that compiles and steps constraints, seen from the engine's thread: it is started when
 * it is first needed, watched, ended when it is stuck, and started again for whoever comes next. Its
 * texts end with it.
 */

import { Worker } from 'node:worker_threads';

import { ParlanceError, type Reason } from '../../contract/errors.ts';
import type { TokenTrie } from '../../constraint/index.ts';
import type { ConstraintLimits } from './compiled-constraint.ts';
import type { FromLane, KeyedSpec, LaneStart, ToLane } from './lane-messages.ts';
import { LaneProgress } from './lane-progress.ts';
import type { VocabularyPieces } from './read-vocabulary.ts';
import type { ViewMemory } from './view-memory.ts';

export interface LaneOptions {
  /** The module that its worker starts with; it calls `runLane`. */
  readonly module: URL;
  readonly vocabulary: VocabularyPieces;
  /** null in a lane that opens no texts. */
  readonly trie: TokenTrie | null;
  readonly limits: ConstraintLimits;
}

/** Beyond the limits that the lane itself keeps to. */
const graceMilliseconds = 400;
/** A step's limit is of its thread's own time, and a busy machine may give it no more than a part. */
const contention = 4;
const watchMilliseconds = 50;
const heapMegabytes = 768;

interface Call {
  readonly resolve: (milliseconds: number) => void;
  readonly reject: (error: ParlanceError) => void;
}

/** What a lane has of a text; kept until the lane says that it is done with the memory. */
interface LaneText {
  readonly memory: ViewMemory;
  readonly closed: () => void;
}

export class Lane {
  readonly #options: LaneOptions;
  #worker: Worker | null = null;
  #progress = new LaneProgress();
  readonly #calls = new Map<number, Call>();
  readonly #texts = new Map<number, LaneText>();
  #trieCall: { resolve: (trie: TokenTrie) => void; reject: (error: ParlanceError) => void } | null =
    null;
  #lastCall = 0;
  #watch: NodeJS.Timeout | null = null;
  #seenWork = 0;
  #seenAt = 0;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Texts that are open in it. */
  get texts(): number {
    return this.#texts.size;
  }

  /** Compilations that it has not answered. */
  get calls(): number {
    return this.#calls.size;
  }

  /**
   * Milliseconds that it took. Rejects with `invalid_constraint`; with `constraint_not_met` where the
   * lane died of something else.
   */
  compile({ key, spec }: KeyedSpec): Promise<number> {
    this.#lastCall += 1;
    const call = this.#lastCall;
    return new Promise((resolve, reject) => {
      this.#calls.set(call, { resolve, reject });
      this.#post({ type: 'compile', call, key, spec });
    });
  }

  makeTrie(): Promise<TokenTrie> {
    return new Promise((resolve, reject) => {
      this.#trieCall = { resolve, reject };
      this.#post({ type: 'trie' });
    });
  }

  /** `closed` is called once the memory belongs to nobody any more. */
  open(session: number, { key, spec }: KeyedSpec, memory: ViewMemory, closed: () => void): void {
    this.#texts.set(session, { memory, closed });
    this.#post({ type: 'open', session, key, spec, memory: memory.buffer });
  }

  /** About a text that is open; nothing where it has ended with its lane. */
  tell(message: Extract<ToLane, { type: 'ask' | 'tokens' | 'close' }>): void {
    if (this.#texts.has(message.session)) this.#post(message);
  }

  async close(): Promise<void> {
    await this.#end(broken());
  }

  #post(message: ToLane): void {
    const worker = (this.#worker ??= this.#startWorker());
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    worker.postMessage(message);
    this.#settle();
    if (this.#watch !== null) return;
    this.#seenAt = performance.now();
    this.#watch = setInterval(() => this.#look(), watchMilliseconds);
    this.#watch.unref();
  }

  #startWorker(): Worker {
    const { module, vocabulary, trie, limits } = this.#options;
    this.#progress = new LaneProgress();
    const start: LaneStart = { vocabulary, trie, limits, progress: this.#progress.buffer };
    const worker = new Worker(module, {
      workerData: start,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    });
    worker.on('message', (message: FromLane) => this.#hear(message));
    worker.on('error', (error: Error & { code?: string }) => {
      if (worker !== this.#worker) return;
      const outOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      void this.#end(outOfMemory ? this.#tooMuch('memory') : broken());
    });
    worker.on('exit', () => {
      if (worker === this.#worker) void this.#end(broken());
    });
    return worker;
  }

  #hear(message: FromLane): void {
    if (message.type === 'trie') {
      this.#trieCall?.resolve(message.trie);
      this.#trieCall = null;
    } else if (message.type === 'closed') {
      this.#texts.get(message.session)?.closed();
      this.#texts.delete(message.session);
    } else {
      const call = this.#calls.get(message.call);
      this.#calls.delete(message.call);
      if (message.type === 'compiled') call?.resolve(message.milliseconds);
      else call?.reject(toError(message));
    }
    this.#settle();
  }

  /** The process may end while nobody waits for the lane's messages. */
  #settle(): void {
    if (this.#calls.size > 0 || this.#trieCall !== null) this.#worker?.ref();
    else this.#worker?.unref();
    if (this.#calls.size + this.#texts.size > 0 || this.#watch === null) return;
    clearInterval(this.#watch);
    this.#watch = null;
  }

  /** Ends the worker where it has been at one piece of work for too long. */
  #look(): void {
    const { kind, work } = this.#progress;
    const now = performance.now();
    if (kind === 'idle' || work !== this.#seenWork) {
      this.#seenWork = work;
      this.#seenAt = now;
      return;
    }
    const { compileMilliseconds, stepMilliseconds } = this.#options.limits;
    const steps = kind === 'ask' || kind === 'tokens';
    const limit = steps ? stepMilliseconds * contention : compileMilliseconds;
    if (now - this.#seenAt > limit + graceMilliseconds) void this.#end(this.#tooMuch('time'));
  }

  #tooMuch(what: string): ParlanceError {
    const keyword = this.#progress.keyword;
    const where = keyword === null ? 'it' : `\`${keyword}\``;
    return new ParlanceError(
      'invalid_constraint',
      `The constraint is too large: ${where} needs more ${what} than it is given. Make it simpler.`,
      { keyword: keyword ?? 'constraint' },
    );
  }

  async #end(error: ParlanceError): Promise<void> {
    const worker = this.#worker;
    const atWork = this.#progress.kind === 'compile';
    const calls = [...this.#calls.values()];
    const texts = [...this.#texts.values()];
    const trieCall = this.#trieCall;
    this.#worker = null;
    this.#calls.clear();
    this.#texts.clear();
    this.#trieCall = null;
    this.#settle();
    // Nothing may write to the memories any more when they are failed and given back.
    await worker?.terminate();
    for (const { memory, closed } of texts) {
      if (!memory.hasFailed) memory.fail('constraint_not_met', lost);
      closed();
    }
    // Calls are worked on in their order; those behind the first have nothing to do with it.
    for (const [at, call] of calls.entries()) {
      call.reject(at === 0 && atWork ? error : broken());
    }
    trieCall?.reject(error);
  }
}

const lost =
  'The thread that followed the constraint of this answer had to be ended. Try it again, or make the constraint simpler.';

const broken = (): ParlanceError =>
  new ParlanceError(
    'constraint_not_met',
    'The thread that compiles constraints has died. Try it again.',
  );

function toError({
  reason,
  message,
  keyword,
}: Extract<FromLane, { type: 'refused' }>): ParlanceError {
  return new ParlanceError(reason as Reason, message, keyword === null ? {} : { keyword });
}
