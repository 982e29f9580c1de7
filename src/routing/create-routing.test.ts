/** Names of models: plain, qualified, and those of functions. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { ParlanceError } from '../contract/index.ts';
import type { DeploymentView } from '../deployments/index.ts';
import type { Target } from '../targets/index.ts';
import { createRouting } from './create-routing.ts';

const view = (name: string, state: DeploymentView['state']): DeploymentView => ({
  object: 'deployment',
  name,
  runtime: 'embedded',
  model: name,
  options: {},
  state,
  created: 12,
});

const routing = createRouting({
  resolve: (model) => ({ name: model }) as Target,
  list: () => [view('a', 'ready'), view('b', 'loading'), view('c', 'failed')],
});

describe('createRouting', () => {
  it('takes a name as it is, and out of both qualified forms', () => {
    for (const model of ['org/m', 'parlance::model_name::org/m', 'tensorzero::model_name::org/m']) {
      assert.equal(routing.resolve(model).name, 'org/m');
    }
    assert.equal(routing.resolve('other::model_name::m').name, 'other::model_name::m');
  });

  it('says that functions are not there yet', () => {
    for (const model of ['parlance::function_name::f', 'tensorzero::function_name::f']) {
      assert.throws(
        () => routing.resolve(model),
        (error: ParlanceError) => {
          assert.equal(error.status, 404);
          assert.match(error.message, /no functions yet/);
          return true;
        },
      );
    }
  });

  it('lists what is ready', () => {
    assert.deepEqual(routing.list(), [
      { id: 'a', object: 'model', created: 12, owned_by: 'parlance' },
    ]);
  });
});
