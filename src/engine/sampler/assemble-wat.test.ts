/** The part of the WebAssembly text format that the kernels are written in. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assembleWat } from './assemble-wat.ts';

const empty = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

test('a function becomes the bytes that the specification gives it', () => {
  const module = assembleWat(`(module (memory 1)
    ;; 300 as LEB128 is 172 2, -65 is 191 127
    (func (export "f") (param $a i32) (result i32) (local $b i32)
      (local.set $b (i32.const 300))
      (block $out (loop $in
        (br_if $out (i32.eqz (local.get $a)))
        (if (local.get $b) (then (local.set $a (i32.const -65))) (else (br $in)))))
      (i32.add (local.get $a) (i32.load offset=128 (local.get $b)))))`);
  const body = [
    [1, 1, 0x7f],
    [0x41, 172, 2, 0x21, 1],
    [0x02, 0x40, 0x03, 0x40],
    [0x20, 0, 0x45, 0x0d, 1],
    [0x20, 1, 0x04, 0x40, 0x41, 191, 127, 0x21, 0, 0x05, 0x0c, 1, 0x0b],
    [0x0b, 0x0b],
    [0x20, 0, 0x20, 1, 0x28, 2, 128, 1, 0x6a, 0x0b],
  ].flat();
  assert.deepEqual(
    [...module],
    [
      empty,
      [1, 6, 1, 0x60, 1, 0x7f, 1, 0x7f],
      [3, 2, 1, 0],
      [5, 3, 1, 0, 1],
      [7, 14, 2, 1, 0x66, 0, 0, 6, ...Buffer.from('memory'), 2, 0],
      [10, body.length + 2, 1, body.length, ...body],
    ].flat(),
  );
});

test('vectors: constants, lanes, prefixes', () => {
  const module = assembleWat(`(module (memory 1) (func (export "f") (result f64)
    (f64x2.extract_lane 1 (f64x2.add
      (v128.const f64x2 1 -Infinity) (v128.load offset=8 (i32.const 0))))))`);
  const doubles = [...new Uint8Array(Float64Array.of(1, -Infinity).buffer)];
  const code = [
    [0xfd, 12, ...doubles, 0x41, 0, 0xfd, 0, 4, 8],
    [0xfd, 0xf0, 1, 0xfd, 33, 1, 0x0b],
  ].flat();
  assert.deepEqual([...module.subarray(-code.length)], code);
});

test('what it does not know it refuses', () => {
  for (const [body, message] of [
    ['(f32.sqrt (local.get $a))', /unknown instruction: f32.sqrt/],
    ['(local.get $z)', /unknown local: \$z/],
    ['(br $z)', /unknown label: \$z/],
    ['(v128.const i8x16 1)', /unknown constant: i8x16/],
    ['nop', /a bracket is missing around nop/],
  ] as const) {
    const text = `(module (memory 1) (func (export "f") (param $a i32) ${body}))`;
    assert.throws(() => assembleWat(text), message);
  }
  assert.throws(() => assembleWat('(module (table 1))'), /unknown field/);
  assert.throws(() => assembleWat('(module (memory 1'), /ends inside a bracket/);
  assert.throws(() => assembleWat('(module (memory 1)) (x)'), /more behind the module/);
});
