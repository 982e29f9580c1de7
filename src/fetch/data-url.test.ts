import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDice } from './dice.test-support.ts';
import { readBase64, readDataUrl } from './data-url.ts';

const read = (url: string, most = 1000) => {
  const found = readDataUrl(url, most);
  return 'problem' in found ? found.problem : [found.type, found.bytes.toString('utf8')];
};

describe('readDataUrl', () => {
  it('reads base64 and percent-encoded data', () => {
    assert.deepEqual(read('data:text/plain;base64,SGVsbG8='), ['text/plain', 'Hello']);
    assert.deepEqual(read('data:text/plain;base64,SGVsbG8'), ['text/plain', 'Hello']);
    assert.deepEqual(read('data:Text/CSV;charset=utf-8;base64,SGVs\nbG8%3D'), [
      'text/csv',
      'Hello',
    ]);
    assert.deepEqual(read('DATA:,a%20b%zz+1,2'), [null, 'a b%zz+1,2']);
    assert.deepEqual(read('data:;base64,'), [null, '']);
    assert.deepEqual(read('data:text/plain,é'), ['text/plain', 'é']);
  });

  it('says what is wrong', () => {
    assert.match(String(read('data:text/plain')), /is not a data URL/);
    assert.match(String(read('https://x/')), /is not a data URL/);
    for (const data of ['S', 'SGVsbG8*', 'SG=VsbG8', '\u0000']) {
      assert.equal(read(`data:;base64,${data}`), 'is not valid base64', data);
    }
    assert.equal(read(`data:,${'x'.repeat(2_000_001)}`, 2_000_000), 'is larger than 2 MB');
    const long = Buffer.alloc(2_000_001).toString('base64');
    assert.equal(read(`data:;base64,${long}`, 2_000_000), 'is larger than 2 MB');
  });
});

describe('readBase64', () => {
  it('reads back any bytes, in both alphabets, wrapped or not', () => {
    const { whole } = createDice(7);
    for (let run = 0; run < 300; run++) {
      const bytes = Buffer.from(Array.from({ length: whole(0, 70) }, () => whole(0, 255)));
      const plain = bytes.toString('base64');
      for (const text of [
        plain,
        bytes.toString('base64url'),
        plain.replaceAll(/.{19}/g, '$&\r\n'),
      ]) {
        assert.deepEqual(readBase64(text, 70), { bytes });
      }
    }
  });
});
