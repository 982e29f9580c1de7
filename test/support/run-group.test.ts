import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { judge, runGroup, type GroupResult } from './run-group.ts';

const head = "import { test } from 'node:test';\n";

async function runFiles(
  context: TestContext,
  files: Record<string, string>,
  processes = 1,
): Promise<GroupResult> {
  const root = mkdtempSync(join(tmpdir(), 'parlance-group-'));
  context.after(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  const group = { name: 'tried', files: ['*.test.mjs'], timeoutMs: 60_000, processes };
  return await runGroup(group, root, false);
}

const countsOf = ({ passed, failed, skipped }: GroupResult) => ({ passed, failed, skipped });

test('what passed, failed and was skipped is counted, and failures are shown', async (context) => {
  const result = await runFiles(context, {
    'a.test.mjs': `${head}test('good', () => {}); test.skip('later', () => {});`,
    'b.test.mjs': `${head}test('bad', () => { throw new Error('it broke'); });`,
  });
  assert.deepEqual(countsOf(result), { passed: 1, failed: 1, skipped: 1 });
  assert.match(result.output, /failed: bad \(.*b\.test\.mjs:2\)/);
  assert.match(result.output, /it broke/);
  assert.match(result.output, /skipped: later/);
  assert.ok(!result.output.includes('good'));
});

test('a file that does not load has failed', async (context) => {
  const result = await runFiles(context, {
    'a.test.mjs': `${head}test('good', () => {});`,
    'b.test.mjs': "throw new Error('no load');",
  });
  assert.ok(result.failed > 0, JSON.stringify(result));
});

test('a process that ends in the middle has failed', async (context) => {
  const result = await runFiles(context, {
    'a.test.mjs': `${head}test('good', () => {}); test('gone', () => { process.exit(0); });`,
  });
  assert.ok(result.failed > 0, JSON.stringify(result));
});

test('no files: nothing ran, and nothing failed', async (context) => {
  assert.deepEqual(countsOf(await runFiles(context, {})), { passed: 0, failed: 0, skipped: 0 });
});

test('files are dealt to several processes, and their numbers are added', async (context) => {
  const one = `${head}test('good', () => {});`;
  const bad = `${head}test('bad', () => { throw new Error('it broke'); });`;
  const files = { 'a.test.mjs': one, 'b.test.mjs': one, 'c.test.mjs': one, 'd.test.mjs': bad };
  const result = await runFiles(context, files, 3);
  assert.deepEqual(countsOf(result), { passed: 3, failed: 1, skipped: 0 });
  assert.match(result.output, /it broke/);
});

test('how a group ended is judged by its process too', () => {
  const counts = { passed: 3, failed: 0, skipped: 0 };
  const group = { name: 'g', timeoutMs: 1000 };
  assert.equal(judge({ code: 0, timedOut: false }, counts, group).counts.failed, 0);
  assert.equal(judge({ code: 1, timedOut: false }, counts, group).counts.failed, 1);
  assert.equal(judge({ code: 0, timedOut: false }, null, group).counts.failed, 1);
  assert.equal(judge({ code: 128, timedOut: true }, counts, group).counts.failed, 1);
  assert.equal(
    judge({ code: 1, timedOut: false }, { ...counts, failed: 2 }, group).counts.failed,
    2,
  );
});
