import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import type { Vocabulary } from '../llama/decoder.ts';
import { createConstraints } from './create-constraints.ts';

let tokenised: string[] = [];
/** A token for each byte, and one for the end. */
const vocabulary: Vocabulary = {
  size: 257,
  bosId: null,
  bosToken: null,
  eosToken: '<end>',
  eosIds: [256],
  piece: (token, special) =>
    token < 256 ? Uint8Array.of(token) : Buffer.from(special ? '<end>' : ''),
  tokenize: (text) => {
    tokenised.push(text);
    return [...Buffer.from(text)];
  },
};
const constraints = createConstraints({ vocabulary });
after(() => constraints.close());

test('forced texts are asked for once, whatever they begin with', async () => {
  for (const text of ['\ufeffone', '\ufeff\ufefftwo', '\0three', 'f\u00f6\u{1f600}ur']) {
    tokenised = [];
    const prepared = await constraints.prepare({ kind: 'choice', options: [text] });
    const session = prepared.open();
    assert.ok(session.wait(20_000), JSON.stringify(text));
    assert.equal(Buffer.from(session.view.forced).toString(), text);
    assert.equal(session.view.ended, true);
    assert.deepEqual(tokenised, [text]);
    session.close();
    prepared.release();
  }
});
