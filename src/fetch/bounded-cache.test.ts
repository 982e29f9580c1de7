import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createBoundedCache } from './bounded-cache.ts';
import { createDice } from './dice.test-support.ts';

describe('createBoundedCache', () => {
  it('forgets the least recently used first, by number and by size', () => {
    const cache = createBoundedCache<string>({ maxEntries: 3, maxSize: 10, maxAge: 1 });
    for (const key of ['a', 'b', 'c']) cache.set(key, key, 1);
    cache.get('a');
    cache.set('d', 'd', 1);
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((key) => cache.get(key)),
      ['a', undefined, 'c', 'd'],
    );
    cache.set('e', 'e', 9);
    assert.deepEqual(
      ['a', 'c', 'd', 'e'].map((key) => cache.get(key)),
      [undefined, undefined, 'd', 'e'],
    );
    cache.set('f', 'f', 11);
    assert.equal(cache.get('f'), undefined);
    assert.equal(cache.get('e'), 'e');
  });

  it('forgets what is too old, and keeps the newer value of a key', () => {
    let time = 0;
    const cache = createBoundedCache<number>({
      maxEntries: 9,
      maxSize: 9,
      maxAge: 10,
      now: () => time,
    });
    cache.set('a', 1, 5);
    time = 9;
    assert.equal(cache.get('a'), 1);
    time = 10;
    assert.equal(cache.get('a'), undefined);
    cache.set('a', 2, 5);
    cache.set('a', 3, 9);
    assert.equal(cache.get('a'), 3);
  });

  it('never holds more than its bounds', () => {
    const { whole } = createDice(3);
    const cache = createBoundedCache<number>({ maxEntries: 5, maxSize: 20, maxAge: 1e9 });
    for (let run = 0; run < 500; run++) {
      cache.set(`k${whole(0, 12)}`, whole(1, 25), 0);
      const size = whole(1, 25);
      cache.set(`s${whole(0, 12)}`, size, size);
      const names = Array.from({ length: 13 }, (_, at) => at);
      const sized = names.flatMap((at) => cache.get(`s${at}`) ?? []);
      const free = names.flatMap((at) => cache.get(`k${at}`) ?? []);
      assert.ok(sized.reduce((sum, one) => sum + one, 0) <= 20);
      assert.ok(sized.length + free.length <= 5);
    }
  });
});
