/**
 * Several constrained requests and free ones in one batch: each constrained text is right, and every
 * text is the one that its request has alone.
 */

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { complete, joined, stream, textOf, type Body } from '../../support/ask.ts';
import { bodyOf, constraintCases, type ConstraintCase } from '../../support/constraint-cases.ts';
import { untilLoad } from '../../support/load.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import { sharedServer, sharedSlots } from '../../support/shared-server.ts';

let server: ServerProcess;

const named = (name: string): ConstraintCase => {
  const found = constraintCases.find((one) => one.name === name);
  assert.ok(found !== undefined, name);
  return found;
};

const constrained = [
  'guided_json',
  'guided_regex',
  'structural_tag as an object',
  'guided_grammar in Lark',
].map(named);

const free = (seed: number): Body => ({
  messages: [{ role: 'user', content: `Tell me a story about ${seed} cats.` }],
  temperature: 1,
  seed,
  max_tokens: 48,
  ignore_eos: true,
});

describe('one batch of constrained and free requests', () => {
  before(async () => {
    server = await sharedServer();
  });

  it('each text is the one that its request has alone', async () => {
    const bodies = constrained.flatMap((one, at) => [bodyOf(one, { seed: at + 20 }), free(at + 1)]);
    assert.equal(bodies.length, sharedSlots);
    const alone: string[] = [];
    for (const body of bodies) alone.push(textOf(await complete(server, body)));
    constrained.forEach(({ check }, at) => check(alone[2 * at] ?? ''));
    const together = await Promise.all(
      bodies.map(async (body) => joined(await stream(server, body))),
    );
    assert.deepEqual(together, alone);
    await untilLoad(server, 0, 0);
  });

  it('one schema in all slots, and more requests than slots', async () => {
    const one = named('response_format json_schema, strict');
    const seeds = Array.from({ length: sharedSlots + 4 }, (_, at) => at + 1);
    const texts = await Promise.all(
      seeds.map(async (seed) => textOf(await complete(server, bodyOf(one, { seed })))),
    );
    texts.forEach(one.check);
    assert.ok(new Set(texts).size > sharedSlots / 2);
  });
});
