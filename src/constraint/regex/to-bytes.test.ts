import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Machine } from '../machine.ts';
import { compileRegex } from './compile-regex.ts';
import { anchoredDiet, createDice, randomRegex, randomText } from './random-regex.test-support.ts';
import { unlimited } from './walk.test-support.ts';

function walkBytes(machine: Machine, bytes: Uint8Array): object | null {
  let state: object | null = machine.start;
  for (const byte of bytes) {
    if (state === null) return null;
    state = machine.step(state, byte);
  }
  return state;
}

function takes(machine: Machine, bytes: Uint8Array): boolean {
  const state = walkBytes(machine, bytes);
  return state !== null && machine.accepts(state);
}

test('bytes are taken where they are well-formed UTF-8 of a text that matches', () => {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const decode = (bytes: Uint8Array): string | null => {
    try {
      return decoder.decode(bytes);
    } catch {
      return null;
    }
  };
  const machine = compileRegex('(?s).*', unlimited);
  const dice = createDice(1);
  const edges = [
    0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0,
  ];
  const bytes = [...edges, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff];
  let wellFormed = 0;
  for (let i = 0; i < 30_000; i += 1) {
    const text = Uint8Array.from({ length: dice.under(5) }, () => dice.pick(bytes));
    const isWell = decode(text) !== null;
    wellFormed += isWell ? 1 : 0;
    assert.equal(takes(machine, text), isWell, Buffer.from(text).toString('hex'));
  }
  assert.ok(wellFormed > 1000, `${wellFormed}`);
});

test('a byte is refused where no character that may follow has it', () => {
  const machine = compileRegex('[à-ÿ]|[\\u{1F600}-\\u{1F64F}]|[\\u0800-\\u{FFFF}]', unlimited);
  const refused = (hex: string): boolean => walkBytes(machine, Buffer.from(hex, 'hex')) === null;
  assert.equal(refused('c3'), false);
  assert.equal(refused('c2'), true);
  assert.equal(refused('c380'), true);
  assert.equal(refused('c3a0'), false);
  assert.equal(refused('f09f98'), false);
  assert.equal(refused('f09f9a'), true);
  assert.equal(refused('f1'), true);
  assert.equal(refused('eda0'), true, 'surrogates');
  assert.equal(refused('e080'), true, 'overlong');
  assert.equal(refused('e0a080'), false);
});

test('random regexes match whole texts as in JavaScript, byte by byte', () => {
  const letters = ['a', 'b', 'é', '\n', '\u2028', '€'];
  for (let seed = 0; seed < 300; seed += 1) {
    const dice = createDice(seed);
    const pattern = randomRegex(dice, anchoredDiet);
    const regex = new RegExp(`^(?:${pattern})$`, 'u');
    let machine: Machine;
    try {
      machine = compileRegex(pattern, unlimited);
    } catch {
      for (let i = 0; i < 50; i += 1) assert.ok(!regex.test(randomText(dice, letters, 5)), pattern);
      continue;
    }
    for (let i = 0; i < 25; i += 1) {
      const text = randomText(dice, letters, 6);
      assert.equal(takes(machine, Buffer.from(text)), regex.test(text), `${pattern} on ${text}`);
    }
  }
});

test('the same text leads to the same state, and loops come back', () => {
  const machine = compileRegex('"(?:[^"\\\\]|\\\\.)*"[ab]+', unlimited);
  const inside = walkBytes(machine, Buffer.from('"x'))!;
  assert.equal(walkBytes(machine, Buffer.from('"xé😀y')), inside);
  const loop = machine.loop(inside)!;
  assert.equal(loop.room, Infinity);
  assert.equal(loop.characters.beyond, true);
  assert.equal(loop.characters.ascii['a'.charCodeAt(0)], 1);
  assert.equal(loop.characters.ascii['"'.charCodeAt(0)], 0);
  assert.equal(
    machine.loop(walkBytes(machine, Buffer.from('"x"a'))!),
    null,
    'two characters are few',
  );
  assert.equal(machine.loop(walkBytes(machine, Buffer.from('"\xc3', 'latin1'))!), null);
  assert.equal(machine.risky(inside), false);
});

test('a regex that nothing matches is refused', () => {
  assert.throws(() => compileRegex('a(?!.)b', unlimited), {
    reason: 'invalid_constraint',
    keyword: 'pattern',
  });
});
