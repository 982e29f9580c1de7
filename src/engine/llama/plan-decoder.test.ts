/** What is planned and promised for models of each kind, with the real library and tiny files. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { writeTinyModel, type TinyModelOptions } from '../../../test/support/tiny-models/index.ts';
import { ParlanceError } from '../../contract/errors.ts';
import { openLibrary } from './library.ts';
import { loadModel } from './llama-model.ts';
import { planDecoder, type DecoderPlan, type DecoderWishes } from './plan-decoder.ts';
import { chooseKernels } from './weights-exactness.ts';

let folder = '';

function planFor(model: TinyModelOptions, wishes: Partial<DecoderWishes> = {}): DecoderPlan {
  const library = openLibrary();
  const all = { slots: 4, context: 1024, deterministic: null, freeBytes: 4e9, ...wishes };
  const path = writeTinyModel(join(folder, 'model.gguf'), model);
  const loaded = loadModel(library, path, () => {}, {
    gpuLayers: 0,
    deterministic: all.deterministic,
  });
  try {
    return planDecoder(library, loaded, all);
  } finally {
    loaded.free();
  }
}

const isRefused = (words: RegExp) => (error: unknown) =>
  error instanceof ParlanceError && error.reason === 'invalid_option' && words.test(error.message);

describe('the plan for a decoder', () => {
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'parlance-plan-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  test('quantised weights repeat bit for bit, unless that is switched off', () => {
    const on = planFor({ architecture: 'llama' });
    assert.deepEqual(on.deterministic, { on: true, why: null });
    assert.equal(on.capacity.kvType, 'q8_0/f16');
    assert.equal(
      planFor({ architecture: 'llama' }, { deterministic: true }).deterministic.on,
      true,
    );
    const off = planFor({ architecture: 'llama' }, { deterministic: false });
    assert.equal(off.deterministic.on, false);
    assert.equal(off.capacity.kvType, 'f16/f16');
  });

  test('what cannot repeat says why, and is refused where it was asked for', () => {
    const floats: TinyModelOptions = { architecture: 'llama', weights: 'f32' };
    const plan = planFor(floats);
    assert.equal(plan.capacity.kvType, 'f16/f16');
    assert.match(plan.deterministic.why ?? '', /is F32/);
    assert.throws(() => planFor(floats, { deterministic: true }), isRefused(/is F32/));
    const oddHeads: TinyModelOptions = { architecture: 'llama', headSize: 48 };
    assert.match(planFor(oddHeads).deterministic.why ?? '', /blocks of 32/);
    assert.throws(() => planFor(oddHeads, { deterministic: true }), isRefused(/blocks of 32/));
  });

  test('windows are counted as they are kept, and given up when memory is short', () => {
    const model: TinyModelOptions = { architecture: 'gemma3', slidingWindow: 64 };
    const roomy = planFor(model);
    assert.equal(roomy.capacity.keepWholeWindow, true);
    assert.deepEqual(roomy.prefixReuse, { on: true, why: null });
    const plain = planFor({ architecture: 'qwen3' });
    assert.equal(roomy.capacity.kvBytes, plain.capacity.kvBytes);
    const tight = planFor(model, { freeBytes: roomy.capacity.kvBytes });
    assert.equal(tight.capacity.keepWholeWindow, false);
    // One layer of three keeps 1,024 tokens, two keep 64 and a pass of 512 in steps of 256.
    assert.equal(tight.capacity.kvBytes, (roomy.capacity.kvBytes * (1024 + 2 * 768)) / (3 * 1024));
    assert.match(tight.prefixReuse.why ?? '', /sliding window/);
  });

  test('recurrent models cost a state for each slot, whatever the context', () => {
    const short = planFor({ architecture: 'mamba' }, { context: 256 });
    const long = planFor({ architecture: 'mamba' }, { context: 2048 });
    assert.equal(short.capacity.kvBytes, long.capacity.kvBytes);
    assert.ok(short.capacity.kvBytes > 4 * 10_000);
    assert.match(short.prefixReuse.why ?? '', /recurrent/);
    const hybrid = planFor({ architecture: 'lfm2' }, { context: 256 });
    assert.ok(planFor({ architecture: 'lfm2' }).capacity.kvBytes > hybrid.capacity.kvBytes);
  });
});

test('kernels follow the types of the weights that products are made of', () => {
  const tensor = (name: string, type: number, dimensions = [256, 256]) => ({
    name,
    type,
    dimensions,
    offset: 0,
  });
  const choose = (tensors: ReturnType<typeof tensor>[], deterministic: boolean | null = null) =>
    chooseKernels({ tensors, architecture: 'llama', processor: 'x64', deterministic });
  const norm = tensor('blk.0.attn_norm.weight', 0, [256]);
  assert.equal(choose([tensor('a.weight', 2), tensor('b.weight', 14), norm]).exact.on, true);
  const q4k = [tensor('token_embd.weight', 14), tensor('blk.0.ffn_up.weight', 12)];
  assert.deepEqual([choose(q4k).repack, choose(q4k).exact.on], [true, false]);
  assert.match(choose(q4k).exact.why ?? '', /ffn_up\.weight is Q4_K.*slower prompts/);
  assert.deepEqual([choose(q4k, true).repack, choose(q4k, true).exact.on], [false, true]);
  assert.equal(choose([...q4k, tensor('blk.1.ffn_up.weight', 20)], true).exact.on, false);
  assert.equal(
    choose([tensor('blk.0.ffn_gate_inp.weight', 0), tensor('a.weight', 8)]).exact.on,
    false,
  );
  const table = tensor('token_embd.weight', 1);
  assert.equal(choose([table, tensor('a.weight', 8)]).exact.on, false, 'the output uses it too');
  assert.equal(choose([table, tensor('output.weight', 8)]).exact.on, true, 'only looked up');
  const elsewhere = { tensors: [], architecture: 'llama', deterministic: null } as const;
  assert.match(chooseKernels({ ...elsewhere, processor: 'arm64' }).exact.why ?? '', /arm64/);
});
