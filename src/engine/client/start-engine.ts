/** Starting an engine: the only way for other rooms to get one. */

import type { Engine, EngineStart } from './engine.ts';
import { SupervisedEngine } from './supervised-engine.ts';

/**
 * Starts an engine and resolves when it is ready. Rejects with `invalid_model_file`,
 * `invalid_option`, `machine_unsupported`, `engine_failed` or `cancelled`; nothing is left running.
 */
export async function startEngine(start: EngineStart): Promise<Engine> {
  const engine = new SupervisedEngine(start);
  await engine.ready;
  return engine;
}
