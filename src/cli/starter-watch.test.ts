/** A process table made of a map stands in for the machine's. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { watchStarter, type ProcessTable } from './starter-watch.ts';

function tableOf(processes: Map<number, string>): ProcessTable {
  return {
    isAlive: (pid) => processes.has(pid),
    startOf: (pid) => processes.get(pid) ?? null,
  };
}

test('tells once when any starter ends', () => {
  const processes = new Map([
    [10, 'a'],
    [11, 'b'],
  ]);
  const gone: number[] = [];
  const watch = watchStarter((pid) => gone.push(pid), { pids: '10,11', table: tableOf(processes) });
  assert.equal(watch.check(), null);
  processes.delete(11);
  assert.equal(watch.check(), 11);
  assert.equal(watch.check(), null);
  assert.deepEqual(gone, [11]);
});

test('is not fooled by another process with the same id', () => {
  const processes = new Map([[10, 'a']]);
  const gone: number[] = [];
  const watch = watchStarter((pid) => gone.push(pid), { pids: '10', table: tableOf(processes) });
  processes.set(10, 'later');
  watch.check();
  assert.deepEqual(gone, [10]);
});

test('a starter that was gone before the watch began counts as gone', () => {
  const gone: number[] = [];
  const watch = watchStarter((pid) => gone.push(pid), { pids: '10', table: tableOf(new Map()) });
  watch.check();
  assert.deepEqual(gone, [10]);
});

test('with nobody to watch it never tells, and a stopped watch is silent', () => {
  const gone: number[] = [];
  const note = (pid: number): number => gone.push(pid);
  assert.equal(watchStarter(note, { pids: '', table: tableOf(new Map()) }).check(), null);
  const watch = watchStarter(note, { pids: '10', table: tableOf(new Map()) });
  watch.stop();
  assert.equal(watch.check(), null);
  assert.deepEqual(gone, []);
});

test('sees real processes', () => {
  const gone: number[] = [];
  const own = watchStarter((pid) => gone.push(pid), { pids: String(process.pid) });
  assert.equal(own.check(), null);
  own.stop();
  const absent = watchStarter((pid) => gone.push(pid), { pids: '4194305' });
  assert.equal(absent.check(), 4_194_305);
});
