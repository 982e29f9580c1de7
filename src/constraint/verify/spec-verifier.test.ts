import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { ConstraintSpec } from '../spec.ts';
import { SpecVerifiers } from './spec-verifier.ts';

/** A spec that counts how often it is compiled. */
function counting(kind: 'json' | 'regex', text: string) {
  const counted = { reads: 0 };
  const field = kind === 'json' ? 'schema' : 'pattern';
  const read = (): string => {
    counted.reads += 1;
    return text;
  };
  const spec = Object.defineProperty({ kind, whitespace: null }, field, { get: read });
  return { counted, spec: spec as unknown as ConstraintSpec };
}

it('a constraint that cannot be kept is refused by its keyword, and tried once', () => {
  const verifiers = new SpecVerifiers(() => 'key');
  const { counted, spec } = counting('json', '{"type":"wrong"}');
  const first = verifiers.compile(spec);
  assert.equal(first.ok, false);
  assert.equal(first.ok ? null : first.keyword, 'type');
  const { reads } = counted;
  assert.ok(reads > 0);
  assert.deepEqual(verifiers.compile(spec), first);
  assert.equal(counted.reads, reads);
});

it('what is kept for constraints stays bounded, the last ones stay', () => {
  const keys = new Map<ConstraintSpec, string>();
  const verifiers = new SpecVerifiers((spec) => keys.get(spec) ?? '', 5000);
  const text = 'a'.repeat(100);
  const many = Array.from({ length: 24 }, (_, index) => {
    const made = counting('regex', `[ab]{${200 + index}}`);
    keys.set(made.spec, String(index));
    return made;
  });
  for (const { spec } of many) assert.equal(verifiers.verify(spec, text).ok, false);
  const readsOf = (index: number): number => {
    const { spec, counted } = many[index]!;
    const before = counted.reads;
    verifiers.verify(spec, 'c');
    return counted.reads - before;
  };
  assert.equal(readsOf(23), 0);
  assert.equal(readsOf(22), 0);
  assert.ok(readsOf(0) > 0, 'the oldest is made again');
});
