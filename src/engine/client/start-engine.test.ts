import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import { ParlanceError } from '../../contract/errors.ts';
import { defaultEngineOptions, type EngineState } from './engine.ts';
import { startEngine } from './start-engine.ts';

const folder = mkdtempSync(join(tmpdir(), 'parlance-engine-'));
after(() => rmSync(folder, { recursive: true }));

/** Starts an engine that cannot start; gives its error and the states it went through. */
async function failToStart(path: string, signal?: AbortSignal) {
  const states: EngineState['state'][] = [];
  const start = startEngine({
    path,
    options: defaultEngineOptions,
    onState: ({ state }) => states.push(state),
    ...(signal === undefined ? {} : { signal }),
  });
  const error = await start.then(
    () => assert.fail('it started'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ParlanceError);
  return { error, states };
}

test('a file that is not there is named', async () => {
  const { error } = await failToStart(join(folder, 'none.gguf'));
  assert.equal(error.reason, 'invalid_model_file');
  assert.match(error.message, /none\.gguf cannot be opened \(ENOENT\)/);
});

test('a file that is no GGUF fails once, in the library’s words', async () => {
  const path = join(folder, 'junk.gguf');
  writeFileSync(path, 'this is not a model at all');
  const { error, states } = await failToStart(path);
  assert.equal(error.reason, 'invalid_model_file');
  assert.match(error.message, /magic/);
  assert.ok(error.message.includes(path) && !error.message.includes('/proc/'));
  assert.deepEqual(states, ['failed', 'stopped']);
});

test('a start that nobody wants any more ends', async () => {
  const path = join(folder, 'junk2.gguf');
  writeFileSync(path, 'this is not a model at all');
  const controller = new AbortController();
  const start = failToStart(path, controller.signal);
  controller.abort();
  const { error, states } = await start;
  assert.equal(error.reason, 'cancelled');
  assert.deepEqual(states, ['stopped']);
});

test('a start that is over has waited for the end of its process', async () => {
  const path = join(folder, 'junk3.gguf');
  writeFileSync(path, 'this is not a model at all');
  const controller = new AbortController();
  let end = (): void => assert.fail('no process was started');
  let over = false;
  const start = startEngine(
    { path, options: defaultEngineOptions, signal: controller.signal },
    (_weights, _options, events) => {
      end = () => events.onExit({ how: 'exit code 0', output: '' });
      return { pid: 1, send: () => {}, kill: () => {} };
    },
  );
  const ended = start.catch(() => {
    over = true;
  });
  controller.abort();
  await setImmediate();
  assert.equal(over, false);
  end();
  await ended;
  assert.equal(over, true);
});
