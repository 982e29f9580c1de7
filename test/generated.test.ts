import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generatedPages, stalePages } from '../scripts/generate.ts';

test('the generated pages are what the code says (npm run generate)', () => {
  assert.deepEqual(stalePages(), []);
});

test('the generated pages are the same each time, and have no trailing spaces', () => {
  assert.deepEqual(generatedPages(), generatedPages());
  for (const [path, text] of Object.entries(generatedPages())) {
    assert.ok(text.endsWith('\n') && !text.endsWith('\n\n'), path);
    assert.ok(!/[ \t]$/m.test(text), path);
  }
});
