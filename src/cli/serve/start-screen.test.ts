import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { DeploymentView } from '../../deployments/index.ts';
import { describeModel } from './describe-model.ts';
import { startScreen } from './start-screen.ts';

const plain = (text: string): string => text;
const colours = { bold: plain, dim: plain, cyan: plain } as Parameters<typeof startScreen>[1];

const view: DeploymentView = {
  object: 'deployment',
  name: 'small',
  runtime: 'embedded',
  model: 'small',
  options: {},
  state: 'ready',
  created: 0,
  engine: {
    slots: 1,
    context: 512,
    threads: 1,
    kv_bytes: 1000,
    model_bytes: 2000,
    file: '/x.gguf',
  },
};

const screenOf = (engine: Readonly<Record<string, unknown>>): string => {
  const model = describeModel({ ...view, engine: { ...view.engine, ...engine } });
  return startScreen({ version: '1', url: 'http://x', model, keyNeeded: false }, colours);
};

describe('the start screen', () => {
  it('shows what the operator of the start model should know', () => {
    assert.match(
      screenOf({ notes: ['no GPU', 'no disk'] }),
      / Note {4}no GPU\n {2}Note {4}no disk\n/,
    );
  });

  it('has no such row where there is nothing to say', () => {
    assert.doesNotMatch(screenOf({ notes: [] }), /Note/);
    assert.doesNotMatch(screenOf({}), /Note/);
  });
});
