/** LoRA adapters over HTTP on the real server: beside their base, in company, refused, and after a crash. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { readModelMetadata } from '../../src/models/index.ts';
import {
  chatBody,
  complete,
  errorOf,
  get,
  jsonOf,
  model,
  post,
  remove,
  textOf,
  type Completion,
} from '../support/ask.ts';
import { deploy, deploymentUrl, undeploy } from '../support/deployments.ts';
import { enginesOf } from '../support/process-tree.ts';
import { startServer, testModel, type ServerProcess } from '../support/server-process.ts';
import {
  brokenAdapters,
  modelShape,
  writeTinyAdapter,
  type AdapterShape,
} from '../support/tiny-models/index.ts';

let server: ServerProcess;
let folder: string;
let base: AdapterShape;

const fileOf = (name: string): string => join(folder, `${name}.gguf`);

/** The first tokens only: what an adapter adds depends a little on the grouping, and near ties may flip. */
const ask = (name: string, extra: object = {}): Promise<Completion> => {
  const messages = [{ role: 'user', content: 'Write a short story about a dragon.' }];
  return complete(server, { model: name, messages, max_tokens: 3, ...extra });
};

const cachedTokens = ({ usage }: Completion): number =>
  (usage as { prompt_tokens_details?: { cached_tokens?: number } }).prompt_tokens_details
    ?.cached_tokens ?? -1;

describe('adapters', () => {
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parlance-adapter-e2e-'));
    base = modelShape(await readModelMetadata(testModel()));
    for (const [seed, name] of ['red', 'blue'].entries()) {
      writeTinyAdapter(fileOf(name), { base, seed: seed + 1, strength: 0.5 });
    }
    server = await startServer({ args: ['--context', '1024', '--slots', '4'] });
    for (const name of ['red', 'blue']) {
      await deploy(server, { name, adapter_of: model, path: fileOf(name) });
    }
  });
  after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('answer under both names and otherwise than their base', async () => {
    const [plain, red, alias, blue] = [
      await ask(model),
      await ask('red'),
      await ask(`${model}:red`),
      await ask('blue'),
    ].map(textOf);
    assert.equal(alias, red);
    assert.equal(new Set([plain, red, blue]).size, 3);
    const list = jsonOf<{ data: { id: string; parent?: string }[] }>(
      await get(`${server.url}/v1/models`),
    );
    assert.deepEqual(
      list.data.map(({ id, parent }) => [id, parent]),
      [
        [model, undefined],
        ['red', model],
        ['blue', model],
      ],
    );
  });

  it('share nothing that was computed with another one', async () => {
    const messages = [
      {
        role: 'system',
        content: 'You know all about colours, and name as few of them as you can.',
      },
      { role: 'user', content: 'Name three colours of the rainbow, please.' },
    ];
    // What every prompt begins with, the name of the first role, is all that they have in common.
    const common = 4;
    const first = await ask('red', { messages });
    assert.ok(cachedTokens(first) <= common);
    assert.ok(cachedTokens(await ask('red', { messages })) > 16);
    for (const other of ['blue', model]) {
      assert.ok(cachedTokens(await ask(other, { messages })) <= common, other);
    }
  });

  it('answer in company as they do alone', async () => {
    const names = [model, 'red', 'blue'];
    const alone = new Map<string, string>();
    for (const name of names) alone.set(name, textOf(await ask(name)));
    const crowd = [...names, ...names, ...names];
    const answers = await Promise.all(crowd.map((name) => ask(name)));
    for (const [index, name] of crowd.entries()) {
      const answer = answers[index];
      assert.ok(answer !== undefined);
      assert.equal(textOf(answer), alone.get(name), name);
    }
  });

  it('that do not fit are refused at once, each with a reason, and leave nothing', async () => {
    const messages = new Set<string>();
    for (const broken of brokenAdapters) {
      writeTinyAdapter(fileOf(broken), { base, broken });
      const body = { name: 'broken', adapter_of: model, path: fileOf(broken) };
      const reply = await post(`${server.url}/deploy`, body);
      assert.equal(reply.status, 400, `${broken}: ${reply.text}`);
      const error = errorOf(reply);
      assert.equal(error.reason, 'invalid_adapter', broken);
      assert.equal(error.param, 'path');
      messages.add(error.message.replace(broken, ''));
      assert.equal((await get(deploymentUrl(server, 'broken'))).status, 404);
    }
    assert.ok(messages.size >= 8, [...messages].join('\n'));
    assert.ok(textOf(await ask('red')).length > 0);
  });

  it('hold their base, and come back with its engine', async () => {
    const held = errorOf(await remove(deploymentUrl(server, model)));
    assert.equal(held.reason, 'deployment_conflict');
    assert.match(held.message, /has adapters: red, blue/);
    const before = textOf(await ask('red'));
    const [engine] = enginesOf(server.pid);
    assert.ok(engine !== undefined);
    process.kill(engine, 'SIGKILL');
    assert.equal(textOf(await ask('red')), before);
    await undeploy(server, 'blue');
    assert.equal(
      errorOf(await post(`${server.url}/v1/chat/completions`, chatBody({ model: 'blue' }))).reason,
      'unknown_model',
    );
    assert.equal(textOf(await ask('red')), before);
  });
});
