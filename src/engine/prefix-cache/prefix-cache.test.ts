/** The prefix cache in memory: against a naive one, and case by case. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createDice } from '../sampler/random-rows.test-support.ts';
import {
  cellsOf,
  createPrompts,
  NaiveCache,
  stateBytes,
  tokenState,
  tokenStates,
} from './naive-cache.test-support.ts';
import { PrefixCache } from './prefix-cache.ts';

const plenty = 1e9;

function createCache(options: { cuttable?: boolean; maxBytes?: number; minTokens?: number } = {}) {
  const { cuttable = true, maxBytes = plenty, minTokens = 1 } = options;
  return new PrefixCache({ states: tokenStates(cuttable), maxBytes, minTokens, disk: null });
}

/** Stores all of a prompt. */
const store = (cache: PrefixCache, tokens: readonly number[], space = ''): number =>
  cache.insert(space, tokens, tokens.length, (from) => tokenState(tokens.slice(from)));

const counting = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

const kinds = [
  { name: 'states that can be cut', cuttable: true, seed: 1 },
  { name: 'opaque states', cuttable: false, seed: 2 },
];

for (const { name, cuttable, seed } of kinds) {
  test(`10,000 random calls are answered as by a naive cache: ${name}`, () => {
    const dice = createDice(seed);
    const nextPrompt = createPrompts(dice);
    const limits = { cuttable, maxBytes: 4000, minTokens: 3 };
    const cache = createCache(limits);
    const naive = new NaiveCache(limits);
    let reads = 0;
    for (let call = 0; call < 10_000; call += 1) {
      const space = dice.pick(['', 'one', 'two']);
      const tokens = nextPrompt();
      const limit = dice.whole(0, tokens.length + 2);
      const matched = cache.match(space, tokens, limit);
      assert.equal(matched, naive.match(space, tokens, limit));
      if (dice.uniform() < 0.5) {
        const state = cache.read(space, tokens, matched);
        assert.deepEqual(
          state === null ? [] : [...cellsOf(state)],
          tokens.slice(0, matched),
          `call ${call}`,
        );
        if (matched > 0) {
          naive.use(space, tokens, matched);
          reads += 1;
        }
      } else {
        const length = dice.whole(0, tokens.length);
        const cells = tokens.slice(0, cuttable ? dice.whole(length, tokens.length) : length);
        const stored = cache.insert(space, tokens, length, (from) =>
          tokenState(cells.slice(from, length)),
        );
        assert.equal(stored, naive.insert(space, tokens, length), `call ${call}`);
      }
      cache.checkIntegrity();
      const { bytes, nodes, evictions, hits } = cache.stats;
      assert.deepEqual(
        [bytes, nodes, evictions, hits],
        [naive.bytes, naive.runs.length, naive.evictions, reads],
      );
    }
    assert.ok(naive.evictions > 500, `${naive.evictions} evictions`);
    assert.ok(reads > 1000, `${reads} reads`);
  });
}

test('a shared run is held once', () => {
  const cache = createCache();
  const system = counting(0, 600);
  for (let user = 0; user < 8; user += 1) {
    const own = Array.from({ length: 50 }, (_, index) => 1000 + user * 100 + index);
    assert.equal(store(cache, [...system, ...own]), user === 0 ? 650 : 50);
  }
  assert.equal(cache.stats.tokens, 600 + 8 * 50);
  assert.equal(cache.stats.nodes, 9);
  assert.equal(cache.stats.bytes, stateBytes(600) + 8 * stateBytes(50));
});

test('an insert asks for what is new and for nothing else', () => {
  const copied: number[] = [];
  const asked: number[] = [];
  const states = tokenStates(true);
  const cache = new PrefixCache({
    states: {
      ...states,
      cut: (state, from, to) => {
        copied.push(to - from);
        return states.cut(state, from, to);
      },
    },
    maxBytes: plenty,
    minTokens: 4,
    disk: null,
  });
  const storeAsked = (tokens: readonly number[]) =>
    cache.insert('', tokens, tokens.length, (from) => {
      asked.push(from);
      return tokenState(tokens.slice(from));
    });
  storeAsked(counting(0, 100));
  storeAsked(counting(0, 110));
  assert.deepEqual([asked, copied], [[0, 100], []]);
  const never = (): never => assert.fail('a state was asked for');
  assert.equal(cache.insert('', counting(0, 110), 110, never), 0);
  assert.equal(cache.insert('', counting(0, 113), 113, never), 0);
  assert.equal(createCache({ maxBytes: 0 }).insert('', counting(0, 9), 9, never), 0);
  storeAsked([...counting(0, 40), ...counting(500, 520)]);
  // The old run is parted where the new one leaves it.
  assert.deepEqual(
    [asked, copied],
    [
      [0, 100, 40],
      [40, 60],
    ],
  );
});

test('a state that is too large, alone or with what leads to it, evicts nothing', () => {
  const cache = createCache({ maxBytes: stateBytes(50) + stateBytes(30) });
  store(cache, counting(0, 50));
  assert.equal(store(cache, counting(500, 600)), 0);
  assert.equal(store(cache, counting(0, 81)), 0);
  assert.equal(cache.match('', counting(0, 81), 81), 50);
  assert.equal(store(cache, counting(0, 80)), 30);
  assert.equal(cache.stats.evictions, 0);
});

test('the least recently used leaf goes first, and what was read is used', () => {
  const cache = createCache({ maxBytes: stateBytes(10) * 3 });
  const [one, two, three, four] = [0, 100, 200, 300].map((from) => counting(from, from + 10));
  for (const run of [one!, two!, three!]) store(cache, run);
  cache.read('', one!, 10);
  cache.match('', two!, 10);
  store(cache, four!);
  const left = [one!, two!, three!, four!].map((run) => cache.match('', run, 10));
  assert.deepEqual(left, [10, 0, 10, 10]);
});

test('namespaces share nothing', () => {
  const cache = createCache();
  store(cache, counting(0, 40), 'tenant');
  for (const other of ['', 'tenant ', 'Tenant', 'tenan']) {
    assert.equal(cache.match(other, counting(0, 40), 40), 0);
    assert.equal(cache.read(other, counting(0, 40), 40), null);
  }
  assert.equal(store(cache, counting(0, 40), ''), 40);
  assert.equal(cache.stats.tokens, 80);
});

test('opaque states are matched where they end and nowhere else', () => {
  const cache = createCache({ cuttable: false });
  store(cache, counting(0, 20));
  store(cache, counting(0, 50));
  const match = (limit: number): number => cache.match('', counting(0, 60), limit);
  assert.deepEqual([19, 20, 49, 50, 60].map(match), [0, 20, 20, 50, 50]);
  // A fork in the middle of a stored run leaves a place where nothing is stored.
  store(cache, [...counting(0, 35), ...counting(500, 510)]);
  assert.equal(match(45), 20);
  assert.equal(cache.read('', counting(0, 60), 35), null);
  assert.equal(store(cache, counting(0, 35)), 15);
  assert.equal(match(45), 35);
  cache.checkIntegrity();
});

test('a state that cannot be had changes nothing', () => {
  const cache = createCache();
  store(cache, counting(0, 40));
  const fork = [...counting(0, 20), ...counting(500, 520)];
  const failing = (): never => {
    throw new RangeError('no state');
  };
  assert.throws(() => cache.insert('', fork, 40, failing), /no state/);
  assert.throws(() => cache.insert('', fork, 40, () => tokenState([1, 2])), /2 cells for 20/);
  assert.throws(() => cache.insert('', fork, 41, failing), /41 of 40/);
  cache.checkIntegrity();
  assert.equal(cache.stats.nodes, 1);
  assert.equal(store(cache, fork), 20);
});

test('a read of what is not stored, or is less than asked for, gives nothing', () => {
  const cache = createCache();
  store(cache, counting(0, 40));
  assert.equal(cache.read('', counting(0, 50), 50), null);
  assert.equal(cache.read('', counting(0, 50), 0), null);
  assert.equal(cache.read('other', counting(0, 40), 40), null);
  assert.equal(cache.stats.hits, 0);
});

test('a contradiction is found', () => {
  const cache = createCache();
  const state = { ...tokenState(counting(0, 40)) };
  cache.insert('', counting(0, 40), 40, () => state);
  cache.checkIntegrity();
  Object.assign(state, { bytes: 1 });
  assert.throws(() => cache.checkIntegrity(), /bytes counted/);
  Object.assign(state, { bytes: stateBytes(40), length: 39 });
  assert.throws(() => cache.checkIntegrity(), /39 cells/);
});
