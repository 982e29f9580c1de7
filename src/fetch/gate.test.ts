import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createGate } from './gate.ts';

const { signal } = new AbortController();
/** Everything that can go on without the outside has gone on. */
const settled = () => new Promise((done) => setImmediate(done));

describe('createGate', () => {
  it('lets so many in, the others in their order as places come free', async () => {
    const gate = createGate(2);
    const inside: number[] = [];
    for (const one of [1, 2, 3, 4]) void gate.enter(signal).then(() => inside.push(one));
    await settled();
    assert.deepEqual(inside, [1, 2]);
    gate.leave();
    await settled();
    assert.deepEqual(inside, [1, 2, 3]);
    gate.leave();
    gate.leave();
    await settled();
    assert.deepEqual(inside, [1, 2, 3, 4]);
  });

  it('forgets who left while waiting, and gives the place to the next', async () => {
    const gate = createGate(1);
    await gate.enter(signal);
    const leaving = new AbortController();
    const left = gate.enter(leaving.signal);
    const next = gate.enter(signal);
    leaving.abort(new Error('left'));
    await assert.rejects(left, /left/);
    await assert.rejects(gate.enter(leaving.signal), /left/);
    gate.leave();
    await next;
    gate.leave();
    await gate.enter(signal);
  });
});
