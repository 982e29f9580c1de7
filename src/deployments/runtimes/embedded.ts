/**
 * The runtime `embedded`: fetches the weights, starts an engine on them, makes a target of it.
 * Fetches go side by side; engines load one after the other, since each looks at how much memory is
 * free before it takes its share.
 */

import { asParlanceError, ParlanceError } from '../../contract/index.ts';
import { startEngine, type Engine } from '../../engine/index.ts';
import {
  ensureModel,
  parseModelSpec,
  requantiseModel,
  type ModelFile,
  type RequantiseTools,
} from '../../models/index.ts';
import {
  createEmbeddedTarget,
  createModelRenderer,
  Handovers,
  type EmbeddedTarget,
  type ModelRenderer,
  type TargetServices,
} from '../../targets/index.ts';
import { checkChatTemplate, readChatTemplate } from '../chat-template.ts';
import { invalidDeployment } from '../check-fields.ts';
import { toEngineOptions, type ServerWide } from '../embedded-options.ts';
import type { EmbeddedSpec } from '../spec.ts';
import { Adapters } from './adapters.ts';
import { toDetails } from './engine-details.ts';
import { IdleRequantise } from './idle-requantise.ts';
import type { Running, Runtime, StartContext } from './runtime.ts';
import { createTurns } from './turns.ts';
import { warmWhenQuiet } from './warm-up.ts';

export interface EmbeddedRuntimeOptions extends ServerWide {
  readonly home: string;
  readonly services: TargetServices;
  /** For which a faster form of the weights is taken; null: never (`ensureModel`). */
  readonly machine?: string | null;
  /** With which weights are rewritten while nothing is asked of them; null: never. */
  readonly requantise?: RequantiseTools | null;
  /** A cancelled request has freed its slot, so long after the client left. */
  readonly onReleased?: (milliseconds: number) => void;
  /** Something that its operator may want to read. */
  readonly onNote?: (deployment: string, note: string) => void;
  /** Something went wrong that fails no request, in words for the log. */
  readonly onFault?: (deployment: string, message: string) => void;
}

export function createEmbeddedRuntime(options: EmbeddedRuntimeOptions): Runtime<EmbeddedSpec> {
  const inTurn = createTurns();
  const handovers = new Handovers();
  return {
    check,
    async start(spec, context) {
      const fetch = (model: string): Promise<ModelFile> =>
        ensureModel(model, {
          home: options.home,
          machine: options.machine ?? undefined,
          signal: context.signal,
          onProgress: (progress) => context.onPull(progress),
        });
      const template = await readChatTemplate(spec.options.chat_template ?? null);
      const file = await fetch(spec.model);
      const { metadata } = file;
      const { services } = options;
      const prompting = createModelRenderer({ metadata, services, template });
      const { draft_model: draftModel } = spec.options;
      const draft =
        draftModel === null
          ? null
          : await fetch(draftModel).catch((error: unknown) => {
              const { reason, message } = asParlanceError(error);
              throw new ParlanceError(reason, `draft_model: ${message}`, { cause: error });
            });
      context.onLoad(null);
      const files = { file, draft };
      return await inTurn(context.signal, () =>
        load(spec, files, { ...context, ...options, handovers, prompting }),
      );
    },
  };
}

function check(spec: EmbeddedSpec): EmbeddedSpec {
  const { draft_model: draft, chat_template: template } = spec.options;
  return {
    ...spec,
    model: checkModel('model', spec.model),
    options: {
      ...spec.options,
      draft_model: draft === null ? null : checkModel('options.draft_model', draft),
      chat_template: checkChatTemplate(template),
    },
  };
}

/** The path of a file absolute, anything else as it is. */
function checkModel(field: string, model: string): string {
  try {
    const parsed = parseModelSpec(model);
    return parsed.kind === 'file' ? parsed.path : model;
  } catch (error) {
    throw invalidDeployment(field, asParlanceError(error).message);
  }
}

interface Files {
  readonly file: ModelFile;
  readonly draft: ModelFile | null;
}

type LoadContext = StartContext &
  EmbeddedRuntimeOptions & { readonly handovers: Handovers; readonly prompting: ModelRenderer };

async function load(
  spec: EmbeddedSpec,
  { file, draft }: Files,
  context: LoadContext,
): Promise<Running> {
  let adapters: Adapters | null = null;
  const engine = await startEngine({
    path: file.path,
    draft: draft?.path ?? null,
    options: toEngineOptions(spec.options, context),
    signal: context.signal,
    onState: (state) => {
      if (state.state === 'loading') context.onLoad(state.progress);
      if (state.state !== 'failed' || adapters === null) return;
      adapters.failAll(state.error);
      context.onFailed(state.error);
    },
    onAdapterLost: (name, error) => adapters?.lost(name, error),
    onFault: (message) => context.onFault?.(spec.name, message),
    ...(context.onReleased === undefined ? {} : { onReleased: context.onReleased }),
  });
  const { handovers, services, prompting } = context;
  const formats = {
    tools: spec.options.tool_format ?? null,
    reasoning: spec.options.reasoning_format ?? null,
  };
  const parts = { engine, prompting, handovers, services, formats };
  try {
    const target = createEmbeddedTarget({ name: spec.name, ...parts });
    adapters = new Adapters(parts, spec.options.deterministic === true);
    handovers.join(engine);
    const improving = improve(spec.name, engine, file, context);
    const stopWaiting = warmWhenQuiet(
      () => engine.load,
      () => services.warm(),
    );
    return toRunning({
      engine,
      file,
      adapters,
      handovers,
      target,
      prompting,
      improving,
      stopWaiting,
    });
  } catch (error) {
    await engine.stop();
    throw error;
  }
}

/** Null where there is nothing to try. */
function improve(
  name: string,
  engine: Engine,
  { path, requantised }: ModelFile,
  { requantise: tools, onNote }: LoadContext,
): IdleRequantise | null {
  if (!tools || requantised !== 'possible') return null;
  return new IdleRequantise({
    load: () => engine.load,
    work: async (signal, onStep) => await requantiseModel({ source: path, tools, signal, onStep }),
    onDone: (note) => onNote?.(name, note),
  });
}

interface Parts {
  readonly improving: IdleRequantise | null;
  readonly engine: Engine;
  readonly file: ModelFile;
  readonly adapters: Adapters;
  readonly handovers: Handovers;
  readonly target: EmbeddedTarget;
  readonly prompting: ModelRenderer;
  readonly stopWaiting: () => void;
}

function toRunning(parts: Parts): Running {
  const { engine, file, adapters, handovers, target, prompting, improving, stopWaiting } = parts;
  return {
    target,
    details: () => ({
      ...toDetails(engine, file, adapters.names),
      requantising: improving?.view ?? null,
      chat_template: prompting.origin,
      tool_format: target.formats.withTools.tools,
      reasoning_format: target.formats.plain.reasoning,
    }),
    load: () => engine.load,
    stats: () => engine.stats,
    attach: (spec, context) => adapters.attach(spec, context),
    stop: async () => {
      stopWaiting();
      handovers.leave(engine);
      await Promise.all([engine.stop(), improving?.stop()]);
    },
  };
}
