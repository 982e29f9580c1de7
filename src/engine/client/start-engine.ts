/** Starting an engine: the only way for other rooms to get one. */

import type { Engine, EngineStart } from './engine.ts';
import { SupervisedEngine, type SpawnEngine } from './supervised-engine.ts';

/**
 * Starts an engine and resolves when it is ready. Rejects with `invalid_model_file`,
 * `invalid_option`, `machine_unsupported`, `engine_failed` or `cancelled`; nothing is left running.
 */
export async function startEngine(start: EngineStart, spawn?: SpawnEngine): Promise<Engine> {
  const engine = new SupervisedEngine(start, spawn);
  try {
    await engine.ready;
  } catch (error) {
    // The process may still be loading: the memory that it holds is given back only by its end.
    await engine.stop();
    throw error;
  }
  return engine;
}
