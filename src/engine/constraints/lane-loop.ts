/**
 * What a lane does, in its worker thread: compiles specs, keeps what it compiled, and answers questions
 * about texts. One message after the other; whatever goes wrong ends one compilation or one text.
 */

import { parentPort, workerData, type MessagePort } from 'node:worker_threads';

import { ParlanceError } from '../../contract/errors.ts';
import { createTokenTrie, type TokenTrie } from '../../constraint/index.ts';
import { createCompiler, type Compile, type CompiledConstraint } from './compiled-constraint.ts';
import { ConstrainedText, type Question } from './constrained-text.ts';
import type { FromLane, KeyedSpec, LaneStart, ToLane } from './lane-messages.ts';
import { LaneProgress } from './lane-progress.ts';
import { toFailure } from './to-failure.ts';
import { ViewMemory } from './view-memory.ts';

/** Bytes of compiled constraints that a lane keeps beyond those in use. */
const keptBytes = 256 * 1024 * 1024;

interface OpenText {
  readonly text: ConstrainedText;
  readonly memory: ViewMemory;
  /** Questions that wait while a text is tokenised for the first of them. */
  readonly waiting: { readonly number: number; readonly question: Question }[];
  asks: number;
}

/** Called by the module that a worker thread starts with. */
export function runLane(compile: Compile): void {
  if (parentPort === null) throw new ParlanceError('internal', 'A lane runs in a worker thread.');
  const lane = new Lane(parentPort, workerData as LaneStart, compile);
  parentPort.on('message', (message: ToLane) => lane.take(message));
}

class Lane {
  readonly #port: MessagePort;
  readonly #start: LaneStart;
  readonly #progress: LaneProgress;
  readonly #compile: Compile;
  readonly #endTokens: ReadonlySet<number>;
  readonly #compiled = new Map<string, CompiledConstraint>();
  readonly #texts = new Map<number, OpenText>();
  #compiler: ((spec: KeyedSpec['spec']) => CompiledConstraint) | null = null;

  constructor(port: MessagePort, start: LaneStart, compile: Compile) {
    this.#port = port;
    this.#start = start;
    this.#progress = new LaneProgress(start.progress);
    this.#compile = compile;
    this.#endTokens = new Set(start.vocabulary.endTokens);
  }

  take(message: ToLane): void {
    this.#progress.begin(message.type);
    switch (message.type) {
      case 'trie':
        this.#send({ type: 'trie', trie: createTokenTrie(this.#start.vocabulary.pieces) });
        break;
      case 'compile':
        this.#compileFor(message.call, message);
        break;
      case 'open':
        this.#open(message.session, message.memory, message);
        break;
      case 'ask':
        this.#ask(message.session, message.number, message.question);
        break;
      case 'tokens':
        this.#learn(message.session, message.text, message.tokens);
        break;
      case 'close':
        this.#texts.delete(message.session);
        this.#send({ type: 'closed', session: message.session });
    }
    this.#progress.end();
  }

  #send(message: FromLane): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    this.#port.postMessage(message);
  }

  #compileFor(call: number, spec: KeyedSpec): void {
    const begun = performance.now();
    try {
      this.#find(spec);
      this.#send({ type: 'compiled', call, milliseconds: performance.now() - begun });
    } catch (error) {
      const { reason, message, keyword } = toRefusal(error);
      this.#send({ type: 'refused', call, reason, message, keyword });
    }
  }

  #find({ key, spec }: KeyedSpec): CompiledConstraint {
    const known = this.#compiled.get(key);
    this.#compiled.delete(key);
    const found = known === undefined || known.worn ? this.#make(spec) : known;
    // A lane that opens no texts needs nothing of what it has tried.
    if (this.#start.trie === null) return found;
    this.#compiled.set(key, found);
    let bytes = 0;
    for (const one of this.#compiled.values()) bytes += one.bytes;
    for (const [oldest, one] of this.#compiled) {
      if (bytes <= keptBytes || oldest === key) break;
      bytes -= one.bytes;
      this.#compiled.delete(oldest);
    }
    return found;
  }

  #make(spec: KeyedSpec['spec']): CompiledConstraint {
    const { vocabulary, limits } = this.#start;
    // The first lane only tries whether specs compile; it needs no tree for that.
    const trie: TokenTrie = this.#start.trie ?? emptyTrie;
    this.#compiler ??= createCompiler(this.#compile, { ...vocabulary, trie }, limits, (keyword) =>
      this.#progress.report(keyword),
    );
    return this.#compiler(spec);
  }

  #open(session: number, buffer: SharedArrayBuffer, { key, spec }: KeyedSpec): void {
    const keyed = { key, spec };
    const memory = new ViewMemory(buffer, (this.#start.vocabulary.pieces.size + 31) >> 5);
    try {
      const text = new ConstrainedText(() => this.#find(keyed), memory, this.#endTokens);
      this.#texts.set(session, { text, memory, waiting: [], asks: 0 });
      this.#ask(session, 1, { type: 'open' });
    } catch (error) {
      fail(memory, error);
    }
  }

  #ask(session: number, number: number, question: Question): void {
    const open = this.#texts.get(session);
    if (open === undefined) return;
    open.waiting.push({ number, question });
    if (open.waiting.length === 1) this.#begin(open, question);
  }

  #begin(open: OpenText, question: Question): void {
    if (open.memory.hasFailed) return;
    try {
      open.text.begin(question);
      this.#proceed(open);
    } catch (error) {
      fail(open.memory, error);
    }
  }

  #proceed(open: OpenText): void {
    const text = open.text.proceed();
    if (text !== null) {
      open.asks += 1;
      open.memory.ask(open.asks, text);
      return;
    }
    open.memory.answer(open.waiting.shift()?.number ?? 0);
    const next = open.waiting[0];
    if (next !== undefined) this.#begin(open, next.question);
  }

  #learn(session: number, text: string, tokens: readonly number[]): void {
    const open = this.#texts.get(session);
    if (open === undefined || open.memory.hasFailed) return;
    try {
      open.text.learn(text, tokens);
      this.#proceed(open);
    } catch (error) {
      fail(open.memory, error);
    }
  }
}

const emptyTrie = createTokenTrie({
  size: 0,
  offsets: new Int32Array(1),
  bytes: new Uint8Array(0),
});

function fail(memory: ViewMemory, error: unknown): void {
  const { reason, message } = toFailure(error);
  memory.fail(reason, message);
}

function toRefusal(error: unknown): { reason: string; message: string; keyword: string | null } {
  if (error instanceof ParlanceError) return error;
  if (error instanceof RangeError) {
    const message = 'The constraint is nested too deeply. Make it simpler.';
    return { reason: 'invalid_constraint', message, keyword: 'nesting' };
  }
  return { reason: 'internal', message: 'The constraint’s compiler broke.', keyword: null };
}
