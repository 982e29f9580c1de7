import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  canonicalNumber,
  compareNumbers,
  isInteger,
  isMultipleOf,
  readDecimal,
  toBigInt,
} from './decimal.ts';

/** A reproducible source of numbers in [0, 1). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A decimal with few digits, and its value times 10^12. */
function draw(next: () => number): { text: string; scaled: bigint } {
  const whole = BigInt(Math.floor(next() * 60));
  const places = Math.floor(next() * 4);
  const fraction = String(Math.floor(next() * 10 ** places)).padStart(places, '0');
  const exponent = Math.floor(next() * 9) - 4;
  const negative = next() < 0.4;
  const digits = places === 0 ? String(whole) : `${whole}.${fraction}`;
  const size =
    BigInt(`${whole}${places === 0 ? '' : fraction}`) * 10n ** BigInt(12 + exponent - places);
  return {
    text: `${negative ? '-' : ''}${digits}${exponent === 0 && next() < 0.5 ? '' : `e${exponent}`}`,
    scaled: negative ? -size : size,
  };
}

test('order, integers and multiples are those of exact arithmetic', () => {
  const next = random(5);
  let multiples = 0;
  for (let round = 0; round < 20_000; round++) {
    const a = draw(next);
    const b = draw(next);
    assert.equal(
      Math.sign(compareNumbers(a.text, b.text)),
      a.scaled < b.scaled ? -1 : a.scaled > b.scaled ? 1 : 0,
      `${a.text} ${b.text}`,
    );
    assert.equal(canonicalNumber(a.text) === canonicalNumber(b.text), a.scaled === b.scaled);
    assert.equal(isInteger(a.text, false), a.scaled % 10n ** 12n === 0n, a.text);
    if (b.scaled <= 0n) continue;
    const multiple = a.scaled % b.scaled === 0n;
    if (multiple) multiples++;
    assert.equal(isMultipleOf(a.text, b.text), multiple, `${a.text} of ${b.text}`);
  }
  assert.ok(multiples > 200, `${multiples} multiples`);
});

test('exponents are not written out', () => {
  assert.ok(compareNumbers('1e400000000', '1e399999999') > 0);
  assert.ok(compareNumbers('-1e400000000', '1') < 0);
  assert.ok(compareNumbers('1e-400000000', '0') > 0);
  assert.equal(compareNumbers('10e399999999', '1e400000000'), 0);
  assert.equal(isMultipleOf('1e400000000', '3'), false);
  assert.equal(isMultipleOf('3e400000000', '3'), true);
  assert.equal(isMultipleOf('1', '1e-400000000'), true);
  assert.equal(isInteger('1e400000000', false), true);
  assert.equal(isInteger('1e-400000000', false), false);
  assert.equal(toBigInt(readDecimal('1e400000000'), 1000), null);
});

test('what doubles get wrong is right', () => {
  assert.equal(isMultipleOf('0.3', '0.1'), true);
  assert.equal(isMultipleOf('19.99', '0.01'), true);
  assert.equal(isMultipleOf('4.02', '0.01'), true);
  assert.equal(isMultipleOf('0.075', '0.01'), false);
  assert.ok(compareNumbers('9007199254740993', '9007199254740992') > 0);
  assert.equal(toBigInt(readDecimal('-12e2'), 10), -1200n);
});

test('integers of draft-04 are written as integers', () => {
  for (const text of ['1.0', '1e2', '1E2']) {
    assert.equal(isInteger(text, false), true);
    assert.equal(isInteger(text, true), false);
  }
  assert.equal(isInteger('-10', true), true);
  assert.equal(isInteger('1.5', false), false);
});
