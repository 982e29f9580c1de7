/**
 * The options of a deployment on the embedded engine: what a body may say, their normal form, and
 * what they mean to the engine. `spec.ts` takes them in, the runtime hands them on.
 */

import { Type, type Static } from 'typebox';

import { defaultEngineOptions, type EngineOptions } from '../engine/index.ts';
import { formats, reasonings, type FormatName, type ReasoningName } from '../prompt/index.ts';
import { maxTemplate } from './chat-template.ts';
import { optionalField } from './optional-field.ts';

/** null: chosen at load. */
export interface EmbeddedOptions {
  /** Requests that run at a time. */
  readonly slots: number | null;
  /** Tokens of each. */
  readonly context: number | null;
  readonly threads: number | null;
  /** true: the same bytes whatever else runs, or no start; false: the fastest settings. */
  readonly deterministic: boolean | null;
  /** Most bytes of computed prefixes in memory; 0 = keep none. */
  readonly prefix_cache_bytes: number | null;
  /** A small model of the same vocabulary that proposes tokens; null = none. */
  readonly draft_model: string | null;
  /** null: where it wins. */
  readonly speculation: 'off' | null;
  /** Layers on a GPU; null: all where there is one. */
  readonly gpu_layers: number | null;
  /** A template, the path of one, or `none`; null: the file's own, or its family's. */
  readonly chat_template: string | null;
  /** How the model writes calls and thinking, or `none`; null: as its template tells. */
  readonly tool_format: ToolFormatWish | null;
  readonly reasoning_format: ReasoningFormatWish | null;
}

type ToolFormatWish = FormatName | 'none';
type ReasoningFormatWish = ReasoningName | 'none';

export const noOptions: EmbeddedOptions = {
  slots: null,
  context: null,
  threads: null,
  deterministic: null,
  prefix_cache_bytes: null,
  draft_model: null,
  speculation: null,
  gpu_layers: null,
  chat_template: null,
  tool_format: null,
  reasoning_format: null,
};

const toolFormats = Object.keys(formats) as FormatName[];
const reasoningFormats = Object.keys(reasonings) as ReasoningName[];

export const embeddedOptions = Type.Object(
  {
    slots: optionalField(Type.Integer({ minimum: 1, maximum: 256 })),
    context: optionalField(Type.Integer({ minimum: 128 })),
    threads: optionalField(Type.Integer({ minimum: 1, maximum: 1024 })),
    deterministic: optionalField(Type.Boolean()),
    prefix_cache_bytes: optionalField(Type.Integer({ minimum: 0 })),
    draft_model: optionalField(Type.String({ minLength: 1, maxLength: 4096 })),
    speculation: optionalField(Type.Enum(['auto', 'off'])),
    gpu_layers: optionalField(
      Type.Union([Type.Integer({ minimum: 0, maximum: 10_000 }), Type.Literal('auto')]),
    ),
    chat_template: optionalField(Type.String({ minLength: 1, maxLength: maxTemplate })),
    tool_format: optionalField(Type.Enum(['auto', 'none', ...toolFormats])),
    reasoning_format: optionalField(Type.Enum(['auto', 'none', ...reasoningFormats])),
  },
  { additionalProperties: false },
);

/** Every option there, and `auto` in its one spelling, null. */
export function normaliseOptions(
  given: Static<typeof embeddedOptions> | null | undefined,
): EmbeddedOptions {
  const { speculation, gpu_layers: layers, draft_model: draft, ...rest } = given ?? {};
  const { tool_format: tools, reasoning_format: reasoning, ...others } = rest;
  return {
    ...noOptions,
    ...withoutAbsent(others),
    draft_model: draft?.trim() ?? null,
    speculation: speculation === 'off' ? 'off' : null,
    gpu_layers: layers === 'auto' ? null : (layers ?? null),
    tool_format: tools === 'auto' ? null : (tools ?? null),
    reasoning_format: reasoning === 'auto' ? null : (reasoning ?? null),
  };
}

function withoutAbsent<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}

/** What all engines of one server have in common. */
export interface ServerWide {
  /** Requests that may wait for a slot of one engine. */
  readonly maxWaiting: number;
  /** Folder in which prefixes outlive a restart. */
  readonly prefixCacheDir: string | null;
}

export function toEngineOptions(options: EmbeddedOptions, server: ServerWide): EngineOptions {
  return {
    ...defaultEngineOptions,
    slots: options.slots,
    context: options.context,
    threads: options.threads,
    deterministic: options.deterministic,
    prefixCacheBytes: options.prefix_cache_bytes,
    prefixCacheDir: server.prefixCacheDir,
    speculation: options.speculation ?? 'auto',
    gpuLayers: options.gpu_layers ?? 'auto',
    maxWaiting: server.maxWaiting,
  };
}
