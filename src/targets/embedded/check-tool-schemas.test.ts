/** Which functions are refused, and which are checked at the end. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Verifier } from '../../constraint/index.ts';
import { ParlanceError } from '../../contract/index.ts';
import type { ToolUse } from '../../prompt/index.ts';
import { checkToolSchemas } from './check-tool-schemas.ts';

const problem = new ParlanceError('invalid_constraint', '`x` is too large.', { keyword: 'x' });

/** A verifier that cannot enforce a schema, and may or may not judge texts by it. */
const verifierWith = (judges: boolean): Verifier => ({
  findUnsupported: async (spec) => (JSON.stringify(spec).includes('hard') ? problem : null),
  verify: async () => {
    if (!judges) throw problem;
    return { ok: false, reason: 'no', keyword: 'x' };
  },
  warm: () => {},
  close: async () => {},
});

const useOf = (
  schema: string,
  strict: boolean,
  choice: ToolUse['choice'] = 'required',
): ToolUse => ({
  callable: [{ name: 'look', description: null, parameters: schema, strict }],
  choice,
  parallel: true,
});
const hard = '{"type":"object","title":"hard"}';

describe('checkToolSchemas', () => {
  it('leaves functions alone that can be enforced', async () => {
    const use = useOf('{"type":"object"}', true);
    assert.deepEqual(await checkToolSchemas(use, verifierWith(true)), { use, notes: [] });
  });

  it('takes any object for a schema that can only be checked, and says so', async () => {
    const { use, notes } = await checkToolSchemas(useOf(hard, false), verifierWith(true));
    assert.equal(use.callable[0]?.parameters, null);
    assert.deepEqual(notes, [
      {
        parameter: 'tools',
        note: 'arguments of look are checked at the end: x cannot be enforced',
      },
    ]);
  });

  it('takes what a model writes that may call, and is not to be strict', async () => {
    for (const judges of [true, false]) {
      const asked = useOf(hard, false, 'auto');
      const { use, notes } = await checkToolSchemas(asked, verifierWith(judges));
      assert.equal(use.callable[0]?.parameters, null);
      assert.match(notes[0]?.note ?? '', /may be any object: x cannot be enforced/);
    }
  });

  it('refuses it where the function is strict', async () => {
    await assert.rejects(checkToolSchemas(useOf(hard, true), verifierWith(true)), {
      reason: 'invalid_constraint',
      keyword: 'x',
      param: 'tools',
      message: /parameters of look: .*Without `strict`/,
    });
  });

  it('refuses what cannot even be checked, before anything is generated', async () => {
    for (const strict of [false, true]) {
      await assert.rejects(checkToolSchemas(useOf(hard, strict), verifierWith(false)), {
        reason: 'invalid_constraint',
        keyword: 'x',
        message: /^The parameters of look: `x` is too large\.$/,
      });
    }
  });
});
