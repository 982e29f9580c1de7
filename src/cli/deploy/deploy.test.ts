/** `parlance deploy` against a fake server, and the bodies that its flags make. */

import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';

import { ParlanceError } from '../../contract/index.ts';
import {
  always,
  errorOf,
  sendJson,
  withFakeServer,
  type Handlers,
} from '../testing/fake-server.ts';
import { runHere, startChild } from '../testing/run-cli.ts';
import { toBody, type BodyFlags } from './deploy-body.ts';

describe('the body', () => {
  const bodyOf = (flags: BodyFlags) => toBody('n', flags);

  test('of an embedded deployment', () => {
    assert.deepEqual(bodyOf({ model: 'qwen3-0.6b', slots: '4', context: '2048' }), {
      name: 'n',
      runtime: 'embedded',
      model: 'qwen3-0.6b',
      options: { slots: 4, context: 2048 },
    });
    assert.equal(bodyOf({ model: './mine.gguf' })['model'], resolve('mine.gguf'));
    assert.equal('options' in bodyOf({ model: 'x' }), false);
    const flags = {
      deterministic: 'false',
      gpuLayers: 'auto',
      draftModel: './d.gguf',
      speculation: 'off',
      prefixCacheBytes: '1GiB',
      chatTemplate: './t.jinja',
      toolFormat: 'hermes',
      reasoningFormat: 'none',
    };
    assert.deepEqual(bodyOf({ model: 'x', ...flags })['options'], {
      deterministic: false,
      gpu_layers: 'auto',
      draft_model: resolve('d.gguf'),
      speculation: 'off',
      prefix_cache_bytes: 2 ** 30,
      chat_template: resolve('t.jinja'),
      tool_format: 'hermes',
      reasoning_format: 'none',
    });
    for (const chatTemplate of ['none', '{{ messages }}']) {
      const { options } = bodyOf({ model: 'x', chatTemplate });
      assert.deepEqual(options, { chat_template: chatTemplate });
    }
  });

  test('of an adapter', () => {
    assert.deepEqual(bodyOf({ adapterOf: 'base', path: './a.gguf' }), {
      name: 'n',
      runtime: 'adapter',
      adapter_of: 'base',
      path: resolve('a.gguf'),
    });
  });

  test('of an external one', () => {
    const baseUrl = 'http://10.0.0.5:8000/v1';
    assert.deepEqual(
      bodyOf({ baseUrl, upstreamModel: 'm', apiKeyEnv: 'K', parameters: 'top_k, min_p,' }),
      {
        name: 'n',
        runtime: 'external',
        base_url: baseUrl,
        model: 'm',
        api_key_env: 'K',
        options: { parameters: ['top_k', 'min_p'] },
      },
    );
    assert.deepEqual(bodyOf({ baseUrl, parameters: 'all' })['options'], { parameters: 'all' });
    assert.equal(bodyOf({ baseUrl })['model'], 'n');
  });

  test('flags that do not go together', () => {
    const cases: readonly (readonly [BodyFlags, RegExp])[] = [
      [{}, /needs --model SPEC, --base-url URL or --adapter-of DEPLOYMENT/],
      [{ model: 'm', baseUrl: 'http://x' }, /--model and --base-url exclude each other/],
      [{ baseUrl: 'http://x', adapterOf: 'b' }, /--base-url and --adapter-of exclude each other/],
      [{ adapterOf: 'b' }, /--adapter-of needs --path FILE/],
      [{ model: 'm', path: 'p' }, /--path only means something together with --adapter-of/],
      [{ model: 'm', deterministic: 'yes' }, /--deterministic: expected true or false, got "yes"/],
      [{ model: 'm', prefixCacheBytes: 'lots' }, /--prefix-cache-bytes: expected a number of b/],
      [{ model: 'm', gpuLayers: 'all' }, /--gpu-layers: expected a whole number, got "all"/],
      [
        { model: 'm', apiKeyEnv: 'K' },
        /--api-key-env only means something together with --base-url/,
      ],
      [{ baseUrl: 'http://x', slots: '4' }, /--slots only means something together with --model/],
      [{ model: 'm', slots: 'four' }, /--slots: expected a whole number, got "four"/],
    ];
    for (const [flags, message] of cases) {
      assert.throws(
        () => bodyOf(flags),
        (error) => {
          assert.ok(error instanceof ParlanceError);
          assert.equal(error.reason, 'invalid_option');
          assert.match(error.message, message);
          return true;
        },
      );
    }
  });
});

/** A deployment that goes through these states, one a look. */
function deploying(...states: readonly object[]): Handlers {
  const left = [...states];
  const next = (): object => ({
    name: 'n',
    ...(left.length > 1 ? left.shift() : left[0]),
  });
  return {
    'POST /deploy': ({ response }) => sendJson(response, 202, next()),
    'GET /deploy/n': ({ response }) => sendJson(response, 200, next()),
  };
}

const progress = { source: 'Hugging Face', phase: 'download', bytes: 5e6, totalBytes: 1e7 };

describe('following', () => {
  test('until it is ready: progress on stderr, the end on stdout', async () => {
    const states = [{ state: 'pulling', progress }, { state: 'loading' }, { state: 'ready' }];
    await withFakeServer(deploying(...states), async ({ url, asked }) => {
      const args = ['deploy', 'n', '--model', 'm', '--url', url, '--key', 'sk-x'];
      const { code, stdout, stderr } = await startChild(args).ended;
      assert.equal(code, 0);
      assert.match(stdout, /^ready: n at http:/);
      assert.match(stderr, /^Hugging Face .*50% .*\nn: loading\n$/);
      assert.deepEqual(asked[0]?.body, { name: 'n', runtime: 'embedded', model: 'm' });
      assert.ok(asked.every(({ authorization }) => authorization === 'Bearer sk-x'));
    });
  });

  test('until it has failed: the reason, and exit code 1', async () => {
    const states = [{ state: 'loading' }, { state: 'failed', reason: 'The file is truncated.' }];
    await withFakeServer(deploying(...states), async ({ url }) => {
      const { code, stdout, stderr } = await runHere(['deploy', 'n', '--model', 'm', '--url', url]);
      assert.equal(code, 1);
      assert.equal(stdout, '');
      assert.match(stderr, /The deployment n failed: The file is truncated\.\n$/);
    });
  });

  test('--no-wait does not look a second time', async () => {
    await withFakeServer(deploying({ state: 'loading' }), async ({ url, asked }) => {
      const args = ['deploy', 'n', '--model', 'm', '--url', url, '--no-wait', '--json'];
      const { code, stdout } = await runHere(args);
      assert.equal(code, 0);
      assert.deepEqual(JSON.parse(stdout), { name: 'n', state: 'loading' });
      assert.equal(asked.length, 1);
    });
  });

  test('a refusal is shown as it is', async () => {
    const handlers = {
      'POST /deploy': always(409, errorOf('deployment_conflict', 'model: a -> b')),
    };
    await withFakeServer(handlers, async ({ url }) => {
      const ran = await runHere(['deploy', 'n', '--model', 'b', '--url', url]);
      assert.deepEqual(ran, { code: 1, stdout: '', stderr: 'parlance: model: a -> b\n' });
    });
  });
});

describe('looking and removing', () => {
  const one = {
    name: 'a/b',
    runtime: 'external',
    model: 'm',
    state: 'ready',
    engine: { slots: 2, pid: null },
    capabilities: { n: 'refused', seed: 'honoured', tools: 'refused' },
  };
  const handlers: Handlers = {
    'GET /deploy': always(200, { object: 'list', data: [one] }),
    'GET /deploy/a%2Fb': always(200, one),
    'DELETE /deploy/a%2Fb': always(202, { ...one, state: 'draining' }),
  };

  test('list, as a table and as JSON; flags on either side of the word', async () => {
    await withFakeServer(handlers, async ({ url }) => {
      const table = await runHere(['deploy', 'list', '--url', url]);
      assert.equal(table.stdout, 'NAME  STATE  RUNTIME   MODEL\na/b   ready  external  m\n');
      const json = await runHere(['deploy', '--url', url, 'list', '--json']);
      assert.deepEqual(JSON.parse(json.stdout), [one]);
    });
  });

  test('show and remove', async () => {
    await withFakeServer(handlers, async ({ url }) => {
      const show = await runHere(['deploy', 'show', 'a/b', '--url', url]);
      const lines = show.stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.replace(/ +/, ': '));
      assert.equal(
        lines.join('; '),
        'name: a/b; runtime: external; model: m; state: ready; engine.slots: 2; ' +
          'refused: n, tools; honoured: seed',
      );
      const remove = await runHere(['deploy', 'remove', 'a/b', '--url', url]);
      assert.deepEqual([remove.code, remove.stderr], [0, '']);
      assert.match(remove.stdout, /^a\/b: draining/);
      const unknown = await runHere(['deploy', 'show', 'c', '--url', url]);
      assert.equal(unknown.code, 1);
      assert.match(unknown.stderr, /no such route/);
    });
  });

  test('a word that is nearly a subcommand', async () => {
    const { code, stderr } = await runHere(['deploy', 'lst']);
    assert.equal(code, 2);
    assert.match(stderr, /did you mean "list"\?/);
  });
});
