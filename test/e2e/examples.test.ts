/** Every file of `examples/` runs against the real server and prints what its header says. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readModelMetadata } from '../../src/models/index.ts';
import { runCommand } from '../support/run-command.ts';
import { cleanEnv, root, type ServerProcess } from '../support/server-process.ts';
import { sharedServer } from '../support/shared-server.ts';
import { modelShape, writeTinyAdapter } from '../support/tiny-models/index.ts';

const folder = join(root, 'examples');
const python = process.env['PARLANCE_TEST_PYTHON'];
const curl = spawnSync('curl', ['--version']).status === 0;

let server: ServerProcess;
let temporary = '';
/** Of the model that the server was started with. */
let adapter = '';

/** What the output must hold. A file without a row here fails the test, and so does a row without one. */
const expected: Readonly<Record<string, RegExp>> = {
  'chat.sh': /"object":"chat\.completion".*"content":"[^"]/,
  'stream.sh': /"usage":\{[^]*data: \[DONE\]/,
  'raw-prompt.sh': /"message":\{[^]*"text":"Once upon a time[^]*\n.*"text":"Once upon a time/,
  'dry-run.sh':
    /"object":"chat\.completion\.plan".*<\|im_start\|>.*"name":"min_p","fate":"honoured"/,
  'receipt.sh':
    /HTTP\/1\.1 400[^]*verbosity[^]*HTTP\/1\.1 200[^]*top_k=honoured; verbosity=dropped/,
  'deploy-external.sh': /"state":"[^]*"content":"[^]*"state":"draining"/,
  // Answers without and with the adapter, and they differ.
  'deploy-adapter.sh':
    /"adapter_of":[^]*"content":("(?:[^"\\]|\\.)+")[^]*"content":(?!\1)"[^]*"content":(?!\1)"[^]*"draining"/,
  'chat.py': /\w[^]*\d+ \+ \d+ tokens/,
  'stream.py': /\w[^]*\d+ tokens, (?:stop|length)/,
  'errors.py': /^400 temperature temperature: [^]*\n404 model There is no model/,
  'chat.mjs': /total_tokens[^]*top_k=honoured/,
  'stream.mjs': /\(stopped after 20 pieces\)/,
  'errors.mjs':
    /BadRequestError 400 invalid_value[^]*unknown_field[^]*did you mean "temperature"[^]*unsupported_parameter[^]*NotFoundError 404 unknown_model/,
  'stream-fetch.mjs': /\w/,
  'logprobs.mjs': /" Paris"\s+\d/,
  'choices.mjs': /\w[^]*the same again/,
  'json-schema.mjs': /\{\s*"name":[^]*\}\n\[ 'name', 'age', 'city' \]/,
  'json-schema.py': /^Person\(name='.+', age=\d+, city='.+'\)\n.+, \d+/,
  'choice.sh':
    /"content":"(?:positive|negative)"[^]*"content":"(?:19|20)\d\d"[^]*backreference[^]*"reason":"invalid_constraint"/,
  'grammar.sh': /"content":"(?:- [A-Z][a-z]+\\n){3}"[^]*"content":"\d+(?: *\+ *\d+)+ *= *\d+ *"/,
  'structural-tag.mjs': /^[A-Z].*\.\n<answer>[^]*<\/answer>\n\{ capital: '.*' \}/,
  'tools.mjs': /^get_weather \{ city: '.+' \} -> [^]*\n.*\w/,
  'tools.py': /^get_weather \(call_\.\.\.\): \{\s*"city":[^]*\}\ntool_calls/,
  'pdf.sh': /"content":"[^"]*540 euros/,
  'documents.sh': /plan[^]*<document name=[^]*documents[^]*emulated[^]*"content":"[^"]*1884/,
  'chat-template.sh': /"prompt":"Ada: Hello\\nBen: Good day\\nAda: How are you\?\\nBen:"/,
};

const commands: Readonly<Record<string, string>> = {
  '.sh': 'sh',
  '.py': python ?? '',
  '.mjs': process.execPath,
};

function whyNot(extension: string): string | false {
  if (extension === '.sh' && !curl) return 'NO CURL on this machine';
  if (extension === '.py' && python === undefined)
    return 'NO PYTHON: PARLANCE_TEST_PYTHON is unset';
  return false;
}

const byName = (one: string, other: string): number => one.localeCompare(other);

/** Those that run; the others are what they read. */
const files = readdirSync(folder).filter((file) => extname(file) in commands);

describe('examples', () => {
  before(async () => {
    server = await sharedServer();
    temporary = mkdtempSync(join(tmpdir(), 'parlance-examples-'));
    adapter = join(temporary, 'adapter.gguf');
    const metadata = await readModelMetadata(process.env['PARLANCE_TEST_MODEL'] ?? '');
    writeTinyAdapter(adapter, { base: modelShape(metadata), strength: 0.5 });
  });

  after(() => rmSync(temporary, { recursive: true, force: true }));

  it('are all in the README, with what they show, and all expected here', () => {
    const rows = [
      ...readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/^\| `([^`]+)` +\|/gm),
    ];
    assert.deepEqual(rows.map(([, name = '']) => name).toSorted(byName), files.toSorted(byName));
    assert.deepEqual(Object.keys(expected).toSorted(byName), files.toSorted(byName));
    for (const file of files) {
      const [first = '', second = ''] = readFileSync(join(folder, file), 'utf8').split('\n');
      assert.match(first.startsWith('#!') ? second : first, /^(?:# |\/\/ |""")\w/, file);
    }
  });

  for (const file of files) {
    it(`${file} runs`, { skip: whyNot(extname(file)) }, async () => {
      const { code, output } = await runCommand(
        commands[extname(file)] ?? '',
        [join(folder, file)],
        {
          cwd: root,
          env: cleanEnv({ PARLANCE_URL: server.url, ADAPTER: adapter }),
          timeoutMs: 60_000,
        },
      );
      assert.equal(code, 0, output);
      assert.match(output, expected[file] ?? /^$/);
    });
  }
});
