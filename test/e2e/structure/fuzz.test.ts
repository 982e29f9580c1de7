/**
 * Random constraints, half of them nonsense, beside random other parameters: each is answered or refused,
 * nothing breaks, and no process dies of it.
 */

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { chatBody, chatUrl, complete, errorOf, jsonOf, post, textOf } from '../../support/ask.ts';
import { inCompany } from '../../support/in-company.ts';
import { untilLoad } from '../../support/load.ts';
import { treeOf } from '../../support/process-tree.ts';
import { randomCompany, randomConstraint } from '../../support/random-constraints.ts';
import { createRandom } from '../../support/random-numbers.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import { sharedServer } from '../../support/shared-server.ts';

const requests = 300;
const refusals = new Set(['invalid_constraint', 'invalid_value', 'conflicting_fields']);

let server: ServerProcess;

async function askOne(seed: number, counts: Map<string, number>): Promise<void> {
  const random = createRandom(seed);
  const fields = { ...randomConstraint(random), ...randomCompany(random) };
  const dryRun = random() < 0.4 ? { dry_run: true } : {};
  const body = chatBody({ temperature: 1, seed, max_tokens: 10, ...fields, ...dryRun });
  const reply = await post(chatUrl(server), body);
  const where = `seed ${seed}: ${JSON.stringify(fields).slice(0, 1500)}: ${reply.text.slice(0, 1000)}`;
  const outcome = reply.status === 200 ? 'answered' : errorOf(reply).reason;
  counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  if (reply.status === 200) {
    assert.ok(jsonOf(reply)['object'] !== undefined, where);
  } else if (reply.status === 400) {
    assert.ok(refusals.has(outcome), where);
  } else {
    assert.equal(`${reply.status} ${outcome}`, '502 constraint_not_met', where);
    assert.deepEqual(dryRun, {}, where);
  }
}

describe('random constraints', () => {
  before(async () => {
    server = await sharedServer();
    await complete(server, { guided_choice: ['yes'] });
  });

  it(`${requests} of them break nothing`, async (context) => {
    const processes = treeOf(server.pid);
    const counts = new Map<string, number>();
    const seeds = Array.from({ length: requests }, (_, at) => at + 1);
    await inCompany(seeds, (seed) => askOne(seed, counts), 6);
    context.diagnostic(JSON.stringify(Object.fromEntries(counts)));
    assert.ok((counts.get('answered') ?? 0) > requests / 4);
    assert.ok((counts.get('invalid_constraint') ?? 0) > requests / 8);
    assert.deepEqual(treeOf(server.pid), processes);
    await untilLoad(server, 0, 0);
    assert.equal(textOf(await complete(server, { guided_choice: ['yes'] })), 'yes');
  });
});
