/** The decoder on tiny models of each kind of memory: what they forget, and whether bits repeat. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { writeTinyModel, type TinyModelOptions } from '../../../test/support/tiny-models/index.ts';
import type { Decoder } from './decoder.ts';
import type { DecoderOptions } from './llama-decoder.ts';
import { append, openDecoder, someTokens } from './open-decoder.test-support.ts';

let folder = '';

function withDecoder(
  model: TinyModelOptions,
  options: Partial<DecoderOptions>,
  use: (decoder: Decoder) => void,
): void {
  const path = writeTinyModel(join(folder, 'model.gguf'), model);
  const decoder = openDecoder(path, options);
  use(decoder);
  decoder.close();
}

/** Logits of the whole prompt in slot 1 while the others prefill and decode. */
function inCompany(decoder: Decoder, tokens: readonly number[]): Float32Array {
  const others = someTokens(decoder, 1000, 7);
  const pieces = [5, 1, 17, 30, 2];
  let position = 0;
  for (let pass = 0; position < tokens.length; pass += 1) {
    const run = (slot: number, length: number) => {
      const at = decoder.seqLength(slot);
      return { slot, position: at, tokens: others.slice(at, at + length), outputs: 1 };
    };
    const piece = tokens.slice(position, position + (pieces[pass % pieces.length] ?? 1));
    const own = { slot: 1, position, tokens: piece, outputs: 1 };
    assert.equal(decoder.decode([run(0, 1 + (pass % 3)), own, run(2, 6)], null), 0);
    position += piece.length;
  }
  return decoder.logits(1, 0).slice();
}

function empty(decoder: Decoder): void {
  for (let slot = 0; slot < decoder.slots; slot += 1) decoder.seqRemove(slot, 0);
}

describe('the decoder on tiny models', () => {
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'parlance-decoder-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const exact: [string, TinyModelOptions][] = [
    ['plain attention', { architecture: 'llama' }],
    ['sliding windows', { architecture: 'gemma3', slidingWindow: 32 }],
    ['recurrent', { architecture: 'mamba' }],
    ['hybrid', { architecture: 'lfm2' }],
  ];
  for (const [name, model] of exact) {
    const skip = process.arch === 'x64' ? false : 'tried with kernels for x64 only';
    test(`${name}: bits repeat in pieces, in company, copied and restored`, { skip }, () => {
      withDecoder(model, {}, (decoder) => {
        const tokens = someTokens(decoder, 200);
        const expected = append(decoder, 0, tokens);
        assert.ok(expected.every(Number.isFinite));
        empty(decoder);
        for (const chunk of [1, 7, 64]) {
          assert.deepEqual(append(decoder, 2, tokens, chunk), expected, `pieces of ${chunk}`);
          empty(decoder);
        }
        assert.deepEqual(inCompany(decoder, tokens), expected);
        empty(decoder);
        append(decoder, 0, tokens.slice(0, -1));
        decoder.seqCopy(0, 1);
        const state = decoder.saveState(0);
        assert.deepEqual(append(decoder, 0, tokens.slice(-1)), expected, 'after saving');
        assert.deepEqual(append(decoder, 1, tokens.slice(-1)), expected, 'copied');
        const { states } = decoder;
        const carried = states.decode(states.encode(state));
        assert.equal(decoder.restoreState(2, carried), true);
        assert.equal(decoder.seqLength(2), 199);
        assert.deepEqual(append(decoder, 2, tokens.slice(-1)), expected, 'restored');
      });
    });
  }

  test('a window that is kept whole can be cut and joined anywhere', () => {
    withDecoder({ architecture: 'gemma3', slidingWindow: 32 }, {}, (decoder) => {
      const { states } = decoder;
      assert.equal(decoder.forgetsParts && states.cuttable, true);
      const tokens = someTokens(decoder, 200);
      append(decoder, 0, tokens);
      const whole = decoder.saveState(0);
      const joined = states.join([states.cut(whole, 0, 70), states.cut(whole, 70, 200)]);
      assert.deepEqual(states.encode(joined), states.encode(whole));
      for (const from of [1, 70, 180, 199]) {
        const part = states.encode(decoder.saveState(0, from));
        assert.deepEqual(part, states.encode(states.cut(whole, from, 200)), `from ${from}`);
      }
      empty(decoder);
      const expected = append(decoder, 0, tokens.slice(0, 100));
      assert.equal(decoder.restoreState(1, states.cut(whole, 0, 99)), true);
      assert.deepEqual(append(decoder, 1, [tokens[99] ?? 0]), expected);
      assert.equal(decoder.restoreState(2, joined), true);
      assert.equal(decoder.seqRemove(2, 99), true);
      assert.deepEqual(append(decoder, 2, [tokens[99] ?? 0]), expected);
    });
  });

  test('what cannot forget a part says so, and its states are of use whole', () => {
    const cases: [TinyModelOptions, Partial<DecoderOptions>][] = [
      [{ architecture: 'mamba' }, {}],
      [{ architecture: 'lfm2' }, {}],
      [{ architecture: 'gemma3', slidingWindow: 32 }, { keepWholeWindow: false }],
    ];
    for (const [model, options] of cases) {
      withDecoder(model, options, (decoder) => {
        append(decoder, 0, someTokens(decoder, 100));
        assert.equal(decoder.forgetsParts, false);
        assert.equal(decoder.seqRemove(0, 99), false);
        assert.equal(decoder.seqLength(0), 100);
        assert.equal(decoder.seqRemove(0, 100), true, 'nothing is to be forgotten');
        const state = decoder.saveState(0);
        assert.equal(state.length, 100);
        assert.equal(decoder.states.cuttable, false);
        assert.throws(() => decoder.states.cut(state, 0, 50), /only be used whole/);
        assert.equal(decoder.states.cut(state, 0, 100), state);
        assert.equal(decoder.seqRemove(0, 0), true);
        assert.equal(decoder.seqLength(0), 0);
      });
    }
  });

  test('a state of another model is refused and leaves the slot empty', () => {
    let foreign = new Uint8Array(0);
    withDecoder({ architecture: 'llama', layers: 2 }, {}, (decoder) => {
      append(decoder, 0, someTokens(decoder, 20));
      foreign = Uint8Array.from(decoder.states.encode(decoder.saveState(0)));
    });
    withDecoder({ architecture: 'llama' }, {}, (decoder) => {
      append(decoder, 0, someTokens(decoder, 20));
      const own = decoder.saveState(0);
      empty(decoder);
      const state = decoder.states.decode(foreign);
      assert.equal(decoder.restoreState(1, state), false);
      assert.equal(decoder.seqLength(1), 0);
      assert.throws(
        () => decoder.states.join([own, decoder.states.decode(foreign)]),
        /do not follow/,
      );
    });
    withDecoder({ architecture: 'mamba' }, {}, (decoder) => {
      assert.throws(() => decoder.states.decode(foreign), /no KV state/);
    });
  });

  test('an engine with another number of slots goes on from a state', () => {
    let encoded = new Uint8Array(0);
    let expected = new Float32Array(0);
    withDecoder({ architecture: 'llama' }, { slots: 5 }, (decoder) => {
      const tokens = someTokens(decoder, 50);
      append(decoder, 4, tokens.slice(0, -1));
      encoded = Uint8Array.from(decoder.states.encode(decoder.saveState(4)));
      expected = Float32Array.from(append(decoder, 4, tokens.slice(-1)));
    });
    withDecoder({ architecture: 'llama' }, { slots: 2 }, (decoder) => {
      assert.equal(decoder.restoreState(1, decoder.states.decode(encoded)), true);
      assert.deepEqual(append(decoder, 1, someTokens(decoder, 50).slice(-1)), expected);
    });
  });

  test('a batch that the library cannot place changes nothing', () => {
    withDecoder({ architecture: 'llama' }, { slots: 2, context: 256 }, (decoder) => {
      const tokens = someTokens(decoder, 256);
      append(decoder, 0, tokens.slice(0, 250));
      append(decoder, 1, tokens.slice(0, 10));
      const runs = [
        { slot: 0, position: 250, tokens: tokens.slice(0, 10), outputs: 1 },
        { slot: 1, position: 10, tokens: tokens.slice(10, 20), outputs: 1 },
      ];
      assert.equal(decoder.decode(runs, null), 1);
      assert.deepEqual([decoder.seqLength(0), decoder.seqLength(1)], [250, 10]);
      assert.throws(() => decoder.logits(0, 0), /no logits/);
      const gap = { slot: 1, position: 12, tokens: [1], outputs: 1 };
      assert.equal(decoder.decode([gap], null), -1);
      assert.deepEqual([decoder.seqLength(0), decoder.seqLength(1)], [250, 10]);
      const expected = append(decoder, 1, tokens.slice(10, 20));
      decoder.seqRemove(0, 0);
      assert.deepEqual(append(decoder, 0, tokens.slice(0, 20)), expected);
    });
  });
});
