/** The start model in the words of the start screen. Pure. */

import { basename } from 'node:path';

import type { DeploymentView } from '../../deployments/index.ts';
import { formatBytes } from '../../models/index.ts';
import type { StartedModel } from './start-screen.ts';

const count = (value: unknown): string => Number(value).toLocaleString('en-US');

export function describeModel(view: DeploymentView): StartedModel {
  const engine = view.engine ?? {};
  const { slots, context, threads, kv_bytes: kvBytes, model_bytes: modelBytes } = engine;
  const facts = [
    basename(String(engine['file'])),
    formatBytes(Number(modelBytes)),
    engine['licence'],
  ];
  const memory = `${formatBytes(Number(kvBytes))} of memory for their context`;
  return {
    name: view.name,
    what: facts.filter((fact) => typeof fact === 'string').join(', '),
    tip:
      engine['requantised'] === 'possible'
        ? 'prompts may be read faster with Q8_0 weights: tried when it is quiet (docs/models.md)'
        : null,
    notes: Array.isArray(engine['notes']) ? engine['notes'].map(String) : [],
    engine: `${count(slots)} slots of ${count(context)} tokens (${memory}), ${count(threads)} threads`,
  };
}
