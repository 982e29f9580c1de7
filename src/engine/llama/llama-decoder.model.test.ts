/** The decoder on the real model: rows of logits, states, and that neither changes a single bit. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { Decoder } from './decoder.ts';
import {
  append,
  decodeAll,
  openDecoder,
  someTokens,
  testModel,
} from './open-decoder.test-support.ts';

let decoder: Decoder;
let prompt: number[] = [];
/** Logits after the prompt, computed at once in an empty slot. */
let expected: Float32Array;

function empty(): void {
  for (let slot = 0; slot < decoder.slots; slot += 1) decoder.seqRemove(slot, 0);
}

describe('the decoder on the real model', () => {
  before(() => {
    decoder = openDecoder(testModel());
    prompt = someTokens(decoder, 300);
    expected = append(decoder, 0, prompt);
    empty();
  });
  after(() => decoder.close());

  test('several rows of a run are the rows of as many passes', () => {
    append(decoder, 0, prompt.slice(0, -4));
    append(decoder, 1, prompt.slice(0, 100));
    const rows = prompt.slice(-4).map((token) => append(decoder, 0, [token]));
    decoder.seqRemove(0, prompt.length - 4);
    decodeAll(decoder, [
      { slot: 0, position: prompt.length - 4, tokens: prompt.slice(-4), outputs: 4 },
      { slot: 1, position: 100, tokens: prompt.slice(100, 103), outputs: 2 },
    ]);
    for (const [row, logits] of rows.entries()) assert.deepEqual(decoder.logits(0, row), logits);
    assert.deepEqual(decoder.logits(0, 3), expected);
    const second = decoder.logits(1, 1).slice();
    assert.throws(() => decoder.logits(1, 2), /no logits/);
    assert.throws(() => decoder.logits(2, 0), /no logits/);
    decoder.seqRemove(1, 0);
    assert.deepEqual(append(decoder, 1, prompt.slice(0, 103)), second);
    empty();
  });

  test('a pass with too many rows or tokens is refused before the library sees it', () => {
    const run = { slot: 0, position: 0, tokens: prompt.slice(0, 16), outputs: 16 };
    assert.throws(() => decoder.decode([run], null), /rows/);
    assert.throws(
      () => decoder.decode([{ ...run, tokens: prompt, outputs: 1 }], null),
      /tokens do not fit/,
    );
    assert.equal(decoder.seqLength(0), 0);
  });

  test('a restored state gives the bits of a computed one, in any slot', () => {
    append(decoder, 1, prompt.slice(0, -1));
    const state = decoder.saveState(1);
    assert.equal(state.length, prompt.length - 1);
    empty();
    for (const slot of [0, 2]) {
      assert.equal(decoder.restoreState(slot, state), true);
      assert.equal(decoder.seqLength(slot), prompt.length - 1);
      assert.deepEqual(append(decoder, slot, prompt.slice(-1)), expected);
    }
    empty();
  });

  test('parts that were cut and joined are, byte for byte, the state of the whole', () => {
    append(decoder, 0, prompt);
    const whole = decoder.saveState(0);
    const { states } = decoder;
    assert.equal(states.cuttable, true);
    const cuts = [0, 1, 120, 121, 299, 300];
    const parts = cuts.slice(1).map((to, index) => states.cut(whole, cuts[index] ?? 0, to));
    const joined = states.join(parts);
    assert.equal(joined.length, 300);
    assert.deepEqual(states.encode(joined), states.encode(whole));
    assert.deepEqual(
      states.encode(states.cut(joined, 50, 200)),
      states.encode(states.cut(whole, 50, 200)),
    );
    empty();
    assert.equal(decoder.restoreState(0, joined), true);
    assert.deepEqual(states.encode(decoder.saveState(0)), states.encode(whole));
    empty();
    assert.equal(decoder.restoreState(2, states.decode(states.encode(joined))), true);
    decoder.seqRemove(2, 299);
    assert.deepEqual(append(decoder, 2, prompt.slice(-1)), expected);
    empty();
  });

  test('a part of a state is the state of the part', () => {
    append(decoder, 0, prompt.slice(0, 100));
    const computed = decoder.states.encode(decoder.saveState(0));
    append(decoder, 0, prompt.slice(100));
    const cut = decoder.states.cut(decoder.saveState(0), 0, 100);
    assert.deepEqual(decoder.states.encode(cut), computed);
    empty();
  });

  test('a state that cannot be restored leaves the slot empty', () => {
    append(decoder, 0, prompt.slice(0, 100));
    const { states } = decoder;
    const whole = decoder.saveState(0);
    empty();
    assert.equal(decoder.restoreState(0, states.cut(whole, 10, 100)), false, 'not from position 0');
    assert.equal(decoder.seqLength(0), 0);
    const encoded = states.encode(whole);
    // The type of the first layer's K: the library refuses it after it has taken the cells.
    new DataView(encoded.buffer, encoded.byteOffset).setInt32(12 + 4 + 100 * 12 + 8, 1, true);
    assert.equal(decoder.restoreState(0, states.decode(encoded)), false);
    assert.equal(decoder.seqLength(0), 0);
    assert.equal(append(decoder, 0, prompt.slice(0, 5)).length, decoder.vocabulary.size);
    empty();
  });

  test('bytes that are no state are refused', () => {
    append(decoder, 0, prompt.slice(0, 20));
    const encoded = decoder.states.encode(decoder.saveState(0));
    const { length } = encoded;
    for (const bytes of [new Uint8Array(0), encoded.subarray(0, length - 1), encoded.subarray(4)]) {
      assert.throws(() => decoder.states.decode(bytes), /no KV state/);
    }
    for (const at of [0, 4, 8, 12, 16, 20]) {
      const damaged = Uint8Array.from(encoded);
      damaged[at] = (damaged[at] ?? 0) ^ 0x41;
      assert.throws(() => decoder.states.decode(damaged), /no KV state/, `byte ${at}`);
    }
    empty();
  });
});
