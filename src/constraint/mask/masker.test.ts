import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Machine } from '../machine.ts';
import { createMasker } from './masker.ts';
import {
  bruteMask,
  createDice,
  randomMachine,
  randomTrie,
  tokensOf,
} from './random-machine.test-support.ts';

test('masks are what reading every token says, for random machines and states', () => {
  let loops = 0;
  for (let seed = 1; seed <= 150; seed += 1) {
    const dice = createDice(seed);
    const machine = randomMachine(dice, dice.pick([0, 0.5, 1]));
    // Large enough for tokens to be read one by one here, and small enough for whole walks there.
    const trie = randomTrie(dice, dice.pick([40, 300, 1500]));
    const masker = createMasker(machine, trie, [2], { cacheBytes: dice.pick([0, 1 << 20]) });
    let state: object = machine.start;
    for (let i = 0; i < 12; i += 1) {
      if (machine.loop(state) !== null) loops += 1;
      const allowed = tokensOf(masker.mask(state));
      assert.deepEqual(allowed, bruteMask(machine, trie, [2], state), `seed ${seed}, step ${i}`);
      assert.deepEqual(tokensOf(masker.mask(state)), allowed);
      const inner = allowed.filter((token) => token !== 2);
      if (inner.length === 0) break;
      state = masker.step(state, dice.pick(inner)) ?? assert.fail('an allowed token is refused');
    }
  }
  assert.ok(loops > 100, `${loops} states with loops`);
});

test('forced bytes are those after which nothing else could follow', () => {
  let forced = 0;
  for (let seed = 1; seed <= 50; seed += 1) {
    const dice = createDice(seed);
    const machine = randomMachine(dice, 0.3);
    const trie = randomTrie(dice, 20);
    const masker = createMasker(machine, trie, []);
    const follow = (state: object): number[] =>
      Array.from({ length: 256 }, (_, byte) => byte).filter((b) => machine.step(state, b) !== null);
    let state: object = machine.start;
    for (let i = 0; i < 8; i += 1) {
      const found = masker.forced(state, 16);
      let at = state;
      for (const byte of found.bytes) {
        assert.equal(machine.accepts(at), false);
        assert.deepEqual(follow(at), [byte]);
        at = machine.step(at, byte) ?? assert.fail();
        forced += 1;
      }
      assert.equal(at, found.state);
      const next = follow(at);
      if (found.bytes.length < 16) assert.ok(machine.accepts(at) || next.length !== 1);
      assert.equal(masker.isLast(at), next.length === 0);
      if (next.length === 0) break;
      state = machine.step(at, dice.pick(next)) ?? assert.fail();
    }
  }
  assert.ok(forced > 10, `${forced} forced bytes`);
});

test('a token below a node is found exactly where one can be read', () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const dice = createDice(seed);
    const machine = randomMachine(dice);
    const trie = randomTrie(dice, 60);
    const masker = createMasker(machine, trie, []);
    const node = dice.whole(0, trie.nodes - 1);
    const expected = Array.from(trie.order).some((token) => {
      const piece = trie.pieces.bytes.subarray(
        trie.pieces.offsets[token],
        trie.pieces.offsets[token + 1],
      );
      let at: object | null = machine.start;
      let below = 0;
      for (let depth = 0; depth < piece.length; depth += 1) {
        if (below === node) at = at === null ? null : machine.step(at, piece[depth]!);
        else below = child(trie, below, piece[depth]!);
      }
      return below === node && piece.length > trie.depth[node]! && at !== null;
    });
    assert.equal(masker.leadsOn(machine.start, node), expected, `seed ${seed}`);
  }
});

function child(trie: { next: Int32Array; byte: Uint8Array }, node: number, byte: number): number {
  for (let one = node + 1; one < trie.next[node]!; one = trie.next[one]!) {
    if (trie.byte[one] === byte) return one;
  }
  return -1;
}

test('states that are alike share a mask', () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const dice = createDice(seed);
    const plain = randomMachine(dice);
    const trie = randomTrie(dice, 300);
    let made = 0;
    // Each step leads to a state of its own, which remembers nothing else.
    interface Wrapped {
      readonly inner: object;
    }
    const wrap = (inner: object | null): Wrapped | null => {
      made += 1;
      return inner === null ? null : { inner };
    };
    const of = (state: object): object => (state as Wrapped).inner;
    const first = new Map<object, object>();
    const machine: Machine = {
      start: { inner: plain.start },
      step: (state, byte) => wrap(plain.step(of(state), byte)),
      accepts: (state) => plain.accepts(of(state)),
      loop: (state) => plain.loop(of(state)),
      risky: () => false,
      alike: (state) => {
        const known = first.get(of(state)) ?? state;
        first.set(of(state), known);
        return known;
      },
    };
    const masker = createMasker(machine, trie, [2]);
    const mask = masker.mask(machine.start);
    assert.deepEqual(tokensOf(mask), bruteMask(plain, trie, [2], plain.start), `seed ${seed}`);
    const before = made;
    assert.equal(masker.mask({ inner: plain.start }), mask);
    assert.equal(made, before);
  }
});
