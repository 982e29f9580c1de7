/** The curl lines of the README run as they are printed, and the default model says what stands below them. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { runCommand } from '../support/run-command.ts';
import { cleanEnv, root, type ServerProcess } from '../support/server-process.ts';
import { sharedServer } from '../support/shared-server.ts';

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const commands = [...readme.matchAll(/```sh\n(curl [^`]*\/v1\/chat\/completions[^`]*)```/g)].map(
  ([, command = '']) => command,
);
const curl = spawnSync('curl', ['--version']).status === 0;

/** In the order of the README. Other processors may round otherwise: what must be there is the form. */
const expected: readonly RegExp[] = [
  /"content":"[^"]*Paris/,
  /"content":"\{[^}]*\\"name\\": *\\"Maria\\"[^}]*\\"age\\": *34[^}]*\}","refusal"/,
  /"content":"(?:19|20)\d\d"/,
  /"name":"get_weather","arguments":"\{[^}]*\\"city\\": *\\"[^}]*\}"/,
  /"content":"[^"]*540/,
];

describe('the README', { skip: curl ? false : 'NO CURL on this machine' }, () => {
  let server: ServerProcess;

  before(async () => {
    server = await sharedServer();
  });

  it('has a command for each of the expectations', () => {
    assert.equal(commands.length, expected.length);
  });

  for (const [index, command] of commands.entries()) {
    it(`command ${index + 1}: ${/"content": ?"?([^"]{0,40})/.exec(command)?.[1] ?? ''}`, async () => {
      const here = command.replaceAll('http://127.0.0.1:8000', server.url);
      const { code, output } = await runCommand('sh', ['-c', here], {
        cwd: root,
        env: cleanEnv(),
        timeoutMs: 60_000,
      });
      assert.equal(code, 0, output);
      assert.match(output, expected[index] ?? /^$/);
    });
  }
});
