/** The command line as a whole: help, wrong words, exit codes, colours, and how failures read. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

import { runHere, startChild, withFolder } from './testing/run-cli.ts';

const commands = ['serve', 'chat', 'models', 'pull', 'deploy', 'keys', 'check', 'doctor'];
/** Every command and subcommand, as it is typed. */
const lines = [
  ...commands.map((name) => [name]),
  ...['create', 'list', 'delete'].map((name) => ['keys', name]),
  ...['list', 'show', 'remove'].map((name) => ['deploy', name]),
];
const readPage = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../docs/${name}`, import.meta.url)), 'utf8');

describe('help', () => {
  test('lists the commands, with examples and exit codes, on stdout', async () => {
    const { code, stdout, stderr } = await startChild(['--help']).ended;
    assert.equal(code, 0);
    assert.equal(stderr, '');
    for (const name of commands) assert.match(stdout, new RegExp(`^  ${name} `, 'm'));
    for (const word of ['bench']) {
      assert.doesNotMatch(stdout, new RegExp(`^  ${word} `, 'm'));
    }
    assert.match(stdout, /Examples:\n  parlance serve/);
    assert.match(stdout, /Exit codes: 0 fine, 1 failed, 2 wrong usage, 130 interrupted/);
  });

  test('every command and subcommand has examples and exit codes', async () => {
    for (const line of lines) {
      const { code, stdout } = await runHere([...line, '--help']);
      assert.equal(code, 0, line.join(' '));
      assert.match(stdout, /Examples:\n  .*parlance /, line.join(' '));
      assert.match(stdout, /Exit codes: /, line.join(' '));
    }
  });

  test('serve has a flag for every start option', async () => {
    const { optionTable } = await import('../config/index.ts');
    const { stdout } = await runHere(['serve', '--help']);
    for (const row of optionTable) assert.match(stdout, new RegExp(`  ${row.flag} [<\\[]`));
  });

  test('"help COMMAND" is the same as "COMMAND --help"', async () => {
    const [help, flag] = [await runHere(['help', 'pull']), await runHere(['pull', '--help'])];
    assert.equal(help.stdout, flag.stdout);
    assert.equal(help.code, 0);
  });

  test('without a command the help goes to stderr, and it is wrong usage', async () => {
    const { code, stdout, stderr } = await runHere([]);
    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.match(stderr, /^Usage: parlance/);
  });

  test('the version is that of package.json', async () => {
    const { code, stdout } = await runHere(['--version']);
    const path = fileURLToPath(new URL('../../package.json', import.meta.url));
    const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
    assert.equal(stdout, `${version}\n`);
    assert.equal(code, 0);
  });

  test('the manual names every flag of every command', async () => {
    // The start options have a page of their own, which is made from their table.
    const text = readPage('cli.md') + readPage('configuration.md');
    for (const line of lines) {
      const { stdout } = await runHere([...line, '--help']);
      const flags = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag);
      assert.ok(flags.length > 0);
      for (const flag of flags) {
        assert.ok(
          flag !== undefined && text.includes(flag),
          `${line.join(' ')} ${flag} is in docs/cli.md or configuration.md`,
        );
      }
    }
  });
});

describe('wrong usage', () => {
  test('an unknown command is told with a suggestion, and ends with 2', async () => {
    const { code, stdout, stderr } = await startChild(['modles']).ended;
    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.match(stderr, /^parlance: unknown command 'modles'\n\(Did you mean models\?\)/);
  });

  test('so is one that help is asked for', async () => {
    const { code, stderr } = await runHere(['help', 'modles']);
    assert.equal(code, 2);
    assert.match(stderr, /^parlance: unknown command 'modles'/);
  });

  test('an unknown flag, too', async () => {
    const { code, stderr } = await startChild(['models', '--jsno']).ended;
    assert.equal(code, 2);
    assert.match(stderr, /^parlance: unknown option '--jsno'\n\(Did you mean --json\?\)/);
  });

  test('a missing argument, a superfluous one', async () => {
    const missing = await runHere(['pull']);
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /missing required argument 'model'/);
    const tooMany = await runHere(['models', 'x']);
    assert.equal(tooMany.code, 2);
    assert.match(tooMany.stderr, /too many arguments/);
  });

  test('a value whose flag npm took for itself', async () => {
    const { code, stderr } = await runHere(['serve', '9000']);
    assert.equal(code, 2);
    assert.match(stderr, /got "9000".*npm start -- --port 9000/);
  });

  test('a flag with a senseless value names the flag', async () => {
    const { code, stderr } = await runHere(['serve', '--port', 'eighty']);
    assert.equal(code, 2);
    assert.match(stderr, /--port/);
    assert.doesNotMatch(stderr, /\n +at /);
  });
});

/** An unusable home folder: the folder's path is that of a file. */
async function failing(options: { env?: Record<string, string>; isTTY?: boolean }) {
  return await withFolder(async (folder) => {
    const home = join(folder, 'home');
    await writeFile(home, 'a file');
    const env = { NO_COLOR: '', ...options.env };
    return await runHere(['keys', 'list', '--home', home], { ...options, env });
  });
}

describe('failures', () => {
  test('one line, no stack, exit code 1', async () => {
    const { code, stdout, stderr } = await failing({});
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /^parlance: .*a file.*\n$/);
    assert.doesNotMatch(stderr, /\n +at /);
  });

  test('PARLANCE_DEBUG=1 adds the stack, PARLANCE_DEBUG=0 does not', async () => {
    assert.match((await failing({ env: { PARLANCE_DEBUG: '1' } })).stderr, /\n +at /);
    assert.doesNotMatch((await failing({ env: { PARLANCE_DEBUG: '0' } })).stderr, /\n +at /);
  });

  test('colour is for terminals, and NO_COLOR and TERM=dumb refuse it', async () => {
    const isColoured = (text: string): boolean => stripVTControlCharacters(text) !== text;
    assert.equal(isColoured((await failing({ isTTY: true })).stderr), true);
    assert.equal(isColoured((await failing({ isTTY: false })).stderr), false);
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      assert.equal(isColoured((await failing({ isTTY: true, env })).stderr), false);
    }
  });

  test('no colour in a pipe, though the environment asks for it', async () => {
    await withFolder(async (home) => {
      await mkdir(join(home, 'models'));
      const env = { FORCE_COLOR: '1', PARLANCE_HOME: home };
      const lists = await Promise.all(
        [['models'], ['--help'], ['nonsense']].map(
          async (args) => await startChild(args, { env }).ended,
        ),
      );
      for (const { stdout, stderr } of lists) {
        assert.equal(stripVTControlCharacters(stdout + stderr), stdout + stderr);
      }
    });
  });
});
