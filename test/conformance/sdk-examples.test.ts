/** The programs of the API documents: Python with the real openai package, JavaScript unchanged. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { model } from '../support/ask.ts';
import { aimed, missing, programsOf, readDocument } from '../support/contract-documents.ts';
import { runCommand, type CommandResult } from '../support/run-command.ts';
import { cleanEnv, type ServerProcess } from '../support/server-process.ts';
import { sharedServer } from '../support/shared-server.ts';

const python = process.env['PARLANCE_TEST_PYTHON'];
const withoutPython =
  python === undefined ? 'NO PYTHON: PARLANCE_TEST_PYTHON names no Python with openai' : missing;

const folder = mkdtempSync(join(tmpdir(), 'parlance-programs-'));
let server: ServerProcess;

async function runProgram(command: string, name: string, program: string): Promise<string> {
  const path = join(folder, name);
  writeFileSync(path, program);
  const options = { cwd: folder, env: cleanEnv(), timeoutMs: 120_000 };
  const { code, output }: CommandResult = await runCommand(command, [path], options);
  assert.equal(code, 0, output);
  return output;
}

function pythonPrograms(): string[] {
  const found = programsOf(readDocument('001'), 'from openai import OpenAI', [
    'Streaming with Python OpenAI Client',
    'Raw Prompt (Non-Chat)',
    'Notes',
  ]);
  assert.equal(found.length, 3);
  return found.map((program) => aimed(program, server, model));
}

const runPython = (name: string, program: string): Promise<string> =>
  runProgram(python ?? '', name, program);

describe('the programs of the API documents', () => {
  before(async () => {
    server = await sharedServer();
  });

  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('001, Python: an answer as a whole', { skip: withoutPython }, async () => {
    const output = await runPython('whole.py', pythonPrograms()[0] ?? '');
    assert.match(output, /\w/);
  });

  it('001, Python: a stream', { skip: withoutPython }, async () => {
    const output = await runPython('stream.py', pythonPrograms()[1] ?? '');
    assert.match(output, /\w/);
  });

  it(
    '001, Python: advanced sampling, with top_k through extra_body',
    { skip: withoutPython },
    async () => {
      const program = pythonPrograms()[2] ?? '';
      assert.match(program, /top_k=50/);
      // The package's own signature has no top_k.
      const adapted = program.replace('top_k=50', 'extra_body={"top_k": 50}');
      const shown =
        'print(response.choices[0].message.content, response.usage.completion_tokens)\n';
      const output = await runPython('sampling.py', `${adapted}\n${shown}`);
      assert.match(output, /\d+\s*$/);
    },
  );

  it('002, JavaScript: reads choices[0] of every chunk', { skip: missing }, async () => {
    const [program = ''] = programsOf(
      readDocument('002'),
      "const response = await fetch('http://localhost:3000/v1/chat/completions', {",
      ['With Multi-modal Content'],
    );
    assert.match(program, /parsed\.choices\[0\]\.delta\.content/);
    const output = await runProgram(process.execPath, 'stream.mjs', aimed(program, server, model));
    assert.match(output, /\w/);
    assert.doesNotMatch(output, /Error/);
  });
});
