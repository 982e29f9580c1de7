/** Log lines: facts come through, levels hold, secrets do not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ParlanceError } from '../contract/index.ts';
import { createLog, type LogLevel } from './log.ts';

function capture(level: LogLevel, pretty = false) {
  const lines: string[] = [];
  return { lines, log: createLog(level, { pretty, write: (line) => lines.push(line) }) };
}

test('an event is one JSON line with its facts', () => {
  const { lines, log } = capture('info');
  log.info({ path: '/health', status: 200 }, 'request');
  assert.equal(lines.length, 1);
  const event = JSON.parse(String(lines[0])) as Record<string, unknown>;
  assert.equal(event['level'], 'info');
  assert.equal(event['msg'], 'request');
  assert.equal(event['path'], '/health');
  assert.equal(event['status'], 200);
});

test('what is below the level is not written', () => {
  const { lines, log } = capture('warn');
  log.info({}, 'not this');
  log.warn({}, 'but this');
  assert.equal(lines.length, 1);
});

test('secrets are cut, also one level down', () => {
  const { lines, log } = capture('info');
  log.info({ authorization: 'Bearer s3cret', upstream: { api_key: 's3cret' } }, 'x');
  assert.ok(!String(lines[0]).includes('s3cret'), lines[0]);
});

test('an error that was thrown on purpose has its reason and no stack', () => {
  const { lines, log } = capture('info');
  const cause = new TypeError('the deeper one');
  log.error({ error: new ParlanceError('upstream_failed', 'outer', { cause }) }, 'failed');
  const { error } = JSON.parse(String(lines[0])) as { error: Record<string, unknown> };
  assert.deepEqual(error, { reason: 'upstream_failed', message: 'outer' });
});

test('an error that is a bug has its stack and its cause', () => {
  const { lines, log } = capture('info');
  const cause = new TypeError('the deeper one');
  log.error({ error: new ParlanceError('internal', 'outer', { cause }) }, 'failed');
  const { error } = JSON.parse(String(lines[0])) as { error: Record<string, unknown> };
  assert.match(String(error['stack']), /log\.test\.ts/);
  assert.equal((error['cause'] as Record<string, unknown>)['message'], 'the deeper one');
});

test('the readable form is one line, and the stack below it', () => {
  const { lines, log } = capture('info', true);
  log.info({ path: '/v1/models', note: 'two words' }, 'request');
  assert.match(
    String(lines[0]),
    /^\d\d:\d\d:\d\d info {2}request path=\/v1\/models note="two words"\n$/,
  );
  log.error({ error: new Error('broken') }, 'failed');
  assert.match(String(lines[1]), /error failed\n {2}Error: broken\n {6}at /);
});
