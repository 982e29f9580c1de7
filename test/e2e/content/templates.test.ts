/** Chat templates over HTTP: those of requests, good and hostile, and those of deployments. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  chatBody,
  chatUrl,
  complete,
  errorOf,
  get,
  joined,
  jsonOf,
  post,
  stream,
  type Body,
} from '../../support/ask.ts';
import { deploy, deploymentUrl, waitForState, type Deployment } from '../../support/deployments.ts';
import { startServer, type ServerProcess } from '../../support/server-process.ts';
import { sharedServer } from '../../support/shared-server.ts';
import { writeTinyModel } from '../../support/tiny-models/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'parlance-templates-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const turns = "{% for m in messages %}[{{ m['role'] }}]{{ m['content'] }}{% endfor %}";

async function promptOf(server: ServerProcess, extra: Body): Promise<string> {
  const reply = await post(chatUrl(server), chatBody({ ...extra, dry_run: true }));
  assert.equal(reply.status, 200, reply.text);
  return jsonOf<{ prompt: string }>(reply).prompt;
}

/** Each would keep a template engine busy for ever, or take all memory, or reach out of it. */
const hostile: Readonly<Record<string, string>> = {
  'nested loops': '{% for a in range(99999) %}'.repeat(4) + '{% endfor %}'.repeat(4),
  'a text without end':
    "{% set ns = namespace(t='x') %}{% for a in range(99) %}{% set ns.t = ns.t + ns.t %}{% endfor %}{{ ns.t }}",
  'a huge repetition': "{{ 'x' * 99999999999 }}",
  'a huge power': '{{ 9 ** 99999999 }}',
  'a macro that calls itself': '{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}',
  'a deep nesting': `{{ ${'('.repeat(20_000)}1${')'.repeat(20_000)} }}`,
  'a huge width': "{{ '%999999999d' % 1 }}",
  'a way to the host': '{{ messages.constructor.constructor("return process")().exit() }}',
};

describe('the template of a request', () => {
  let server: ServerProcess;
  before(async () => {
    server = await sharedServer();
  });

  it('makes the prompt, with the variables that come with it', async () => {
    const chat_template = `{{ mood }}:${turns}{{ '[assistant]' if add_generation_prompt }}`;
    const prompt = await promptOf(server, {
      messages: [{ role: 'user', content: 'hi' }],
      chat_template,
      chat_template_kwargs: { mood: 'calm' },
    });
    assert.equal(prompt, 'calm:[user]hi[assistant]');
  });

  it('that fails is a 400 in its own words', async () => {
    for (const [chat_template, words] of [
      ['{% for %}', /chat template/i],
      ["{{ raise_exception('only cats') }}", /only cats/],
    ] as const) {
      const reply = await post(chatUrl(server), chatBody({ chat_template }));
      const { reason, param, message } = errorOf(reply);
      assert.equal(reply.status, 400);
      assert.equal(reason, 'invalid_template');
      assert.equal(param, 'chat_template');
      assert.match(message, words);
    }
  });

  it('whose variable is not read, or belongs to another field, is refused', async () => {
    const refuse = async (extra: Body) => errorOf(await post(chatUrl(server), chatBody(extra)));
    const unread = await refuse({ chat_template_kwargs: { unheard_of: 1 } });
    assert.match(unread.message, /does not read `unheard_of`/);
    const taken = await refuse({ chat_template: turns, chat_template_kwargs: { messages: [] } });
    assert.equal(taken.param, 'chat_template_kwargs.messages');
    const two = { chat_template_kwargs: { a: 1 }, chat_template_args: { a: 2 } };
    assert.equal((await refuse(two)).reason, 'conflicting_fields');
  });

  for (const [what, chat_template] of Object.entries(hostile)) {
    it(`that is hostile ends in a 400: ${what}`, async () => {
      const reply = await post(chatUrl(server), chatBody({ chat_template }));
      assert.equal(reply.status, 400, reply.text.slice(0, 300));
      assert.equal(errorOf(reply).reason, 'invalid_template');
      assert.doesNotMatch(reply.text, /node:|\.ts:/);
    });
  }

  it('that is hostile delays nobody: streams go on beside many of them', async () => {
    const alone = await stream(server, { max_tokens: 20 });
    const attacks = Object.values(hostile).map((chat_template) =>
      post(chatUrl(server), chatBody({ chat_template })),
    );
    const beside = await Promise.all([
      stream(server, { max_tokens: 20 }),
      complete(server, { max_tokens: 20 }),
    ]);
    assert.equal(joined(beside[0]), joined(alone));
    for (const reply of await Promise.all(attacks)) assert.equal(reply.status, 400);
  });
});

describe('the template of a deployment', () => {
  let server: ServerProcess;
  const bare = join(folder, 'bare.gguf');
  const chatml = join(folder, 'chatml.gguf');
  const mistral = join(folder, 'mistral.gguf');
  const messages = [{ role: 'user', content: 'hi' }];

  before(async () => {
    const base = { architecture: 'llama', chatTemplate: false } as const;
    writeTinyModel(bare, { ...base, specials: { end: '</s>' } });
    writeTinyModel(chatml, base);
    writeTinyModel(mistral, { ...base, specials: { end: '</s>', more: ['[INST]', '[/INST]'] } });
    server = await startServer({ args: ['--model', 'none'] });
  });
  after(() => server.stop());

  const bodyFor = (name: string, model: string, options: Body = {}) => ({
    name,
    runtime: 'embedded',
    model,
    options: { slots: 1, threads: 1, ...options },
  });

  async function viewOf(name: string): Promise<Deployment & { engine: Body; options: Body }> {
    return jsonOf(await get(deploymentUrl(server, name)));
  }

  async function failureOf(name: string, model: string, options: Body = {}): Promise<string> {
    const reply = await post(`${server.url}/deploy`, bodyFor(name, model, options));
    assert.equal(reply.status, 202, reply.text);
    await waitForState(server, name, 'failed');
    return String((await viewOf(name)).reason);
  }

  it('is missing: the deployment fails and names the way out', async () => {
    const reason = await failureOf('no-template', bare);
    assert.match(reason, /no chat template.*`chat_template`.*--chat-template.*"none"/);
  });

  it('is that of its family, where the end of a turn or a token tells it', async () => {
    for (const [name, path, prompt] of [
      ['chatml', chatml, /<\|im_start\|>user\nhi<\|im_end\|>/],
      ['mistral', mistral, /\[INST\] hi\[\/INST\]$/],
    ] as const) {
      await deploy(server, bodyFor(name, path));
      assert.equal((await viewOf(name)).engine['chat_template'], name);
      assert.match(await promptOf(server, { model: name, messages }), prompt);
    }
  });

  it('may be a text or a file', async () => {
    const path = join(folder, 'own.jinja');
    writeFileSync(path, `F${turns}\n`);
    for (const [name, chat_template, prompt] of [
      ['by-text', `T${turns}`, 'T[user]hi'],
      ['by-file', path, 'F[user]hi'],
    ] as const) {
      await deploy(server, bodyFor(name, bare, { chat_template }));
      const { engine, options } = await viewOf(name);
      assert.equal(engine['chat_template'], 'option');
      assert.equal(options['chat_template'], chat_template);
      assert.equal(await promptOf(server, { model: name, messages }), prompt);
    }
  });

  it('may be none: then raw prompts and templates of requests work', async () => {
    await deploy(server, bodyFor('raw', bare, { chat_template: 'none' }));
    assert.equal((await viewOf('raw')).engine['chat_template'], 'none');
    const { messages: _, ...rest } = chatBody({ model: 'raw', max_tokens: 4 });
    const raw = await post(chatUrl(server), { ...rest, prompt: 'Once' });
    assert.equal(raw.status, 200, raw.text);
    assert.equal(
      await promptOf(server, { model: 'raw', messages, chat_template: turns }),
      '[user]hi',
    );
    const reply = await post(chatUrl(server), chatBody({ model: 'raw', messages }));
    const { reason, message } = errorOf(reply);
    assert.equal(reason, 'invalid_template');
    assert.match(message, /deployed without a chat template/);
  });

  it('that is broken, or not there, fails the deployment before the weights are loaded', async () => {
    assert.match(await failureOf('broken', chatml, { chat_template: '{% if %}' }), /template/);
    const gone = join(folder, 'gone.jinja');
    assert.match(await failureOf('gone', chatml, { chat_template: gone }), /no such file/);
    const reply = await post(
      `${server.url}/deploy`,
      bodyFor('passwords', chatml, { chat_template: '/etc/passwd' }),
    );
    assert.equal(reply.status, 400);
    assert.equal(errorOf(reply).param, 'options.chat_template');
  });

  it('of the start model is a start option', async () => {
    const path = join(folder, 'start.jinja');
    writeFileSync(path, `S${turns}`);
    const started = await startServer({
      args: ['--model', bare, '--slots', '1', '--threads', '1', '--chat-template', path],
    });
    try {
      assert.equal(await promptOf(started, { model: 'bare', messages }), 'S[user]hi');
    } finally {
      await started.stop();
    }
  });
});
