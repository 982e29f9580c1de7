/** The incremental decoder against TextDecoder. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createDice, cutAtRandom } from './random-text.test-support.ts';
import { decodeUtf8, emptyUtf8 } from './utf8-decoder.ts';

const encoder = new TextEncoder();

function decodePieces(pieces: readonly Uint8Array[]): { texts: string[]; needed: number } {
  let state = emptyUtf8;
  const texts = pieces.map((piece) => {
    const decoded = decodeUtf8(state, piece);
    state = decoded.state;
    return decoded.text;
  });
  return { texts, needed: state.needed };
}

/** TextDecoder's text, with an incomplete character at the end taken off. */
function expectedText(bytes: Uint8Array, needed: number): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  if (needed === 0) return text;
  assert.ok(text.endsWith('\ufffd'));
  return text.slice(0, -1);
}

describe('decoding in pieces', () => {
  test('equals TextDecoder on every sequence of three bytes from the borders of all ranges', () => {
    const borders = [
      0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1,
      0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
    ];
    for (const a of borders) {
      for (const b of borders) {
        for (const c of borders) {
          const bytes = Uint8Array.of(a, b, c, 0x80, 0x41);
          const { texts, needed } = decodePieces([bytes]);
          assert.equal(texts.join(''), expectedText(bytes, needed), `${a} ${b} ${c}`);
        }
      }
    }
  });

  test('equals TextDecoder on random bytes cut at random places', () => {
    const dice = createDice(1);
    const likely = [...encoder.encode('aZ ß€\ufeff日本😀👩‍👩‍👧')];
    for (let round = 0; round < 3000; round++) {
      const bytes = Uint8Array.from({ length: dice.below(24) }, () =>
        dice.below(3) === 0 ? dice.below(256) : dice.pick(likely),
      );
      const { texts, needed } = decodePieces(cutAtRandom(dice, bytes, true));
      assert.equal(texts.join(''), expectedText(bytes, needed), bytes.join(' '));
      for (const text of texts) assert.ok(text.isWellFormed());
    }
  });

  test('gives a character with its last byte and U+FFFD with the byte that proves it', () => {
    const pieces = [0xf0, 0x9f, 0x98, 0x80, 0xe2, 0x82, 0x41, 0xc3].map((byte) =>
      Uint8Array.of(byte),
    );
    const { texts, needed } = decodePieces(pieces);
    assert.deepEqual(texts, ['', '', '', '😀', '', '', '\ufffdA', '']);
    assert.equal(needed, 1);
  });

  test('says what the character of earlier pieces became', () => {
    const begun = decodeUtf8(emptyUtf8, Uint8Array.of(0x41, 0xf0, 0x9f));
    assert.equal(begun.resolved, null);
    assert.equal(decodeUtf8(begun.state, Uint8Array.of(0x98)).resolved, null);
    assert.equal(decodeUtf8(begun.state, Uint8Array.of(0x98, 0x80, 0x41)).resolved, 2);
    assert.equal(decodeUtf8(begun.state, Uint8Array.of(0x41, 0xc3, 0x9f)).resolved, 1);
    assert.equal(decodeUtf8(begun.state, new Uint8Array(0)).resolved, null);
  });
});
