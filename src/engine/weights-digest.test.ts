import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { digestWeights } from './weights-digest.ts';

function withFolder(work: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-digest-'));
  try {
    work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('one layer that differs anywhere makes another digest, a copy makes the same', () => {
  withFolder((folder) => {
    const bytes = Buffer.alloc(16 << 20, 7);
    const digestOf = (name: string, content: Buffer): string => {
      writeFileSync(join(folder, name), content);
      return digestWeights(join(folder, name));
    };
    const first = digestOf('one.gguf', bytes);
    assert.equal(digestOf('copy.gguf', bytes), first);
    const layer = bytes.length / 256 + 64 * 1024;
    for (const at of [0, 5_000_000, 9_876_543, bytes.length - layer]) {
      const changed = Buffer.from(bytes);
      changed.fill(8, at, at + layer);
      assert.notEqual(digestOf('changed.gguf', changed), first, `changed at ${at}`);
    }
    assert.notEqual(digestOf('longer.gguf', Buffer.concat([bytes, bytes.subarray(0, 1)])), first);
    digestOf('empty.gguf', Buffer.alloc(0));
  });
});

test('all parts of a model count', () => {
  withFolder((folder) => {
    const [one, two] = ['m-00001-of-00002.gguf', 'm-00002-of-00002.gguf'].map((name) =>
      join(folder, name),
    ) as [string, string];
    writeFileSync(one, 'first');
    writeFileSync(two, 'second');
    const before = digestWeights(one);
    writeFileSync(two, 'secone');
    assert.notEqual(digestWeights(one), before);
    rmSync(two);
    assert.throws(() => digestWeights(one), { code: 'ENOENT' });
  });
});
