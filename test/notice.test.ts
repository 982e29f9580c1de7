import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '..', path), 'utf8');

interface LockEntry {
  readonly dev?: boolean;
  readonly license?: string;
}

const { packages } = JSON.parse(read('package-lock.json')) as {
  packages: Record<string, LockEntry>;
};
const shipped = Object.entries(packages)
  .filter(([path, entry]) => path !== '' && entry.dev !== true)
  .map(([path, entry]) => ({ name: path.replace(/^.*node_modules\//, ''), ...entry }));

test('every package that an installation fetches is in NOTICE', () => {
  const notice = read('NOTICE');
  const missing = shipped
    .map(({ name }) => name)
    // One binary for each machine; the lock names machines that Parlance does not run on.
    .filter((name) => !name.startsWith('@koromix/koffi-') || name.includes('-linux-x64'))
    .filter((name) => !notice.includes(name));
  assert.ok(shipped.length > 20);
  assert.deepEqual(missing, []);
});

test('every package has a licence that Parlance may be used with', () => {
  const allowed = new Set(['MIT', 'Apache-2.0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause']);
  const others = shipped.filter(({ license }) => !allowed.has(license ?? ''));
  assert.deepEqual(others, []);
});

test('the licence is there in full', () => {
  const licence = read('LICENSE');
  assert.match(licence, /Apache License\s+Version 2\.0, January 2004/);
  assert.match(licence, /9\. Accepting Warranty or Additional Liability/);
  assert.match(licence, /END OF TERMS AND CONDITIONS/);
});
