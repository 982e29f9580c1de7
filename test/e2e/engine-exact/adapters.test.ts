/** Adapters of the real model over HTTP: under both names, side by side, refused, and taken away. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { readModelMetadata } from '../../../src/models/index.ts';
import {
  chatBody,
  chatUrl,
  complete,
  errorOf,
  get,
  jsonOf,
  model,
  post,
  textOf,
  type Body,
  type Completion,
} from '../../support/ask.ts';
import { deploy, deploymentUrl, undeploy } from '../../support/deployments.ts';
import { testModel, type ServerProcess } from '../../support/server-process.ts';
import { sharedServer } from '../../support/shared-server.ts';
import {
  modelShape,
  tinyShape,
  writeTinyAdapter,
  type AdapterShape,
} from '../../support/tiny-models/index.ts';
import { toAnswer, type Answer } from './answer.ts';
import { engineOf } from './tiny-server.ts';

const questions = ['What is the sea?', 'Tell me about bread and how it is made.', 'Why?'];
const names = [model, 'first-adapter', 'second-adapter'] as const;

const cachedOf = ({ usage }: Completion): number =>
  (usage as unknown as { prompt_tokens_details: { cached_tokens: number } }).prompt_tokens_details
    .cached_tokens;

describe('adapters of the real model', () => {
  let server: ServerProcess;
  let folder: string;
  let shape: AdapterShape;
  /** By model and question, each computed alone with nothing cached. */
  const alone = new Map<string, Answer>();
  let salts = 0;

  const ask = (name: string, content: string, extra: Body = {}): Promise<Completion> =>
    complete(server, {
      model: name,
      messages: [{ role: 'user', content }],
      max_tokens: 8,
      logprobs: true,
      ...extra,
    });

  const cold = (name: string, content: string): Promise<Completion> => {
    salts += 1;
    return ask(name, content, { cache_salt: `adapters ${salts}` });
  };

  const adapter = (name: string, path: string): Body & { name: string } => ({
    name,
    adapter_of: model,
    path,
  });

  before(async () => {
    server = await sharedServer();
    folder = mkdtempSync(join(tmpdir(), 'parlance-adapters-'));
    shape = modelShape(await readModelMetadata(testModel()));
    for (const question of questions) {
      alone.set(`${model} ${question}`, toAnswer(await cold(model, question)));
    }
    for (const [seed, name] of names.entries()) {
      if (name === model) continue;
      const path = writeTinyAdapter(join(folder, `${name}.gguf`), { base: shape, seed });
      await deploy(server, adapter(name, path));
      for (const question of questions) {
        alone.set(`${name} ${question}`, toAnswer(await cold(name, question)));
      }
    }
  });

  after(async () => {
    for (const name of names) if (name !== model) await undeploy(server, name);
    rmSync(folder, { recursive: true, force: true });
  });

  it('each says something else', () => {
    const texts = [...alone.values()].map(({ choices }) => choices[0]?.text);
    assert.equal(new Set(texts).size, texts.length);
  });

  it('all at once give what each gives alone, and the base what it gave without them', async () => {
    const all = [...questions, ...questions].flatMap((question) =>
      names.map((name) => ({ name, question })),
    );
    const answers = await Promise.all(all.map(({ name, question }) => ask(name, question)));
    for (const [index, { name, question }] of all.entries()) {
      const answer = toAnswer(answers[index] as Completion);
      assert.deepEqual(answer, alone.get(`${name} ${question}`), `${name}: ${question}`);
    }
  });

  it('an adapter has a second name, base:adapter', async () => {
    const [question = ''] = questions;
    const answer = await ask(`${model}:first-adapter`, question);
    assert.deepEqual(toAnswer(answer), alone.get(`first-adapter ${question}`));
    const list = jsonOf<{ data: { id: string }[] }>(await get(`${server.url}/v1/models`));
    assert.ok(list.data.some(({ id }) => id === 'first-adapter'));
  });

  it('a prefix that one computed is of no use to another', async () => {
    const salted = { cache_salt: 'crossing' };
    for (const name of names) assert.equal(cachedOf(await ask(name, 'Why not?', salted)), 0, name);
    for (const name of names) assert.ok(cachedOf(await ask(name, 'Why not?', salted)) > 5, name);
  });

  it('a truncated one, and one of another model, are refused in words', async () => {
    const { pid } = await engineOf(server, model);
    const bad = [
      { name: 'truncated', path: { base: shape, broken: 'truncated' } as const },
      { name: 'of-a-tiny-model', path: { base: tinyShape({ architecture: 'llama' }) } },
      { name: 'of-gpt2', path: { base: shape, broken: 'other-architecture' } as const },
      { name: 'no-adapter', path: { base: shape, broken: 'no-adapter' } as const },
    ];
    for (const { name, path } of bad) {
      const file = writeTinyAdapter(join(folder, `${name}.gguf`), path);
      const reply = await post(`${server.url}/deploy`, adapter(name, file));
      assert.equal(reply.status, 400, `${name}: ${reply.text}`);
      const error = errorOf(reply);
      assert.deepEqual([error.reason, error.param], ['invalid_adapter', 'path'], error.message);
      assert.ok(error.message.split(' ').length > 6, error.message);
      assert.equal((await get(deploymentUrl(server, name))).status, 404);
    }
    assert.equal((await engineOf(server, model)).pid, pid);
  });

  it('one that is taken away is unknown under both names, and the others stay', async () => {
    const path = writeTinyAdapter(join(folder, 'third.gguf'), { base: shape, seed: 9 });
    await deploy(server, adapter('third-adapter', path));
    await ask('third-adapter', 'Why?');
    await undeploy(server, 'third-adapter');
    for (const name of ['third-adapter', `${model}:third-adapter`]) {
      const reply = await post(chatUrl(server), chatBody({ model: name }));
      assert.equal(errorOf(reply).reason, 'unknown_model');
    }
    for (const name of names) {
      assert.deepEqual(toAnswer(await ask(name, 'Why?')), alone.get(`${name} Why?`));
    }
  });
});
