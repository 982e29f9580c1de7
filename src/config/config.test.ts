/** Start options: which source wins, what each error says and where it points. */

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { ParlanceError } from '../contract/index.ts';
import { checkAddress, isLoopback } from './check-address.ts';
import { loadOptions, type LoadRequest } from './load-options.ts';
import { optionTable, type Options } from './options.ts';

let cwd = '';
describe('configuration', () => {
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'parlance-config-'));
  });
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));

  interface Sources {
    readonly flags?: LoadRequest['flags'];
    readonly env?: LoadRequest['env'];
    /** Text of `./parlance.yaml`. */
    readonly yaml?: string;
  }

  function load({ flags = {}, env = {}, yaml }: Sources) {
    if (yaml !== undefined) writeFileSync(join(cwd, 'parlance.yaml'), yaml);
    return loadOptions({ flags, env: { PARLANCE_HOME: join(cwd, 'home'), ...env }, cwd });
  }

  function refuses(sources: Sources, words: RegExp): void {
    assert.throws(
      () => load(sources),
      (error: ParlanceError) => {
        assert.ok(error instanceof ParlanceError);
        assert.equal(error.reason, 'invalid_option');
        assert.match(error.message.replace(cwd, 'CWD'), words);
        return true;
      },
    );
  }

  /** Every option: a text for flag and variable, the same in YAML, and what both mean. */
  const samples: {
    readonly [K in keyof Options]: readonly [text: string, yaml: string, Options[K]];
  } = {
    port: ['9000', 'port: 9000', 9000],
    host: ['::1', 'host: "::1"', '::1'],
    model: ['none', 'model: none', 'none'],
    home: ['/tmp/h', 'home: /tmp/h', '/tmp/h'],
    logLevel: ['debug', 'log_level: debug', 'debug'],
    slots: ['3', 'slots: 3', 3],
    context: ['2048', 'context: 2048', 2048],
    threads: ['2', 'threads: 2', 2],
    deterministic: ['false', 'deterministic: false', false],
    gpuLayers: ['0', 'gpu_layers: 0', 0],
    draftModel: ['smollm2-135m', 'draft_model: smollm2-135m', 'smollm2-135m'],
    speculation: ['off', 'speculation: off', 'off'],
    chatTemplate: ['/tmp/t.jinja', 'chat_template: /tmp/t.jinja', '/tmp/t.jinja'],
    prefixCacheBytes: ['2GiB', 'prefix_cache_bytes: 2GiB', 2 ** 31],
    prefixCacheDir: ['/tmp/p', 'prefix_cache_dir: /tmp/p', '/tmp/p'],
    requantise: ['off', 'requantise: off', 'off'],
    queue: ['0', 'queue: 0', 0],
    maxBody: ['1.5KiB', 'max_body: 1.5KiB', 1536],
    allowApiKeyEnv: ['A, B_2', 'allow_api_key_env: [A, B_2]', ['A', 'B_2']],
    allowedHosts: ['a.example,b', 'allowed_hosts: [a.example, b]', ['a.example', 'b']],
    heartbeat: ['5', 'heartbeat: 5', 5],
    usageChunk: ['separate', 'stream: { usage_chunk: separate }', 'separate'],
    recordDays: ['7', 'record_days: 7', 7],
    fetchRemote: ['true', 'fetch_remote: true', true],
    fetchHttp: ['true', 'fetch_http: true', true],
    fetchPrivate: [
      '10.1.0.0/16,::1',
      'fetch_private: [10.1.0.0/16, "::1"]',
      ['10.1.0.0/16', '::1'],
    ],
  };

  describe('loadOptions', () => {
    it('has the defaults of the table', () => {
      const { options, configFile, warnings } = load({});
      for (const row of optionTable) {
        if (row.name !== 'home') assert.deepEqual(options[row.name], row.default, row.name);
      }
      assert.equal(configFile, null);
      assert.deepEqual(warnings, []);
      const plain = loadOptions({ flags: {}, env: {}, cwd });
      assert.equal(plain.options.home, join(homedir(), '.parlance'));
    });

    for (const { name, flag, env } of optionTable) {
      it(`reads ${flag} from all three sources`, () => {
        const [text, yaml, value] = samples[name];
        assert.deepEqual(load({ flags: { [name]: text } }).options[name], value);
        assert.deepEqual(load({ env: { [env]: text } }).options[name], value);
        const { options, origins } = loadOptions({ flags: {}, env: {}, cwd: withFile(yaml) });
        assert.deepEqual(options[name], value);
        assert.equal(origins[name].kind, 'file');
      });
    }

    it('takes the flag before the variable before the file', () => {
      const yaml = 'port: 1\nslots: 1\nqueue: 1';
      const env = { PARLANCE_PORT: '2', PARLANCE_SLOTS: '2' };
      const { options, origins } = load({ flags: { port: '3' }, env, yaml });
      assert.deepEqual([options.port, options.slots, options.queue], [3, 2, 1]);
      assert.deepEqual(origins.port, { kind: 'flag', flag: '--port' });
      assert.deepEqual(origins.slots, { kind: 'variable', variable: 'PARLANCE_SLOTS' });
      const path = join(cwd, 'parlance.yaml');
      assert.deepEqual(origins.queue, { kind: 'file', path, line: 3, column: 1, key: 'queue' });
    });

    it('takes an empty variable and an empty value for none', () => {
      const { options } = load({ env: { PARLANCE_PORT: '' }, yaml: 'host:\nslots: auto' });
      assert.equal(options.port, 8000);
      assert.equal(options.host, '127.0.0.1');
      assert.equal(options.slots, null);
    });

    it('names the flag or the variable at fault', () => {
      refuses({ flags: { port: 'x' } }, /^--port: expected an integer from 0 to 65535, got "x"$/);
      refuses({ env: { PARLANCE_PORT: '70000' } }, /^PARLANCE_PORT: expected .*, got 70000$/);
      refuses(
        { flags: { maxBody: '12' } },
        /^--max-body: expected a number of bytes.*32MiB, got 12$/,
      );
      refuses({ flags: { allowApiKeyEnv: 'A B' } }, /^--allow-api-key-env: expected names of env/);
      refuses(
        { env: { PARLANCE_LOG_LEVEL: 'loud' } },
        /^PARLANCE_LOG_LEVEL: expected one of "trace"/,
      );
    });

    it('names line and column of the file', () => {
      refuses(
        { yaml: 'host: "::1"\nport: many' },
        /^CWD\/parlance\.yaml:2:1: port: expected an integer from 0 to 65535, got "many"$/,
      );
      refuses({ yaml: 'slots: 1\nprot: 1' }, /:2:1: prot: no option .*did you mean "port"/);
      refuses(
        { yaml: 'stream:\n  usage_chunks: last' },
        /:2:3: stream\.usage_chunks: .*"usage_chunk"/,
      );
      refuses({ yaml: 'stream: last' }, /:1:1: stream: expected keys below it$/);
      refuses({ yaml: 'a: b: c' }, /:1:4: this is not YAML: /);
      refuses({ yaml: 'port: 1\nport: 2' }, /:2:1: this is not YAML: .*unique/);
      refuses({ yaml: '- port' }, /:1:1: expected options/);
    });

    it('refuses what later versions will read, rather than ignore it', () => {
      for (const key of ['providers', 'models', 'routes']) {
        refuses(
          { yaml: `${key}: {}` },
          new RegExp(`1:1: ${key}: not supported by this version yet`),
        );
      }
    });

    it('looks for the file where it was told, then here, then in the home folder', () => {
      const home = join(cwd, 'home');
      mkdirSync(home);
      writeFileSync(join(home, 'parlance.yaml'), 'port: 1');
      assert.equal(load({}).options.port, 1);
      assert.equal(load({ yaml: 'port: 2' }).options.port, 2);
      writeFileSync(join(cwd, 'other.yaml'), 'port: 3');
      assert.equal(load({ env: { PARLANCE_CONFIG: 'other.yaml' } }).options.port, 3);
      assert.equal(load({ flags: { config: 'other.yaml' } }).options.port, 3);
      refuses({ flags: { config: 'none.yaml' } }, /^--config: there is no file CWD\/none\.yaml/);
    });

    it('reads paths in the file from where the file is', () => {
      const folder = join(cwd, 'etc');
      mkdirSync(folder);
      writeFileSync(join(folder, 'p.yaml'), 'home: data\nmodel: w/my.gguf');
      const { options } = loadOptions({ flags: { config: 'etc/p.yaml' }, env: {}, cwd });
      assert.equal(options.home, join(folder, 'data'));
      assert.equal(options.model, join(folder, 'w', 'my.gguf'));
      const flag = load({ flags: { model: 'my.gguf' } });
      assert.equal(flag.options.model, join(cwd, 'my.gguf'));
      const hub = load({ flags: { model: 'hf:o/r/my.gguf' } });
      assert.equal(hub.options.model, 'hf:o/r/my.gguf');
    });

    it('points at a variable that is probably a misspelt option', () => {
      const { warnings } = load({ env: { PARLANCE_PROT: '1', PARLANCE_TEST_MODEL: 'x' } });
      assert.equal(warnings.length, 1);
      assert.match(warnings[0] ?? '', /PARLANCE_PROT.*did you mean PARLANCE_PORT/);
    });

    function withFile(yaml: string): string {
      writeFileSync(join(cwd, 'parlance.yaml'), yaml);
      return cwd;
    }
  });

  describe('optionTable', () => {
    it('gives no name twice', () => {
      for (const names of [
        optionTable.map((row) => row.flag),
        optionTable.map((row) => row.env),
        optionTable.map((row) => row.file.join('.')),
      ]) {
        assert.equal(new Set(names).size, optionTable.length);
      }
    });
  });

  describe('checkAddress', () => {
    it('knows the addresses of this machine', () => {
      for (const host of [
        'localhost',
        '127.0.0.1',
        '127.9.8.7',
        '::1',
        '[::1]',
        '::ffff:127.0.0.1',
      ]) {
        assert.equal(isLoopback(host), true, host);
      }
      for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.evil.example', 'example.com']) {
        assert.equal(isLoopback(host), false, host);
      }
    });

    it('opens to others only once a key exists, and says how to make one', () => {
      checkAddress('127.0.0.1', false, '/h');
      checkAddress('0.0.0.0', true, '/h');
      assert.throws(
        () => checkAddress('0.0.0.0', false, '/h'),
        /--host 0\.0\.0\.0 .*parlance keys create NAME --home \/h\. /,
      );
    });
  });
});
