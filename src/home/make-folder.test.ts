import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { diskTrouble } from './disk-trouble.ts';
import { makeFolder } from './make-folder.ts';

describe('makeFolder', () => {
  let base = '';
  before(() => {
    base = mkdtempSync(join(tmpdir(), 'parlance-folder-'));
  });
  after(() => rmSync(base, { recursive: true }));

  it('makes what is missing, at once and again', async () => {
    const path = join(base, 'a', 'b', 'c');
    await Promise.all([makeFolder(path), makeFolder(path)]);
    await makeFolder(path);
    assert.ok(statSync(path).isDirectory());
  });

  it('says that a file is in the way', async () => {
    const file = join(base, 'file');
    writeFileSync(file, '');
    for (const path of [file, join(file, 'x'), join(file, 'x', 'y')]) {
      await assert.rejects(makeFolder(path), (error) => {
        assert.match(diskTrouble(error)?.why ?? '', /is a file, not a folder/);
        return true;
      });
    }
  });

  it('comes to an end where nothing can be made', { skip: !existsSync('/proc/self') }, async () => {
    await assert.rejects(makeFolder('/proc/self/x/y'), (error) => {
      assert.notEqual(diskTrouble(error), undefined);
      return true;
    });
  });
});
