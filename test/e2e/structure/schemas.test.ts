/** A few real schemas over HTTP; `npm run corpus` runs many. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runSchemas, sampleSchemas, withoutCorpus } from '../../support/schema-run.ts';
import { sharedServer } from '../../support/shared-server.ts';

const count = 8;

describe('real schemas over HTTP', () => {
  it(
    'at temperature 1 every finished answer is valid',
    { skip: withoutCorpus },
    async (context) => {
      const { notes, ...counts } = await runSchemas(await sharedServer(), sampleSchemas(count, 5));
      context.diagnostic(JSON.stringify(counts));
      for (const note of notes) context.diagnostic(note);
      assert.equal(counts.stop + counts.length + counts.notMet + counts.refused, count);
      assert.ok(counts.stop >= 1);
      assert.ok(counts.notMet <= 1 && counts.refused <= 2, notes.join('\n'));
    },
  );
});
