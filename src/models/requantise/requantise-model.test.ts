/** The whole try on small files, with tools that do as they are told; the engine's are tested there. */

import assert from 'node:assert/strict';
import { copyFile, mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';

import { tinyModel, toGguf } from '../../../test/support/gguf-writer.ts';
import { ParlanceError } from '../../contract/index.ts';
import { ensureModel } from '../ensure-model.ts';
import { listModels } from '../list-models.ts';
import { ownerName } from '../../processes/index.ts';
import {
  requantiseModel,
  type RequantiseResult,
  type RequantiseTools,
} from './requantise-model.ts';
import { requantisedPath, verdictPath } from './verdict-file.ts';

const q4 = 3;
const q8 = 8;
const weights = { name: 'weights', dimensions: [32, 2] };
const fileOf = (type: number, bytes: number): Buffer =>
  toGguf({ ...tinyModel(), tensors: [{ ...weights, type, data: Buffer.alloc(bytes) }] });
const q4File = fileOf(q4, 40);
const q8File = fileOf(q8, 68);

const slow = { prefill: 100, decode: 100 };
const fast = { prefill: 200, decode: 100 };

let home = '';
let source = '';

describe('a Q8_0 form', () => {
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'parlance-requantise-'));
    await mkdir(join(home, 'models'));
    source = join(home, 'models', 'tiny.gguf');
    await writeFile(source, q4File);
  });
  afterEach(async () => {
    await rm(home, { recursive: true });
  });

  interface Told extends Partial<RequantiseTools> {
    readonly signal?: AbortSignal;
  }

  /** Tools under which Q8_0 is twice as fast, and how often they were used. */
  function requantise(told: Told = {}): { result: Promise<RequantiseResult>; used: string[] } {
    const used: string[] = [];
    const { signal = new AbortController().signal, ...tools } = told;
    const result = requantiseModel({
      source,
      signal,
      tools: {
        machine: 'this one',
        quantise: async (_, target) => {
          used.push('quantise');
          await writeFile(target, q8File);
        },
        measure: () => {
          used.push('measure');
          return Promise.resolve([slow, fast]);
        },
        freeMemory: () => 1e9,
        ...tools,
      },
    });
    return { result, used };
  }

  const filesThere = async (): Promise<string[]> =>
    (await readdir(join(home, 'models'))).toSorted();
  const onlySource = ['tiny.gguf'];
  const withVerdict = ['tiny.gguf', 'tiny.gguf.requantise.json'];
  const withBoth = ['tiny.gguf', 'tiny.gguf.requantise.json', 'tiny.requantised-Q8_0.gguf'];

  async function skipped(told: Told): Promise<string> {
    const result = await requantise(told).result;
    assert.equal(result.outcome, 'skipped');
    return result.outcome === 'skipped' ? result.why : '';
  }

  describe('a Q8_0 form that is faster', () => {
    test('is kept, and served in place of its source', async () => {
      const { result } = requantise();
      const { outcome, ...more } = await result;
      assert.equal(outcome, 'faster');
      assert.ok('path' in more && more.path === requantisedPath(source));
      assert.deepEqual(await filesThere(), withBoth);
      const served = await ensureModel('tiny', { home, machine: 'this one' });
      assert.deepEqual([served.path, served.requantised], [requantisedPath(source), 'used']);
      assert.deepEqual([served.name, served.bytes], ['tiny', q8File.length]);
      assert.deepEqual([...served.metadata.matrixWeights], [[q8, 64]]);
    });

    test('is made and measured once', async () => {
      await requantise().result;
      const again = requantise();
      assert.equal((await again.result).outcome, 'faster');
      assert.deepEqual(again.used, []);
    });

    test('is not served on another machine, for another source, when cut, or unasked', async () => {
      await requantise().result;
      const servedOn = async (machine?: string): Promise<string> =>
        (await ensureModel('tiny', { home, machine })).path;
      assert.equal(await servedOn('this one'), requantisedPath(source));
      assert.equal(await servedOn('another one'), source);
      assert.equal(await servedOn(), source);
      const named = await ensureModel(source, { home, machine: 'this one' });
      assert.equal(named.path, source);
      await writeFile(requantisedPath(source), q8File.subarray(0, -1));
      assert.equal(await servedOn('this one'), source);
      await writeFile(requantisedPath(source), q8File);
      assert.equal(await servedOn('this one'), requantisedPath(source));
      await utimes(source, 1, 1);
      assert.equal(await servedOn('this one'), source);
    });

    test('is made again where it is gone, cut, or of another source', async () => {
      await requantise().result;
      await rm(requantisedPath(source));
      const gone = requantise();
      assert.equal((await gone.result).outcome, 'faster');
      assert.deepEqual(gone.used, ['quantise', 'measure']);
      await utimes(source, 1, 1);
      const replaced = requantise();
      assert.equal((await replaced.result).outcome, 'faster');
      assert.deepEqual(replaced.used, ['quantise', 'measure']);
      assert.deepEqual(await filesThere(), withBoth);
    });

    test('is a note on its source in the list of models', async () => {
      await requantise().result;
      const here = (await listModels(home)).map(({ name, requantised }) => [name, requantised]);
      assert.deepEqual(here, [['tiny', requantisedPath(source)]]);
      await rm(source);
      const alone = (await listModels(home)).map(({ name, requantised }) => [name, requantised]);
      assert.deepEqual(alone, [['tiny.requantised-Q8_0', null]]);
    });
  });

  describe('a Q8_0 form that is not faster', () => {
    const slower = { measure: () => Promise.resolve([slow, slow]) };

    test('is removed, and not tried again', async () => {
      const { result } = requantise(slower);
      assert.equal((await result).outcome, 'not-faster');
      assert.deepEqual(await filesThere(), withVerdict);
      const again = requantise();
      assert.equal((await again.result).outcome, 'not-faster');
      assert.deepEqual(again.used, []);
      assert.equal((await ensureModel('tiny', { home, machine: 'this one' })).requantised, null);
    });

    test('goes also where another machine had kept it', async () => {
      await requantise().result;
      assert.deepEqual(await filesThere(), withBoth);
      const elsewhere = requantise({ ...slower, machine: 'another one' });
      assert.equal((await elsewhere.result).outcome, 'not-faster');
      assert.deepEqual(await filesThere(), withVerdict);
    });
  });

  describe('what stands in the way leaves nothing behind', () => {
    afterEach(async () => {
      assert.deepEqual(await filesThere(), onlySource);
    });

    test('a machine that is too busy, and says so at the next start', async () => {
      assert.match(await skipped({ measure: () => Promise.resolve([slow, null]) }), /too busy/);
      assert.equal((await ensureModel('tiny', { home, machine: 'm' })).requantised, 'possible');
    });

    test('a library that fails half-way', async () => {
      const quantise = async (_: string, target: string): Promise<void> => {
        await writeFile(target, 'half');
        throw new ParlanceError('engine_failed', 'The library could not rewrite the weights.');
      };
      assert.match(await skipped({ quantise }), /could not rewrite/);
    });

    test('a library that writes something else', async () => {
      const quantise = async (_: string, target: string) => await writeFile(target, 'nonsense');
      assert.match(await skipped({ quantise }), /not a GGUF file/);
    });

    test('a full disk, before and in the middle', async () => {
      const disk = { freeBytes: () => Promise.resolve(1), append: () => Promise.resolve() };
      assert.match(await skipped({ disk }), /needed and 1 B are free/);
      const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
      assert.match(await skipped({ quantise: () => Promise.reject(full) }), /disk is full/);
    });

    test('too little memory', async () => {
      assert.match(await skipped({ freeMemory: () => 100 }), /of free memory/);
    });

    test('a user who changes their mind', async () => {
      const controller = new AbortController();
      const quantise = async (_: string, target: string): Promise<void> => {
        await writeFile(target, q8File);
        controller.abort(new Error('enough'));
      };
      await assert.rejects(requantise({ quantise, signal: controller.signal }).result, /enough/);
    });

    test('a bug is not hidden', async () => {
      const bug = requantise({ measure: () => Promise.reject(new TypeError('a bug')) });
      await assert.rejects(bug.result, /a bug/);
    });
  });

  describe('two processes', () => {
    const lockPath = (): string => `${requantisedPath(source)}.lock`;

    test('do not do the same work', async () => {
      const measured = Promise.withResolvers<void>();
      const first = requantise({
        measure: async () => {
          await measured.promise;
          return [slow, fast];
        },
      });
      while (!(await filesThere()).includes('tiny.requantised-Q8_0.gguf.lock')) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      const second = requantise();
      assert.deepEqual(await second.result, {
        outcome: 'skipped',
        why: 'another process is at it',
        passing: true,
      });
      assert.deepEqual(second.used, []);
      measured.resolve();
      assert.equal((await first.result).outcome, 'faster');
      assert.deepEqual(await filesThere(), withBoth);
    });

    test('a living owner keeps its lock, a dead one’s is taken over with its leftovers', async () => {
      await writeFile(lockPath(), ownerName());
      assert.match(await skipped({}), /another process/);
      const [host = ''] = ownerName().split('-');
      assert.notEqual(host, hostname());
      // No process has an ID beyond the largest that Linux gives.
      const dead = `${host}-99999999-0`;
      await writeFile(lockPath(), dead);
      const leftover = `${requantisedPath(source)}.${dead}-abcdef.work.partial`;
      await mkdir(leftover);
      await copyFile(source, join(leftover, 'weights'));
      assert.equal((await requantise().result).outcome, 'faster');
      assert.deepEqual(await filesThere(), withBoth);
    });
  });

  test('files that cannot be read as verdicts count as never measured', async () => {
    await requantise().result;
    for (const text of ['', '{}', 'null', '[1]', '{"version":1}', '{"version":2,"faster":true}']) {
      await writeFile(verdictPath(source), text);
      const { path, requantised } = await ensureModel('tiny', { home, machine: 'this one' });
      assert.deepEqual([path, requantised], [source, 'possible'], text);
    }
    assert.ok((await stat(source)).size > 0);
  });
});
