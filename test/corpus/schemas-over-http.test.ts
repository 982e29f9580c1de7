/**
 * Real schemas over HTTP with the default model at temperature 1: what finishes is valid, and at most one
 * answer in twenty ends in `constraint_not_met`. Prints its counts. `PARLANCE_CORPUS_SEED` takes others.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runSchemas, sampleSchemas, withoutCorpus } from '../support/schema-run.ts';
import { sharedServer } from '../support/shared-server.ts';

const count = 40;
const seed = Number(process.env['PARLANCE_CORPUS_SEED'] ?? 1);

describe('forty real schemas over HTTP', () => {
  it('at temperature 1', { skip: withoutCorpus }, async (context) => {
    const { notes, ...counts } = await runSchemas(await sharedServer(), sampleSchemas(count, seed));
    process.stdout.write(`schemas over HTTP, sample ${seed}: ${JSON.stringify(counts)}\n`);
    for (const note of notes) context.diagnostic(note);
    assert.equal(counts.stop + counts.length + counts.notMet + counts.refused, count);
    assert.ok(counts.notMet <= count / 20, notes.join('\n'));
    assert.ok(counts.refused <= count / 20, notes.join('\n'));
    assert.ok(counts.stop > count / 4 && counts.unchecked <= count / 10, notes.join('\n'));
  });
});
