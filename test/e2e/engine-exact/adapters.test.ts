/** Adapters beside their base, to the last bit: one pass after the other for each, and none touches another. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { readModelMetadata } from '../../../src/models/index.ts';
import { complete, model, type Body, type Completion } from '../../support/ask.ts';
import { deploy, undeploy } from '../../support/deployments.ts';
import { testModel, type ServerProcess } from '../../support/server-process.ts';
import { sharedServer } from '../../support/shared-server.ts';
import { modelShape, writeTinyAdapter } from '../../support/tiny-models/index.ts';
import { toAnswer, type Answer } from './answer.ts';

const questions = ['What is the sea?', 'Tell me about bread and how it is made.', 'Why?'];
const adapters = ['first-adapter', 'second-adapter'] as const;
const names = [model, ...adapters] as const;

describe('adapters of the real model', () => {
  let server: ServerProcess;
  let folder: string;
  /** By model and question, each computed alone with nothing cached; the base's before any adapter was there. */
  const alone = new Map<string, Answer>();

  const ask = (name: string, content: string, extra: Body = {}): Promise<Completion> =>
    complete(server, {
      model: name,
      messages: [{ role: 'user', content }],
      max_tokens: 8,
      logprobs: true,
      ...extra,
    });

  async function computeAlone(name: string): Promise<void> {
    for (const question of questions) {
      const answer = await ask(name, question, { cache_salt: `alone ${name}` });
      alone.set(`${name} ${question}`, toAnswer(answer));
    }
  }

  before(async () => {
    server = await sharedServer();
    folder = mkdtempSync(join(tmpdir(), 'parlance-adapters-'));
    await computeAlone(model);
    const base = modelShape(await readModelMetadata(testModel()));
    for (const [seed, name] of adapters.entries()) {
      // In F32 it would not repeat to the bit: see docs/decisions/0013-where-bits-repeat.md.
      const weights = { rank: 32, weights: 'q8_0' } as const;
      const path = writeTinyAdapter(join(folder, `${name}.gguf`), { base, seed, ...weights });
      await deploy(server, { name, adapter_of: model, path });
      await computeAlone(name);
    }
  });

  after(async () => {
    for (const name of adapters) await undeploy(server, name);
    rmSync(folder, { recursive: true, force: true });
  });

  it('each says something else', () => {
    const texts = [...alone.values()].map(({ choices }) => choices[0]?.text);
    assert.equal(texts.length, names.length * questions.length);
    assert.equal(new Set(texts).size, texts.length);
  });

  it('all at once, with drafts too, they give the bits that each gives alone', async () => {
    const all = [...questions, ...questions].flatMap((question) =>
      names.map((name) => ({ name, question, key: `${name} ${question}` })),
    );
    const answers = await Promise.all(
      all.map(({ name, question, key }, index) => {
        const content = alone.get(key)?.choices[0]?.text ?? '';
        const prediction = { type: 'content', content };
        return ask(name, question, index % 2 === 0 ? { prediction } : {});
      }),
    );
    for (const [index, { key }] of all.entries()) {
      assert.deepEqual(toAnswer(answers[index] as Completion), alone.get(key), key);
    }
  });
});
