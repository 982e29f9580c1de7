/** `parlance check`: one constraint, many by lines, and threads that hang. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { runHere, withFolder } from '../testing/run-cli.ts';
import type { CheckResult } from './check-texts.ts';
import { createChecker } from './checker.ts';

const schema = '{"type": "object", "properties": {"a": {"type": "integer", "maximum": 120}}}';

/** Runs with files of these contents, and with the folder as the current one. */
async function runWith(
  files: Readonly<Record<string, string | Uint8Array>>,
  args: readonly string[],
  stdin = '',
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  return await withFolder(async (cwd) => {
    for (const [name, content] of Object.entries(files)) await writeFile(join(cwd, name), content);
    return await runHere(['check', ...args], { cwd, stdin });
  });
}

/** The answers to lines of `--jsonl`. */
async function answersTo(lines: readonly string[]): Promise<CheckResult[]> {
  const { code, stdout, stderr } = await runHere(['check', '--jsonl'], { stdin: lines.join('\n') });
  assert.equal(stderr, '');
  assert.equal(code, 0);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as CheckResult);
}

describe('one constraint', () => {
  test('a schema that is supported', async () => {
    const { code, stdout } = await runWith({ 's.json': schema }, ['--schema', 's.json']);
    assert.equal(code, 0);
    assert.equal(stdout, 'supported  the schema\n');
  });

  test('a text that is allowed, with or without a line end', async () => {
    for (const text of ['{"a": 12}', '{"a": 12}\n', '{"a": 12}\r\n']) {
      const args = ['--schema', 's.json', '--text', 't.json'];
      const { code, stdout } = await runWith({ 's.json': schema, 't.json': text }, args);
      assert.equal(code, 0, JSON.stringify(text));
      assert.equal(stdout, 'supported  the schema\nallowed  the text\n');
    }
  });

  test('a text that is not: where, and what stands there', async () => {
    const args = ['--schema', 's.json', '--text', 't.json'];
    const { code, stdout } = await runWith({ 's.json': schema, 't.json': '{\n"a": 150}\n' }, args);
    assert.equal(code, 1);
    const refused = 'byte 9 (line 2, column 8), where "0}\\n" stands behind "{\\n\\"a\\": 15"';
    assert.equal(stdout, `supported  the schema\nnot allowed  the text: refused at ${refused}\n`);
  });

  test('a text that is only begun', async () => {
    const args = ['--choice', 'yes', 'no', '--text', '-'];
    const { code, stdout } = await runWith({}, args, 'ye\n');
    assert.equal(code, 1);
    assert.match(stdout, /refused at byte 2 \(line 1, column 3\)/);
    const begun = await runWith({}, args, 'ye');
    assert.match(begun.stdout, /ends too early, at byte 2 \(line 1, column 3\), behind "ye"/);
  });

  test('bytes that are no UTF-8', async () => {
    const args = ['--regex', '.*', '--text', 't', '--json'];
    const { code, stdout } = await runWith({ t: Uint8Array.of(0x61, 0xff) }, args);
    assert.equal(code, 1);
    assert.deepEqual(JSON.parse(stdout), { ok: true, allowed: [false], at: [1] });
  });

  test('a grammar from a file, and what is wrong with it', async () => {
    const files = { g: 'start: "a" other', good: 'root ::= "a"+' };
    const bad = await runWith(files, ['--grammar', 'g']);
    assert.equal(bad.code, 1);
    assert.match(bad.stdout, /^not supported  the grammar, because of other: .*line 1, column 12/);
    assert.equal((await runWith(files, ['--grammar', 'good', '--text', '-'], 'aaa')).code, 0);
  });

  test('--json', async () => {
    const { code, stdout } = await runWith({}, ['--regex', '(', '--json']);
    assert.equal(code, 1);
    const result = JSON.parse(stdout) as CheckResult;
    assert.equal(result.ok, false);
    assert.equal(result.keyword, 'pattern');
    assert.deepEqual([result.allowed, result.at], [[], []]);
  });

  test('wrong usage', async () => {
    const cases = [
      [],
      ['--regex', 'a', '--choice', 'a'],
      ['--schema', 'none'],
      ['--jsonl', '--json'],
    ];
    for (const args of cases) {
      const { code, stdout, stderr } = await runWith({}, args);
      assert.equal(code, 2, args.join(' '));
      assert.equal(stdout, '');
      assert.match(stderr, /^parlance: /);
    }
  });
});

describe('lines', () => {
  test('each kind of constraint', async () => {
    const answers = await answersTo([
      '{"schema": {"type": "integer"}, "texts": ["1", "1x", "", "-"]}',
      `{"schema": ${JSON.stringify(schema)}, "texts": ["{}"]}`,
      '{"schema": false, "texts": ["1"]}',
      '{"regex": "é+", "texts": ["éé", "é€"]}',
      '{"grammar": "root ::= \\"a\\"", "texts": ["a"]}',
      '{"choice": ["a", "ab"], "texts": ["ab", "b"]}',
      '{"choice": ["a"]}',
    ]);
    const short = answers.map(({ ok, allowed, at }) => ({ ok, allowed, at }));
    assert.deepEqual(short, [
      { ok: true, allowed: [true, false, false, false], at: [null, 1, 0, 1] },
      { ok: true, allowed: [true], at: [null] },
      { ok: false, allowed: [false], at: [null] },
      { ok: true, allowed: [true, false], at: [null, 2] },
      { ok: true, allowed: [true], at: [null] },
      { ok: true, allowed: [true, false], at: [null, 0] },
      { ok: true, allowed: [], at: [] },
    ]);
  });

  test('a schema keeps its order, its spelling of numbers, and names like `2`', async () => {
    const properties = '{"b": {"const": 1.0}, "2": {"enum": [9007199254740993]}}';
    const [answer] = await answersTo([
      `{"texts": ["{\\"b\\":1.0,\\"2\\":9007199254740993}", "{\\"2\\":9007199254740993,\\"b\\":1}",
        "{\\"b\\":1,\\"2\\":9007199254740992}"], "schema": {"required": ["b", "2"], "type": "object", "properties": ${properties}}}`.replaceAll(
        '\n',
        ' ',
      ),
    ]);
    assert.equal(answer!.ok, true);
    assert.deepEqual(answer!.allowed, [true, false, false]);
    assert.deepEqual(answer!.at.slice(0, 2), [null, 2]);
  });

  test('lines that cannot be read are answered, and the next ones too', async () => {
    const answers = await answersTo([
      'nothing',
      '',
      '[]',
      '{"texts": ["a"]}',
      '{"regex": "a", "choice": ["a"], "texts": ["a"]}',
      '{"regex": 1, "texts": ["a", "b"]}',
      '{"regex": "a", "texts": [1]}',
      '{"regex": "(?<=a)b\\\\1(", "texts": ["a"]}',
      '{"regex": "a", "texts": ["a"]}',
    ]);
    assert.deepEqual(
      answers.map(({ ok }) => ok),
      [...Array<boolean>(8).fill(false), true],
    );
    for (const { ok, reason, keyword } of answers) {
      assert.ok(ok || (reason !== undefined && keyword !== undefined));
    }
    assert.deepEqual(answers[5]!.at, [null, null]);
  });

  test('a text with half a character is refused there', async () => {
    const [answer] = await answersTo(['{"regex": ".*", "texts": ["é\\ud800x"]}']);
    assert.deepEqual(answer, { ok: true, allowed: [false], at: [2] });
  });
});

describe('threads', () => {
  const spec = { kind: 'choice', options: ['a'] } as const;
  const moduleOf = (code: string): URL =>
    new URL(
      `data:text/javascript,${encodeURIComponent(`import {parentPort} from 'node:worker_threads';${code}`)}`,
    );
  const options = { milliseconds: 50, megabytes: 64 };

  test('one that hangs is ended, and the next job has a new one', async () => {
    const code = `parentPort.on('message', ({texts}) => {
      if (texts.length === 1) for (;;);
      parentPort.postMessage({ok: true, allowed: [], at: []});
    })`;
    const checker = createChecker({ ...options, milliseconds: 1000, module: moduleOf(code) });
    const late = await checker.check({ spec, texts: ['a'] });
    assert.deepEqual([late.ok, late.keyword, late.allowed], [false, 'choice', [false]]);
    assert.match(late.reason!, /more than 1000 ms/);
    assert.equal((await checker.check({ spec, texts: [] })).ok, true);
    await checker.close();
  });

  test('one that dies is an answer too', async () => {
    const code = `parentPort.on('message', () => process.exit(1))`;
    const checker = createChecker({ ...options, milliseconds: 5000, module: moduleOf(code) });
    const dead = await checker.check({ spec, texts: ['a', 'b'] });
    assert.deepEqual([dead.ok, dead.at], [false, [null, null]]);
    await checker.close();
  });
});
