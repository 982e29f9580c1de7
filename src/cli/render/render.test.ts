/** `parlance render`, with files and with lines. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';

import { runHere, startChild, withFolder } from '../testing/run-cli.ts';
import { linesOf } from './lines-of.ts';

const template =
  '{{ bos_token }}{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}';
const context = { bos_token: '<s>', messages: [{ role: 'user', content: 'Hi' }] };

test('prints what a template makes of a context, and nothing else', async () => {
  await withFolder(async (folder) => {
    await writeFile(join(folder, 't.jinja'), template);
    await writeFile(join(folder, 'c.json'), JSON.stringify(context));
    const args = ['render', '--template', 't.jinja', '--context', 'c.json'];
    const ran = await runHere(args, { cwd: folder });
    assert.deepEqual(ran, { code: 0, stdout: '<s>[user] Hi\n', stderr: '' });
    const child = await startChild(args, { cwd: folder }).ended;
    assert.deepEqual(child, { code: 0, stdout: '<s>[user] Hi\n', stderr: '' });
  });
});

test('the date can be given; numbers stay as they are spelled', async () => {
  await withFolder(async (folder) => {
    await writeFile(join(folder, 't'), "{{ strftime_now('%d %b %Y') }} {{ x }}");
    await writeFile(join(folder, 'c'), '{"x": [1, 1.0]}');
    const args = ['render', '--template', 't', '--context', 'c', '--now', '2024-02-29'];
    const ran = await runHere(args, { cwd: folder });
    assert.deepEqual(ran, { code: 0, stdout: '29 Feb 2024 [1, 1.0]', stderr: '' });
  });
});

test('what is wrong is said in a line: the template, the context, a file, the usage', async () => {
  await withFolder(async (folder) => {
    await writeFile(join(folder, 'broken'), '{% if %}');
    await writeFile(join(folder, 'raising'), "{{ raise_exception('Roles must alternate') }}");
    await writeFile(join(folder, 'c.json'), '{}');
    await writeFile(join(folder, 'bad.json'), '{"a": }');
    const run = async (...args: string[]) => await runHere(['render', ...args], { cwd: folder });
    for (const [args, code, words] of [
      [['--template', 'broken', '--context', 'c.json'], 1, /does not parse.*line 1/],
      [['--template', 'raising', '--context', 'c.json'], 1, /Roles must alternate/],
      [['--template', 'raising', '--context', 'bad.json'], 1, /bad\.json is not JSON.*column 7/],
      [['--template', 'none', '--context', 'c.json'], 2, /none cannot be read \(ENOENT\)/],
      [['--template', 'broken'], 2, /Give --template FILE and --context FILE, or --jsonl/],
      [['--jsonl', '--template', 'broken'], 2, /--jsonl reads templates/],
    ] as const) {
      const ran = await run(...args);
      assert.equal(ran.code, code, args.join(' '));
      assert.match(ran.stderr, words);
      assert.equal(ran.stdout, '');
      assert.equal(ran.stderr.trim().split('\n').length, 1);
    }
  });
});

test('--jsonl answers each line with a line, broken ones too', async () => {
  const lines = [
    JSON.stringify({ template, context }),
    'not JSON',
    '',
    JSON.stringify({ template: '{{ 1/0 }}', context: {} }),
    JSON.stringify({ template: 5, context: {} }),
    JSON.stringify({ template: 'x' }),
    JSON.stringify({ template: "{{ strftime_now('%Y') }}", context: {}, now: '1999-01-01' }),
    JSON.stringify({ template: "{{ 'a' * 10**9 }}", context: {}, now: null }),
    '{"template": "{{ x }}", "context": {"x": 2.0}}',
  ];
  const ran = await runHere(['render', '--jsonl'], { stdin: lines.join('\n') });
  assert.equal(ran.code, 0);
  const answers = ran.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { text?: string; error?: string });
  assert.deepEqual(
    answers.map(({ text }) => text ?? null),
    ['<s>[user] Hi\n', null, null, null, null, '1999', null, '2.0'],
  );
  const errors = answers.map(({ error }) => error ?? '');
  for (const [at, words] of [
    [1, /The line is not JSON/],
    [2, /ZeroDivisionError/],
    [3, /`template` must be a string/],
    [4, /`context` must be a JSON object/],
    [6, /LimitError/],
  ] as const) {
    assert.match(errors[at] ?? '', words);
  }
});

test('help says what goes in and what comes out', async () => {
  const { code, stdout } = await runHere(['render', '--help']);
  assert.equal(code, 0);
  for (const words of ['--template', '--context', '--now', '--jsonl', '{text} or {error}']) {
    assert.ok(stdout.includes(words), words);
  }
});

test('lines are whole wherever the chunks are cut', async () => {
  const bytes = Buffer.from('één\n\ntwo 😀\nlast');
  for (let size = 1; size < 8; size++) {
    const chunks: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
    const lines = await Array.fromAsync(linesOf(Readable.from(chunks)));
    assert.deepEqual(lines, ['één', '', 'two 😀', 'last']);
  }
});
