import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { ParlanceError } from '../../contract/errors.ts';
import type { ChoiceStep, GenerateRequest } from '../protocol.ts';
import { franceQuestion, makeRequest } from '../request.test-support.ts';
import { defaultEngineOptions, type Engine } from './engine.ts';
import { startEngine } from './start-engine.ts';

const folder = mkdtempSync(join(tmpdir(), 'parlance-engine-'));
const path = join(folder, 'model.gguf');
const never = new AbortController().signal;
const released: number[] = [];
let engine: Engine;

/** Text and logprobs of each choice. */
async function run(request: GenerateRequest, on = engine) {
  const generation = await on.generate(request, never);
  const choices = Array.from({ length: request.choices }, () => ({
    text: '',
    logprobs: [] as number[],
    finish: null as ChoiceStep['finish'] | null,
  }));
  for await (const steps of generation.steps) {
    for (const step of steps) {
      const choice = choices[step.choice];
      assert.ok(choice !== undefined && choice.finish === null);
      choice.text += step.text;
      choice.logprobs.push(...(step.logprobs ?? []).map(({ logprob }) => logprob));
      choice.finish = step.finish ?? null;
    }
  }
  return choices;
}

const withReason = (reason: string) => (error: unknown) =>
  error instanceof ParlanceError && error.reason === reason;

/** Starts a generation that would go on for long, and waits until it decodes. */
async function begin(signal: AbortSignal) {
  const request = makeRequest(franceQuestion, { ignoreEos: true, maxTokens: 900 });
  const generation = await engine.generate(request, signal);
  const reader = generation.steps[Symbol.asyncIterator]();
  assert.equal((await reader.next()).done, false);
  return reader;
}

// Hooks of a suite: at the top of a file they would be those of every file in the process.
describe('the engine with a real model', () => {
  before(async () => {
    const model = process.env['PARLANCE_TEST_MODEL'];
    assert.ok(model, 'set PARLANCE_TEST_MODEL to the file of the default model');
    copyFileSync(model, path);
    engine = await startEngine({
      path,
      // Small enough for any machine, and more choices than slots are within reach.
      options: { ...defaultEngineOptions, slots: 8, context: 1024 },
      onReleased: (milliseconds) => released.push(milliseconds),
    });
  });

  after(async () => {
    await engine.stop();
    rmSync(folder, { recursive: true });
  });

  test('a greedy answer names Paris and stops at the model’s own end', async () => {
    const [answer] = await run(makeRequest(franceQuestion, { maxTokens: 40 }));
    assert.match(answer?.text ?? '', /Paris/);
    assert.doesNotMatch(answer?.text ?? '', /<\|/);
    assert.deepEqual(answer?.finish, { reason: 'stop', stopReason: null });
  });

  test('a request gives the same bits alone and in the company of seven others', async () => {
    const request = makeRequest('Once upon a time', {
      temperature: 1,
      seed: '11',
      maxTokens: 24,
      ignoreEos: true,
      topLogprobs: 0,
    });
    const alone = await run(request);
    const others = Array.from({ length: 7 }, (_, i) =>
      makeRequest(`Tell me about the number ${i}. `.repeat(1 + 3 * i), {
        temperature: 1,
        seed: String(i),
        maxTokens: 6 * (i + 1),
        ignoreEos: true,
      }),
    );
    const [inCompany] = await Promise.all([run(request), ...others.map((other) => run(other))]);
    assert.equal(alone[0]?.logprobs.length, 24);
    assert.deepEqual(inCompany, alone);
  });

  test('a prompt computed in chunks gives the same bits as in one', async () => {
    const request = makeRequest('The quick brown fox jumps over the lazy dog. '.repeat(12), {
      maxTokens: 8,
      ignoreEos: true,
      topLogprobs: 0,
    });
    const options = { ...defaultEngineOptions, slots: 1, context: 512, batchTokens: 16 };
    const chunked = await startEngine({ path, options });
    try {
      assert.deepEqual(await run(request, chunked), await run(request));
    } finally {
      await chunked.stop();
    }
  });

  test('seeded choices differ from each other and come again, the first as if alone', async () => {
    const request = makeRequest(
      'My favourite animal is',
      { temperature: 1, seed: '3', maxTokens: 10, topLogprobs: 0 },
      { choices: 3 },
    );
    const first = await run(request);
    assert.equal(new Set(first.map(({ text }) => text)).size, 3);
    assert.deepEqual(await run(request), first);
    assert.deepEqual(await run({ ...request, choices: 1, bestOf: 1 }), [first[0]]);
  });

  test('more choices than slots all come', async () => {
    const request = makeRequest(
      'My favourite animal is',
      { temperature: 1, seed: '3', maxTokens: 6 },
      { choices: 11 },
    );
    const choices = await run(request);
    assert.ok(choices.every(({ text, finish }) => text !== '' && finish !== null));
  });

  test('a dry run spells out the prompt and generates nothing', async () => {
    const generation = await engine.generate(
      makeRequest(franceQuestion, {}, { dryRun: true }),
      never,
    );
    assert.equal(generation.accepted.prompt, franceQuestion);
    assert.equal(generation.accepted.promptTokens, 21);
    for await (const steps of generation.steps) assert.fail(`generated ${steps.length}`);
  });

  test('an abort frees the slot', async () => {
    const before = released.length;
    const controller = new AbortController();
    const reader = await begin(controller.signal);
    controller.abort();
    await assert.rejects(reader.next(), withReason('cancelled'));
    await run(makeRequest('Hello', { maxTokens: 2 }));
    assert.equal(released.length, before + 1);
    assert.deepEqual(engine.load, { running: 0, waiting: 0 });
  });

  test('a killed engine fails what it ran and is back for the next request, the file deleted', async () => {
    rmSync(path);
    const reader = await begin(never);
    const { pid } = engine;
    assert.ok(pid !== null);
    process.kill(pid, 'SIGKILL');
    await assert.rejects(async () => {
      for (;;) await reader.next();
    }, withReason('engine_failed'));
    const [answer] = await run(makeRequest(franceQuestion, { maxTokens: 40 }));
    assert.match(answer?.text ?? '', /Paris/);
    assert.notEqual(engine.pid, pid);
  });

  test('the engine ignores the terminal’s signals', async () => {
    const { pid } = engine;
    assert.ok(pid !== null);
    process.kill(pid, 'SIGINT');
    process.kill(pid, 'SIGTERM');
    process.kill(pid, 'SIGHUP');
    await run(makeRequest('Hello', { maxTokens: 2 }));
    assert.equal(engine.pid, pid);
  });

  test('a stopped engine ends what runs and takes nothing more', async () => {
    const reader = await begin(never);
    await engine.stop();
    await assert.rejects(reader.next(), withReason('shutting_down'));
    await assert.rejects(engine.generate(makeRequest('Hello'), never), withReason('shutting_down'));
    assert.equal(engine.pid, null);
  });
});
