/** Runs a scheduler on the fake decoder and keeps what each choice was told; every step is checked. */

import assert from 'node:assert/strict';

import type { PreparedConstraint } from '../constraints/index.ts';
import { FakeDecoder, type FakeOptions } from '../llama/fake-decoder.ts';
import { PrefixCache } from '../prefix-cache/index.ts';
import type { ChoiceStep, Finish, FromEngine, GenerateRequest } from '../protocol.ts';
import { DraftModel } from './draft-model.ts';
import { Scheduler } from './scheduler.ts';

export interface Told {
  text: string;
  tokens: number;
  finish: Finish | null;
  logprobs: number[];
}

export interface BenchOptions extends FakeOptions {
  readonly maxWaiting: number;
  /** Bytes of the prefix cache; 0 = none. */
  readonly cacheBytes: number;
  readonly speculation: boolean;
  /** Bytes that held contexts may have, and so may parked states. */
  readonly heldBytes: number;
  /** A draft model that is the model itself. */
  readonly draftModel: boolean;
}

const defaults = { slots: 4, context: 256, batchTokens: 32, maxWaiting: 1000 };

export class Bench {
  readonly decoder: FakeDecoder;
  readonly scheduler: Scheduler;
  readonly told = new Map<string, Told>();
  readonly rejected = new Map<number, string>();
  readonly cached = new Map<number, number>();
  readonly untold = new Map<number, number>();
  readonly contexts = new Map<number, { id: string; firstTokens: readonly number[] }>();
  /** Milliseconds of the scheduler's clock. */
  now = 0;
  #nextId = 0;

  constructor(options: Partial<BenchOptions> = {}) {
    const fake = { ...defaults, ...options };
    this.decoder = new FakeDecoder(fake);
    const bytes = options.cacheBytes ?? 0;
    const { states } = this.decoder;
    this.scheduler = new Scheduler({
      decoder: this.decoder,
      maxWaiting: fake.maxWaiting,
      cache: bytes === 0 ? null : new PrefixCache({ states, maxBytes: bytes, disk: null }),
      speculation: options.speculation ?? false,
      held: { contexts: 64, bytes: options.heldBytes ?? 1e9 },
      draftModel: options.draftModel === true ? new DraftModel(new FakeDecoder(fake)) : null,
      now: () => {
        this.now += 1;
        return this.now;
      },
    });
  }

  submit(request: GenerateRequest, constraint: PreparedConstraint | null = null): number {
    this.#nextId += 1;
    const messages = this.scheduler.submit(this.#nextId, request, constraint);
    for (const message of messages) this.receive(message);
    this.scheduler.checkIntegrity();
    return this.#nextId;
  }

  step(): ChoiceStep[] {
    const messages = this.scheduler.step();
    this.scheduler.checkIntegrity();
    for (const message of messages) this.receive(message);
    return messages.flatMap((message) => (message.type === 'step' ? message.choices : []));
  }

  finish(): this {
    for (let steps = 0; this.scheduler.hasWork; steps += 1) {
      assert.ok(steps < 10_000, 'the scheduler makes no progress');
      this.step();
    }
    assert.deepEqual(this.scheduler.load, { running: 0, waiting: 0 });
    const { slotsTaken, parkedBytes } = this.scheduler.stats;
    assert.deepEqual({ slotsTaken, parkedBytes }, { slotsTaken: 0, parkedBytes: 0 });
    return this;
  }

  /** Submits it and runs everything to the end. */
  run(request: GenerateRequest, constraint: PreparedConstraint | null = null): number {
    const id = this.submit(request, constraint);
    this.finish();
    return id;
  }

  of(id: number, choice = 0): Told {
    const told = this.told.get(`${id}/${choice}`);
    assert.ok(told, `request ${id} choice ${choice} was told something`);
    return told;
  }

  choicesOf(id: number, choices: number): Told[] {
    return Array.from({ length: choices }, (_, choice) => this.of(id, choice));
  }

  receive(message: FromEngine): void {
    if (message.type === 'rejected') {
      assert.ok(!this.rejected.has(message.id), 'rejected once');
      this.rejected.set(message.id, message.reason);
    }
    if (message.type === 'step') for (const step of message.choices) this.#note(step);
  }

  #note(step: ChoiceStep): void {
    const key = `${step.id}/${step.choice}`;
    const told = this.told.get(key) ?? { text: '', tokens: 0, finish: null, logprobs: [] };
    assert.equal(told.finish, null, 'nothing follows a finish');
    assert.ok(step.tokens > told.tokens);
    told.text += step.text;
    told.tokens = step.tokens;
    told.finish = step.finish ?? null;
    told.logprobs.push(...(step.logprobs ?? []).map(({ logprob }) => logprob));
    this.told.set(key, told);
    if (step.cachedTokens !== undefined) {
      assert.ok(!this.cached.has(step.id), 'cached tokens are told once');
      this.cached.set(step.id, step.cachedTokens);
    }
    const before = this.untold.get(step.id) ?? 0;
    if (step.untoldTokens !== undefined) this.untold.set(step.id, before + step.untoldTokens);
    if (step.context !== undefined) this.contexts.set(step.id, step.context);
  }
}

/** What each choice of a request is told by an engine that has nothing else to do. */
export function alone(
  request: GenerateRequest,
  options: Partial<BenchOptions> = {},
  constraint: PreparedConstraint | null = null,
): Told[] {
  const bench = new Bench(options);
  if (request.adapter !== null) {
    bench.scheduler.loadAdapter(request.adapter, `${request.adapter}.gguf`, 'digest');
  }
  return bench.choicesOf(bench.run(request, constraint), request.choices);
}
