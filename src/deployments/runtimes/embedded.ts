/**
 * The runtime `embedded`: fetches the weights, starts an engine on them, makes a target of it.
 * Fetches go side by side; engines load one after the other, since each looks at how much memory is
 * free before it takes its share.
 */

import { asParlanceError } from '../../contract/index.ts';
import { defaultEngineOptions, startEngine, type Engine } from '../../engine/index.ts';
import { ensureModel, parseModelSpec, type ModelFile } from '../../models/index.ts';
import { createEmbeddedTarget, Handovers } from '../../targets/index.ts';
import { invalidDeployment, type EmbeddedSpec } from '../spec.ts';
import type { Running, Runtime, StartContext } from './runtime.ts';
import { createTurns } from './turns.ts';

export interface EmbeddedRuntimeOptions {
  readonly home: string;
  /** Requests that may wait for a slot of one engine. */
  readonly maxWaiting: number;
  /** A cancelled request has freed its slot, so long after the client left. */
  readonly onReleased?: (milliseconds: number) => void;
}

export function createEmbeddedRuntime(options: EmbeddedRuntimeOptions): Runtime<EmbeddedSpec> {
  const inTurn = createTurns();
  const handovers = new Handovers();
  return {
    check,
    async start(spec, context) {
      const file = await ensureModel(spec.model, {
        home: options.home,
        signal: context.signal,
        onProgress: (progress) => context.onPull(progress),
      });
      context.onLoad(null);
      return await inTurn(context.signal, () =>
        load(spec, file, { ...context, ...options, handovers }),
      );
    },
  };
}

function check(spec: EmbeddedSpec): EmbeddedSpec {
  try {
    const parsed = parseModelSpec(spec.model);
    return parsed.kind === 'file' ? { ...spec, model: parsed.path } : spec;
  } catch (error) {
    throw invalidDeployment('model', asParlanceError(error).message);
  }
}

async function load(
  spec: EmbeddedSpec,
  file: ModelFile,
  context: StartContext & EmbeddedRuntimeOptions & { readonly handovers: Handovers },
): Promise<Running> {
  let started = false;
  const engine = await startEngine({
    path: file.path,
    options: { ...defaultEngineOptions, ...spec.options, maxWaiting: context.maxWaiting },
    signal: context.signal,
    onState: (state) => {
      if (state.state === 'loading') context.onLoad(state.progress);
      if (state.state === 'failed' && started) context.onFailed(state.error);
    },
    ...(context.onReleased === undefined ? {} : { onReleased: context.onReleased }),
  });
  try {
    const target = createEmbeddedTarget({
      name: spec.name,
      engine,
      metadata: file.metadata,
      handovers: context.handovers,
    });
    context.handovers.join(engine);
    started = true;
    return {
      target,
      details: () => toDetails(engine, file),
      load: () => engine.load,
      stop: () => {
        context.handovers.leave(engine);
        return engine.stop();
      },
    };
  } catch (error) {
    await engine.stop();
    throw error;
  }
}

function toDetails(engine: Engine, file: ModelFile): Record<string, unknown> {
  const { info } = engine;
  const { name, quantisation, licence } = file.metadata;
  return {
    name: name ?? info.description,
    quantisation,
    licence,
    state: engine.state.state,
    pid: engine.pid,
    slots: info.slots,
    context: info.context,
    trained_context: info.trainedContext,
    threads: info.threads,
    kv_bytes: info.kvBytes,
    kv_type: info.kvType,
    model_bytes: file.bytes,
    file: file.path,
    description: info.description,
    library: info.library,
  };
}
