/** Adapters of one engine: their names there, and what becomes of them with it. */

import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { ParlanceError } from '../../contract/index.ts';
import type { Engine } from '../../engine/index.ts';
import type { ModelMetadata } from '../../models/index.ts';
import {
  createModelRenderer,
  createTargetServices,
  Handovers,
  localOnly,
} from '../../targets/index.ts';
import type { AdapterSpec } from '../spec.ts';
import { Adapters } from './adapters.ts';

let folder = '';
let loaded: string[] = [];
let adapters: Adapters;
let strict: Adapters;
const failures: string[] = [];

describe('adapters of an engine', () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'parlance-adapters-of-'));
    loaded = [];
    failures.length = 0;
    const engine = {
      state: { state: 'ready' },
      loadAdapter(name: string, path: string) {
        if (path.includes('broken')) {
          return Promise.reject(new ParlanceError('invalid_adapter', 'truncated'));
        }
        return Promise.resolve(void loaded.push(name));
      },
      unloadAdapter(name: string) {
        loaded = loaded.filter((one) => one !== name);
        return Promise.resolve();
      },
    } as unknown as Engine;
    const services = createTargetServices(localOnly);
    const tokenizer = { specialTexts: [] };
    const metadata = { namedChatTemplates: {}, tokenizer } as unknown as ModelMetadata;
    const prompting = createModelRenderer({ metadata, services, template: 'none' });
    const base = { engine, prompting, handovers: new Handovers(), services };
    adapters = new Adapters(base, false);
    strict = new Adapters(base, true);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function specOf(name: string, text = name): AdapterSpec {
    const path = join(folder, `${name}.gguf`);
    // A file of its own, as a new version of an adapter is.
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
    return { name, runtime: 'adapter', adapter_of: 'm', path, options: {} };
  }

  const contextOf = (name: string) => ({
    onFailed: (error: ParlanceError) => void failures.push(`${name}: ${error.message}`),
  });
  const attach = (spec: AdapterSpec) => adapters.attach(spec, contextOf(spec.name));

  describe('the adapters of an engine', () => {
    it('are loaded under a name that another file does not get', async () => {
      const first = await attach(specOf('a'));
      const [before = ''] = loaded;
      assert.match(before, /^a@[0-9a-f]{16}$/);
      assert.equal(first.target.name, 'embedded:a');
      assert.deepEqual(first.load(), { running: 0, waiting: 0 });
      assert.equal(first.details()?.['bytes'], 1);
      assert.deepEqual(adapters.names, ['a']);
      await first.stop();
      assert.deepEqual([loaded, adapters.names], [[], []]);
      await attach(specOf('a', 'another'));
      assert.notEqual(loaded[0], before);
    });

    it('that the engine refuses are none', async () => {
      await assert.rejects(attach(specOf('broken')), { reason: 'invalid_adapter', param: 'path' });
      assert.deepEqual(adapters.names, []);
      const missing = { ...specOf('c'), path: join(folder, 'nothing') };
      await assert.rejects(attach(missing), { reason: 'invalid_deployment', message: /not exist/ });
    });

    it('say that they do not repeat to the bit, and are none where that was asked for', async () => {
      const details = (await attach(specOf('a'))).details();
      assert.ok(details !== null);
      assert.equal((details['deterministic'] as { on: boolean }).on, false);
      await assert.rejects(strict.attach(specOf('a'), contextOf('a')), {
        reason: 'invalid_deployment',
        message: /^adapter_of: "m" has the option deterministic: true/,
      });
    });

    it('fail where the engine loses one, and where it ends', async () => {
      await attach(specOf('a'));
      await attach(specOf('b'));
      adapters.lost(loaded[0] ?? '', new ParlanceError('invalid_adapter', 'changed'));
      assert.deepEqual([failures, adapters.names], [['a: changed'], ['b']]);
      adapters.failAll(new ParlanceError('engine_failed', 'gone'));
      assert.deepEqual(failures, ['a: changed', 'b: gone']);
      assert.deepEqual(adapters.names, []);
    });
  });
});
