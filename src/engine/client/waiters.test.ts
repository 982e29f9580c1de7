import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ParlanceError } from '../../contract/errors.ts';
import { Waiters } from './waiters.ts';

const never = new AbortController().signal;
const long = 1e6;
const withReason = (reason: string) => (error: unknown) =>
  error instanceof ParlanceError && error.reason === reason;

test('all that wait go on together', async () => {
  const waiters = new Waiters();
  const both = Promise.all([waiters.wait(long, never), waiters.wait(long, never)]);
  assert.equal(waiters.size, 2);
  waiters.release();
  await both;
  assert.equal(waiters.size, 0);
});

test('waiting ends with the client, with patience, and with the engine', async () => {
  const waiters = new Waiters();
  const controller = new AbortController();
  const left = waiters.wait(long, controller.signal);
  controller.abort();
  await assert.rejects(left, withReason('cancelled'));
  await assert.rejects(waiters.wait(0, never), withReason('model_loading'));
  const failed = waiters.wait(long, never);
  waiters.fail(new ParlanceError('shutting_down', 'stopped'));
  await assert.rejects(failed, withReason('shutting_down'));
  assert.equal(waiters.size, 0);
});
